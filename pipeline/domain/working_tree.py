"""A checkout as a run found it."""

from dataclasses import dataclass

from pipeline.contract.wire import CommitSha


@dataclass(frozen=True)
class WorkingTree:
    """A checkout. `commit` is forty zeros where the directory is not under version control.

    `house_rules` are the paths of tracked files in which the repository speaks to agents (`AGENTS.md` and the like).
    `untracked` is the SHA-256 of the source files that git neither tracks nor ignores, empty where there are none: the
    indexes read them, and the commit does not name them.
    """

    commit: CommitSha
    changed_files: tuple[str, ...]
    test_files: int
    house_rules: tuple[str, ...] = ()
    untracked: str = ""
