"""Tables to train on, numbers only: messages of past commits are the tickets, and real issues where files of them are at
hand; the files that were changed are what is right.

    python -m tests.training.table REPOSITORIES.txt CLONES OUTPUT [ISSUES]

`ISSUES` is a folder with `octocat+orders.json`: a list of `{"title", "body", "labels", "base", "files"}`.

Commits are taken in windows: each has a base of its own, so that the tree and the history are near to the tickets.
"""

import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from pipeline.code_registry.store import IndexStore
from pipeline.code_registry.text.history import read_history
from pipeline.code_registry.text.index import open_index
from pipeline.code_registry.text.past_changes import base_of, is_product_source, past_changes
from pipeline.domain.errors import RepositoryUnreadable
from pipeline.domain.issue import IssueDocument
from pipeline.domain.ticket import IncomingTicket
from pipeline.places.features import RankedRepository, find_candidates, open_repository
from pipeline.places.text_scores import plain_bm25
from pipeline.reading.document import read_issue

WINDOWS, IN_A_WINDOW = 5, 60
TITLE_ONLY = 0.3
"""Share of the commits of older windows whose body is left out: many issues are as short."""


@dataclass
class TrainingTable:
    """Rows of candidates; `queries` says to which ticket each belongs, `tickets` has a row of numbers for each of those.

    A ticket: window (-1 for a real issue), rank of the first right file by plain BM25, right files, those among the candidates.
    """

    rows: list[dict[str, float]] = field(default_factory=list)
    is_right: list[bool] = field(default_factory=list)
    queries: list[int] = field(default_factory=list)
    tickets: list[tuple[int, int, int, int]] = field(default_factory=list)

    def add(
        self, document: IssueDocument, repository: RankedRepository, right: set[int], window: int
    ) -> None:
        """Add the candidates of a ticket."""
        candidates = find_candidates(document, repository)
        scores = plain_bm25(candidates.text)
        ordered = sorted(
            (one for one in scores if is_product_source(repository.index.paths[one])),
            key=lambda one: (-scores[one], one),
        )
        first = next((rank for rank, one in enumerate(ordered, 1) if one in right), 9999)
        for number, row in candidates.rows.items():
            self.rows.append(row)
            self.is_right.append(number in right)
            self.queries.append(len(self.tickets))
        self.tickets.append((window, first, len(right), len(right & set(candidates.rows))))

    def write(self, file: Path) -> None:
        """Write the table."""
        names = sorted({name for row in self.rows for name in row})
        values = np.array([[row.get(name, 0.0) for name in names] for row in self.rows], np.float32)
        np.savez_compressed(
            file,
            names=np.array(names),
            values=values,
            right=np.array(self.is_right),
            queries=np.array(self.queries, np.int32),
            tickets=np.array(self.tickets, np.int32),
        )


def _add_commits(table: TrainingTable, directory: Path, head: str, name: str, store: IndexStore) -> None:
    chance = random.Random(name)
    changes = past_changes(directory, WINDOWS * IN_A_WINDOW, before=head)
    for window in range(WINDOWS):
        part = changes[window * IN_A_WINDOW : (window + 1) * IN_A_WINDOW]
        base = base_of(directory, part[-1]) if len(part) >= IN_A_WINDOW // 4 else None
        if base is None:
            return
        repository, numbers = _open(directory, base, store)
        for change in part:
            right = {numbers[path] for path in change.files if path in numbers}
            is_short = window > 0 and chance.random() < TITLE_ONLY
            if right:
                table.add(_read(change.title, "" if is_short else change.body), repository, right, window)


def _add_issues(
    table: TrainingTable, directory: Path, issues: Sequence[dict[str, object]], store: IndexStore
) -> None:
    for issue in issues:
        try:
            repository, numbers = _open(directory, str(issue["base"]), store)
        except RepositoryUnreadable:
            continue
        right = {numbers[path] for path in _strings(issue["files"]) if path in numbers}
        if right:
            document = _read(str(issue["title"]), str(issue["body"] or ""), tuple(_strings(issue["labels"])))
            table.add(document, repository, right, -1)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, list):
        yield from (str(one) for one in value)


def _open(directory: Path, commit: str, store: IndexStore) -> tuple[RankedRepository, dict[str, int]]:
    index = open_index(directory, commit, store)
    repository = open_repository(index, read_history(directory, commit, store))
    return repository, {path: number for number, path in enumerate(index.paths)}


def _read(title: str, body: str, labels: tuple[str, ...] = ()) -> IssueDocument:
    return read_issue(IncomingTicket(title=title, body=body, labels=labels), (), labels)


def _clone(clones: Path, name: str) -> Path | None:
    """Where the clone of `octocat/orders` is."""
    joined = name.replace("/", "+")
    places = (clones / name, clones / joined / "repo", clones / joined)
    return next((place for place in places if place.is_dir()), None)


def main(repositories: Path, clones: Path, output: Path, issues: Path | None) -> None:
    """Make a table for each repository of the list."""
    heads = dict(line.split() for line in repositories.read_text().splitlines())
    directories = {name: clone for name in heads if (clone := _clone(clones, name)) is not None}
    if missing := [name for name in heads if name not in directories]:
        sys.exit(
            f"{clones} has no clone of {', '.join(missing)}. Each is needed whole:"
            f" git clone --bare https://github.com/{missing[0]} {clones / missing[0]}"
        )
    output.mkdir(parents=True, exist_ok=True)
    for name, directory in directories.items():
        started = time.perf_counter()
        joined = name.replace("/", "+")
        table, store = TrainingTable(), IndexStore(output / f"{joined}.sqlite")
        _add_commits(table, directory, heads[name], joined, store)
        file = issues / f"{joined}.json" if issues is not None else None
        if file is not None and file.exists():
            _add_issues(table, directory, json.loads(file.read_bytes()), store)
        table.write(output / f"{joined}.npz")
        commits = sum(window >= 0 for window, *_ in table.tickets)
        seconds = time.perf_counter() - started
        print(
            f"{name}: {commits} commits, {len(table.tickets) - commits} issues, {seconds:.0f} s", flush=True
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4]) if sys.argv[4:] else None)
