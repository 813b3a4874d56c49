"""Stage `registry`: index the repository. Its output says which index; the index itself lives in the cache.

A later run on another machine reuses this result and opens the index again, from its cache or anew: what an index
holds follows from the files alone, so the two are the same.
"""

from collections.abc import Callable

from pipeline.code_registry.registry import Registry
from pipeline.contract.wire import CommitSha
from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.preconditions import PreconditionsMet
from pipeline.stages.snapshot import Snapshot
from pipeline.stages.stage import StageKind, StageValue


class RegistryInput(StageValue):
    """The code, once it may be worked on."""

    snapshot: Snapshot
    preconditions: PreconditionsMet


class UnindexedFile(StageValue):
    """A file that was not indexed; its path escaped."""

    path: str
    reason: str


class ReadingFailure(StageValue):
    """A file that askfirst failed to read because of an error of its own; `traceback` names our own code only."""

    path: str
    error: str
    traceback: tuple[str, ...]


class RegistryReady(StageValue):
    """The index of the code. Counts are of entries.

    `gaps` has a sentence for each web framework whose routes were not all read: such a run may not know a route that the
    ticket means.
    """

    commit: CommitSha
    files: int
    symbols: int
    routes: int
    fields: int
    skipped: tuple[UnindexedFile, ...]
    failures: tuple[ReadingFailure, ...] = ()
    gaps: tuple[str, ...] = ()


def _run(inputs: RegistryInput, context: StageContext) -> RegistryReady:
    return describe(context.registry(), inputs.snapshot.commit, context.note)


KIND = StageKind(
    name="registry",
    input=RegistryInput,
    output=RegistryReady,
    run=_run,
    reads=frozenset({RunInput.INDEX}),
    finds_ticket=True,
)


def describe(
    registry: Registry, commit: CommitSha, note: Callable[[str], None] = lambda _: None
) -> RegistryReady:
    """The stage's result for an index. `note` takes what the journal should say of it."""
    report = registry.report
    gaps = registry.coverage.sentences
    for gap in gaps:
        note(gap)
    for failure in registry.failures:
        frames = "; ".join(failure.traceback)
        note(f"askfirst failed to read {failure.path} and goes on without it: {failure.error} ({frames})")
    return RegistryReady(
        commit=commit,
        files=report.files_indexed + report.files_reused,
        symbols=len(registry.symbols),
        routes=len(registry.routes),
        fields=len(registry.fields),
        skipped=tuple(UnindexedFile(path=skip.path, reason=skip.reason) for skip in report.skipped),
        failures=tuple(
            ReadingFailure(path=failure.path, error=failure.error, traceback=failure.traceback)
            for failure in registry.failures
        ),
        gaps=gaps,
    )
