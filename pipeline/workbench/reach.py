"""Which tests reach what a ticket is about, and what was edited for it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from pipeline.code_registry.entries import Route, Symbol
from pipeline.code_registry.registry import Registry
from pipeline.domain.suite import Ecosystem, TestCommand
from pipeline.workspace.runners import TestPlace, is_test_file
from pipeline.workspace.since_commit import SinceCommit


@dataclass(frozen=True)
class TestsInReach:
    """Tests that reach the targets, and those that reach what was edited; a test file that was edited is whole."""

    targets: frozenset[TestPlace]
    edits: frozenset[TestPlace]

    @property
    def all(self) -> frozenset[TestPlace]:
        """Both. A test of a file that runs whole is not named again."""
        whole = {place.path for place in self.edits if not place.name}
        return frozenset(
            place for place in self.targets | self.edits if not place.name or place.path not in whole
        )


def reached_tests(
    registry: Registry,
    since: SinceCommit,
    tests: TestCommand,
    *,
    targets: Iterable[str],
    edited_paths: Iterable[str],
) -> TestsInReach:
    """The tests that reach targets (registry ids) or the edited files. Tests that are gone since are left out."""
    files = [path for path in edited_paths if since.exists(path)]
    whole = {path for path in files if is_test_file(tests, path)}
    changed_symbols = [
        id_ for path in files if path not in whole for id_ in _edited_symbols(registry, since, path)
    ]
    symbols = [symbol for id_ in targets if (symbol := _symbol_of(registry, id_))]
    by_edits = {*map(TestPlace, whole), *_tests_of(registry, changed_symbols)}
    return TestsInReach(
        frozenset(test for test in _tests_of(registry, symbols) if _is_run(tests, since, test.path)),
        frozenset(test for test in by_edits if _is_run(tests, since, test.path)),
    )


def _is_run(tests: TestCommand, since: SinceCommit, path: str) -> bool:
    """Whether there is such a file, and in the module that Go would test, not in one of its own inside of it."""
    folders = [folder for folder in PurePosixPath(path).parents if folder.name]
    is_go = tests.ecosystem is Ecosystem.GO
    return since.exists(path) and not (is_go and any(since.exists(f"{folder}/go.mod") for folder in folders))


def _tests_of(registry: Registry, symbols: Iterable[str]) -> Iterator[TestPlace]:
    for id_ in dict.fromkeys(symbols):
        for test in registry.tests_reaching(id_):
            symbol = registry.symbol(test)
            if symbol is not None:
                yield TestPlace(symbol.place.path, symbol.qualified_name)


def _symbol_of(registry: Registry, id_: str) -> str | None:
    entry = registry.get(id_)
    return entry.handler if isinstance(entry, Route) else id_ if isinstance(entry, Symbol) else None


def _edited_symbols(registry: Registry, since: SinceCommit, path: str) -> Iterator[str]:
    """Symbols in which lines were edited; an edit outside of all of them, an import say, counts for each."""
    there = [symbol for symbol in registry.symbols if symbol.place.path == path]
    for first, last in since.edited_lines(path):
        hit = [
            symbol for symbol in there if symbol.place.start_line <= last and first <= symbol.place.end_line
        ]
        yield from (symbol.id for symbol in hit or there)
