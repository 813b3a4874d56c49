"""Call edges of TypeScript and JavaScript: only where import and type say so."""

from tests.pipeline.code_registry.registries import Built, callees


def test_barrels_aliases_defaults_and_paths_of_tsconfig_are_followed(built: Built) -> None:
    registry = built(
        {
            "tsconfig.base.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"]}}} // base\n',
            "tsconfig.json": '{"extends": "./tsconfig.base.json",}\n',
            "src/shop/index.ts": "export * from './pay';\nexport { send as ship, default as pack } from './ship';\n",
            "src/shop/pay.ts": "export const charge = async () => {};\n",
            "src/shop/ship.ts": "export function send() {}\nexport default function () {}\n",
            "src/main.ts": """
                import * as shop from '@/shop';
                import { charge as now, ship, pack } from './shop/index.js';
                export function a() { now(); ship(); pack(); }
                export const b = () => shop.charge();
                export async function c() { const { send } = await import('@/shop/ship'); send(); }
            """,
        }
    )
    assert callees(registry, "src/main.ts::a") == [
        "src/shop/pay.ts::charge",
        "src/shop/ship.ts::default",
        "src/shop/ship.ts::send",
    ]
    assert callees(registry, "src/main.ts::b") == ["src/shop/pay.ts::charge"]


def test_an_empty_list_of_exports_exports_nothing(built: Built) -> None:
    registry = built(
        {
            "pay.ts": "export const charge = () => {};\n",
            "index.ts": "export {} from './pay';\n",
            "use.ts": "import { charge } from './index';\nfunction run() { charge(); }\n",
        }
    )
    assert callees(registry, "use.ts::run") == []


def test_packages_of_the_workspace_are_followed(built: Built) -> None:
    registry = built(
        {
            "libs/dal/package.json": '{"name": "@acme/dal", "main": "dist/index.js"}',
            "libs/dal/src/index.ts": "export class Orders { find() {} }\n",
            "app/main.ts": "import { Orders } from '@acme/dal';\nexport const run = () => new Orders().find();\n",
        }
    )
    assert "libs/dal/src/index.ts::Orders.find" in callees(registry, "app/main.ts::run")


def test_injected_services_are_followed_by_their_type(built: Built) -> None:
    registry = built(
        {
            "service.ts": """
                abstract class Store { abstract save(): void; check() {} }
                export class Service extends Store {
                  private other = new Helper();
                  constructor(private readonly helper: Helper, public kept?: Helper) { super(); this.late = helper; }
                  save() { this.helper.run(); this.other.run(); this.kept?.stop(); this.late.run(); super.check(); }
                  handler = async () => { this.save(); };
                  static make() { return new Service(new Helper()); }
                }
                class Helper { run() {} stop() {} }
                class Other { run() {} }
                export function one(service: Service | null, list: Helper[]) {
                  service.save();
                  list.forEach((item) => item.stop());
                  for (const item of list) { item.run(); }
                  Service.make().handler();
                  unknown().run();
                }
            """
        }
    )
    assert callees(registry, "service.ts::Service.save") == [
        "service.ts::Helper.run",
        "service.ts::Helper.stop",
        "service.ts::Store.check",
    ]
    assert callees(registry, "service.ts::Service.handler") == ["service.ts::Service.save"]
    found = callees(registry, "service.ts::one")
    assert "service.ts::Service.handler" in found
    assert "service.ts::Helper.run" in found
    assert "service.ts::Other.run" not in found


def test_object_literals_have_members(built: Built) -> None:
    registry = built(
        {
            "db.ts": "const client = { get(key: string) {} };\nfunction raw() {}\nexport default { client, raw };\n",
            "make.js": "module.exports = function make() { return { async list() {} }; };\n",
            "use.ts": """
                import db from './db';
                const make = require('./make');
                export function a() { db.client.get('x'); db.raw(); }
                export function b() { const it = make(); it.list(); }
            """,
        }
    )
    assert callees(registry, "use.ts::a") == ["db.ts::client.get", "db.ts::raw"]
    assert [name.partition(".")[0] for name in callees(registry, "use.ts::b")] == ["make", "make"]


def test_a_name_alone_is_no_evidence(built: Built) -> None:
    registry = built(
        {
            "only.ts": "export class Only { execute() {} }\n",
            "use.ts": "export function a(x, y: any) { x.execute(); y.execute(); execute(); }\n",
        }
    )
    assert callees(registry, "use.ts::a") == []


def test_tests_are_known_by_their_titles_and_reach_what_they_call(built: Built) -> None:
    registry = built(
        {
            "src/total.ts": "export const total = (items: number[]) => 0;\n",
            "src/app.ts": "import express from 'express';\nexport const app = express();\napp.get('/total', show);\nfunction show(req, res) {}\n",
            "src/total.spec.ts": """
                import { total } from './total';
                import request from 'supertest';
                describe('total', () => {
                  it('is nothing for nothing', () => { expect(total([])).toBe(0); });
                  it('is served', async () => { await request(app).get('/total'); });
                });
            """,
        }
    )
    assert registry.tests_reaching("symbol:src/total.ts::total") == (
        "symbol:src/total.spec.ts::describe total.test is nothing for nothing",
    )
    assert registry.tests_reaching("symbol:src/app.ts::show") == (
        "symbol:src/total.spec.ts::describe total.test is served",
    )


def test_casts_in_angle_brackets_and_broken_statements_cost_little(built: Built) -> None:
    registry = built(
        {
            "cast.ts": "export function a() { return (<any>b()).c; }\nexport function b() {}\n",
            "broken.ts": "export function a() { b(); }\nclass {{{ ;\nexport function b() {}\n",
            "view.tsx": "import { b } from './cast';\nexport const View = () => <p title={b()}>hi</p>;\n",
        }
    )
    assert callees(registry, "cast.ts::a") == ["cast.ts::b"]
    assert callees(registry, "view.tsx::View") == ["cast.ts::b"]
    assert "a" in {symbol.name for symbol in registry.symbols if symbol.place.path == "broken.ts"}
