"""Pages for the counter."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views import View
from django.views.generic import ListView

from orders.forms import NoteForm
from orders.models import Order


class OrderList(ListView):
    """All orders, newest first."""

    model = Order
    ordering = "-created"


class OrderPage(View):
    """One order, and a note on it."""

    def get(self, request: HttpRequest, order_id: int) -> HttpResponse:
        """Show an order."""
        tab = request.GET.get("tab", "lines")
        return render(request, "orders/order.html", {"order": Order.objects.get(pk=order_id), "tab": tab})

    def post(self, request: HttpRequest, order_id: int) -> HttpResponse:
        """Leave a note."""
        form = NoteForm(request.POST)
        if form.is_valid():
            Order.objects.filter(pk=order_id).update(note=form.cleaned_data["text"])
        return redirect("orders:order", order_id)


def export(request: HttpRequest, year: str) -> HttpResponse:
    """All orders of a year as a table."""
    orders = Order.objects.filter(created__year=year)
    return HttpResponse("\n".join(f"{order.pk},{order.total_cents}" for order in orders))
