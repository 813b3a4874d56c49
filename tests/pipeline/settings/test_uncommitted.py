"""Settings that a commit does not hold: files that git does not track, ignores, or has with another text."""

from pathlib import Path

import pytest

from pipeline.settings.repository_settings import uncommitted_settings
from tests.pipeline.small_repository import SmallRepository

FOLDER = ".github/askfirst"


def test_settings_of_the_commit_are_committed(tmp_path: Path) -> None:
    repository = SmallRepository(tmp_path)
    repository.commit(
        "Set up", {f"{FOLDER}/gate.yml": "version: 1\n", f"{FOLDER}/agents/coder.md": "Code.\n"}
    )
    assert uncommitted_settings(tmp_path) == ()


def test_new_ignored_staged_and_changed_files_are_not(tmp_path: Path) -> None:
    repository = SmallRepository(tmp_path)
    repository.commit("Set up", {f"{FOLDER}/gate.yml": "version: 1\n", ".gitignore": "agents/\n"})
    for name in ("gate.yml", "config.yml", "prices.yml", "agents/coder.md"):
        (tmp_path / FOLDER / name).parent.mkdir(exist_ok=True)
        (tmp_path / FOLDER / name).write_text("changed: 1\n")
    repository.git("add", f"{FOLDER}/prices.yml")
    assert uncommitted_settings(tmp_path) == (
        f"{FOLDER}/agents/coder.md", f"{FOLDER}/config.yml", f"{FOLDER}/gate.yml", f"{FOLDER}/prices.yml"
    )  # fmt: skip


def test_what_is_no_setting_does_not_matter(tmp_path: Path) -> None:
    SmallRepository(tmp_path).commit("Set up", {"app.py": ""})
    for name in ("checks/__pycache__/sections.pyc", "notes.txt"):
        (tmp_path / FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / FOLDER / name).write_text("")
    (tmp_path / "app.py").write_text("changed = 1\n")
    assert uncommitted_settings(tmp_path) == ()


@pytest.mark.parametrize("link", [".github", FOLDER, f"{FOLDER}/agents", f"{FOLDER}/agents/coder.md"])
def test_what_is_read_through_a_link_is_not(tmp_path: Path, link: str) -> None:
    repository = SmallRepository(tmp_path / "checkout")
    repository.commit("Set up", {"app.py": ""})
    path, behind_link = tmp_path / "checkout" / link, tmp_path / "elsewhere"
    file = behind_link / f"{FOLDER}/agents/coder.md"
    file.parent.mkdir(parents=True)
    file.write_text("Code.\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(behind_link / link)
    assert uncommitted_settings(repository.root) == (f"{FOLDER}/agents/coder.md",)


def test_settings_in_a_repository_of_their_own_are_not(tmp_path: Path) -> None:
    SmallRepository(tmp_path).commit("Set up", {"app.py": ""})
    SmallRepository(tmp_path / FOLDER).commit("Hide", {"gate.yml": "version: 1\n"})
    assert uncommitted_settings(tmp_path) == (f"{FOLDER}/gate.yml",)


@pytest.mark.parametrize("mark", ["--skip-worktree", "--assume-unchanged"])
@pytest.mark.parametrize("is_there", [True, False])
def test_a_mark_in_the_index_hides_nothing(tmp_path: Path, mark: str, is_there: bool) -> None:
    repository = SmallRepository(tmp_path)
    repository.commit("Set up", {f"{FOLDER}/gate.yml": "version: 1\n"})
    repository.git("update-index", mark, f"{FOLDER}/gate.yml")
    (tmp_path / FOLDER / "gate.yml").unlink()
    if is_there:
        (tmp_path / FOLDER / "gate.yml").write_text("changed: 1\n")
    assert uncommitted_settings(tmp_path) == (f"{FOLDER}/gate.yml",)


def test_a_filter_of_git_hides_nothing(tmp_path: Path) -> None:
    repository = SmallRepository(tmp_path)
    repository.commit("Set up", {f"{FOLDER}/gate.yml": "version: 1\n"})
    repository.git("config", "filter.hide.clean", "git show HEAD:%f")
    (tmp_path / ".git/info/attributes").write_text("*.yml filter=hide\n")
    (tmp_path / FOLDER / "gate.yml").write_text("changed: 1\n")
    assert uncommitted_settings(tmp_path) == (f"{FOLDER}/gate.yml",)


def test_ends_of_lines_that_git_wrote_are_no_change(tmp_path: Path) -> None:
    SmallRepository(tmp_path).commit("Set up", {f"{FOLDER}/gate.yml": "version: 1\n"})
    (tmp_path / FOLDER / "gate.yml").write_bytes(b"version: 1\r\n")
    assert uncommitted_settings(tmp_path) == ()
