"""What an agent reads of the registry: short, with places as they are now, and true after it has edited."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from pipeline.workbench.registry_answers import RegistryAnswers
from pipeline.workspace.since_commit import SinceCommit
from pipeline.workspace.tools import Tools
from pipeline.workspace.worktree import Worktree
from tests.journeys.conftest import make_repository
from tests.pipeline.trusted_sources import build_registry
from tests.pipeline.workspace.made_repositories import git

pytestmark = [pytest.mark.process, pytest.mark.smoke]  # its tools look at once what this machine can confine

STREAM = "route:POST /actions/stream"
PROCESS = "symbol:parcels/bulk.py::process_parcel"


@dataclass(frozen=True)
class Desk:
    answers: RegistryAnswers
    tools: Tools
    tree: Path
    commit: str

    def told(self, text: str | None) -> str:
        assert text is not None
        return text.replace(self.commit[:7], "COMMIT")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    repository = make_repository("parcels_flask", tmp_path / "parcels")
    commit = git(repository, "rev-parse", "HEAD")
    worktree = Worktree.create(repository, commit, tmp_path / "work")
    registry = build_registry(repository, cache=None)
    yield Desk(RegistryAnswers(registry, SinceCommit(worktree)), Tools(worktree), worktree.tree, commit)
    worktree.remove()


def test_a_route_says_where_it_is_registered_and_what_it_reads(desk: Desk) -> None:
    assert desk.told(desk.answers.description(STREAM)) == snapshot("""\
route:POST /actions/stream, mounted
handler: symbol:parcels/actions.py::stream_bulk_action at parcels/actions.py:19
registered at parcels/actions.py:18
its router is mounted at parcels/__init__.py:13
fields of the body: unknown, the code does not say which it takes
(As of commit COMMIT: calls, routes and tests that edits since have added or taken away are not seen. Line numbers are those of the tree now.)\
""")


def test_a_symbol_says_what_it_takes_answers_and_calls(desk: Desk) -> None:
    description = desk.answers.description("symbol:parcels/actions.py::stream_bulk_action")
    assert desk.told(description) == snapshot("""\
symbol:parcels/actions.py::stream_bulk_action at parcels/actions.py:19, function
says of itself: Carry an action out on many parcels, streaming a line for each.
answers route:POST /actions/stream, registered at parcels/actions.py:18
leads at parcels/actions.py:22 to symbol:parcels/bulk.py::process_each at parcels/bulk.py:22 (call)
(As of commit COMMIT: calls, routes and tests that edits since have added or taken away are not seen. Line numbers are those of the tree now.)\
""")


def test_who_calls_and_which_tests_reach_it(desk: Desk) -> None:
    assert desk.told(desk.answers.callers(PROCESS)) == snapshot("""\
called by symbol:parcels/bulk.py::process_all at parcels/bulk.py:19 (call)
called by symbol:parcels/bulk.py::process_each at parcels/bulk.py:24 (call)
reached by route:POST /actions at parcels/actions.py:11: bulk_action -> process_all -> process_parcel
reached by route:POST /actions/stream at parcels/actions.py:19: stream_bulk_action -> process_each -> process_parcel
(As of commit COMMIT: calls, routes and tests that edits since have added or taken away are not seen. Line numbers are those of the tree now.)\
""")
    assert desk.told(desk.answers.tests(STREAM)) == snapshot("""\
symbol:tests/test_actions.py::test_the_stream_has_a_line_for_each_parcel at tests/test_actions.py:24
(As of commit COMMIT: calls, routes and tests that edits since have added or taken away are not seen. Line numbers are those of the tree now.)\
""")


def test_lines_are_those_of_the_tree_after_an_edit(desk: Desk) -> None:
    desk.tools.edit_file("parcels/bulk.py", [("STATES = {", "# What an action\n# leads to.\nSTATES = {")])
    desk.tools.edit_file(
        "parcels/bulk.py", [("process_parcel(depot, number, action) for", "moved(depot) for")]
    )
    desk.tools.edit_file("parcels/actions.py", [('@actions.post("/stream")', '@actions.post("/streamed")')])
    told = [
        desk.answers.entries_named("process_parcel"),
        desk.answers.callers(PROCESS),
        desk.answers.description(STREAM),
    ]
    assert "\n\n".join(map(desk.told, told)) == snapshot("""\
symbol:parcels/bulk.py::process_parcel at parcels/bulk.py:12
(As of commit COMMIT: calls, routes and tests that edits since have added or taken away are not seen. Line numbers are those of the tree now.)

called by symbol:parcels/bulk.py::process_all at parcels/bulk.py:21 (edited since) (call)
called by symbol:parcels/bulk.py::process_each at parcels/bulk.py:26 (call)
reached by route:POST /actions at parcels/actions.py:11: bulk_action -> process_all -> process_parcel
reached by route:POST /actions/stream at parcels/actions.py:19: stream_bulk_action -> process_each -> process_parcel
(As of commit COMMIT: calls, routes and tests that edits since have added or taken away are not seen. Line numbers are those of the tree now.)

route:POST /actions/stream, mounted
handler: symbol:parcels/actions.py::stream_bulk_action at parcels/actions.py:19
registered at parcels/actions.py:18 (edited since)
its router is mounted at parcels/__init__.py:13
fields of the body: unknown, the code does not say which it takes
(As of commit COMMIT: calls, routes and tests that edits since have added or taken away are not seen. Line numbers are those of the tree now.)\
""")


def test_what_is_gone_is_said_to_be(desk: Desk) -> None:
    (desk.tree / "parcels/bulk.py").unlink()
    assert "parcels/bulk.py:10 (gone since)" in desk.told(desk.answers.entries_named("process_parcel"))


def test_what_nobody_knows_is_not_made_up(desk: Desk) -> None:
    assert desk.answers.description("symbol:parcels/bulk.py::absent") is None
    assert desk.answers.tests("route:GET /nowhere") is None
    assert desk.told(desk.answers.entries_named("process_parcels")) == snapshot("""\
(Nothing has this name. The nearest:)
symbol:parcels/bulk.py::process_parcel at parcels/bulk.py:10
(As of commit COMMIT: calls, routes and tests that edits since have added or taken away are not seen. Line numbers are those of the tree now.)\
""")
    assert desk.told(desk.answers.entries_named("qqqq")) == snapshot("""\
(Nothing. Not every language is read here; search_code finds the rest.)
(As of commit COMMIT: calls, routes and tests that edits since have added or taken away are not seen. Line numbers are those of the tree now.)\
""")
