"""What Django, its REST framework, marshmallow and aiohttp say about fields of tables and requests."""

from inline_snapshot import snapshot

from tests.pipeline.code_registry.registries import Built

SHOP = {
    "shop/__init__.py": "",
    "shop/settings.py": 'ROOT_URLCONF = "shop.urls"\n',
    "shop/models.py": """
        from django.contrib.contenttypes.fields import GenericForeignKey
        from django.contrib.auth.models import AbstractUser
        from django.db import models
        class Person(AbstractUser):
            nickname = models.CharField(max_length=9, null=True)
        class Order(models.Model):
            owner = models.ForeignKey(Person, on_delete=models.CASCADE)
            total = models.IntegerField(default=0)
            made = models.DateTimeField(auto_now_add=True)
            about = GenericForeignKey("a", "b")
            OPEN = "open"
    """,
    "shop/serializers.py": """
        from rest_framework import serializers
        from .models import Order, Person
        class LineSerializer(serializers.Serializer):
            sku = serializers.CharField()
        class OrderSerializer(serializers.ModelSerializer):
            lines = LineSerializer(many=True)
            label = serializers.SerializerMethodField()
            class Meta:
                model = Order
                fields = ["id", "owner", "total", "made", "lines", "label", "is_big"]
                extra_kwargs = {"owner": {"read_only": True}}
        class PersonSerializer(serializers.ModelSerializer):
            class Meta:
                model = Person
                exclude = ["nickname"]
    """,
}


def test_tables_and_serializers_declare_fields_by_calls(built: Built) -> None:
    registry = built(SHOP)
    assert [f"{field.kind.value} {field.id} {field.required}" for field in registry.fields] == snapshot(
        [
            "table field:shop/models.py::Order.made False",
            "table field:shop/models.py::Order.owner True",
            "table field:shop/models.py::Order.total False",
            "table field:shop/models.py::Person.nickname False",
            "model field:shop/serializers.py::LineSerializer.sku True",
            "model field:shop/serializers.py::OrderSerializer.id None",
            "model field:shop/serializers.py::OrderSerializer.is_big None",
            "model field:shop/serializers.py::OrderSerializer.label False",
            "model field:shop/serializers.py::OrderSerializer.lines True",
            "model field:shop/serializers.py::OrderSerializer.made None",
            "model field:shop/serializers.py::OrderSerializer.owner None",
            "model field:shop/serializers.py::OrderSerializer.total None",
        ]
    )


def test_a_marshmallow_schema_declares_fields_under_their_names_on_the_wire(built: Built) -> None:
    registry = built(
        {
            "schemas.py": """
                from marshmallow import Schema, fields
                class Order(Schema):
                    total = fields.Int(required=True)
                    made_at = fields.DateTime(data_key="madeAt", dump_only=True)
            """
        }
    )
    assert [f"{field.name} {field.required}" for field in registry.fields] == ["madeAt False", "total True"]
