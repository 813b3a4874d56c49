"""What `.github/CONTRIBUTING.md` says of adding a stage, done: one file, one line, a definition, and it runs."""

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
import yaml

from pipeline.contract.answers import Answers
from pipeline.contract.run import Outcome
from pipeline.contract.ticket import Ticket, TicketFact
from pipeline.definition import loader
from pipeline.definition.loader import load
from pipeline.domain.errors import DefinitionInvalid
from pipeline.domain.ticket import IncomingTicket
from pipeline.engine.executor import RunResult, execute
from pipeline.engine.memo import Memo
from pipeline.run.checkouts import read_working_tree
from pipeline.run.indexes import Indexes
from pipeline.run.result import ending_of
from pipeline.run.stage_graph import build_graph
from pipeline.run_inputs.inputs import Start
from pipeline.run_record.journal import Journal
from pipeline.run_record.redaction import Redactor
from pipeline.run_record.run_directory import Ending, RunDirectory
from pipeline.stages.all_stages import STAGE_KINDS
from pipeline.stages.context import RunContext, RunInput, StageContext
from pipeline.stages.snapshot import Snapshot
from pipeline.stages.stage import AnyStageKind, FactOutput, StageKind, StageValue
from pipeline.stages.ticket import TicketDraft
from pipeline.stages.work import ticket_as_prompt
from pipeline.terminal.endings import ending_as_text
from tests.pipeline.small_repository import SmallRepository
from tests.pipeline.stages.rewritten_owners import owned_by_nobody

TICKET = IncomingTicket(title="Refund a parcel", body="")
DEFINITION = """\
name: owned
description: Says who owns the code.
stages:
  - {id: snapshot, uses: snapshot}
  - {id: owners, uses: owners, needs: [snapshot]}
"""
GATE = Path(loader.__file__).parents[1] / "definitions/gate.yml"


class OwnersInput(StageValue):
    snapshot: Snapshot


class Owners(FactOutput):
    commit: str


def gate_with_owners() -> str:
    """The shipped definition with the stage of the recipe, and a ticket that is given its fact."""
    gate = yaml.safe_load(GATE.read_text(encoding="utf-8"))
    gate["stages"].append({"id": "owners", "uses": "owners", "needs": ["snapshot"]})
    next(stage for stage in gate["stages"] if stage["id"] == "ticket")["needs"].append("owners")
    return yaml.safe_dump(gate, sort_keys=False)


def default_owners(lines: list[str]) -> tuple[str, ...]:
    """Those of the last line for `*`."""
    return next((tuple(line.split()[1:]) for line in reversed(lines) if line.startswith("* ")), ())


def _run(needed: OwnersInput, context: StageContext) -> Owners:
    lines = (context.root / ".github/CODEOWNERS").read_text().splitlines()
    context.note(f"{len(lines)} lines name owners")
    owners = TicketFact(name="Code owners", value=", ".join(default_owners(lines)))
    return Owners(commit=needed.snapshot.commit, facts=(owners,))


KIND = StageKind(
    name="owners",
    input=OwnersInput,
    output=Owners,
    run=_run,
    reads=frozenset({RunInput.TREE}),
    is_ending=True,
)


REWRITTEN = replace(KIND, run=owned_by_nobody)
"""The same declaration, whose body is in another module."""


def repository_in(folder: Path) -> SmallRepository:
    repository = SmallRepository(folder / "checkout")
    owners = "* @octocat\nsrc/ @hubot\n* @octocat @hubot\n"
    repository.commit("Code", {".github/CODEOWNERS": owners, "tests/test_refund.py": ""})
    return repository


def run_with(
    kind: AnyStageKind, folder: Path, definition: str = DEFINITION, memo: Memo | None = None
) -> tuple[RunResult, Ending, list[str]]:
    kinds = MappingProxyType({**STAGE_KINDS, kind.name: kind})
    (folder / "owned.yml").write_text(definition)
    is_new = not (folder / "checkout").exists()
    repository = repository_in(folder) if is_new else SmallRepository(folder / "checkout")
    notes: list[str] = []
    start = Start(TICKET, Answers(), "1", 1, None, None, None, None)
    tree = read_working_tree(repository.root)
    run = RunContext(
        TICKET,
        start.identity,
        tree,
        tree,
        Indexes(repository.root, is_cached=False),
        note=lambda stage, text: notes.append(f"{stage}: {text}"),
    )
    declared = load(str(folder / "owned.yml"), kinds=kinds)
    with Journal(folder / "journal.jsonl", Redactor()) as journal:
        result = execute(build_graph(declared, run), journal, memo=memo)
    return result, ending_of(result, start, start.identity(tree.commit), declared, "model"), notes


def test_a_stage_by_the_recipe_is_checked_drawn_and_run(tmp_path: Path) -> None:
    result, ending, notes = run_with(KIND, tmp_path)
    assert result.outcome is Outcome.DONE, result.error
    assert isinstance(result.outputs["owners"], Owners)
    assert "fact       Code owners: @octocat, @hubot" in ending_as_text(ending)
    assert notes == ["owners: 3 lines name owners"]


def test_its_fact_is_in_the_ticket_on_the_terminal_and_in_prompts_and_no_reader_knows_the_stage(
    tmp_path: Path,
) -> None:
    result, ending, _ = run_with(KIND, tmp_path, gate_with_owners())
    draft = result.outputs.get("ticket")
    assert isinstance(draft, TicketDraft), result.error
    assert isinstance(ending, Ticket)
    assert [(fact.name, fact.value) for fact in ending.facts] == [("Code owners", "@octocat, @hubot")]
    assert "fact       Code owners: @octocat, @hubot" in ending_as_text(ending)
    assert "Facts:\n- Code owners: @octocat, @hubot" in ticket_as_prompt(draft)
    assert TicketDraft.of(ending).facts == draft.facts


def test_an_input_that_the_kind_forgets_fails_the_stage_and_names_the_line_to_add(tmp_path: Path) -> None:
    forgetful = StageKind(name="owners", input=OwnersInput, output=Owners, run=_run, is_ending=True)
    result, _, _ = run_with(forgetful, tmp_path)
    assert result.outcome is Outcome.ERROR
    assert "stage `owners` reads TREE: add RunInput.TREE to its KIND" in str(result.error)


def test_a_stored_result_is_used_by_the_same_code_and_made_anew_by_other_code(tmp_path: Path) -> None:
    first = RunDirectory.create(tmp_path / "first", Redactor())
    notes = [run_with(kind, tmp_path, memo=Memo(first, [first.path]))[2] for kind in (KIND, KIND, REWRITTEN)]
    assert notes == [["owners: 3 lines name owners"], [], ["owners: nobody owns anything"]]


def test_a_definition_that_names_a_kind_that_is_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "owned.yml").write_text(DEFINITION)
    with pytest.raises(DefinitionInvalid, match="which is no kind of stage"):
        load(str(tmp_path / "owned.yml"))
