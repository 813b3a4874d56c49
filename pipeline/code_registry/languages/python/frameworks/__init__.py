"""The web frameworks of Python, one file each; adding one is a file and a line in the table."""

from pipeline.code_registry.framework import Framework
from pipeline.code_registry.languages.python.frameworks.aiohttp import AIOHTTP, AIOHTTP_RESOURCES
from pipeline.code_registry.languages.python.frameworks.django import DJANGO
from pipeline.code_registry.languages.python.frameworks.django_ninja import DJANGO_NINJA
from pipeline.code_registry.languages.python.frameworks.fastapi import FASTAPI
from pipeline.code_registry.languages.python.frameworks.flask import FLASK
from pipeline.code_registry.languages.python.frameworks.flask_restful import FLASK_RESTFUL
from pipeline.code_registry.languages.python.frameworks.flask_restx import FLASK_RESTX
from pipeline.code_registry.languages.python.frameworks.litestar import LITESTAR
from pipeline.code_registry.languages.python.frameworks.rest_framework import REST_FRAMEWORK
from pipeline.code_registry.languages.python.frameworks.sanic import SANIC
from pipeline.code_registry.languages.python.frameworks.starlette import STARLETTE

FRAMEWORKS: tuple[Framework, ...] = (
    FASTAPI,
    FLASK,
    FLASK_RESTFUL,
    FLASK_RESTX,
    DJANGO,
    REST_FRAMEWORK,
    STARLETTE,
    AIOHTTP,
    AIOHTTP_RESOURCES,
    LITESTAR,
    SANIC,
    DJANGO_NINJA,
)
