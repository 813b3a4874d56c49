"""What a run stands on: the code that its ticket is about, and the checkout that its agents change.

They are one, unless a pull request is changed again. Then agents change the head of the pull request, which holds what a
model wrote and lies in a folder of its own; the ticket, the configuration, the rules and the agents are read from the commit
it was made from, which is what the job has checked out. So what was asked and decided before holds, and a change cannot
loosen the rules for the next one.
"""

import hashlib
import os
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.code_registry.all_languages import source_names
from pipeline.code_registry.tree import FileRefused, FileSources
from pipeline.contract.wire import NO_COMMIT, CommitSha
from pipeline.domain.errors import PreconditionFailed, RepositoryUnreadable
from pipeline.domain.printable import printable
from pipeline.domain.testing_paths import may_hold_tests
from pipeline.domain.wanted_changes import WantedChanges
from pipeline.domain.working_tree import WorkingTree
from pipeline.git import run_git
from pipeline.settings.repository_settings import SETTINGS_FOLDER, RepositorySettings, uncommitted_settings
from pipeline.stages.snapshot import is_house_rule


@dataclass(frozen=True)
class Checkouts:
    """Two places on disk, with what git knows of each, and what the repository says about itself in the base."""

    base: Path
    tree: WorkingTree
    checkout_root: Path
    checkout: WorkingTree
    settings: RepositorySettings


def open_checkouts(
    repository: Path, wanted_changes: WantedChanges | None, head: CommitSha | None, cleanup: ExitStack
) -> Checkouts:
    """What a run on this checkout stands on. `cleanup` takes away what was put on disk for it.

    `head` is the commit that a revision changes. It is checked out into a folder that nothing else
    of the job knows: earlier steps of a workflow never see what a model wrote.

    Raises:
        RepositoryUnreadable: git cannot read the checkout, or it does not hold the head of the pull request.
        PreconditionFailed: the job has checked out another commit than the one that the pull request was made from.
        WorkspaceUnusable: there is no room for the head.
    """
    checkout, settings = read_working_tree(repository), RepositorySettings(repository)
    if wanted_changes is None:
        return Checkouts(repository, checkout, repository, checkout, settings)
    if checkout.commit != wanted_changes.base_commit or head is None:
        raise PreconditionFailed(
            f"The job has checked out {checkout.commit[:7]}, and #{wanted_changes.pull_request} was made from "
            f"{wanted_changes.base_commit[:7]}.",
            why="A job that holds keys must not check out what a model wrote: steps before this one would run it.",
            what_to_do="Bring the workflow up to date: askfirst init\nIts checkout takes `base_commit` of `inputs.revise`.",
        )
    from pipeline.workspace.worktree import Worktree  # most runs revise nothing

    folder = cleanup.enter_context(
        tempfile.TemporaryDirectory(prefix="askfirst-head-", ignore_cleanup_errors=True)
    )
    try:
        root = Worktree.create(repository, head, Path(folder) / "head").tree
    except RepositoryUnreadable as error:
        raise RepositoryUnreadable(
            f"The checkout does not hold {head[:7]}, the head of #{wanted_changes.pull_request}.",
            why=error.why,
            what_to_do="Fetch the branches too: actions/checkout with `fetch-depth: 0`",
        ) from error
    head_checkout = replace(read_working_tree(root), commit=head, changed_files=checkout.changed_files)
    return Checkouts(repository, checkout, root, head_checkout, settings)


def note_on_settings(checkouts: Checkouts, environment: Mapping[str, str]) -> str | None:
    """What a person should know of settings that the commit does not hold. They count on their machine, to be tried.

    Raises:
        PreconditionFailed: it is a job of GitHub Actions, where steps before this one may have written them.
    """
    files = uncommitted_settings(checkouts.base) if checkouts.tree.commit != NO_COMMIT else ()
    if not files:
        return None
    sentence = f"Commit {checkouts.tree.commit[:7]} does not hold these settings: {', '.join(files)}."
    if environment.get("GITHUB_ACTIONS") == "true":
        raise PreconditionFailed(
            sentence,
            why="In a job, the settings of the commit count. A step before this one has written others.",
            what_to_do=f"Commit them to the base branch, or leave {SETTINGS_FOLDER}/ as the checkout has it.",
        )
    return f"{sentence} They count in this checkout only, until they are committed."


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
    if not paths:
        return ""
    sources, digest = FileSources(root), hashlib.sha256()
    for path in sorted(paths):
        try:
            content = sources.read(path)
        except FileRefused:
            continue
        digest.update(b"%d %s\0%b" % (len(content), os.fsencode(path), content))
    return digest.hexdigest()


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
