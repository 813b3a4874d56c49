"""Parts of Go declarations that need no knowledge of the rest of the file: names of packages, go.mod, comments."""

import re
from typing import TYPE_CHECKING

from pipeline.code_registry.facts import CodeDefinition, FileFacts, StringLiteral
from pipeline.code_registry.languages.syntax_reader import text_of

if TYPE_CHECKING:
    from tree_sitter import Node

MODULE_PATH = "module path"
"""Key of the module's path in the keywords of a go.mod."""
_MODULE = re.compile(rb"^module\s+\"?([^\s\"]+)", re.MULTILINE)
_GO_FILE = re.compile(rb"^package\s", re.MULTILINE)
_VERSION = re.compile(r"v\d+")
_VERSION_SUFFIX = re.compile(r"\.v\d+$")


def module_facts(source: bytes) -> FileFacts | None:
    """The facts of a go.mod: a definition that says the module's path. None for any other file."""
    match = _MODULE.search(source)
    if match is None or _GO_FILE.search(source) is not None:
        return None
    keywords = ((MODULE_PATH, StringLiteral(match[1].decode("utf-8", "replace"))),)
    end = source.count(b"\n") + 1
    return FileFacts(
        (CodeDefinition("module", "", -1, 1, end, (), (), None, (), keywords, None),), (), (), (), (), ()
    )


def default_name(module: str) -> str:
    """The name that a package most likely has, read off its path: versions are left out."""
    parts = [part for part in module.split("/") if part]
    if len(parts) > 1 and _VERSION.fullmatch(parts[-1]):
        parts.pop()
    return _VERSION_SUFFIX.sub("", parts[-1]) if parts else module


def comment_above(node: "Node") -> str | None:
    """First paragraph of the comment that stands directly above a declaration."""
    lines: list[str] = []
    at = node
    if at.prev_named_sibling is None and at.parent is not None and at.parent.type == "type_declaration":
        at = at.parent
    row, above = at.start_point[0], at.prev_named_sibling
    while above is not None and above.type == "comment" and above.end_point[0] == row - 1:
        lines.insert(0, text_of(above).removeprefix("//").removeprefix("/*").removesuffix("*/").strip())
        row, above = above.start_point[0], above.prev_named_sibling
    paragraph = "\n".join(lines).strip().split("\n\n")[0]
    return " ".join(paragraph.split()) or None
