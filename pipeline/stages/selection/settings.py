"""The settings of a code base: configuration keys and constants whose value somebody may want to be another."""

from dataclasses import dataclass

from pipeline.code_registry.entries import SourceRange, SymbolKind
from pipeline.code_registry.registry import Registry
from pipeline.domain.testing_paths import is_test_path
from pipeline.domain.words import name_parts, name_stems, stems_of_all
from pipeline.stages.selection.language_weights import EVERYWHERE
from pipeline.stages.selection.vocabulary import Vocabulary

_FILES = frozenset({"settings", "config", "configuration", "conf", "constants", "defaults", "env", "limits"})
_CLASSES = frozenset({"settings", "config", "configuration", "options"})


@dataclass(frozen=True)
class Key:
    """A setting at one place. The same key declared by two applications is two of them."""

    id: str
    name: str
    place: SourceRange
    vocabulary: Vocabulary


def find_keys(registry: Registry) -> tuple[Key, ...]:
    """All settings, one for each file that gives one its value; a constant goes before the key that it reads.

    A key that one file sets and reads is one setting. A variable of a command's option is no setting.
    """
    with_options = {option.owner for option in registry.options}
    keys: dict[tuple[str, str], Key] = {}
    lines: set[tuple[str, int]] = set()

    def put(id_: str, name: str, place: SourceRange) -> None:
        if (place.path, place.start_line) in lines or (place.path, name) in keys:
            return
        lines.add((place.path, place.start_line))
        of_path = stems_of_all(place.path.rpartition(".")[0].split("/"))
        words = Vocabulary((name_stems(name.rpartition(".")[2]) | of_path) - EVERYWHERE)
        keys[place.path, name] = Key(id_, name, place, words)

    for symbol in registry.symbols:
        if (
            symbol.kind is SymbolKind.CONSTANT
            and not symbol.is_test
            and _is_key(symbol.name, symbol.place.path)
        ):
            put(symbol.id, symbol.qualified_name, symbol.place)
    for field in registry.fields:
        owner = registry.symbol(field.owner)
        if (
            owner is not None
            and owner.kind is not SymbolKind.INTERFACE
            and not owner.is_test
            and owner.id not in with_options
            and _CLASSES & set(name_parts(owner.name))
        ):
            put(field.id, f"{owner.name}.{field.name}", field.place)
    for setting in registry.settings:
        for place in setting.places:
            if not is_test_path(place.path):
                id_ = setting.id if len(setting.places) == 1 else f"{setting.id}@{place.path}"
                put(id_, setting.name, place)
    return tuple(sorted(keys.values(), key=lambda key: key.id))


def _is_key(name: str, path: str) -> bool:
    """Constants in capitals, and whatever a file of settings declares."""
    stem_of_file = path.rpartition("/")[2].partition(".")[0]
    return (name.isupper() and len(name) > 1) or bool(_FILES & set(name_parts(stem_of_file)))
