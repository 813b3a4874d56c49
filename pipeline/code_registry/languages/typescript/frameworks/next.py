"""Next: route handlers of the app router (`route.ts`) and API routes of the pages router."""

import re

from pipeline.code_registry.framework import FileConvention, Framework
from pipeline.code_registry.languages.typescript.requests import read_request

_ROUTE_FILE = re.compile(r"(?:^|.*?/)(?:src/)?app/(?:(.*)/)?route\.(?:ts|tsx|js|jsx|mts|mjs)$")
_API_FILE = re.compile(r"^(?:src/)?pages/(api(?:/.*)?)\.(?:ts|tsx|js|jsx|mts|mjs)$")
_PARAMETER = re.compile(r"^\[{1,2}(?:\.\.\.)?([^\]]+)\]{1,2}$")
_VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")


def _app_path(below: str) -> str | None:
    """The route of a file in `app`; groups in parentheses and slots are no part of it."""
    match = _ROUTE_FILE.match(below)
    if match is None:
        return None
    parts = [part for part in (match[1] or "").split("/") if part]
    if any(part.startswith("_") for part in parts):
        return None
    url_parts = [part for part in parts if not part.startswith(("(", "@"))]
    return "/" + "/".join(_segment(part) for part in url_parts)


def _api_path(below: str) -> str | None:
    """The route of a file in `pages/api`."""
    match = _API_FILE.match(below)
    if match is None or match[1].endswith(".d"):
        return None
    parts = match[1].split("/")
    if parts[-1] == "index":
        parts.pop()
    return "/" + "/".join(_segment(part) for part in parts)


def _segment(part: str) -> str:
    parameter = _PARAMETER.match(part)
    return f"{{{parameter[1]}}}" if parameter else part.replace("%5F", "_")


NEXT_APP = Framework(
    name="next",
    imported_for_more=("next/server",),
    read_request=read_request,
    routers=(),
    mounts=(),
    routes=(),
    files=FileConvention(_app_path, tuple((verb, verb) for verb in _VERBS), "package.json"),
)

NEXT_PAGES = Framework(
    name="next",
    read_request=read_request,
    routers=(),
    mounts=(),
    routes=(),
    files=FileConvention(_api_path, (("default", "ANY"),), "package.json"),
    method_attribute="method",
)
