"""Express: `use` with a path and a function that answers is a route of every method; with middleware it is none."""

from collections.abc import Callable, Mapping

import pytest

from pipeline.code_registry.registry import Registry

Built = Callable[[Mapping[str, str]], Registry]
PATHS = "module.exports = { endpoints: { status: '/status', save: '/config/save' } }\n"
START = """
const express = require('express')
const PATHS = require('./paths').endpoints
const check = require('./check')
const only = (method, answer) => (req, res, next) => (req.method === method ? answer(req, res, next) : next())
const app = express()
"""
CHECK = """
module.exports = {
    status: (request, response) => { probe((result) => response.end(result)) },
    logged: (request, response, next) => { response.set('x', '1'); next() },
}
"""


def registry_of(built: Built, *statements: str) -> Registry:
    return built({"server.js": START + "\n".join(statements), "paths.js": PATHS, "check.js": CHECK})


def routes(registry: Registry) -> list[str]:
    return [route.label for route in registry.routes]


@pytest.mark.parametrize(
    "statement",
    [
        "app.use('/status', (req, res) => { res.end('up') })",
        "app.use(PATHS.status, (req, res) => { res.end('up') })",
        "app.use(PATHS.status, check.status)",
        "app.use(PATHS.status, check.logged, check.status)",
        "app.use(PATHS.status, only('POST', (req, res) => { res.end('saved') }))",
        "app.use(express.json()).use(PATHS.status, function (req, res) { answer(req, res) })",
        "app.use('/status', (req, res, next) => { find((error) => error ? next(error) : res.end('up')) })",
    ],
)
def test_a_function_that_answers_below_a_path_is_a_route_of_every_method(
    built: Built, statement: str
) -> None:
    registry = registry_of(built, statement)
    assert routes(registry) == ["ANY /status"]
    assert registry.coverage.sentences == ()


@pytest.mark.parametrize(
    "statement",
    [
        "app.use(cors())",
        "app.use(express.json())",
        "app.use((req, res) => { res.status(404).end() })",
        "app.use(check.logged, check.status)",
        "app.use('/status', check.logged)",
        "app.use('/status', (req, res, next) => { req.user = res.locals.user; next() })",
        "app.use('/status', (error, req, res, next) => { res.status(500).end() })",
        "app.use('/status', cors())",
        "app.use('/status', limit({ handler: (req, res) => { res.status(429).end() } }))",
        "app.use('/status', basic((user, password) => user === 'octocat'))",
    ],
)
def test_middleware_is_no_route_and_is_not_missed(built: Built, statement: str) -> None:
    registry = registry_of(built, "app.get('*', check.status)", statement)
    assert routes(registry) == ["GET /*"]
    assert registry.coverage.sentences == ()


def test_a_router_is_mounted_and_is_no_route_itself(built: Built) -> None:
    registry = registry_of(
        built,
        "const router = express.Router()",
        "router.use('/save', check.status)",
        "app.use('/api', check.logged, router)",
    )
    assert routes(registry) == ["ANY /api/save"]


def test_a_function_that_answers_below_a_path_that_cannot_be_read_is_listed(built: Built) -> None:
    registry = registry_of(built, "app.use(process.env.STATUS_PATH, check.status)")
    (framework,) = registry.coverage.frameworks
    assert (routes(registry), [item.reason for item in framework.unread]) == (
        [],
        ["its path or what answers could not be read"],
    )
