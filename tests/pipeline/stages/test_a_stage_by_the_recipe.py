"""What `.github/CONTRIBUTING.md` says of adding a stage, done: one file, one line, a definition, and it runs."""

from pathlib import Path
from types import MappingProxyType

import pytest

from pipeline.contract.run import Outcome
from pipeline.contract.wire import CommitSha, RunIdentity
from pipeline.definition.loader import load
from pipeline.domain.errors import DefinitionInvalid
from pipeline.domain.ticket import IncomingTicket
from pipeline.engine.executor import RunResult, execute
from pipeline.run.indexes import Indexes
from pipeline.run.stage_graph import build_graph
from pipeline.run_record.journal import Journal
from pipeline.run_record.redaction import Redactor
from pipeline.stages.all_stages import STAGE_KINDS
from pipeline.stages.context import RunContext, RunInput, StageContext
from pipeline.stages.snapshot.git_checkout import read_working_tree
from pipeline.stages.snapshot.stage import Snapshot
from pipeline.stages.stage import AnyStageKind, StageKind, StageValue
from tests.pipeline.small_repository import SmallRepository

TICKET = IncomingTicket(title="Refund a parcel", body="")
DEFINITION = """\
name: owned
description: Says who owns the code.
stages:
  - {id: snapshot, uses: snapshot}
  - {id: owners, uses: owners, needs: [snapshot]}
"""


class OwnersInput(StageValue):
    snapshot: Snapshot


class Owners(StageValue):
    commit: str
    default: tuple[str, ...]


def default_owners(lines: list[str]) -> tuple[str, ...]:
    """Those of the last line for `*`."""
    return next((tuple(line.split()[1:]) for line in reversed(lines) if line.startswith("* ")), ())


def _run(needed: OwnersInput, context: StageContext) -> Owners:
    lines = (context.root / ".github/CODEOWNERS").read_text().splitlines()
    context.note(f"{len(lines)} lines name owners")
    return Owners(commit=needed.snapshot.commit, default=default_owners(lines))


KIND = StageKind(
    name="owners",
    input=OwnersInput,
    output=Owners,
    version="1",
    run=_run,
    reads=frozenset({RunInput.TREE}),
    is_ending=True,
)


def run_with(kind: AnyStageKind, folder: Path) -> tuple[RunResult, list[str]]:
    kinds = MappingProxyType({**STAGE_KINDS, kind.name: kind})
    (folder / "owned.yml").write_text(DEFINITION)
    repository = SmallRepository(folder / "checkout")
    repository.commit("Code", {".github/CODEOWNERS": "* @octocat\nsrc/ @hubot\n* @octocat @hubot\n"})
    notes: list[str] = []

    def identity(commit: CommitSha) -> RunIdentity:
        return RunIdentity(
            repository=None, issue=None, commit=commit, run_id="1", ticket_sha256=TICKET.sha256
        )

    tree = read_working_tree(repository.root)
    run = RunContext(
        TICKET,
        identity,
        tree,
        tree,
        Indexes(repository.root, is_cached=False),
        note=lambda stage, text: notes.append(f"{stage}: {text}"),
    )
    graph = build_graph(load(str(folder / "owned.yml"), kinds=kinds), run)
    with Journal(folder / "journal.jsonl", Redactor()) as journal:
        return execute(graph, journal), notes


def test_a_stage_by_the_recipe_is_checked_drawn_and_run(tmp_path: Path) -> None:
    result, notes = run_with(KIND, tmp_path)
    assert result.outcome is Outcome.DONE, result.error
    owners = result.outputs["owners"]
    assert isinstance(owners, Owners)
    assert owners.default == ("@octocat", "@hubot")
    assert notes == ["owners: 3 lines name owners"]


def test_an_input_that_the_kind_forgets_fails_the_stage_and_names_the_line_to_add(tmp_path: Path) -> None:
    forgetful = StageKind(
        name="owners", input=OwnersInput, output=Owners, version="1", run=_run, is_ending=True
    )
    result, _ = run_with(forgetful, tmp_path)
    assert result.outcome is Outcome.ERROR
    assert "stage `owners` reads TREE: add RunInput.TREE to its KIND" in str(result.error)


def test_a_definition_that_names_a_kind_that_is_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "owned.yml").write_text(DEFINITION)
    with pytest.raises(DefinitionInvalid, match="which is no kind of stage"):
        load(str(tmp_path / "owned.yml"))
