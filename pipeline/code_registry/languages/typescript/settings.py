"""Configuration keys and command-line options that TypeScript code reads."""

from collections.abc import Iterator

from pipeline.code_registry.entries import Place
from pipeline.code_registry.facts import Attribute, Call, Name, Text
from pipeline.code_registry.linking.fields import FoundOption, FoundSetting, Reading
from pipeline.code_registry.linking.program import Defined

_CONFIGURATION_CALLS = frozenset({"get", "getOrThrow"})
_CONFIGURATIONS = frozenset({"configService", "config", "configuration"})
_OPTION_CALLS = frozenset({"option", "requiredOption"})


def read_settings(reading: Reading) -> Iterator[FoundSetting]:
    """Keys of `process.env`, `Bun.env` and `import.meta.env`, and of a configuration service."""
    for path, facts in reading.program.files.items():
        for read in facts.reads:
            if isinstance(read.base, Attribute) and read.base.name == "env":
                yield FoundSetting(read.key, Place(path, read.line, read.line))
        for site in facts.calls:
            match site.call:
                case Call(Attribute(Name(base) | Attribute(_, base), word), (Text(key), *_), _, line) if (
                    word in _CONFIGURATION_CALLS and base in _CONFIGURATIONS
                ):
                    yield FoundSetting(key, Place(path, line, line))


def read_options(reading: Reading) -> Iterator[FoundOption]:
    """Options of commander and yargs, and the function they stand in."""
    for path, facts in reading.program.files.items():
        for site in facts.calls:
            match site.call:
                case Call(Attribute(_, word), (Text(text), *_), _, line) if word in _OPTION_CALLS:
                    for part in text.replace(",", " ").split():
                        if part.startswith("--"):
                            yield FoundOption(part, Defined(path, site.scope), Place(path, line, line))
