"""What git says of a checkout: every name can be shown."""

import os
from pathlib import Path

import pytest

from pipeline.domain.errors import PreconditionFailed
from pipeline.domain.ticket import IncomingTicket
from pipeline.stages.preconditions import check_preconditions
from pipeline.stages.snapshot.git_checkout import read_working_tree
from pipeline.stages.snapshot.house_rules import read_house_rules
from pipeline.stages.snapshot.stage import take_snapshot
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
