"""What the import statements of Python bind."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from pipeline.code_registry.facts import Import

if TYPE_CHECKING:
    from tree_sitter import Node

TextOf = Callable[["Node"], str]
ReadImport = Callable[["Node", TextOf, int], Iterator[Import]]
"""Reads a statement in a scope, given what says the text of a node."""


def read_import(node: "Node", text_of: TextOf, scope: int) -> Iterator[Import]:
    """`import a.b, c as d`."""
    for child in node.named_children:
        if child.type == "dotted_name":
            module = text_of(child)
            yield Import(scope, module.split(".")[0], module.split(".")[0], 0, None)
            yield Import(scope, module, module, 0, None)
        elif child.type == "aliased_import":
            name, local = child.child_by_field_name("name"), child.child_by_field_name("alias")
            if name is not None and local is not None:
                yield Import(scope, text_of(local), text_of(name), 0, None)


def read_import_from(node: "Node", text_of: TextOf, scope: int) -> Iterator[Import]:
    """`from .a import b, c as d`."""
    source = node.child_by_field_name("module_name")
    if source is None:
        return
    module_text = text_of(source)
    module = module_text.lstrip(".")
    level = len(module_text) - len(module)
    for child in node.children_by_field_name("name"):
        if child.type == "aliased_import":
            name, local = child.child_by_field_name("name"), child.child_by_field_name("alias")
        else:
            name = local = child
        if name is not None and local is not None:
            yield Import(scope, text_of(local), module, level, text_of(name))
    if any(child.type == "wildcard_import" for child in node.named_children):
        yield Import(scope, "*", module, level, "*")
