"""Customers."""

from django.db import models


class Timestamped(models.Model):
    """What knows when it was made."""

    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True


class Customer(Timestamped):
    """Somebody who orders."""

    name = models.CharField(max_length=200)
    email = models.EmailField(unique=True)
    archived = models.BooleanField(default=False)
