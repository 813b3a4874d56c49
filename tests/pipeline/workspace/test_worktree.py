"""A worktree is the commit, byte for byte, and nothing of it ever reaches the user's checkout."""

import os
import subprocess
from pathlib import Path

import pytest

from pipeline.domain.errors import RepositoryUnreadable, WorkspaceUnusable
from pipeline.workspace.worktree import Worktree
from tests.pipeline.workspace.conftest import Repository
from tests.pipeline.workspace.made_repositories import SERVICE, commit, git


def everything_in(folder: Path) -> dict[str, tuple[float, bytes]]:
    return {
        str(path.relative_to(folder)): (path.lstat().st_mtime, path.read_bytes() if path.is_file() else b"")
        for path in folder.rglob("*")
    }


def test_the_tree_holds_the_bytes_and_modes_of_the_commit(worktree: Worktree) -> None:
    held = {str(p.relative_to(worktree.tree)): p.read_text() for p in worktree.tree.rglob("*") if p.is_file()}
    assert held == SERVICE
    assert os.access(worktree.tree / "run.sh", os.X_OK)
    assert not os.access(worktree.tree / "README.md", os.X_OK)


def test_the_checkout_is_neither_read_nor_written(repository: Repository, tmp_path: Path) -> None:
    (repository.path / "README.md").write_text("changed and not committed")
    before = everything_in(repository.path)
    worktree = Worktree.create(repository.path, repository.commit, tmp_path / "worktree")
    (worktree.tree / "README.md").write_text("changed by a coder")
    worktree.reset()
    assert (worktree.tree / "README.md").read_text() == SERVICE["README.md"]
    worktree.remove()
    assert everything_in(repository.path) == before
    assert not worktree.folder.exists()


def test_an_older_commit_is_taken_as_it_was(repository: Repository, tmp_path: Path) -> None:
    (repository.path / "README.md").write_text("later")
    commit(repository.path, "Later")
    worktree = Worktree.create(repository.path, repository.commit, tmp_path / "worktree")
    assert (worktree.tree / "README.md").read_text() == SERVICE["README.md"]


def test_no_hook_filter_or_setting_of_the_user_runs(repository: Repository, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    hook = repository.path / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)
    git(repository.path, "config", "filter.loud.smudge", f"touch {ran}; cat")
    git(repository.path, "config", "core.fsmonitor", f"touch {ran}")
    git(repository.path, "config", "core.autocrlf", "true")
    (repository.path / ".gitattributes").write_text("* filter=loud text eol=crlf\n")
    head = commit(repository.path, "Attributes")
    ran.unlink(missing_ok=True)
    worktree = Worktree.create(repository.path, head, tmp_path / "worktree")
    assert not ran.exists()
    assert (worktree.tree / "README.md").read_bytes() == b"# Orders\n"


def test_a_shallow_clone_is_enough(repository: Repository, tmp_path: Path) -> None:
    (repository.path / "README.md").write_text("later")
    head = commit(repository.path, "Later")
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{repository.path}", "shallow")
    worktree = Worktree.create(tmp_path / "shallow", head, tmp_path / "worktree")
    assert (worktree.tree / "README.md").read_text() == "later"
    assert worktree.git("rev-list", "--count", head).strip() == b"1"


def test_one_that_was_only_half_made_is_made_anew_and_a_whole_one_is_not_overwritten(
    worktree: Worktree, repository: Repository
) -> None:
    with pytest.raises(WorkspaceUnusable, match="another run"):
        Worktree.create(repository.path, repository.commit, worktree.folder)
    (worktree.folder / "complete").unlink()
    (worktree.tree / "left over").touch()
    made = Worktree.create(repository.path, repository.commit, worktree.folder)
    assert not (made.tree / "left over").exists()


def test_what_a_test_made_unreadable_is_removed_too(worktree: Worktree) -> None:
    locked = worktree.tree / "locked" / "inner"
    locked.mkdir(parents=True)
    (worktree.tree / "outside").symlink_to(worktree.folder.parent)
    locked.chmod(0)
    locked.parent.chmod(0)
    worktree.remove()
    assert not worktree.folder.exists()
    assert (worktree.folder.parent / "orders").exists()


@pytest.mark.parametrize("wanted", ["a" * 40, "0" * 40])
def test_a_commit_that_is_not_there_is_said_to_be_missing(
    repository: Repository, tmp_path: Path, wanted: str
) -> None:
    with pytest.raises(RepositoryUnreadable) as refused:
        Worktree.create(repository.path, wanted, tmp_path / "worktree")
    assert "git" in refused.value.what_to_do
    assert not (tmp_path / "worktree" / "complete").exists()


def test_a_git_process_in_the_tree_finds_no_repository(worktree: Worktree) -> None:
    done = subprocess.run(["git", "status"], cwd=worktree.tree, capture_output=True, text=True)
    assert done.returncode == 128
