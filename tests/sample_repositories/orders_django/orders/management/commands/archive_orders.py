"""Archive what nobody looks at any more."""

from argparse import ArgumentParser
from datetime import timedelta

from django.core.management.base import BaseCommand
from django.utils import timezone

from orders.models import Order


class Command(BaseCommand):
    """Archive old orders."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What the command takes."""
        parser.add_argument("--older-than", type=int, default=365)

    def handle(self, *args: object, **options: int) -> None:
        """Archive them."""
        before = timezone.now() - timedelta(days=options["older_than"])
        Order.objects.filter(created__lt=before).update(archived=True)
