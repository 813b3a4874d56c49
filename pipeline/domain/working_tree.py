"""A checkout as a run found it."""

from dataclasses import dataclass

from pipeline.contract.wire import CommitSha


@dataclass(frozen=True)
class WorkingTree:
    """A checkout. `commit` is forty zeros where the directory is not under version control."""

    commit: CommitSha
    changed_files: tuple[str, ...]
    test_files: int
