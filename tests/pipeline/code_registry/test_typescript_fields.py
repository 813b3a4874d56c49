"""What TypeScript handlers take from the request, and what their models hold; unknown is said."""

from pipeline.code_registry.entries import FieldKind, SymbolKind
from pipeline.code_registry.registry import Registry
from tests.pipeline.code_registry.registries import Built


def body(registry: Registry, method: str, path: str) -> tuple[str, ...] | None:
    (route,) = registry.routes_at(method, path)
    return route.body_fields


def query(registry: Registry, method: str, path: str) -> tuple[str, ...]:
    (route,) = registry.routes_at(method, path)
    return route.query_fields


def test_a_dto_gives_its_fields_through_mapped_types(built: Built) -> None:
    registry = built(
        {
            "src/dto.ts": """
                import { PartialType, OmitType, PickType, IntersectionType } from '@nestjs/swagger';
                import { IsString, IsOptional } from 'class-validator';
                export class CreateItem {
                  @IsString() name: string;
                  @IsOptional() @IsString() note?: string;
                  count = 1;
                  price: number;
                }
                export class Audit { by: string }
                export class UpdateItem extends PartialType(CreateItem) { reason: string }
                export class Renamed extends IntersectionType(PickType(CreateItem, ['name'] as const), Audit) {}
                export class Priced extends OmitType(CreateItem, ['note', 'name']) {}
            """,
            "src/items.controller.ts": """
                import { Body, Controller, Headers, Patch, Post, Put, Query, Req, UploadedFile } from '@nestjs/common';
                import { CreateItem, Priced, Renamed, UpdateItem } from './dto';
                import { Foreign } from 'elsewhere';
                @Controller('items')
                export class ItemsController {
                  @Post() create(@Body() body: CreateItem, @Query('dry') dry: string) {}
                  @Patch() update(@Body() body: UpdateItem, @Query() paging: Priced) {}
                  @Put() rename(@Body() body: Renamed, @Body('extra') extra: string) {}
                  @Post('foreign') foreign(@Body() body: Foreign) {}
                  @Post('file') file(@UploadedFile() upload: unknown, @Headers('x-key') key: string) {}
                  @Post('raw') raw(@Req() request) { return request.body }
                  @Post('none') none() {}
                }
            """,
        }
    )
    assert body(registry, "POST", "/items") == ("name", "note", "price")
    assert query(registry, "POST", "/items") == ("dry",)
    assert body(registry, "PATCH", "/items") == ("name", "note", "price", "reason")
    assert query(registry, "PATCH", "/items") == ("price",)
    assert body(registry, "PUT", "/items") == ("name", "by", "extra")
    assert body(registry, "POST", "/items/foreign") is None
    assert body(registry, "POST", "/items/file") == ("upload",)
    assert body(registry, "POST", "/items/raw") is None
    assert body(registry, "POST", "/items/none") == ()


def test_express_reads_schemas_of_middleware_and_no_keys_of_the_handler(built: Built) -> None:
    registry = built(
        {
            "schemas.js": """
                const Joi = require('joi');
                const create = {
                  body: Joi.object().keys({ name: Joi.string().required(), note: Joi.string() }),
                  query: Joi.object({ dry: Joi.boolean() }),
                };
                module.exports = { create };
            """,
            "app.js": """
                const express = require('express');
                const validate = require('./validate');
                const schemas = require('./schemas');
                const app = express();
                app.post('/declared', validate(schemas.create), (req, res) => res.send(save(req.body)));
                app.post('/read', (req, res) => {
                  const { name, note: text } = req.body;
                  res.send(name + req.body.price + req.query.page + req.query['size']);
                });
                app.post('/whole', (req, res) => res.send(save(req.body)));
            """,
        }
    )
    assert body(registry, "POST", "/declared") == ("name", "note")
    assert query(registry, "POST", "/declared") == ("dry",)
    assert body(registry, "POST", "/read") is None
    assert query(registry, "POST", "/read") == ()
    assert body(registry, "POST", "/whole") is None


def test_typebox_in_the_options_of_a_fastify_route(built: Built) -> None:
    registry = built(
        {
            "schemas.ts": """
                import { Type } from '@sinclair/typebox'
                export const Item = Type.Object({ id: Type.Number(), name: Type.String(), note: Type.Optional(Type.String()) })
                export const Change = Type.Partial(Type.Omit(Item, ['id']))
            """,
            "server.ts": """
                import fastify from 'fastify'
                import { Change, Item } from './schemas'
                const app = fastify()
                app.patch('/items/:id', { schema: { body: Change, querystring: { type: 'object', properties: { dry: {} } } } },
                  async (request) => save(request.body))
                app.post('/items', { schema: { body: Item } }, async (request) => request.body)
            """,
        }
    )
    assert body(registry, "PATCH", "/items/1") == ("name", "note")
    assert query(registry, "PATCH", "/items/1") == ("dry",)
    assert body(registry, "POST", "/items") == ("id", "name", "note")


def test_zod_in_a_handler_and_in_a_validator(built: Built) -> None:
    registry = built(
        {
            "lib/schema.ts": """
                import { z } from 'zod'
                export const paging = { page: z.coerce.number().optional(), size: z.number() }
                export const user = z.object({ name: z.string(), email: z.string() })
            """,
            "app/api/users/route.ts": """
                import { z } from 'zod'
                import { paging, user } from '../../../lib/schema'
                export async function GET(request: Request) {
                  const schema = z.object({ ...paging, search: z.string() })
                  const { query } = await check(request, schema)
                }
                export async function POST(request: Request) {
                  const data = user.extend({ role: z.string() }).omit({ email: true }).parse(await request.json())
                }
            """,
            "hono.ts": """
                import { Hono } from 'hono'
                import { zValidator } from '@hono/zod-validator'
                import { user } from './lib/schema'
                export default new Hono()
                  .post('/users', zValidator('json', user), (c) => c.json(c.req.valid('json')))
                  .get('/users', (c) => c.text(c.req.query('name') + c.req.header('x-key')))
            """,
        }
    )
    assert query(registry, "GET", "/api/users") == ("page", "size", "search")
    assert body(registry, "POST", "/api/users") == ("name", "role")
    assert body(registry, "POST", "/users") == ("name", "email")


def test_entities_are_tables_and_interfaces_show_what_rows_hold(built: Built) -> None:
    registry = built(
        {
            "entities.ts": """
                import { Column, Entity, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
                @Entity() export class Order {
                  @PrimaryGeneratedColumn() id: number;
                  @Column({ nullable: true }) note?: string;
                  @ManyToOne(() => Customer) customer: Customer;
                  total: number;
                  close() {}
                }
                export interface Shown { title: string }
            """
        }
    )
    found = [(field.name, field.kind) for field in registry.fields_of("symbol:entities.ts::Order")]
    assert sorted(found) == [
        ("customer", FieldKind.TABLE),
        ("id", FieldKind.TABLE),
        ("note", FieldKind.TABLE),
    ]
    (title,) = registry.fields_named("title")
    shown = registry.symbol("symbol:entities.ts::Shown")
    assert shown is not None
    assert (title.kind, title.owner, shown.kind) == (FieldKind.MODEL, shown.id, SymbolKind.INTERFACE)


def test_what_a_component_is_given_is_no_data(built: Built) -> None:
    registry = built({"badge.tsx": "export interface BadgeProps { title: string }\n"})
    assert registry.fields_named("title") == ()


def test_a_schema_is_read_beside_a_type_of_its_name(built: Built) -> None:
    registry = built(
        {
            "app.ts": """
                import express from 'express'
                import { z } from 'zod'
                const NewItem = z.object({ sku: z.string(), pieces: z.number().optional() })
                type NewItem = z.infer<typeof NewItem>
                const app = express()
                app.post('/items', (req, res) => { const item = NewItem.parse(req.body); res.json(item) })
            """
        }
    )
    assert registry.routes[0].body_fields == ("sku", "pieces")


def test_settings_and_options_are_read(built: Built) -> None:
    registry = built(
        {
            "main.ts": """
                import { program } from 'commander'
                const port = process.env.PORT ?? process.env['FALLBACK']
                program.option('-d, --dry-run', 'say only').requiredOption('--to <name>')
                const url = configService.get('app.url')
            """
        }
    )
    assert [setting.name for setting in registry.settings] == ["FALLBACK", "PORT", "app.url"]
    assert [option.name for option in registry.options] == ["--dry-run", "--to"]


def test_a_prisma_schema_declares_tables(built: Built) -> None:
    registry = built(
        {
            "prisma/schema.prisma": """
                generator client {
                  provider = "prisma-client-js"
                }
                model User {
                  id    String  @id @default(uuid()) // key
                  email String? @db.VarChar(255)
                  teams Team[]

                  @@map("user")
                }
                enum Role {
                  ADMIN
                }
            """
        }
    )
    found = registry.fields_of("symbol:prisma/schema.prisma::User")
    assert [(field.name, field.annotation, field.required) for field in found] == [
        ("email", "String | null", False),
        ("id", "String", True),
        ("teams", "Array[Team]", True),
    ]
    assert {symbol.name for symbol in registry.symbols} == {"User"}


def test_members_of_an_object_of_settings_and_options_of_nest_commander_are_read(built: Built) -> None:
    registry = built(
        {
            "src/settings.ts": "export const settings = {\n  pageSize: 100,\n  retries: 3,\n}\n",
            "src/words.ts": "export const words = { hello: 'hi' }\n",
            "src/send.command.ts": """
                import { Command, CommandRunner, Option } from 'nest-commander'
                @Command({ name: 'send' })
                export class SendCommand extends CommandRunner {
                  async run() {}
                  @Option({ flags: '-m, --months <number>' })
                  parseMonths(value: string) { return Number(value) }
                }
            """,
        }
    )
    assert [(one.name, str(one.places[0])) for one in registry.settings] == [
        ("settings.pageSize", "src/settings.ts:2"),
        ("settings.retries", "src/settings.ts:3"),
    ]
    assert [one.name for one in registry.options] == ["--months"]
