"""What was linked before: a part of a program is linked again only if something changed that it was found from."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from pipeline.code_registry.cache import RegistryCache
from pipeline.code_registry.entries import Value
from pipeline.code_registry.linking.names.program import DefinitionRef
from pipeline.code_registry.rows import RowsInvalid, from_bytes, to_bytes
from pipeline.code_registry.stored_entries import Sections, Unit

# How a part is found again. To link `orders.py` the linker reads its facts, and those of `base.py` and `models.py`, which it
# imports. Which files these are is known only afterwards. So two units are kept:
#
#   own key      made from what is known before: the versions, all paths of the tree, the facts of `orders.py`. It leads to the
#                list of what was looked at the last time: [base.py, models.py, orders.py].
#   whole key    made from the own key and the facts of all files on that list. It leads to the entries.
#
# If `models.py` has changed, the whole key is another one, under which nothing is kept, and the part is linked anew. If nothing
# on the list has changed, linking would read the same facts again, come to the same entries, and is left out. The search for
# routes also asks who calls a function; there the answers are part of the whole key.

_LOOKED_AT, _WHOLE = "looked_at", "whole"
"""Sections besides the entries: the list, and a mark without which a unit that has no entries could not be told from none."""


class LookedAt(Value, frozen=True):
    """What linking depends on: the files whose facts it read, and the functions whose calls it asked for."""

    paths: tuple[str, ...]
    functions: tuple[tuple[str, int], ...] = ()


class Linked(NamedTuple):
    """What linking came to. `answers`: what was said of the calls of the functions."""

    sections: Sections
    looked_at: LookedAt
    answers: bytes = b""


Answers = Callable[[Sequence[DefinitionRef]], bytes]
"""What is said of the calls of some functions now."""


class KeptUnits:
    """Finds units in a cache, and makes new ones. `fact_keys`: the keys of the facts of all files by path."""

    def __init__(
        self, cache: RegistryCache | None, fact_keys: Mapping[str, str], context: Iterable[str]
    ) -> None:
        self._cache = cache
        self._fact_keys = fact_keys
        self._context = digest(value.encode("utf-8", "surrogateescape") for value in context)

    def own_key(self, paths: Iterable[str], *more: bytes) -> str:
        """The key of what is found from the facts of some files, and from more that is known before."""
        return digest([self._context.encode(), *self._facts(paths), *more])

    def find(self, own_key: str, answers: Answers | None = None) -> list[Unit]:
        """The units that are kept; none if something changed."""
        first_unit = self._cache.unit(own_key) if self._cache is not None else {}
        try:
            looked_at = from_bytes(first_unit[_LOOKED_AT][0], LookedAt)
        except (KeyError, RowsInvalid):
            return []
        functions = [DefinitionRef(*function) for function in looked_at.functions]
        key = self._whole_key(own_key, looked_at, answers(functions) if answers is not None else b"")
        whole = self._cache.unit(key) if self._cache is not None else {}
        return [Unit(own_key, first_unit, is_kept=True), Unit(key, whole, is_kept=True)] if whole else []

    def make(self, own_key: str, linked_unit: Linked) -> list[Unit]:
        """The units to keep."""
        key = self._whole_key(own_key, linked_unit.looked_at, linked_unit.answers)
        return [
            Unit(own_key, {_LOOKED_AT: (to_bytes(linked_unit.looked_at),)}),
            Unit(key, {**linked_unit.sections, _WHOLE: (b"",)}),
        ]

    def _whole_key(self, own_key: str, looked_at: LookedAt, answers: bytes) -> str:
        return digest([own_key.encode(), *self._facts(looked_at.paths), answers])

    def _facts(self, paths: Iterable[str]) -> Iterable[bytes]:
        return (f"{path}\0{self._fact_keys.get(path)}".encode() for path in paths)


def digest(values: Iterable[bytes]) -> str:
    """A digest of values, one after the other."""
    whole = hashlib.sha256()
    for value in values:
        whole.update(len(value).to_bytes(8))
        whole.update(value)
    return whole.hexdigest()
