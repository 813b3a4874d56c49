"""Parts of Go declarations that need no knowledge of the rest of the file: imports, struct fields, go.mod, comments."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from pipeline.code_registry.facts import (
    CodeDefinition,
    Expression,
    FileFacts,
    Import,
    StringLiteral,
    Subscript,
    last_word,
)
from pipeline.code_registry.languages.go.expressions import string_value
from pipeline.code_registry.languages.syntax_reader import line_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

MODULE_PATH = "module path"
"""Key of the module's path in the keywords of a go.mod."""
_MODULE = re.compile(rb"^module\s+\"?([^\s\"]+)", re.MULTILINE)
_GO_FILE = re.compile(rb"^package\s", re.MULTILINE)
_VERSION = re.compile(r"v\d+")
_VERSION_SUFFIX = re.compile(r"\.v\d+$")


class StructField(NamedTuple):
    """A field of a struct."""

    name: str
    type: Expression
    line: int


def module_facts(source: bytes) -> FileFacts | None:
    """The facts of a go.mod: a definition that says the module's path. None for any other file."""
    match = _MODULE.search(source)
    if match is None or _GO_FILE.search(source) is not None:
        return None
    path = match[1].decode("utf-8", "replace")
    keywords = ((MODULE_PATH, StringLiteral(path)),)
    definition = CodeDefinition(
        "module", "", -1, 1, source.count(b"\n") + 1, (), (), None, (), keywords, None
    )
    return FileFacts((definition,), (), (), (), (), ())


def imports_of(root: "Node") -> list[Import]:
    """The imports of a file, and one of everything in the file's own package."""
    imports = [Import(0, "*", "", 1, "*")]
    for declaration in root.named_children:
        if declaration.type == "import_declaration":
            for child in declaration.named_children:
                specs = child.named_children if child.type == "import_spec_list" else [child]
                imports += [import_ for spec in specs if (import_ := _read_spec(spec)) is not None]
    return imports


def _read_spec(spec: "Node") -> Import | None:
    path, name = spec.child_by_field_name("path"), spec.child_by_field_name("name")
    if path is None:
        return None
    module = string_value(path)
    if name is None:
        return Import(0, default_name(module), module, 0, None)
    local = text_of(name)
    if local == "_":
        return None
    return Import(0, "*", module, 0, "*") if local == "." else Import(0, local, module, 0, None)


def default_name(module: str) -> str:
    """The name that a package most likely has, read off its path: versions are left out."""
    parts = [part for part in module.split("/") if part]
    if len(parts) > 1 and _VERSION.fullmatch(parts[-1]):
        parts.pop()
    return _VERSION_SUFFIX.sub("", parts[-1]) if parts else module


def struct_fields(
    node: "Node", read_type: Callable[["Node"], Expression]
) -> tuple[tuple[Expression, ...], tuple[tuple[str, Expression], ...], list[StructField]]:
    """Embedded types, tags by field name, and all fields, embedded ones under the name of their type."""
    bases: list[Expression] = []
    tags: list[tuple[str, Expression]] = []
    fields: list[StructField] = []
    declarations = [child for part in node.named_children for child in part.named_children]
    for field in declarations:
        type_, tag = field.child_by_field_name("type"), field.child_by_field_name("tag")
        if field.type != "field_declaration" or type_ is None:
            continue
        read = read_type(type_)
        names = [text_of(name) for name in field.children_by_field_name("name")]
        if not names:
            bases.append(read)
            names = [last_word(read, Subscript)]
        for name in names:
            fields.append(StructField(name, read, line_of(field)))
            if tag is not None:
                tags.append((name, StringLiteral(string_value(tag))))
    return tuple(bases), tuple(tags), fields


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
