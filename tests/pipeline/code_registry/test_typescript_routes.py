"""Routes of TypeScript and JavaScript frameworks: full path, handler, where it is registered, and what is not known."""

from inline_snapshot import snapshot

from tests.pipeline.code_registry.registries import Built, labels


def test_express_routers_are_followed_through_require_loops_and_chains(built: Built) -> None:
    registry = built(
        {
            "src/app.js": """
                const express = require('express');
                const helmet = require('helmet');
                const routes = require('./routes/v1');
                const app = express();
                app.use(helmet());
                app.get('env');
                app.use('/v1', routes);
                module.exports = app;
            """,
            "src/routes/v1/index.js": """
                const express = require('express');
                const orders = require('./orders.route');
                const router = express.Router();
                const all = [
                  { path: '/orders', route: orders },
                  { path: '/health', route: require('./health.route') },
                ];
                all.forEach((one) => { router.use(one.path, one.route); });
                module.exports = router;
            """,
            "src/routes/v1/orders.route.js": """
                const express = require('express');
                const auth = require('../../auth');
                const controller = require('../../controllers').orders;
                const router = express.Router();
                router
                  .route('/:id')
                  .get(auth('read'), controller.find)
                  .delete(auth('write'), controller.remove);
                router.route('/').post(controller.create);
                module.exports = router;
            """,
            "src/routes/v1/health.route.js": """
                const router = require('express').Router();
                router.get('/', (req, res) => res.send('ok'));
                module.exports = router;
            """,
            "src/auth.js": "module.exports = (right) => (req, res, next) => next();\n",
            "src/controllers/index.js": "module.exports.orders = require('./orders.controller');\n",
            "src/controllers/orders.controller.js": """
                const wrapped = require('./wrapped');
                const find = wrapped(async (req, res) => {});
                const remove = wrapped(async (req, res) => {});
                async function create(req, res) {}
                module.exports = { find, remove, create };
            """,
            "src/controllers/wrapped.js": "module.exports = (f) => (req, res) => f(req, res);\n",
        }
    )
    assert labels(registry) == snapshot(
        [
            "DELETE /v1/orders/:id -> remove",
            "GET /v1/health/ -> inline function",
            "GET /v1/orders/:id -> find",
            "POST /v1/orders/ -> create",
        ]
    )
    (find,) = registry.routes_at("GET", "/v1/orders/7")
    assert str(find.place) == "src/controllers/orders.controller.js:3"


def test_an_express_prefix_that_cannot_be_read_makes_no_wrong_path(built: Built) -> None:
    registry = built(
        {
            "app.ts": """
                import express, { Router } from 'express'
                import { prefix } from 'elsewhere'
                const api = Router().use(guard).get('/items', list)
                function list(req, res) {}
                function guard(req, res, next) {}
                const lost = Router()
                lost.get('/lost', list)
                export default express().use(prefix, api)
            """
        }
    )
    assert labels(registry) == snapshot(["~GET /items -> list", "~GET /lost -> list"])


def test_fastify_plugins_get_the_prefix_they_are_registered_with(built: Built) -> None:
    registry = built(
        {
            "src/server.ts": """
                import Fastify from 'fastify'
                import orders from './orders.js'
                const server = Fastify()
                server.register(orders, { prefix: '/orders' })
                server.route({ method: ['PUT', 'PATCH'], url: '/settings', handler: async (request) => {} })
            """,
            "src/orders.ts": """
                import { FastifyInstance } from 'fastify'
                export default async function orders(fastify: FastifyInstance) {
                  fastify.get('/', async () => [])
                  fastify.register(async (inner) => { inner.post('/archive', archive) }, { prefix: '/old' })
                }
                async function archive() {}
            """,
        }
    )
    assert labels(registry) == snapshot(
        [
            "GET /orders -> inline function",
            "PATCH /settings -> handler",
            "POST /orders/old/archive -> archive",
            "PUT /settings -> handler",
        ]
    )


def test_fastify_autoload_takes_the_folder_for_the_prefix(built: Built) -> None:
    registry = built(
        {
            "src/app.ts": """
                import path from 'node:path'
                import autoload from '@fastify/autoload'
                import fastify from 'fastify'
                const app = fastify()
                app.register(autoload, { dir: path.join(import.meta.dirname, 'routes') })
            """,
            "src/routes/home.ts": "export default async (app) => { app.get('/', async () => 1) }\n",
            "src/routes/api/autohooks.ts": "export default async (app) => { app.addHook('onRequest', () => 1) }\n",
            "src/routes/api/items/index.ts": """
                const plugin = async (app) => {
                  app.get('/:id', async (request) => request.params.id)
                }
                export default plugin
            """,
            "src/routes/api/own.ts": """
                export const autoPrefix = '/elsewhere'
                export default async function (app, options) { app.post('/', async () => 1) }
            """,
        }
    )
    assert labels(registry) == snapshot(
        [
            "GET / -> inline function",
            "GET /api/items/:id -> inline function",
            "POST /elsewhere -> inline function",
        ]
    )


NEST = {
    "package.json": '{"name": "shop"}',
    "src/orders/orders.controller.ts": """
        import { Body, Controller, Get, Param, Post, Version } from '@nestjs/common';
        import { OrdersService } from './orders.service';
        abstract class Readable {
          @Get(':id') find(@Param('id') id: string) {}
        }
        @Controller({ path: 'orders', version: '1' })
        export class OrdersController extends Readable {
          constructor(private readonly orders: OrdersService) { super(); }
          @Post() create(@Body() body: object) { return this.orders.create(body); }
          @Version('2') @Post('bulk') bulk() {}
        }
        @Controller() export class HomeController { @Get() home() {} }
    """,
    "src/orders/orders.service.ts": "export class OrdersService { create(body: object) {} }\n",
}


def test_nestjs_controllers_have_version_and_global_prefix_and_inherit(built: Built) -> None:
    main = """
        import { NestFactory } from '@nestjs/core';
        import { VersioningType } from '@nestjs/common';
        async function start() {
          const app = await NestFactory.create(AppModule);
          app.setGlobalPrefix('api', { exclude: ['/'] });
          app.enableVersioning({ type: VersioningType.URI });
          await app.listen(3000);
        }
    """
    assert labels(built({**NEST, "src/main.ts": main})) == snapshot(
        [
            "GET / -> HomeController.home",
            "GET /api/v1/orders/:id -> Readable.find",
            "POST /api/v1/orders -> OrdersController.create",
            "POST /api/v2/orders/bulk -> OrdersController.bulk",
        ]
    )


def test_a_nestjs_prefix_from_configuration_is_dynamic(built: Built) -> None:
    main = """
        import { NestFactory } from '@nestjs/core';
        async function start() {
          const app = await NestFactory.create(AppModule);
          app.setGlobalPrefix(app.get(Config).getOrThrow('prefix'));
        }
    """
    assert labels(built({**NEST, "src/main.ts": main})) == snapshot(
        [
            "~GET / -> HomeController.home",
            "~GET /orders/:id -> Readable.find",
            "~POST /orders -> OrdersController.create",
            "~POST /orders/bulk -> OrdersController.bulk",
        ]
    )


def test_hono_applications_are_chained_and_mounted(built: Built) -> None:
    registry = built(
        {
            "src/index.ts": """
                import { Hono } from 'hono'
                import { cors } from 'hono/cors'
                import { items } from './items'
                export default new Hono().use(cors()).route('/api', items).get('/', (c) => c.text('hi'))
            """,
            "src/items.ts": """
                import { Hono } from 'hono'
                export const items = new Hono<{ Bindings: Env }>()
                  .get('/items', async (c) => c.json([]))
                  .delete('/items/:id{[0-9]+}', remove)
                async function remove(c) {}
            """,
        }
    )
    assert labels(registry) == snapshot(
        [
            "DELETE /api/items/:id{[0-9]+} -> remove",
            "GET / -> inline function",
            "GET /api/items -> inline function",
        ]
    )
    assert registry.routes_at("DELETE", "/api/items/3")


def test_koa_routers_are_mounted_by_their_routes(built: Built) -> None:
    registry = built(
        {
            "app.js": """
                const Koa = require('koa');
                const Router = require('@koa/router');
                const users = new Router({ prefix: '/users' });
                users.get('/', list).put('/:id', change);
                const api = new Router();
                api.use('/api', users.routes(), users.allowedMethods());
                const app = new Koa();
                app.use(api.routes());
                async function list(ctx) {}
                async function change(ctx) {}
            """
        }
    )
    assert labels(registry) == snapshot(["GET /api/users -> list", "PUT /api/users/:id -> change"])


def test_next_routes_follow_from_where_files_stand(built: Built) -> None:
    registry = built(
        {
            "apps/web/package.json": '{"name": "web"}',
            "apps/web/src/app/(shop)/api/orders/[id]/route.ts": """
                import { guarded } from '../guarded'
                export async function GET(request: Request) {}
                export const DELETE = guarded(async (request: Request) => {})
                export function helper() {}
            """,
            "apps/web/src/app/(shop)/api/orders/guarded.ts": "export const guarded = (f) => (r) => f(r)\n",
            "apps/web/src/app/page.tsx": "export default function Page() { return <p>hi</p> }\n",
            "apps/web/src/pages/api/files/[...path].ts": "export default function handler(req, res) {}\n",
        }
    )
    assert labels(registry) == snapshot(
        [
            "ANY /api/files/{path} -> handler",
            "DELETE /api/orders/{id} -> DELETE",
            "GET /api/orders/{id} -> GET",
        ]
    )
    assert {route.app for route in registry.routes} == {"apps/web"}


def test_calls_of_clients_are_no_routes(built: Built) -> None:
    registry = built(
        {
            "client.ts": """
                import axios from 'axios'
                import request from 'supertest'
                const map = new Map()
                axios.get('/orders', () => 1)
                request(app).get('/orders')
                map.get('/orders', map)
            """
        }
    )
    assert registry.routes == ()


def test_a_value_made_from_itself_ends_there(built: Built) -> None:
    registry = built(
        {
            "loop.js": """
                function walk(router) {
                  let at = router;
                  at = at.get('/a', at.get);
                  at.get('/b', walk);
                  return at;
                }
                let other = walk(other);
                other.use(other);
            """
        }
    )
    assert registry.routes == ()


def test_a_prefix_that_grows_is_dynamic(built: Built) -> None:
    registry = built(
        {
            "app.ts": """
                import express from 'express'
                let prefix = '/v'
                prefix += process.env.VERSION
                const api = express.Router()
                api.get('/items', (req, res) => res.send())
                express().use(prefix, api)
            """
        }
    )
    assert labels(registry) == ["~GET /v/items -> inline function"]


def test_a_fastify_plugin_that_a_function_wraps_and_returns_is_followed(built: Built) -> None:
    registry = built(
        {
            "main.ts": """
                import fastify from "fastify"
                import { metrics } from "./metrics"
                const app = fastify()
                app.register(metrics({ enabled: true }), { prefix: "/internal" })
            """,
            "metrics.ts": """
                import fp from "fastify-plugin"
                const answer = (request, reply) => reply.send("")
                export const metrics = ({ enabled }) => fp(async (instance) => { instance.get("/metrics", answer) })
            """,
        }
    )
    assert [route.label for route in registry.routes] == ["GET /internal/metrics"]
