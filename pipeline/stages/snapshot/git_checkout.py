"""Read what git knows of a checkout: commit, tracked files that differ, test files. The only git calls before `coder`."""

import hashlib
import os
from pathlib import Path

from pipeline.code_registry.all_languages import source_names
from pipeline.code_registry.tree import FileRefused, FileSources
from pipeline.contract.wire import NO_COMMIT
from pipeline.domain.errors import RepositoryUnreadable
from pipeline.domain.printable import printable
from pipeline.domain.testing_paths import may_hold_tests
from pipeline.domain.working_tree import WorkingTree
from pipeline.git import run_git
from pipeline.stages.snapshot.house_rules import is_house_rule


def read_working_tree(root: Path) -> WorkingTree:
    """Read the state of a checkout.

    Raises:
        RepositoryUnreadable: the directory is missing, is not one, or git cannot read it.
    """
    if not root.is_dir():
        raise RepositoryUnreadable(
            f"There is no directory {str(root)!r}.",
            why="The repository to work on must be checked out.",
            what_to_do="Name a checkout: askfirst run --repository path/to/checkout --issue ticket.md",
        )
    if run_git(root, "rev-parse", "--is-inside-work-tree").returncode != 0:
        files = _walk(root)
        return WorkingTree(
            NO_COMMIT, (), sum(map(may_hold_tests, files)), tuple(filter(is_house_rule, files))
        )
    tracked_paths = _paths(_git(root, "ls-files", "-z", "--", "."))
    return WorkingTree(
        commit=_git(root, "rev-parse", "--verify", "HEAD^{commit}").strip(),
        changed_files=_changed_files(root),
        test_files=sum(map(may_hold_tests, tracked_paths)),
        house_rules=tuple(filter(is_house_rule, tracked_paths)),
        untracked=_sha256_of_untracked_sources(root),
    )


def _changed_files(root: Path) -> tuple[str, ...]:
    """The tracked files that differ from the commit, as they can be shown. Files of submodules are never read."""
    options = ("--name-only", "-z", "--ignore-submodules=all")
    return tuple(sorted(map(printable, _paths(_git(root, "diff", *options, "HEAD", "--", ".")))))


def _sha256_of_untracked_sources(root: Path) -> str:
    patterns = [f"*{name.removeprefix('*')}" for name in source_names()]
    paths = _paths(_git(root, "ls-files", "-z", "--others", "--exclude-standard", "--", *patterns))
    sources, digest = FileSources(root), hashlib.sha256()
    for path in sorted(paths):
        try:
            content = sources.read(path)
        except FileRefused:
            continue
        digest.update(b"%d %s\0%b" % (len(content), os.fsencode(path), content))
    return digest.hexdigest() if paths else ""


def _git(root: Path, *arguments: str) -> str:
    process = run_git(root, *arguments)
    if process.returncode != 0:
        message = process.stderr.decode("utf-8", "replace").strip()
        raise RepositoryUnreadable(
            f"git cannot read the repository in {str(root)!r}.",
            why=f"`git {' '.join(arguments)}` said: {message or f'exit code {process.returncode}'}",
            what_to_do="The checkout needs at least one commit and read access. Try: git -C <directory> log -1",
        )
    return process.stdout.decode("utf-8", "surrogateescape")


def _paths(output: str) -> list[str]:
    return [path for path in output.split("\0") if path]


def _walk(root: Path) -> list[str]:
    return [
        (Path(folder) / name).relative_to(root).as_posix()
        for folder, _, names in os.walk(root)
        for name in names
    ]
