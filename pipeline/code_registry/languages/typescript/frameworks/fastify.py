"""Fastify: plugins that get the instance, registered one by one or by the folder."""

from pipeline.code_registry.framework import (
    ArgumentAt,
    FolderMount,
    Framework,
    Joining,
    MountMethod,
    RouteMethod,
    RouterClass,
)
from pipeline.code_registry.languages.typescript.requests import read_request

_PACKAGES = frozenset({"fastify"})
_VERBS = ("get", "post", "put", "patch", "delete", "head", "options")

FASTIFY = Framework(
    name="fastify",
    imported_as=("fastify", "fastify-plugin"),
    read_request=read_request,
    routers=(
        *(
            RouterClass(name, _PACKAGES, is_application=True, joining=Joining.TRIMMED)
            for name in ("default", "fastify", "Fastify")
        ),
        RouterClass("FastifyInstance", _PACKAGES, joining=Joining.TRIMMED),
    ),
    mounts=(MountMethod("register", ArgumentAt(0), ArgumentAt(keyword="prefix"), calls_child=True),),
    routes=(
        *(RouteMethod(verb, ArgumentAt(0), (verb.upper(),), handler=ArgumentAt(-1)) for verb in _VERBS),
        RouteMethod("all", ArgumentAt(0), ("ANY",), handler=ArgumentAt(-1)),
        RouteMethod(
            "route",
            ArgumentAt(keyword="url"),
            ("ANY",),
            ArgumentAt(keyword="method"),
            ArgumentAt(keyword="handler"),
        ),
    ),
    fluent=True,
    chained_methods=frozenset({"withTypeProvider", "after"}),
    folders=(
        FolderMount(
            packages=frozenset({"@fastify/autoload", "fastify-autoload"}),
            folder=ArgumentAt(keyword="dir"),
            prefix=ArgumentAt(keyword="prefix"),
            flat="dirNameRoutePrefix",
            own_prefix="autoPrefix",
            skip_prefixes=("autohooks", "_"),
        ),
    ),
)
