"""Configuration keys and command-line options that Python code declares or reads."""

from collections.abc import Iterator, Mapping

from pipeline.code_registry.entries import SourceRange
from pipeline.code_registry.facts import (
    Argument,
    Attribute,
    Call,
    CallSite,
    Expression,
    FileFacts,
    Name,
    StringLiteral,
    source_text,
)
from pipeline.code_registry.languages.python.models import is_settings, read_models
from pipeline.code_registry.linking.names.program import DefinitionRef, External, ExternalInstance
from pipeline.code_registry.linking.values.fields import FoundOption, FoundSetting
from pipeline.code_registry.linking.values.tracing import Tracer

_DJANGO = ("ROOT_URLCONF", "INSTALLED_APPS")
"""Names by which a file is known as settings of Django: all its constants are keys."""
_READERS = ("environ.Env", "environ.FileAwareEnv", "decouple.config", "decouple.AutoConfig")
_TYPER_COMMANDS = frozenset({"typer.Typer().command", "typer.Typer().callback"})
_OPTION_CALLS = frozenset({"add_argument", "option", "Option"})


_Parser = tuple[int, str, int]
"""A parser of argparse: scope, variable, and how often the variable was bound before."""


def read_settings(tracer: Tracer, path: str) -> Iterator[FoundSetting]:
    """Keys of the environment, of Flask's and Django's configuration, and fields of settings classes."""
    facts = tracer.program.files[path]
    for read in facts.reads:
        if _is_configuration(read.base):
            yield FoundSetting(read.key, SourceRange(path, read.line, read.line))
    for site in facts.calls:
        key = _key(tracer, path, site)
        if key is not None:
            yield FoundSetting(key, SourceRange(path, site.call.line, site.call.line))
    if any(tracer.program.bindings_in(path, 0, name) for name in _DJANGO):
        for assignment in facts.assignments:
            if assignment.scope == 0 and assignment.target.isupper():
                yield FoundSetting(assignment.target, SourceRange(path, assignment.line, assignment.line))
    for class_, definition in tracer.program.definitions_in(path):
        if definition.kind == "class" and is_settings(tracer, class_):
            for field in read_models(tracer, class_):
                yield FoundSetting(field.name, field.place)


def _is_configuration(base: Expression) -> bool:
    match base:
        case Name("environ") | Attribute(_, "environ") | Attribute(Name("app" | "current_app"), "config"):
            return True
        case _:
            return False


def _key(tracer: Tracer, path: str, site: CallSite) -> str | None:
    """The key that a call asks for: the environment, a configuration, or a reader of django-environ or python-decouple."""
    match site.call:
        case Call(Name("getenv") | Attribute(_, "getenv"), (StringLiteral(key), *_)):
            return key
        case Call(Attribute(base, "get" | "setdefault" | "pop"), (StringLiteral(key), *_)) if (
            _is_configuration(base)
        ):
            return key
        case Call(Name() | Attribute() as function, (StringLiteral(key), *_)) if key.isupper():
            entity = tracer.types.of(function, path, site.scope)
            dotted_name = entity.dotted_name if isinstance(entity, External | ExternalInstance) else ""
            return key if dotted_name.startswith(_READERS) else None
        case _:
            return None


def read_options(tracer: Tracer, path: str) -> Iterator[FoundOption]:
    """Options of argparse, click and typer, and the function they stand at or in, or that their parser leads to."""
    facts = tracer.program.files[path]
    commands = _commands(tracer, path)
    for site in facts.calls:
        function = site.call.function
        if isinstance(function, Name | Attribute) and function.name in _OPTION_CALLS:
            owner = commands.get(_parser(facts, site), DefinitionRef(path, site.scope))
            for value in site.call.arguments:
                for name in value.value.split("/") if isinstance(value, StringLiteral) else ():
                    if name.startswith("--"):
                        place = SourceRange(path, site.call.line, site.call.line)
                        yield FoundOption(name, owner, place)
    for ref, definition in tracer.program.definitions_in(path):
        if any(_is_typer_command(tracer, ref, decorator) for decorator in definition.decorators):
            for argument in definition.arguments:
                if argument.default is not None and not _is_named_or_positional(argument):
                    place = SourceRange(ref.path, argument.line, argument.line)
                    yield FoundOption(f"--{argument.name.replace('_', '-')}", ref, place)


def _commands(tracer: Tracer, path: str) -> Mapping[_Parser, DefinitionRef]:
    """The functions that parsers of argparse hand over to: `parser.set_defaults(func=archive)`."""
    facts = tracer.program.files[path]
    return {
        _parser(facts, site): entity
        for site in facts.calls
        if isinstance(site.call.function, Attribute) and site.call.function.name == "set_defaults"
        for _, value in site.call.keywords
        if isinstance(entity := tracer.types.of(value, path, site.scope), DefinitionRef)
    }


def _parser(facts: FileFacts, site: CallSite) -> _Parser:
    """The parser that a method is called on: one name may stand for one after the other."""
    base = site.call.function.base if isinstance(site.call.function, Attribute) else None
    name = base.name if isinstance(base, Name) else ""
    bindings = [item for item in facts.assignments if (item.scope, item.target) == (site.scope, name)]
    return site.scope, name, sum(item.line <= site.call.line for item in bindings)


def _is_typer_command(tracer: Tracer, function: DefinitionRef, decorator: Expression) -> bool:
    """Whether a decorator makes a command whose parameters are its options."""
    if not isinstance(decorator, Call):
        return False
    scope = tracer.program.definition(function).parent
    entity = tracer.types.of(decorator.function, function.path, scope)
    return isinstance(entity, External) and entity.dotted_name in _TYPER_COMMANDS


def _is_named_or_positional(argument: Argument) -> bool:
    """Whether a parameter says its option's name itself, or is no option at all."""
    match argument.default:
        case Call(Name("Argument") | Attribute(_, "Argument")):
            return True
        case Call(Name("Option") | Attribute(_, "Option"), arguments):
            return any(
                isinstance(value, StringLiteral) and value.value.startswith("-") for value in arguments
            )
        case _:
            written_there = source_text(argument.annotation) or ""
            return "Argument(" in written_there or "'-" in written_there
