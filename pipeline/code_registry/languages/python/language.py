"""Python as the builder sees it."""

from pipeline.code_registry.framework import WebPackage
from pipeline.code_registry.language import Language
from pipeline.code_registry.languages.python.extractor import extract
from pipeline.code_registry.languages.python.frameworks import FRAMEWORKS
from pipeline.code_registry.languages.python.models import read_models
from pipeline.code_registry.languages.python.modules import module_finder
from pipeline.code_registry.languages.python.settings import read_options, read_settings
from pipeline.code_registry.linking.names.words import TypeWords

UNREAD_PACKAGES: tuple[WebPackage, ...] = (
    WebPackage("rest_framework_nested", "drf-nested-routers"),
    WebPackage("tornado.web", "Tornado"),
    WebPackage("falcon", "Falcon"),
    WebPackage("bottle", "Bottle"),
    WebPackage("pyramid", "Pyramid"),
    WebPackage("cherrypy", "CherryPy"),
    WebPackage("web2py", "web2py"),
    WebPackage("robyn", "Robyn"),
    WebPackage("blacksheep", "BlackSheep"),
    WebPackage("connexion", "Connexion"),
    WebPackage("flask_appbuilder", "Flask AppBuilder"),
    WebPackage("flask_classful", "Flask-Classful"),
    WebPackage("flask_smorest", "flask-smorest"),
    WebPackage("flask_admin", "Flask-Admin"),
    WebPackage("flask_security", "Flask-Security", broad=True),
    WebPackage("fastapi_utils.cbv", "fastapi-utils"),
    WebPackage("fastapi_users", "FastAPI Users", broad=True),
    WebPackage("sqladmin", "SQLAdmin"),
    WebPackage("starlette_admin", "Starlette Admin"),
    WebPackage("strawberry", "Strawberry GraphQL", broad=True),
    WebPackage("graphene", "Graphene", broad=True),
    WebPackage("twisted.web", "Twisted Web"),
    WebPackage("odoo.http", "Odoo"),
    WebPackage("frappe", "Frappe", broad=True),
    WebPackage("emmett", "Emmett"),
    WebPackage("microdot", "Microdot"),
    WebPackage("nicegui", "NiceGUI", broad=True),
)


PYTHON = Language(
    name="python",
    suffixes=(".py", ".pyi"),
    grammar="tree-sitter-python",
    extract=extract,
    module_finder=module_finder,
    words=TypeWords(
        receivers=frozenset({"self", "cls"}),
        transparent=frozenset(
            {"Optional", "Annotated", "Awaitable", "Coroutine", "Final", "Required", "NotRequired"}
        ),
        collections=frozenset(
            {"list", "List", "set", "Set", "frozenset", "FrozenSet", "tuple", "Tuple", "Sequence", "Iterable"}
            | {"Iterator", "AsyncIterator", "AsyncIterable", "Generator", "AsyncGenerator", "Collection"}
        ),
        mappings=frozenset({"dict", "Dict", "Mapping", "MutableMapping", "defaultdict"}),
        class_of=frozenset({"type", "Type"}),
        properties=frozenset({"property", "cached_property"}),
        constructor="__init__",
        entering=("__aenter__", "__enter__"),
        calling="__call__",
        none_names=frozenset({"None"}),
    ),
    frameworks=FRAMEWORKS,
    unread_packages=UNREAD_PACKAGES,
    read_models=read_models,
    read_settings=read_settings,
    read_options=read_options,
)
