"""Replay a repository's past: index it before its newest changes, take their messages for tickets, and see what comes out.

The repository is only read; no working tree is touched and no text of a commit is kept.
"""

import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from pipeline.code_registry.builder import build_registry
from pipeline.code_registry.registry import Registry
from pipeline.code_registry.store import IndexStore
from pipeline.code_registry.text.git_objects import GitObjects, write_tree
from pipeline.code_registry.text.history import read_history
from pipeline.code_registry.text.index import open_index
from pipeline.code_registry.text.past_changes import PastChange, base_of, is_product_source, past_changes
from pipeline.domain.errors import RepositoryUnreadable
from pipeline.domain.issue import IssueDocument
from pipeline.domain.places import Ranking
from pipeline.domain.stops import Stop
from pipeline.domain.ticket import IncomingTicket
from pipeline.evaluation import ReplayedTicket, ReplaySummary, holds, summarise_replay
from pipeline.places.features import RankedRepository, find_candidates, open_repository
from pipeline.places.model import shipped_model
from pipeline.places.ranking import rank_candidates
from pipeline.places.text_scores import plain_bm25
from pipeline.reading.document import read_issue
from pipeline.stages.decomposition.stage import decide
from pipeline.stages.existing.stage import look

Assess = Callable[[IssueDocument, Ranking], tuple[str, Sequence[str], Sequence[str]]]
"""What a run without a model would do with an issue, over the ranking of the files at the base: how sure it is, the files that
it would call targets, and those that it would ask about.
"""


def assess_with(registry: Registry) -> Assess:
    """Decide as the stages `existing` and `decomposition` do."""

    def assess(document: IssueDocument, ranking: Ranking) -> tuple[str, Sequence[str], Sequence[str]]:
        exists = look(document, registry).stop
        decision, _ = decide(document, ranking, registry, ())
        stop = decision if exists is None else exists
        if not isinstance(stop, Stop):
            return stop.confidence.value, [place.path for place in stop.targets], ()
        paths = [candidate.location.path for candidate in stop.ask.candidates if candidate.location]
        return "asks" if exists is None else "exists", (), paths

    return assess


def replay(directory: Path, count: int, store: IndexStore) -> tuple[ReplaySummary, list[ReplayedTicket]]:
    """Replay the newest commits of a repository that fit.

    Raises:
        RepositoryUnreadable: git cannot read it, or no commit fits.
    """
    changes = past_changes(directory, count)
    base = base_of(directory, changes[-1]) if changes else None
    if base is None:
        is_partial = GitObjects(directory).is_partial()
        raise RepositoryUnreadable(
            f"No commit of {directory} can be replayed.",
            why="A commit fits if it is no merge, changes one to four source files in 3 to 200 lines, its subject has four"
            " words or more, and the commit before it is in the clone.",
            what_to_do="The clone lacks the contents of past commits: clone without --filter."
            if is_partial
            else "Use a clone with its history: git fetch --unshallow",
        )
    start_time = time.perf_counter()
    index = open_index(directory, base, store)
    with tempfile.TemporaryDirectory(prefix="askfirst-replay-") as folder:
        write_tree(directory, base, Path(folder))
        assess = assess_with(build_registry(Path(folder), cache=store))
        repository = open_repository(index, read_history(directory, base, store))
        opening = time.perf_counter() - start_time
        present = set(index.paths)
        tickets = [
            _replay_one(change, [path for path in change.files if path in present], repository, assess)
            for change in changes
            if present.intersection(change.files)
        ]
    left_out = len(changes) - len(tickets)
    note = f"Left out: {left_out} more, with changes only to files that the replayed code does not have yet."
    summary = summarise_replay(
        tickets,
        base=base,
        files=len(index.paths),
        commits=repository.history.count,
        opening_seconds=opening,
        megabytes=_peak(),
        notes=(*store.notes, *([note] if left_out else ())),
    )
    return summary, tickets


def _replay_one(
    change: PastChange, right: list[str], repository: RankedRepository, assess: Assess
) -> ReplayedTicket:
    start_time = time.perf_counter()
    ticket = IncomingTicket(title=change.title, body=change.body)
    document = read_issue(ticket, (), ())
    candidates = find_candidates(document, repository)
    ranking = rank_candidates(candidates, document, repository, shipped_model())
    confidence, targets, asked_files = assess(document, ranking)
    seconds = time.perf_counter() - start_time
    paths = repository.index.paths
    scores = plain_bm25(candidates.text)
    sources = [number for number in scores if is_product_source(paths[number])]
    bm25 = [paths[number] for number in sorted(sources, key=lambda number: (-scores[number], number))]
    ranks = {file.path: rank for rank, file in enumerate(ranking.files, start=1)}
    return ReplayedTicket(
        commit=change.commit,
        confidence=confidence,
        ranks=tuple(map(ranks.get, right)),
        bm25_rank=next((rank for rank, path in enumerate(bm25, start=1) if path in right), None),
        is_claim_right=holds(targets, right),
        is_ask_right=holds(asked_files, right),
        seconds=round(seconds, 3),
    )


def _peak() -> float:
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
