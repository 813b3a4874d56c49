"""Packages of TypeScript or JavaScript that register routes and that the registry does not read: it says so where one is imported."""

from pipeline.code_registry.framework import WebPackage

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
