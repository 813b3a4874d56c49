"""TypeScript and JavaScript as the builder sees them."""

from pipeline.code_registry.framework import WebPackage
from pipeline.code_registry.language import Language
from pipeline.code_registry.languages.typescript.expressions import DEFAULT_EXPORT
from pipeline.code_registry.languages.typescript.extractor import extract
from pipeline.code_registry.languages.typescript.frameworks import FRAMEWORKS
from pipeline.code_registry.languages.typescript.models import read_models
from pipeline.code_registry.languages.typescript.modules import CONFIGURATION, SUFFIXES, module_finder
from pipeline.code_registry.languages.typescript.settings import read_options, read_settings
from pipeline.code_registry.linking.names.words import TypeWords

UNREAD_PACKAGES: tuple[WebPackage, ...] = (
    WebPackage("elysia", "Elysia"),
    WebPackage("@hapi/hapi", "hapi"),
    WebPackage("restify", "Restify"),
    WebPackage("polka", "Polka"),
    WebPackage("h3", "h3", broad=True),
    WebPackage("nitropack", "Nitro", broad=True),
    WebPackage("itty-router", "itty-router"),
    WebPackage("@adonisjs/core", "AdonisJS", broad=True),
    WebPackage("@feathersjs/feathers", "Feathers"),
    WebPackage("@trpc/server", "tRPC", broad=True),
    WebPackage("@orpc/server", "oRPC", broad=True),
    WebPackage("@ts-rest", "ts-rest", broad=True),
    WebPackage("@apollo/server", "Apollo Server", broad=True),
    WebPackage("@nestjs/graphql", "NestJS GraphQL", broad=True),
    WebPackage("@bull-board", "bull-board"),
    WebPackage("@adminjs", "AdminJS"),
    WebPackage("routing-controllers", "routing-controllers"),
    WebPackage("tsoa", "tsoa"),
    WebPackage("inversify-express-utils", "inversify-express-utils"),
    WebPackage("@loopback/rest", "LoopBack"),
    WebPackage("@tsed/common", "Ts.ED"),
    WebPackage("@oak/oak", "Oak"),
    WebPackage("moleculer-web", "Moleculer"),
    WebPackage("uWebSockets.js", "uWebSockets.js"),
    WebPackage("hyper-express", "hyper-express"),
    WebPackage("@sveltejs/kit", "SvelteKit", broad=True),
    WebPackage("@remix-run/node", "Remix", broad=True),
    WebPackage("meteor/webapp", "Meteor", broad=True),
)


TYPESCRIPT = Language(
    name="typescript",
    suffixes=SUFFIXES,
    configuration=CONFIGURATION,
    grammar="tree-sitter-typescript",
    extract=extract,
    module_finder=module_finder,
    words=TypeWords(
        receivers=frozenset({"this"}),
        transparent=frozenset(
            {"Annotated", "Promise", "Readonly", "Required", "Partial", "NonNullable", "Awaited"}
        ),
        collections=frozenset({"Array", "ReadonlyArray", "Set", "ReadonlySet", "Iterable", "AsyncIterable"}),
        mappings=frozenset({"Map", "ReadonlyMap", "Record"}),
        class_of=frozenset({"typeof", "Type", "ClassConstructor"}),
        properties=frozenset({"get"}),
        constructor="constructor",
        calling="<call>",
        none_names=frozenset({"null", "undefined"}),
        default=DEFAULT_EXPORT,
    ),
    frameworks=FRAMEWORKS,
    unread_packages=UNREAD_PACKAGES,
    read_models=read_models,
    read_settings=read_settings,
    read_options=read_options,
)
