"""Orders."""

from django.db import models

from customers.models import Customer, Timestamped


class Order(Timestamped):
    """What a customer wants."""

    customer = models.ForeignKey(Customer, on_delete=models.CASCADE, related_name="orders")
    total_cents = models.PositiveIntegerField()
    note = models.TextField(blank=True)
    status = models.CharField(max_length=20, default="open", editable=False)
    archived = models.BooleanField(default=False)
