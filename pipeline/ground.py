"""What a run stands on: the code that its ticket is about, and the checkout that its agents change.

They are one, unless a pull request is changed again. Then the checkout is the head of the pull request, which holds what
a model wrote; the ticket, the configuration, the rules and the agents are read from the commit it was made from. So what
was asked and decided before holds, and a change cannot loosen the rules for the next one.
"""

import os
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.definition.loader import SHIPPED
from pipeline.definition.repository_configuration import FOLDER
from pipeline.domain.errors import RepositoryUnreadable
from pipeline.domain.wanted_changes import WantedChanges
from pipeline.domain.working_tree import WorkingTree
from pipeline.stages.snapshot.git_checkout import read_working_tree


@dataclass(frozen=True)
class Ground:
    """Two places on disk, with what git knows of each."""

    base: Path
    tree: WorkingTree
    checkout_root: Path
    checkout: WorkingTree

    @property
    def own_agents(self) -> Path:
        """The folder of the repository's own agents, as the base has it."""
        return self.base / FOLDER / "agents"

    def definition(self, name_or_path: str) -> str:
        """A definition as the base has it: a file that was named inside the checkout is taken from there."""
        if name_or_path in SHIPPED or self.base == self.checkout_root:
            return name_or_path
        given, root = Path(name_or_path).resolve(), self.checkout_root.resolve()
        return os.fspath(self.base / given.relative_to(root)) if given.is_relative_to(root) else name_or_path


def prepare_ground(repository: Path, wanted: WantedChanges | None, cleanup: ExitStack) -> Ground:
    """The ground of a run on this checkout. `cleanup` takes away what was put on disk for it.

    Raises:
        RepositoryUnreadable: git cannot read the checkout, or it does not hold the base of the pull request.
        WorkspaceUnusable: there is no room for the base.
    """
    checkout = read_working_tree(repository)
    if wanted is None:
        return Ground(repository, checkout, repository, checkout)
    from pipeline.workspace.worktree import Worktree  # most runs revise nothing

    folder = cleanup.enter_context(
        tempfile.TemporaryDirectory(prefix="askfirst-base-", ignore_cleanup_errors=True)
    )
    try:
        base = Worktree.create(repository, wanted.base_commit, Path(folder) / "base").tree
    except RepositoryUnreadable as error:
        raise RepositoryUnreadable(
            f"The checkout does not hold {wanted.base_commit[:7]}, from which #{wanted.pull_request} was made.",
            why=error.why,
            what_to_do="Check out the history too: actions/checkout with `fetch-depth: 0`",
        ) from error
    tree = replace(read_working_tree(base), commit=wanted.base_commit, changed_files=checkout.changed_files)
    return Ground(base, tree, repository, checkout)
