"""What git says of a checkout: files that differ have names to show, and submodules are none of its files."""

import os
from pathlib import Path

import pytest

from pipeline.domain.errors import PreconditionFailed
from pipeline.domain.ticket import IncomingTicket
from pipeline.run.checkouts import read_working_tree
from pipeline.stages.preconditions import check_preconditions
from pipeline.stages.snapshot import read_house_rules, take_snapshot
from tests.pipeline.small_repository import SmallRepository

TICKET = IncomingTicket(title="Add a flag", body="")
TESTS = {"tests/test_app.py": "def test_app(): ...\n"}
NO_UTF8 = os.fsdecode(b"caf\xe9.py")


def test_a_changed_file_whose_name_is_not_utf8_is_named(tmp_path: Path) -> None:
    repository = SmallRepository(tmp_path)
    repository.commit("Start", {**TESTS, NO_UTF8: "x = 1\n"})
    (tmp_path / NO_UTF8).write_text("x = 2\n")
    snapshot = take_snapshot(TICKET, read_working_tree(tmp_path))
    assert snapshot.model_dump_json()
    with pytest.raises(PreconditionFailed, match=r"1 tracked file differs from commit \w{7}: caf\\udce9.py"):
        check_preconditions(snapshot)


def test_rules_in_a_folder_whose_name_is_not_utf8_are_read(tmp_path: Path) -> None:
    repository = SmallRepository(tmp_path)
    repository.commit("Start", {**TESTS, f"{NO_UTF8}/AGENTS.md": "Be kind.\n"})
    tree = read_working_tree(tmp_path)
    snapshot = take_snapshot(TICKET, tree, read_house_rules(tmp_path, tree.house_rules))
    assert [rule.text for rule in snapshot.house_rules] == ["Be kind.\n"]
    assert snapshot.model_dump_json()


def test_a_submodule_at_another_commit_changes_no_file_that_is_read(tmp_path: Path) -> None:
    library = SmallRepository(tmp_path / "library")
    library.commit("Start", {"library.py": "x = 1\n"})
    repository = SmallRepository(tmp_path / "app")
    repository.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.root), "lib"
    )
    repository.commit("Start", TESTS)
    SmallRepository(repository.root / "lib").commit("Go on", {"library.py": "x = 2\n"})
    assert repository.git("diff", "--name-only", "HEAD") == "lib\n"
    assert read_working_tree(repository.root).changed_files == ()


def test_the_advice_sets_aside_every_kind_of_change(tmp_path: Path) -> None:
    repository = SmallRepository(tmp_path)
    repository.commit("Start", {**TESTS, "app.py": "x = 1\n", "run.sh": "true\n"})
    (tmp_path / "app.py").write_text("x = 2\n")
    (tmp_path / "run.sh").chmod(0o755)
    (tmp_path / "new.py").write_text("x = 1\n")
    repository.git("add", "--intent-to-add", "new.py")
    tree = read_working_tree(tmp_path)
    assert tree.changed_files == ("app.py", "new.py", "run.sh")
    with pytest.raises(PreconditionFailed) as failure:
        check_preconditions(take_snapshot(TICKET, tree))
    advice = str(failure.value.what_to_do).partition(": ")[2]
    assert advice == "git add --update && git stash"
    repository.git("add", "--update")
    repository.git("stash")
    assert read_working_tree(tmp_path).changed_files == ()
