"""Stage `registry`: index the repository. Its output says which index; the index itself lives in the cache.

A later run on another machine reuses this result and opens the index again, from its cache or anew: what an index
holds follows from the files alone, so the two are the same.
"""

from pipeline.code_registry.registry import Registry
from pipeline.contract.wire import CommitSha
from pipeline.stages.preconditions import Cleared
from pipeline.stages.snapshot.stage import Snapshot
from pipeline.stages.stage import RunInput, StageKind, StageValue


class RegistryInput(StageValue):
    """The code, once it may be worked on."""

    snapshot: Snapshot
    preconditions: Cleared


class Skipped(StageValue):
    """A file that was not indexed; its path escaped."""

    path: str
    reason: str


class RegistryReady(StageValue):
    """What was indexed. Counts are of entries."""

    commit: CommitSha
    files: int
    symbols: int
    routes: int
    fields: int
    skipped: tuple[Skipped, ...]


KIND = StageKind(
    name="registry", input=RegistryInput, output=RegistryReady, version="1", reads=frozenset({RunInput.TREE})
)


def describe(registry: Registry, commit: CommitSha) -> RegistryReady:
    """The stage's result for an index."""
    report = registry.report
    return RegistryReady(
        commit=commit,
        files=report.files_indexed + report.files_reused,
        symbols=len(registry.symbols),
        routes=len(registry.routes),
        fields=len(registry.fields),
        skipped=tuple(Skipped(path=one.path, reason=one.reason) for one in report.skipped),
    )
