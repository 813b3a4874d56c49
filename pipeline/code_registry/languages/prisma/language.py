"""Prisma schemas as the builder sees them: models and their fields, line by line."""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from pipeline.code_registry.entries import FieldKind, SourceRange
from pipeline.code_registry.facts import (
    Alternatives,
    Assignment,
    CodeDefinition,
    Constant,
    Expression,
    FileFacts,
    Name,
    Subscript,
)
from pipeline.code_registry.found_fields import FoundField
from pipeline.code_registry.language import Language
from pipeline.code_registry.linking.names.program import DefinitionRef
from pipeline.code_registry.linking.names.words import FindModule, TypeWords
from pipeline.code_registry.linking.values.tracing import Tracer

_BLOCK = re.compile(r"^\s*(model|view|type|enum|datasource|generator)\s+(\w+)\s*\{")
_FIELD = re.compile(r"^\s*([A-Za-z]\w*)\s+([A-Za-z]\w*)(?:\([^)]*\))?(\[\])?(\?)?")
_HOLDING_FIELDS = frozenset({"model", "view", "type"})
_NULL = Constant("null")


def extract(source: bytes) -> FileFacts:
    """Facts of one schema: a class for each model, view and composite type, with its fields."""
    lines = source.decode("utf-8", "replace").splitlines()
    definitions = [CodeDefinition("module", "", -1, 1, max(len(lines), 1), (), (), None, (), (), None)]
    fields: list[Assignment] = []
    kind = ""
    for number, line in enumerate(lines, 1):
        block = _BLOCK.match(line)
        if block is not None:
            kind = block[1]
            if kind in _HOLDING_FIELDS:
                definitions.append(
                    CodeDefinition("class", block[2], 0, number, number, (), (), None, (), (), None)
                )
        elif line.strip() == "}":
            if kind in _HOLDING_FIELDS:
                definitions[-1] = replace(definitions[-1], end_line=number)
            kind = ""
        elif kind in _HOLDING_FIELDS and (field := _FIELD.match(line)) is not None:
            annotation = _annotation(field[2], is_list=bool(field[3]), optional=bool(field[4]))
            scope = len(definitions) - 1
            fields.append(Assignment(scope, field[1], False, annotation, None, "field", number))
    return FileFacts(tuple(definitions), (), tuple(fields), (), (), ())


def _annotation(name: str, *, is_list: bool, optional: bool) -> Expression:
    annotation: Expression = Subscript(Name("Array"), Name(name)) if is_list else Name(name)
    return Alternatives((annotation, _NULL)) if optional else annotation


def _read_models(tracer: Tracer, class_: DefinitionRef) -> tuple[FoundField, ...]:
    return tuple(
        FoundField(
            item.target,
            FieldKind.TABLE,
            SourceRange(class_.path, item.line, item.line),
            item.annotation,
            not isinstance(item.annotation, Alternatives),
        )
        for item in tracer.program.assignments_in(class_)
    )


def _no_modules(_files: Mapping[str, FileFacts]) -> FindModule:
    return lambda _importing, _module, _level: None


PRISMA = Language(
    name="prisma",
    suffixes=(".prisma",),
    extract=extract,
    module_finder=_no_modules,
    words=TypeWords(collections=frozenset({"Array"}), none_names=frozenset({"null"})),
    read_models=_read_models,
)
