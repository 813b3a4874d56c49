"""Checks REST exchanges, requests and answers alike, against GitHub's own OpenAPI description."""

import functools
import gzip
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry, Resource

from sandbox.server import HttpExchange

FETCHED = Path(__file__).with_name("fetched")
"""Where `fetch_description.py` puts what it cut from two npm packages."""

BESIDE = Path(__file__).parents[3] / "shared" / "contract"
"""The same files beside the checkout, for a machine that has them."""

DIRECTORY = BESIDE if BESIDE.is_dir() and not FETCHED.is_dir() else FETCHED
SLICE = DIRECTORY / "github-openapi-slice.json.gz"
FIXTURES = DIRECTORY / "webhook-fixtures.json"
HOW_TO_GET = "GitHub's API description is missing: make test-services"

ANY_ROUTE_MAY_ANSWER = {"400", "401", "403", "404", "409", "422", "429", "500", "502", "503"}
"""Errors that GitHub gives everywhere and describes only in places; their shape is checked all the same."""

BARE_LABELS = "/repos/{owner}/{repo}/issues/{issue_number}/labels"
"""Clients send labels as a bare list; GitHub takes it, and its description no longer says so."""

BOTH_AT_ONCE = ["Simple User", "Enterprise"]
"""The list of installations is described with an account that is both; one of them is meant, as elsewhere."""

ERROR_SHAPE = {
    "type": "object",
    "required": ["message", "documentation_url"],
    "properties": {"message": {"type": "string"}, "status": {"type": "string"}, "errors": {"type": "array"}},
}

formats = FormatChecker(formats=())


@formats.checks("date-time", ValueError)
def _is_moment(value: object) -> bool:
    return not isinstance(value, str) or datetime.fromisoformat(value).tzinfo is not None


@formats.checks("uri")
def _is_uri(value: object) -> bool:
    return not isinstance(value, str) or re.match(r"[a-z]+://\S+$", value) is not None


@dataclass(frozen=True)
class Operation:
    """One described operation. `template` is its path as GitHub writes it."""

    method: str
    template: str
    definition: Mapping[str, Any]


class GitHubDescription:
    """The description, ready to check with. Loading takes about 0.1 s, an exchange a few milliseconds."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = fold_nullable(document)
        self._registry: Registry[Any] = Registry().with_resource("github", Resource.opaque(self._document))
        self._validators: dict[str, Draft202012Validator] = {}
        self._operations = [
            (_pattern(template), Operation(method.upper(), template, definition))
            for template, methods in self._document["paths"].items()
            for method, definition in methods.items()
            if method in ("get", "post", "put", "patch", "delete")
        ]
        # A literal segment beats a parameter: `/issues/comments/{id}` before `/issues/{number}/comments`; and of two with
        # as many parameters the longer one comes first: `/commits/{ref}/check-runs` before `/commits/{ref}`.
        self._operations.sort(key=lambda item: (item[1].template.count("{"), -item[1].template.count("/")))

    def operation(self, method: str, path: str) -> Operation | None:
        """The operation that describes a request."""
        for pattern, operation in self._operations:
            if operation.method == method and pattern.fullmatch(path):
                return operation
        return None

    def problems(self, exchange: HttpExchange) -> list[str]:
        """Where a request or its answer departs from the description; nothing if it is not described."""
        operation = self.operation(exchange.method, exchange.path)
        if operation is None:
            return []
        found = [*self._of_query(operation, exchange), *self._of_request(operation, exchange)]
        # A request that GitHub would refuse is allowed to be wrong.
        found = found if exchange.status < 400 else []
        found += self._of_answer(operation, exchange)
        return [f"{exchange.method} {exchange.path} -> {exchange.status}: {problem}" for problem in found]

    def _of_query(self, operation: Operation, exchange: HttpExchange) -> list[str]:
        parameters = [self._resolve(p) for p in operation.definition.get("parameters", [])]
        known = {p["name"] for p in parameters if p["in"] == "query"}
        return [f"unknown query parameter {name!r}" for name in exchange.query if name not in known]

    def _of_request(self, operation: Operation, exchange: HttpExchange) -> list[str]:
        described = self._resolve(operation.definition.get("requestBody") or {})
        schema = described.get("content", {}).get("application/json", {}).get("schema")
        if schema is None or not exchange.request_body:
            missing = schema is not None and described.get("required") and not exchange.request_body
            return ["the body is missing"] if missing else []
        body = json.loads(exchange.request_body)
        if operation.template == BARE_LABELS and isinstance(body, list):
            return []
        return self._violations(schema, body, f"request of {operation.method} {operation.template}")

    def _of_answer(self, operation: Operation, exchange: HttpExchange) -> list[str]:
        responses = operation.definition["responses"]
        status = str(exchange.status)
        if status not in responses and status not in ANY_ROUTE_MAY_ANSWER:
            return [f"the status is not described, only {', '.join(responses)}"]
        content = self._resolve(responses.get(status, {})).get("content", {})
        schema = content.get("application/json", {}).get("schema")
        if exchange.status >= 400:
            schema = schema or ERROR_SHAPE
        if schema is None:
            return ["there is a body, and none is described"] if exchange.response_body else []
        name = f"{status} of {operation.method} {operation.template}"
        return self._violations(schema, exchange.document, name)

    def _violations(self, schema: Mapping[str, Any], value: object, name: str) -> list[str]:
        if name not in self._validators:
            absolute = json.loads(json.dumps(schema).replace('"#/components', '"github#/components'))
            self._validators[name] = Draft202012Validator(
                absolute, registry=self._registry, format_checker=formats
            )
        return [
            f"{'/'.join(map(str, error.absolute_path)) or 'the whole'}: {error.message[-300:]}"
            for error in self._validators[name].iter_errors(value)
        ]

    def _resolve(self, node: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in node:
            target: Any = self._document
            for part in node["$ref"].removeprefix("#/").split("/"):
                target = target[part]
            node = target
        return node


def fold_nullable(node: Any) -> Any:
    """OpenAPI 3.0's `nullable` in the words of JSON Schema 2020-12."""
    if isinstance(node, list):
        return [fold_nullable(item) for item in node]
    if not isinstance(node, dict):
        return node
    folded = {name: fold_nullable(value) for name, value in node.items()}
    if [isinstance(item, dict) and item.get("title") for item in folded.get("allOf", ())] == BOTH_AT_ONCE:
        folded["anyOf"] = folded.pop("allOf")
    if folded.pop("nullable", None) is not True:
        return folded
    return {"anyOf": [{"type": "null"}, folded]} if folded else {}


@functools.cache
def github_description() -> GitHubDescription | None:
    """The description, or None where it is not at hand."""
    if not SLICE.is_file():
        return None
    with gzip.open(SLICE) as file:
        return GitHubDescription(json.load(file))


def _pattern(template: str) -> re.Pattern[str]:
    """Parameters that stand for paths, refs and label names may hold slashes."""
    literal = re.sub(r"\\{(path|ref|branch|basehead|name|tree_sha)\\}$", r".+", re.escape(template))
    return re.compile(re.sub(r"\\{\w+\\}", r"[^/]+", literal))
