"""What past commits say of files: under their names of today, without reading a content."""

from pathlib import Path

import pytest

from pipeline.code_registry.store import IndexStore
from pipeline.code_registry.text.history import read_history
from pipeline.code_registry.text.index import open_index
from pipeline.code_registry.text.past_changes import past_changes
from pipeline.domain.errors import RepositoryUnreadable
from pipeline.domain.history import NO_HISTORY
from pipeline.replay import replay
from tests.pipeline.small_repository import SmallRepository


@pytest.fixture
def repository(tmp_path: Path) -> SmallRepository:
    made = SmallRepository(tmp_path / "checkout")
    made.commit("Add the archive of items (#7)", {"old/items.py": "a = 1\n" * 5})
    made.commit("Move the items", {"old/items.py": None, "new/items.py": "a = 1\n" * 5})
    made.commit("Archive items after a year\n\nSigned-off-by: octocat", {"new/items.py": "a = 2\n" * 5})
    return made


def test_each_commit_has_its_words_its_files_and_the_issues_it_names(repository: SmallRepository) -> None:
    history = read_history(repository.root, None, IndexStore(None))
    assert [commit.age for commit in history.commits] == [0, 1, 2]
    assert set(history.commits[0].terms) == {"archiv", "item", "year"}
    assert [commit.issues for commit in history.commits] == [[], [], [7]]


def test_a_file_that_was_moved_keeps_its_past(repository: SmallRepository) -> None:
    history = read_history(repository.root, None, IndexStore(None))
    assert [commit.files for commit in history.commits] == [["new/items.py"]] * 3


def test_a_shallow_clone_says_so_and_a_folder_has_no_history(
    repository: SmallRepository, tmp_path: Path
) -> None:
    repository.git("clone", "--quiet", "--depth=1", f"file://{repository.root}", str(tmp_path / "shallow"))
    history = read_history(tmp_path / "shallow", None, IndexStore(None))
    assert (history.count, history.is_shallow) == (1, True)
    (tmp_path / "folder").mkdir()
    assert read_history(tmp_path / "folder", None, IndexStore(None)) == NO_HISTORY


def test_a_clone_without_blobs_fetches_none(repository: SmallRepository, tmp_path: Path) -> None:
    repository.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "partial"
    repository.git(
        "clone", "--quiet", "--bare", "--filter=blob:none", f"file://{repository.root}", str(clone)
    )
    before = sorted(file.name for file in clone.rglob("*.pack"))
    history = read_history(clone, None, IndexStore(None))
    assert len(history.commits) == 3
    assert sorted(file.name for file in clone.rglob("*.pack")) == before


def test_a_clone_that_lacks_contents_says_so_where_they_are_needed(
    repository: SmallRepository, tmp_path: Path
) -> None:
    repository.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "partial"
    repository.git(
        "clone", "--quiet", "--bare", "--filter=blob:none", f"file://{repository.root}", str(clone)
    )
    with pytest.raises(RepositoryUnreadable, match="lacks contents that are needed"):
        open_index(clone, None, IndexStore(None))
    with pytest.raises(RepositoryUnreadable) as stopped:
        replay(clone, 20, IndexStore(None))
    assert "clone without --filter" in stopped.value.what_to_do


def test_a_shallow_clone_cannot_be_replayed_and_says_what_to_fetch(
    repository: SmallRepository, tmp_path: Path
) -> None:
    clone = tmp_path / "shallow"
    repository.git("clone", "--quiet", "--depth=1", f"file://{repository.root}", str(clone))
    with pytest.raises(RepositoryUnreadable) as stopped:
        replay(clone, 20, IndexStore(None))
    assert "--unshallow" in stopped.value.what_to_do


def test_commits_that_read_like_tickets_are_taken_and_others_are_not(tmp_path: Path) -> None:
    repository = SmallRepository(tmp_path / "checkout")
    repository.commit("Add the whole application at once", {f"{n}.py": "a = 1\n" * 9 for n in range(8)})
    repository.commit("chore: bump the version of everything", {"1.py": "b = 1\n" * 9})
    repository.commit("⬆️ Bump the version of everything", {"1.py": "b = 2\n" * 9})
    repository.commit(":arrow_up: Bump the version of everything", {"1.py": "b = 3\n" * 9})
    repository.commit("Fix typo", {"1.py": "c = 1\n" * 9})
    repository.commit("Describe how items are archived", {"docs/items.md": "x\n" * 9})
    wanted = repository.commit(
        "🐛 fix(items): archive items of closed orders (#12)\n\nThey stayed.\nCloses #9",
        {"1.py": "d = 1\n" * 9, "tests/test_1.py": "x = 1\n"},
    )
    (change,) = past_changes(repository.root, 10)
    assert change.commit == wanted
    assert change.title == "archive items of closed orders"
    assert change.body.strip() == "They stayed."
    assert change.files == ("1.py",)
