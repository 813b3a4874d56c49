"""Git reads the repository that it is pointed at, whatever the environment says."""

import stat
from pathlib import Path

import click
import pytest

from pipeline.commands.run import command
from pipeline.domain.errors import RepositoryUnreadable
from pipeline.git import run_git
from pipeline.options import checkout
from pipeline.run.checkouts import read_working_tree
from pipeline.run_inputs.issue_source import repository_of_origin
from tests.pipeline.small_repository import SmallRepository

PARAMETER = click.Option(["--repository"])


def checked(folder: Path) -> Path:
    return checkout(click.Context(command), PARAMETER, folder)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SmallRepository:
    """Another repository, to which the environment points as it does in a hook."""
    repository = SmallRepository(tmp_path / "elsewhere")
    repository.commit("Start", {"elsewhere.py": ""})
    repository.git("remote", "add", "origin", "git@github.com:acme/elsewhere.git")
    monkeypatch.setenv("GIT_DIR", str(repository.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(repository.root))
    monkeypatch.setenv("GIT_INDEX_FILE", str(repository.root / ".git" / "index"))
    return repository


@pytest.mark.usefixtures("elsewhere")
def test_a_folder_outside_of_a_checkout_is_none_in_a_hook_of_another_repository(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(click.BadParameter, match="is not a git checkout"):
        checked(tmp_path / "plain")
    assert repository_of_origin(tmp_path / "plain", {}) is None


def test_a_checkout_is_read_in_a_hook_of_another_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = SmallRepository(tmp_path / "here")
    commit = here.commit("Start", {"app.py": "", "tests/test_app.py": ""})
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    assert checked(here.root) == here.root
    assert (read_working_tree(here.root).commit, read_working_tree(here.root).test_files) == (commit, 1)


def test_settings_of_the_environment_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs in containers say in this way which folders are safe."""
    SmallRepository(tmp_path)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "safe.directory")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "*")
    assert run_git(tmp_path, "config", "--get-all", "safe.directory").stdout == b"*\n"


def test_a_repository_starts_no_program(tmp_path: Path) -> None:
    repository = SmallRepository(tmp_path / "here")
    repository.commit("Start", {"app.py": ""})
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path / 'started'}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    repository.git("config", "core.fsmonitor", str(program))
    repository.git("config", "core.pager", str(program))
    assert run_git(repository.root, "status", "--porcelain").returncode == 0
    assert run_git(repository.root, "log").returncode == 0
    assert not (tmp_path / "started").exists()


def test_without_git_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RepositoryUnreadable, match="git is not installed"):
        checked(tmp_path)
