"""Configuration keys and command-line options that TypeScript code reads."""

from collections.abc import Iterator

from pipeline.code_registry.entries import SourceRange
from pipeline.code_registry.facts import (
    Attribute,
    Call,
    CallSite,
    Expression,
    FileFacts,
    Name,
    Pairs,
    StringLiteral,
)
from pipeline.code_registry.languages.typescript.schemas import SchemaReader
from pipeline.code_registry.linking.names.program import DefinitionRef
from pipeline.code_registry.linking.values.call_arguments import Scope, ScopedValue, value_of_key
from pipeline.code_registry.linking.values.fields import FoundOption, FoundSetting
from pipeline.code_registry.linking.values.tracing import Tracer
from pipeline.domain.words import name_parts

_CONFIGURATION_CALLS = frozenset({"get", "getOrThrow"})
_CONFIGURATIONS = frozenset({"configService", "config", "configuration"})
_OPTION_CALLS = frozenset({"option", "requiredOption"})
_FILES = frozenset({"settings", "config", "configuration", "constants", "defaults", "limits"})
"""What people call files whose object literals hold what an installation may set."""


def read_settings(tracer: Tracer, path: str) -> Iterator[FoundSetting]:
    """Keys of `process.env`, `Bun.env` and `import.meta.env`, of a configuration service, and of an object of settings."""
    facts = tracer.program.files[path]
    if _FILES & set(name_parts(path.rpartition("/")[2].partition(".")[0])):
        yield from _members(path, facts)
    for read in facts.reads:
        if isinstance(read.base, Attribute) and read.base.name == "env":
            yield FoundSetting(read.key, SourceRange(path, read.line, read.line))
    for site in facts.calls:
        yield from _checked_environment(tracer, path, site)
        match site.call:
            case Call(
                Attribute(Name(base) | Attribute(_, base), word), (StringLiteral(key), *_), _, line
            ) if word in _CONFIGURATION_CALLS and base in _CONFIGURATIONS:
                yield FoundSetting(key, SourceRange(path, line, line))


def _checked_environment(tracer: Tracer, path: str, site: CallSite) -> Iterator[FoundSetting]:
    """Keys of what a call holds the environment against: `cleanEnv(process.env, {PORT: port()})`, `schema.parse(process.env)`."""
    call = site.call
    if not any(isinstance(value, Attribute) and value.name == "env" for value in call.arguments):
        return
    schemas, scope = SchemaReader(tracer), Scope(path, site.scope)
    base = (call.function.base,) if isinstance(call.function, Attribute) else ()
    for value in (*base, *call.arguments):
        schema = schemas.shape(ScopedValue(value, scope), call.line, 0)
        if schema is not None:
            for field in schema.fields:
                line = schema.line_of(field)
                if field.name.isupper():
                    yield FoundSetting(field.name, SourceRange(schema.path, line, line))


def _members(path: str, facts: FileFacts) -> Iterator[FoundSetting]:
    for item in facts.assignments:
        within = facts.definitions[item.scope]
        if item.mode == "field" and within.kind == "object" and within.parent == 0:
            yield FoundSetting(f"{within.name}.{item.target}", SourceRange(path, item.line, item.line))


def read_options(tracer: Tracer, path: str) -> Iterator[FoundOption]:
    """Options of commander and yargs, and the function they stand in; of nest-commander, the method that parses one."""
    facts = tracer.program.files[path]
    for number, definition in enumerate(facts.definitions):
        for decorator in definition.decorators:
            flags = _flags(decorator)
            if isinstance(flags, StringLiteral):
                place = SourceRange(path, definition.line, definition.line)
                yield from (
                    FoundOption(flag, DefinitionRef(path, number), place) for flag in _long(flags.value)
                )
    for site in facts.calls:
        match site.call:
            case Call(Attribute(_, word), (StringLiteral(text), *_), _, line) if word in _OPTION_CALLS:
                for part in _long(text):
                    yield FoundOption(part, DefinitionRef(path, site.scope), SourceRange(path, line, line))


def _long(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.replace(",", " ").split() if part.startswith("--"))


def _flags(decorator: Expression) -> Expression | None:
    match decorator:
        case Call(Name("Option"), (Pairs() as options, *_)):
            return value_of_key(options, "flags")
        case _:
            return None
