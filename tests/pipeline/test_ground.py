"""Which tree is read for what: the checkout, and, where a pull request is changed again, the commit it was made from."""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from pipeline.domain.errors import RepositoryUnreadable
from pipeline.domain.wanted_changes import WantedChanges
from pipeline.ground import prepare_ground

IDENTITY = {"GIT_AUTHOR_NAME": "octocat", "GIT_AUTHOR_EMAIL": "octocat@users.noreply.github.com"}
IDENTITY |= {key.replace("AUTHOR", "COMMITTER"): value for key, value in IDENTITY.items()}


def git(repository: Path, *arguments: str) -> str:
    environment = {"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(repository.parent), **IDENTITY}
    done = subprocess.run(
        ["git", *arguments], cwd=repository, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def commit(repository: Path, files: Mapping[str, str]) -> str:
    for path, text in files.items():
        (repository / path).parent.mkdir(parents=True, exist_ok=True)
        (repository / path).write_text(text, encoding="utf-8")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message", "Change")
    return git(repository, "rev-parse", "HEAD")


@pytest.fixture
def cleanup() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "code").mkdir()
    git(tmp_path / "code", "init", "--quiet", "--initial-branch", "main")
    return tmp_path / "code"


def wanted(base: str) -> WantedChanges:
    return WantedChanges(pull_request=2, base_commit=base, asked_by="octocat", text="Call it rehearse.")


def test_without_a_pull_request_the_checkout_is_all_there_is(repository: Path, cleanup: ExitStack) -> None:
    head = commit(repository, {"tests/test_a.py": ""})
    ground = prepare_ground(repository, None, cleanup)
    assert (ground.base, ground.tree) == (repository, ground.checkout)
    assert ground.checkout.commit == head
    assert ground.definition("own.yml") == "own.yml"


def test_rules_and_ticket_are_read_where_the_pull_request_was_made_from(
    repository: Path, cleanup: ExitStack
) -> None:
    base = commit(repository, {".github/askfirst/gate.yml": "strict", "tests/test_a.py": ""})
    head = commit(repository, {".github/askfirst/gate.yml": "loose", "tests/test_b.py": ""})
    ground = prepare_ground(repository, wanted(base), cleanup)
    assert (ground.base / ".github/askfirst/gate.yml").read_text() == "strict"
    assert (ground.tree.commit, ground.checkout.commit) == (base, head)
    assert (ground.tree.test_files, ground.checkout.test_files) == (1, 2)


def test_a_definition_in_the_checkout_is_taken_from_the_base_and_any_other_is_itself(
    repository: Path, cleanup: ExitStack, tmp_path: Path
) -> None:
    base = commit(repository, {"own.yml": "name: own"})
    commit(repository, {"own.yml": "name: loosened"})
    ground = prepare_ground(repository, wanted(base), cleanup)
    assert Path(ground.definition(str(repository / "own.yml"))).read_text() == "name: own"
    assert ground.definition("build") == "build"
    assert ground.definition(str(tmp_path / "elsewhere.yml")) == str(tmp_path / "elsewhere.yml")


def test_a_changed_checkout_is_a_changed_tree(repository: Path, cleanup: ExitStack) -> None:
    base = commit(repository, {"a.py": "1"})
    commit(repository, {"a.py": "2"})
    (repository / "a.py").write_text("3")
    assert prepare_ground(repository, wanted(base), cleanup).tree.changed_files == ("a.py",)


def test_a_base_that_was_not_fetched_is_named(repository: Path, cleanup: ExitStack) -> None:
    commit(repository, {"a.py": "1"})
    with pytest.raises(RepositoryUnreadable) as refused:
        prepare_ground(repository, wanted("a" * 40), cleanup)
    assert refused.value.what_to_do == snapshot(
        "Check out the history too: actions/checkout with `fetch-depth: 0`"
    )


def test_what_was_put_on_disk_is_taken_away(repository: Path) -> None:
    base = commit(repository, {"a.py": "1"})
    with ExitStack() as cleanup:
        ground = prepare_ground(repository, wanted(base), cleanup)
        assert (ground.base / "a.py").is_file()
    assert not ground.base.exists()
