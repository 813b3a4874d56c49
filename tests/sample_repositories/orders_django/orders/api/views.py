"""Orders over HTTP."""

from django.http import StreamingHttpResponse
from rest_framework import viewsets
from rest_framework.decorators import action, api_view
from rest_framework.request import Request
from rest_framework.response import Response

from orders.api.serializers import BulkSerializer, OrderSerializer
from orders.models import Order
from orders.services.bulk import BulkAction


class OrderViewSet(viewsets.ModelViewSet[Order]):
    """Orders."""

    queryset = Order.objects.all()
    serializer_class = OrderSerializer

    def list(self, request: Request) -> Response:
        """Orders by status."""
        orders = Order.objects.filter(status=request.query_params.get("status", "open"))
        return Response(self.get_serializer(orders, many=True).data)

    @action(detail=False)
    def overdue(self, request: Request) -> Response:
        """Orders that wait for too long."""
        return Response([])


@api_view(["POST"])
def bulk_action(request: Request) -> Response:
    """Carry a bulk action out on many orders, and answer with the result of all."""
    serializer = BulkSerializer(data=request.data)
    serializer.is_valid(raise_exception=True)
    return Response(BulkAction(**serializer.validated_data).run())


@api_view(["POST"])
def stream_bulk_action(request: Request) -> StreamingHttpResponse:
    """Carry a bulk action out on many orders, streaming a line for each."""
    serializer = BulkSerializer(data=request.data)
    serializer.is_valid(raise_exception=True)
    return StreamingHttpResponse(BulkAction(**serializer.validated_data).stream())
