"""Checks what we send and take against the types of Linear's own SDK."""

import functools
import json
import re
from collections.abc import Mapping
from typing import Any

from tests.contract.github_description import FETCHED, HOW_TO_GET

LINEAR_TYPES = FETCHED / "linear-types.json"
LINEAR_WEBHOOKS = FETCHED / "linear-webhooks.mjs"
"""Where `fetch_description.py` puts them."""

HOW_TO_GET_TYPES = HOW_TO_GET.replace("GitHub's API description", "what is used of Linear's SDK")

NAMES = (
    "AgentActivityCreateInput", "AgentSessionCreateOnIssue", "AgentSessionEventWebhookPayload",
    "AgentActivityWebhookPayload", "AgentSessionWebhookPayload",
)  # fmt: skip

_FIELD = re.compile(r"^ {2}(\w+)(\??): (.*);$", re.MULTILINE)


def types_in(declarations: str) -> dict[str, dict[str, str]]:
    """The fields of each type that is used, with a mark at those that may be missing."""
    found = {}
    for name in NAMES:
        block = re.search(rf"type {name} = \{{\n(.*?)\n\}};", declarations, re.DOTALL)
        assert block is not None, name
        found[name] = {field: optional + kind for field, optional, kind in _FIELD.findall(block[1])}
    return found


@functools.cache
def linear_types() -> Mapping[str, Mapping[str, str]] | None:
    """The types; None where they were not fetched."""
    return json.loads(LINEAR_TYPES.read_text(encoding="utf-8")) if LINEAR_TYPES.is_file() else None


def type_problems(name: str, value: Mapping[str, Any]) -> list[str]:
    """What does not fit: fields that the type has not, and required ones that are missing."""
    types = linear_types()
    if types is None:
        return []
    fields = types[name]
    required = {field for field, kind in fields.items() if not kind.startswith("?") and "Maybe<" not in kind}
    return [
        f"{name}.{field}"
        for field in sorted((set(value) - set(fields)) | (required - set(value) - {"__typename"}))
    ]
