"""Link a large program part by part, in several processes: none of them holds all facts."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

from pipeline.code_registry.all_languages import LANGUAGES
from pipeline.code_registry.assembly import LinkedPart, Linker
from pipeline.code_registry.entries import Entries, Setting, Value
from pipeline.code_registry.language import Language
from pipeline.code_registry.linking.calls import Sites
from pipeline.code_registry.linking.classes import Heirs
from pipeline.code_registry.linking.program import DefinitionRef
from pipeline.code_registry.linking.words import FindModule
from pipeline.code_registry.route_entries import TestRequest
from pipeline.code_registry.rows import from_bytes, to_bytes
from pipeline.code_registry.stored_entries import Sections, sections_of
from pipeline.code_registry.stored_facts import FactSpan, FactStore, StoredFacts


class FactStoreIndex(Value, frozen=True):
    """What another process needs to open a shelf: its files, the paths of one language, and where the facts of each are."""

    language: str
    files: tuple[str, ...]
    paths: tuple[str, ...]
    spans: tuple[tuple[int, int, int], ...]


class _Rest(Value, frozen=True):
    """A linked part without its entries. `sites`: rows of four numbers: file and number of what is called, file and number
    of the call. `heirs`: the same of a class and of one that inherits from it.
    """

    settings: tuple[Setting, ...]
    sites: tuple[int, ...]
    heirs: tuple[int, ...]
    speaking: tuple[str, ...]
    requests: tuple[tuple[str, int, TestRequest], ...]
    programs: tuple[str, ...]
    imports: dict[str, tuple[str, ...]]


class _Task(NamedTuple):
    shelf: Path
    paths: tuple[str, ...]


class _RoutesTask(NamedTuple):
    shelf: Path
    rests: tuple[bytes, ...]
    all_paths: frozenset[str]


class _PartResult(NamedTuple):
    sections: Sections
    rest: bytes


def link_in_parts(
    language: Language,
    files: Sequence[Path],
    spans: Mapping[str, FactSpan],
    parts: Sequence[Sequence[str]],
    all_paths: frozenset[str],
    folder: Path,
    pool: Executor,
) -> Iterator[Sections]:
    """The entries of a language's files, which lie in parts on a shelf."""
    paths = tuple(spans)
    index = folder / f"index-{language.name}"
    index.write_bytes(
        to_bytes(FactStoreIndex(language.name, tuple(map(str, files)), paths, tuple(spans.values())))
    )
    rests: list[bytes] = []
    for result in pool.map(_link_part, [_Task(index, tuple(part)) for part in parts]):
        rests.append(result.rest)
        yield result.sections
    yield from pool.map(_link_routes, [_RoutesTask(index, tuple(rests), all_paths)])


def _link_routes(task: _RoutesTask) -> Sections:
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
    linker = Linker(open_store.language, StoredFacts(open_store.shelf, paths), open_store.find)
    sites = partial(_by_definition, paths, [rest.sites for rest in rests])
    return sections_of(linker.link_routes(linked_parts, sites, task.all_paths))


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


def _link_part(task: _Task) -> _PartResult:
    open_store = _open_store(task.shelf)
    linker = Linker(open_store.language, StoredFacts(open_store.shelf, task.paths), open_store.find)
    part = linker.link()
    linker.release()
    imports = {
        path: tuple(item.package for item in packages_of_file)
        for path, packages_of_file in part.imports.items()
    }
    rest = _Rest(
        part.settings,
        tuple(_rows(part.sites, open_store.numbers)),
        tuple(_rows(part.heirs, open_store.numbers)),
        part.speaking,
        part.requests,
        part.programs,
        imports,
    )
    return _PartResult(sections_of(part.entries), to_bytes(rest))


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
