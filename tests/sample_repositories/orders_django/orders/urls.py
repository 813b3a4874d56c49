"""Pages for the counter."""

from django.contrib.auth.decorators import login_required
from django.urls import path, re_path

from orders import views

one = login_required(views.OrderPage.as_view())

urlpatterns = [
    path("", views.OrderList.as_view(), name="list"),
    path("<int:order_id>/", one, name="order"),
    re_path(r"^(?P<year>[0-9]{4})/export\.csv$", views.export, name="export"),
]
