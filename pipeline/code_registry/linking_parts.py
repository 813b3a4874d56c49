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
from pipeline.code_registry.linking.program import Defined
from pipeline.code_registry.linking.words import FindModule
from pipeline.code_registry.route_entries import Asked
from pipeline.code_registry.rows import from_bytes, to_bytes
from pipeline.code_registry.stored_entries import Sections, sections_of
from pipeline.code_registry.stored_facts import Shelf, StoredFacts, Where


class ShelfIndex(Value, frozen=True):
    """What another process needs to open a shelf: its files, the paths of one language, and where the facts of each are."""

    language: str
    files: tuple[str, ...]
    paths: tuple[str, ...]
    where: tuple[tuple[int, int, int], ...]


class _Rest(Value, frozen=True):
    """A linked part without its entries. `sites`: rows of four numbers: file and number of what is called, file and number
    of the call.
    """

    settings: tuple[Setting, ...]
    sites: tuple[int, ...]
    speaking: tuple[str, ...]
    requests: tuple[tuple[str, int, Asked], ...]
    programs: tuple[str, ...]
    imports: dict[str, tuple[str, ...]]


class _Task(NamedTuple):
    shelf: Path
    paths: tuple[str, ...]


class _Done(NamedTuple):
    sections: Sections
    rest: bytes


def link_in_parts(
    language: Language,
    files: Sequence[Path],
    where: Mapping[str, Where],
    parts: Sequence[Sequence[str]],
    all_paths: frozenset[str],
    folder: Path,
    pool: Executor,
) -> Iterator[Sections]:
    """The entries of a language's files, which lie in parts on a shelf."""
    paths = tuple(where)
    index = folder / f"index-{language.name}"
    index.write_bytes(
        to_bytes(ShelfIndex(language.name, tuple(map(str, files)), paths, tuple(where.values())))
    )
    rests: list[_Rest] = []
    for done in pool.map(_link_part, [_Task(index, tuple(part)) for part in parts]):
        rests.append(from_bytes(done.rest, _Rest))
        yield done.sections
    packages = {item.package: item for item in language.web_packages}
    linked = [
        LinkedPart(
            Entries(),
            rest.settings,
            {},
            rest.speaking,
            rest.requests,
            rest.programs,
            {path: tuple(packages[name] for name in names) for path, names in rest.imports.items()},
        )
        for rest in rests
    ]
    shelf = StoredFacts(Shelf(files, where), paths)
    linker = Linker(language, shelf, language.module_finder(shelf))
    sites = partial(_by_function, paths, [rest.sites for rest in rests])
    yield sections_of(linker.link_routes(linked, sites, all_paths))


def _by_function(paths: Sequence[str], parts: Sequence[Sequence[int]]) -> Sites:
    sites: dict[Defined, list[tuple[str, int]]] = {}
    for rows in parts:
        numbers = iter(rows)
        for at, number, path, call in zip(numbers, numbers, numbers, numbers, strict=True):
            sites.setdefault(Defined(paths[at], number), []).append((paths[path], call))
    return sites


def _link_part(task: _Task) -> _Done:
    opened = _opened(task.shelf)
    linker = Linker(opened.language, StoredFacts(opened.shelf, task.paths), opened.find)
    part = linker.link()
    linker.release()
    sites = [
        cell
        for function, calls in part.sites.items()
        for path, call in calls
        for cell in (opened.numbers[function.path], function.number, opened.numbers[path], call)
    ]
    imports = {path: tuple(item.package for item in found) for path, found in part.imports.items()}
    rest = _Rest(part.settings, tuple(sites), part.speaking, part.requests, part.programs, imports)
    return _Done(sections_of(part.entries), to_bytes(rest))


class _Opened(NamedTuple):
    language: Language
    shelf: Shelf
    find: FindModule
    numbers: Mapping[str, int]


@lru_cache(maxsize=1)
def _opened(index: Path) -> _Opened:
    """The shelf that the parts of one language lie on; kept from part to part."""
    known = from_bytes(index.read_bytes(), ShelfIndex)
    language = next(own for own in LANGUAGES if own.name == known.language)
    where = {path: Where(*row) for path, row in zip(known.paths, known.where, strict=True)}
    shelf = Shelf([Path(file) for file in known.files], where)
    find = language.module_finder(StoredFacts(shelf, where))
    return _Opened(language, shelf, find, {path: number for number, path in enumerate(known.paths)})
