"""Which files a tree has: git says so in every checkout, and where it does not, the note says why."""

from pathlib import Path

import pytest

from pipeline.code_registry.tree import FileTree, list_tree
from tests.pipeline.small_repository import SmallRepository


def python_files(root: Path) -> FileTree:
    return list_tree(root, lambda path: path.endswith(".py"), ["*.py"])


@pytest.fixture
def repository(tmp_path: Path) -> SmallRepository:
    repository = SmallRepository(tmp_path / "checkout")
    repository.commit("add orders", {"orders.py": "def orders(): ...\n", ".gitignore": "build/\n"})
    (repository.root / "build").mkdir()
    (repository.root / "build" / "copy.py").write_text("def copy(): ...\n")
    return repository


def test_git_lists_the_files_of_a_work_tree(repository: SmallRepository, tmp_path: Path) -> None:
    repository.git("worktree", "add", "--quiet", str(tmp_path / "second"))
    assert (tmp_path / "second" / ".git").is_file()
    assert python_files(tmp_path / "second") == python_files(repository.root)
    assert python_files(tmp_path / "second").notes == ()
    assert python_files(tmp_path / "second").files["orders.py"] is not None


def test_a_work_tree_of_other_languages_is_a_git_checkout(
    repository: SmallRepository, tmp_path: Path
) -> None:
    repository.commit("rewrite", {"orders.py": None, "orders.php": "<?php\n"})
    (repository.root / "build" / "copy.py").unlink()
    repository.git("worktree", "add", "--quiet", str(tmp_path / "second"))
    assert python_files(tmp_path / "second") == FileTree({}, ())
    assert python_files(repository.root) == FileTree({}, ())


def test_a_work_tree_whose_repository_is_elsewhere_is_walked_and_says_why(
    repository: SmallRepository, tmp_path: Path
) -> None:
    repository.git("worktree", "add", "--quiet", str(tmp_path / "second"))
    repository.root.rename(tmp_path / "elsewhere")
    listing = python_files(tmp_path / "second")
    assert list(listing.files) == ["orders.py"]
    (note,) = listing.notes
    assert note.startswith("git cannot list the files (fatal: not a git repository: ")
    assert note.endswith("): every folder was walked")


def test_a_folder_that_git_ignores_is_walked_and_says_why(repository: SmallRepository) -> None:
    listing = python_files(repository.root / "build")
    assert list(listing.files) == ["copy.py"]
    assert listing.notes == ("git lists no file here: every folder was walked",)


def test_a_folder_outside_of_git_is_walked_and_says_why(tmp_path: Path) -> None:
    (tmp_path / "orders.py").write_text("def orders(): ...\n")
    assert python_files(tmp_path).notes == ("not a git checkout: every folder was walked",)
