"""Settings that a commit does not hold: files that git does not track, ignores, or has with another text."""

from pathlib import Path

from pipeline.settings.uncommitted import uncommitted_settings
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
