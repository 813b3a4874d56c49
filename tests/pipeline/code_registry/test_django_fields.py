"""What Django, its REST framework, marshmallow and aiohttp say about fields of tables and requests."""

from collections.abc import Callable, Mapping

from inline_snapshot import snapshot

from pipeline.code_registry.registry import Registry

Built = Callable[[Mapping[str, str]], Registry]

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


def views(text: str) -> dict[str, str]:
    urls = """
        from django.urls import path
        from . import views
        urlpatterns = [path("x/", views.view)]
    """
    return {**SHOP, "shop/urls.py": urls, "shop/views.py": text}


def bodies(registry: Registry) -> dict[str, tuple[str, ...] | None]:
    return {route.method: route.body_fields for route in registry.routes}


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


def test_the_body_of_an_inherited_method_is_what_the_serializer_lets_a_request_write(built: Built) -> None:
    registry = built(
        views("""
            from rest_framework.generics import ListCreateAPIView
            from .serializers import OrderSerializer
            class Orders(ListCreateAPIView):
                serializer_class = OrderSerializer
            view = Orders.as_view()
        """)
    )
    assert bodies(registry) == {"GET": (), "POST": ("total", "lines")}


def test_a_serializer_of_a_table_that_is_not_all_known_and_one_that_is_chosen_leave_the_body_unknown(
    built: Built,
) -> None:
    registry = built(
        views("""
            from rest_framework.generics import CreateAPIView, UpdateAPIView
            from .serializers import OrderSerializer, PersonSerializer
            class Orders(CreateAPIView, UpdateAPIView):
                serializer_class = PersonSerializer
                def put(self, request):
                    return self.get_serializer_class()(data=request.data)
            view = Orders.as_view()
        """)
    )
    assert bodies(registry) == {"PATCH": None, "POST": None, "PUT": None}


def test_keys_are_read_through_functions_that_are_handed_the_request(built: Built) -> None:
    registry = built(
        views("""
            import json
            from django.shortcuts import render
            from django.views.decorators.http import require_POST
            def name_of(asked):
                return json.loads(asked.body)["name"]
            @require_POST
            def view(request):
                name_of(request)
                data = json.loads(request.body)
                data.get("age")
                request.GET.get("page")
                return render(request, "x.html")
        """)
    )
    assert bodies(registry) == {"POST": ("age", "name")}
    assert registry.routes[0].query_fields == ("page",)


def test_a_body_that_a_function_gives_back_leaves_it_unknown(built: Built) -> None:
    registry = built(
        views("""
            def parsed(asked):
                return asked.POST.dict()
            def view(request):
                return parsed(request)["name"], request.POST["age"]
        """)
    )
    assert bodies(registry) == {"ANY": None}


def test_a_request_that_goes_where_nobody_sees_leaves_the_body_unknown(built: Built) -> None:
    registry = built(
        views("""
            from elsewhere import save
            def view(request):
                return save(request)
        """)
    )
    assert bodies(registry) == {"ANY": None}


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
