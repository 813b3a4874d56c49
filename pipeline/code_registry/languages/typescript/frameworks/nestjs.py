"""NestJS: controllers with decorators, a global prefix, versions in the path."""

from pipeline.code_registry.framework import ArgumentAt, ControllerStyle, Framework
from pipeline.code_registry.languages.typescript.requests import read_nestjs_request

NESTJS = Framework(
    name="nestjs",
    imported_for_more=("@nestjs/common",),
    read_request=read_nestjs_request,
    routers=(),
    mounts=(),
    routes=(),
    hosts=frozenset({"express", "fastify"}),
    controllers=ControllerStyle(
        decorator="Controller",
        packages=frozenset({"@nestjs/common"}),
        path=ArgumentAt(0, "path"),
        version=ArgumentAt(keyword="version"),
        version_decorator="Version",
        verbs=(
            *((name, name.upper()) for name in ("Get", "Post", "Put", "Patch", "Delete", "Head", "Options")),
            ("All", "ANY"),
            ("Sse", "GET"),
        ),
        global_prefix="setGlobalPrefix",
        versioning="enableVersioning",
        by_path="URI",
        neutral="VERSION_NEUTRAL",
        project_file="package.json",
    ),
)
