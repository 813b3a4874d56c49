"""Settings of the service."""

import os

SECRET_KEY = os.environ["ORDERS_SECRET_KEY"]
DEBUG = os.environ.get("ORDERS_DEBUG") == "1"
ROOT_URLCONF = "config.urls"
INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "rest_framework",
    "customers",
    "orders",
]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "orders.sqlite3"}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
ORDERS_PAGE_SIZE = 50
