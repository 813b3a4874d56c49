"""Customers over HTTP."""

from rest_framework import mixins, serializers, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from customers.models import Customer
from orders.services.bulk import close_all


class CustomerSerializer(serializers.ModelSerializer):
    """A customer as others see one."""

    open_orders = serializers.SerializerMethodField()

    class Meta:
        model = Customer
        fields = ["id", "name", "email", "created", "open_orders"]

    def get_open_orders(self, customer: Customer) -> int:
        """How many orders are open."""
        return customer.orders.filter(status="open").count()


class CustomerViewSet(
    mixins.ListModelMixin, mixins.RetrieveModelMixin, mixins.UpdateModelMixin, viewsets.GenericViewSet[Customer]
):
    """Customers, and all orders of one at once."""

    queryset = Customer.objects.all()
    serializer_class = CustomerSerializer
    http_method_names = ["get", "patch", "post", "head"]

    @action(detail=True, methods=["post"], url_path="close-orders")
    def close_orders(self, request: Request, pk: str) -> Response:
        """Close every order of a customer."""
        return Response(close_all(pk, request.data["reason"]))
