"""Configuration keys and command-line options that Go code declares or reads."""

from collections.abc import Iterator

from pipeline.code_registry.entries import SourceRange
from pipeline.code_registry.facts import Attribute, Call, Constant, Name, StringLiteral
from pipeline.code_registry.languages.go.structs import tags_of
from pipeline.code_registry.linking.names.program import DefinitionRef, External, ExternalInstance
from pipeline.code_registry.linking.values.fields import FoundOption, FoundSetting, Reading

_ENVIRONMENT = frozenset({"os.Getenv", "os.LookupEnv", "syscall.Getenv"})
_KINDS = (
    *("String", "Bool", "Int", "Int64", "Uint", "Uint64", "Float64", "Duration", "Var", "Func", "BoolFunc"),
    *("StringSlice", "StringArray", "IntSlice", "Int32", "Uint32", "Count", "StringToString", "IP"),
)
_VALUES = frozenset({*_KINDS, *(f"{kind}P" for kind in _KINDS)})
_POINTERS = frozenset({*(f"{kind}Var" for kind in _KINDS), *(f"{kind}VarP" for kind in _KINDS), "TextVar"})
_FLAGS = ("flag.", "github.com/spf13/pflag.", "github.com/spf13/cobra.")
_VIPER = "github.com/spf13/viper."
_TAGS = ("env", "envconfig")


def read_settings(reading: Reading, path: str) -> Iterator[FoundSetting]:
    """Environment variables and keys of viper that are read, and those that tags of structs name."""
    facts = reading.program.files[path]
    for site in facts.calls:
        arguments = site.call.arguments
        if (
            not arguments
            or not isinstance(arguments[0], StringLiteral)
            or not isinstance(site.call.function, Attribute)
        ):
            continue
        entity = reading.types.of(site.call.function, path, site.scope)
        dotted_name = entity.dotted_name if isinstance(entity, External) else ""
        is_key = dotted_name.startswith(_VIPER) and site.call.function.name.startswith(
            ("Get", "IsSet", "SetDefault")
        )
        if dotted_name in _ENVIRONMENT or is_key:
            yield FoundSetting(arguments[0].value, SourceRange(path, site.call.line, site.call.line))
    for class_, definition in reading.program.definitions_in(path):
        if definition.kind == "class":
            for tags in tags_of(reading, class_).values():
                name = next((tags[key].partition(",")[0] for key in _TAGS if key in tags), "")
                if name:
                    yield FoundSetting(name, SourceRange(class_.path, definition.line, definition.line))


def read_options(reading: Reading, path: str) -> Iterator[FoundOption]:
    """Flags of the standard library, pflag and cobra, and the function they are declared in."""
    facts = reading.program.files[path]
    for site in facts.calls:
        name = _flag_name(site.call)
        if name is None or not isinstance(site.call.function, Attribute):
            continue
        entity = reading.types.of(site.call.function.base, path, site.scope)
        dotted_name = f"{entity.dotted_name}." if isinstance(entity, External | ExternalInstance) else ""
        if dotted_name.startswith(_FLAGS):
            place = SourceRange(path, site.call.line, site.call.line)
            yield FoundOption(f"--{name}", DefinitionRef(path, site.scope), place)


def _flag_name(call: Call) -> str | None:
    """The name of a flag that a call declares: first argument, or second where the first takes the value."""
    match call:
        case Call(Attribute(_, word), (StringLiteral(name), *_)) if word in _VALUES and name:
            return name
        case Call(Attribute(_, word), (Name() | Attribute() | Call() | Constant(), StringLiteral(name), *_)):
            return name if (word in _POINTERS or word == "Var") and name else None
        case _:
            return None
