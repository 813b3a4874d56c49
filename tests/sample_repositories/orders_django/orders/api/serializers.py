"""Orders as others see them."""

from rest_framework import serializers

from orders.models import Order


class OrderSerializer(serializers.ModelSerializer):
    """An order."""

    class Meta:
        model = Order
        fields = "__all__"
        read_only_fields = ("archived",)


class BulkSerializer(serializers.Serializer):
    """A bulk action, as it is asked for."""

    action = serializers.ChoiceField(choices=["close", "archive"])
    order_ids = serializers.ListField(child=serializers.IntegerField())
    reason = serializers.CharField(required=False)
