"""All paths of the service."""

from django.contrib.auth import views as auth_views
from django.urls import include, path
from rest_framework.routers import DefaultRouter

from config.health import health
from customers.api import CustomerViewSet
from orders import urls as order_urls
from orders.api.views import OrderViewSet

router = DefaultRouter()
router.register("customers", CustomerViewSet)
router.register("orders", OrderViewSet, basename="order")

api = [
    path("", include(router.urls)),
    path("", include("orders.api.urls")),
]

urlpatterns = [
    path("healthz", health),
    path("login/", auth_views.LoginView.as_view(), name="login"),
    path("orders/", include((order_urls.urlpatterns, "orders"))),
    path("api/v1/", include((api, "api"), namespace="v1")),
]
