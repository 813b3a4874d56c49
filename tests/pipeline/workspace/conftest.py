"""A repository, a worktree of it, and its tools."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pipeline.workspace.tools import Tools
from pipeline.workspace.worktree import Worktree
from tests.pipeline.workspace.made_repositories import make_repository


@dataclass(frozen=True)
class Repository:
    path: Path
    commit: str


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "orders", make_repository(tmp_path / "orders"))


@pytest.fixture
def worktree(repository: Repository, tmp_path: Path) -> Iterator[Worktree]:
    made = Worktree.create(repository.path, repository.commit, tmp_path / "worktree")
    yield made
    made.remove()


@pytest.fixture
def tools(worktree: Worktree) -> Tools:
    return Tools(worktree)
