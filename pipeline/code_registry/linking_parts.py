"""Link a large program part by part, in several processes: none of them holds all facts, and what was linked before is kept."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

from pipeline.code_registry.all_languages import LANGUAGES
from pipeline.code_registry.assembly import LinkedPart, Linker
from pipeline.code_registry.cache import RegistryCache
from pipeline.code_registry.entries import Entries, Setting, Value
from pipeline.code_registry.language import Language
from pipeline.code_registry.linking.names.calls import Sites
from pipeline.code_registry.linking.names.classes import Heirs
from pipeline.code_registry.linking.names.program import DefinitionRef
from pipeline.code_registry.linking.names.words import FindModule
from pipeline.code_registry.route_entries import TestRequest
from pipeline.code_registry.rows import RowsInvalid, Sections, Unit, from_bytes, sections_of, to_bytes
from pipeline.code_registry.stored_facts import FactSpan, FactStore, StoredFacts

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


class FactStoreIndex(Value, frozen=True):
    """What another process needs to open a shelf: its files, the paths of one language, and where the facts of each are."""

    language: str
    files: tuple[str, ...]
    paths: tuple[str, ...]
    spans: tuple[tuple[int, int, int], ...]


class _Rest(Value, frozen=True):
    """A linked part without its entries and the calls in it. `heirs`: rows of four numbers: file and number of a class, and
    the same of one that inherits from it.
    """

    settings: tuple[Setting, ...]
    heirs: tuple[int, ...]
    speaking: tuple[str, ...]
    requests: tuple[tuple[str, int, TestRequest], ...]
    programs: tuple[str, ...]
    imports: dict[str, tuple[str, ...]]


_REST, _SITES = "rest", "sites"
"""Sections of a part besides its entries. Sites are rows of four numbers: file and number of what is called, file and number
of the call.
"""


class _Task(NamedTuple):
    shelf: Path
    paths: tuple[str, ...]


class _RoutesTask(NamedTuple):
    shelf: Path
    rests: tuple[bytes, ...]
    sites: tuple[bytes, ...]
    all_paths: frozenset[str]


def link_in_parts(
    language: Language,
    files: Sequence[Path],
    spans: Mapping[str, FactSpan],
    parts: Sequence[Sequence[str]],
    all_paths: frozenset[str],
    folder: Path,
    pool: Executor,
    kept_units: KeptUnits,
) -> Iterator[Unit]:
    """The entries of a language's files, which lie in parts on a shelf. What was linked before is taken from `kept_units`."""
    index = folder / f"index-{language.name}"
    index.write_bytes(
        to_bytes(FactStoreIndex(language.name, tuple(map(str, files)), tuple(spans), tuple(spans.values())))
    )
    own_keys = [kept_units.own_key(part) for part in parts]
    units = [kept_units.find(key) for key in own_keys]
    missing = [number for number, part_units in enumerate(units) if not part_units]
    tasks = [_Task(index, tuple(parts[number])) for number in missing]
    for number, linked_unit in zip(missing, pool.map(_link_part, tasks), strict=True):
        units[number] = kept_units.make(own_keys[number], linked_unit)
    sections = [unit.sections for part_units in units for unit in part_units]
    rests, sites = (
        tuple(data for part in sections for data in part.get(kind, ())) for kind in (_REST, _SITES)
    )
    own_key = kept_units.own_key((), *rests)
    routes = kept_units.find(own_key, partial(_answers, _CallsOf(tuple(spans), sites)))
    if not routes:
        (linked_unit,) = pool.map(_link_routes, [_RoutesTask(index, rests, sites, all_paths)])
        routes = kept_units.make(own_key, linked_unit)
    yield from (unit for part_units in (*units, routes) for unit in part_units)


def _link_routes(task: _RoutesTask) -> Linked:
    """What the routes add. In a process that ends soon, because to take apart all that it finds out takes half a second."""
    open_store = _open_store(task.shelf)
    paths = tuple(open_store.numbers)
    rests = [from_bytes(rest, _Rest) for rest in task.rests]
    packages = {item.package: item for item in open_store.language.web_packages}
    linked_parts = [
        LinkedPart(
            Entries(),
            rest.settings,
            {},
            _heirs(paths, rest.heirs),
            rest.speaking,
            rest.requests,
            rest.programs,
            {path: tuple(packages[name] for name in names) for path, names in rest.imports.items()},
        )
        for rest in rests
    ]
    files = StoredFacts(open_store.shelf, paths)
    linker = Linker(open_store.language, files, open_store.find)
    sites = _CallsOf(paths, task.sites)
    entries = linker.link_routes(linked_parts, sites, task.all_paths)
    callees = sorted(linker.calls.asked)
    looked_at = LookedAt(tuple(sorted(files.read_paths)), tuple((of.path, of.number) for of in callees))
    return Linked(sections_of(entries), looked_at, _answers(sites, callees))


class _CallsOf:
    """The calls of all parts, put together when somebody asks."""

    def __init__(self, paths: Sequence[str], parts: Sequence[bytes]) -> None:
        self._paths = paths
        self._parts = parts
        self._sites: Sites | None = None

    def __call__(self) -> Sites:
        if self._sites is None:
            self._sites = _by_definition(
                self._paths, [from_bytes(part, tuple[int, ...]) for part in self._parts]
            )
        return self._sites


def _answers(sites: Callable[[], Sites], functions: Sequence[DefinitionRef]) -> bytes:
    return to_bytes([sites().get(function, ()) for function in functions])


def _by_definition(paths: Sequence[str], parts: Sequence[Sequence[int]]) -> Sites:
    sites: dict[DefinitionRef, list[tuple[str, int]]] = {}
    for rows in parts:
        numbers = iter(rows)
        for at, number, path, call in zip(numbers, numbers, numbers, numbers, strict=True):
            sites.setdefault(DefinitionRef(paths[at], number), []).append((paths[path], call))
    return sites


def _heirs(paths: Sequence[str], rows: Sequence[int]) -> Heirs:
    by_class = _by_definition(paths, [rows])
    return {class_: [DefinitionRef(*heir) for heir in heirs] for class_, heirs in by_class.items()}


def _rows(
    by_definition: Mapping[DefinitionRef, Sequence[tuple[str, int]]], numbers: Mapping[str, int]
) -> Iterator[int]:
    for definition, places in by_definition.items():
        for path, number in places:
            yield from (numbers[definition.path], definition.number, numbers[path], number)


def _link_part(task: _Task) -> Linked:
    open_store = _open_store(task.shelf)
    files = StoredFacts(open_store.shelf, task.paths)
    linker = Linker(open_store.language, files, open_store.find)
    part = linker.link()
    linker.release()
    rest = _Rest(
        part.settings,
        tuple(_rows(part.heirs, open_store.numbers)),
        part.speaking,
        part.requests,
        part.programs,
        {path: tuple(item.package for item in packages) for path, packages in part.imports.items()},
    )
    sites = tuple(_rows(part.sites, open_store.numbers))
    sections = {**sections_of(part.entries), _REST: (to_bytes(rest),), _SITES: (to_bytes(sites),)}
    return Linked(sections, LookedAt(tuple(sorted(files.read_paths))))


class _OpenStore(NamedTuple):
    language: Language
    shelf: FactStore
    find: FindModule
    numbers: Mapping[str, int]


@lru_cache(maxsize=1)
def _open_store(index: Path) -> _OpenStore:
    """The shelf that the parts of one language lie on; kept from part to part."""
    index_data = from_bytes(index.read_bytes(), FactStoreIndex)
    language = next(language_ for language_ in LANGUAGES if language_.name == index_data.language)
    spans = {path: FactSpan(*row) for path, row in zip(index_data.paths, index_data.spans, strict=True)}
    shelf = FactStore([Path(file) for file in index_data.files], spans)
    find = language.module_finder(StoredFacts(shelf, spans))
    return _OpenStore(language, shelf, find, {path: number for number, path in enumerate(index_data.paths)})
