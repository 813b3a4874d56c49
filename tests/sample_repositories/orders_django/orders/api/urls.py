"""Bulk actions."""

from django.urls import path

from orders.api.views import bulk_action, stream_bulk_action

urlpatterns = [path("actions", bulk_action)]
urlpatterns += [path("actions/stream", stream_bulk_action)]
