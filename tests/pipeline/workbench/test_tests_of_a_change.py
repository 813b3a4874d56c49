"""The tests of a change: compared with the commit it was made from, never run twice on the same files, and held to the old code."""

import base64
import os
from pathlib import Path

import pytest

from pipeline.agents.budget import Budget
from pipeline.code_registry.registry import Registry
from pipeline.contract.change import FileChange
from pipeline.domain.suite import Baseline
from pipeline.gate.rules_file import load_gate
from pipeline.workbench.agent_sources import AgentSources
from pipeline.workbench.bench_tree import BenchTree, Rules
from tests.journeys.conftest import job_path
from tests.pipeline.workspace.made_repositories import commit, make_repository

pytestmark = pytest.mark.process

FILES = {
    "shop.py": "def total(): return 3\n",
    "test_shop.py": "import shop\ndef test_total(): assert shop.total() == 3\n",
    "test_red.py": "def test_red(): assert False\n",
}
BROKEN = "def total(): return 4\n"


def no_registry() -> Registry:
    raise AssertionError("no test looks anything up")


def tree_of(repository: Path, at: str, folder: Path) -> BenchTree:
    environment = {**os.environ, "PATH": job_path()}
    return BenchTree(
        repository=repository,
        commit=at,
        folder=folder,
        sources=AgentSources(no_registry, find_places=lambda _: "", environment=environment),
        rules=Rules(load_gate(), Budget(), {}, ""),
    )


def change(path: str, text: str) -> FileChange:
    return FileChange(path=path, content=base64.b64encode(text.encode()))


def test_a_revision_is_charged_with_what_the_pull_request_broke(tmp_path: Path) -> None:
    base = make_repository(tmp_path / "shop", FILES)
    (tmp_path / "shop" / "shop.py").write_text(BROKEN)
    tree = tree_of(tmp_path / "shop", commit(tmp_path / "shop", "What a model wrote"), tmp_path / "work")
    baseline = tree.find_baseline(base)
    assert isinstance(baseline, Baseline)
    assert baseline.tests.failing == ("test_red.py::test_red",)
    tree.baseline = baseline
    assert not tree.run_tests(()).green


def test_a_new_test_is_run_without_the_change_and_the_same_files_are_tested_once(tmp_path: Path) -> None:
    tree = tree_of(tmp_path / "shop", make_repository(tmp_path / "shop", FILES), tmp_path / "work")
    baseline = tree.find_baseline(None)
    assert isinstance(baseline, Baseline)
    tree.baseline = baseline
    new = "import shop\ndef test_limit(): assert shop.limit() == 1\n"
    files = (change("shop.py", FILES["shop.py"] + "def limit(): return 1\n"), change("test_new.py", new))
    report = tree.run_tests(files)
    assert (report.green, report.red_without) == (True, ("test_new.py::test_limit",))
    assert (tree.root / "shop.py").read_text().endswith("def limit(): return 1\n")
    assert tree.run_all() is report
