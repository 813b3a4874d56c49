"""What a run stands on: the code that its ticket is about, and the checkout that its agents change.

They are one, unless a pull request is changed again. Then agents change the head of the pull request, which holds what a
model wrote and lies in a folder of its own; the ticket, the configuration, the rules and the agents are read from the commit
it was made from, which is what the job has checked out. So what was asked and decided before holds, and a change cannot
loosen the rules for the next one.
"""

import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.contract.wire import NO_COMMIT, CommitSha
from pipeline.domain.errors import PreconditionFailed, RepositoryUnreadable
from pipeline.domain.wanted_changes import WantedChanges
from pipeline.domain.working_tree import WorkingTree
from pipeline.settings.file_names import SETTINGS_FOLDER
from pipeline.settings.repository_settings import RepositorySettings, uncommitted_settings
from pipeline.stages.snapshot.git_checkout import read_working_tree


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
