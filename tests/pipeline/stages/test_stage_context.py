"""A stage reaches what its kind declares, and nothing else of the run; what it declares decides the key of its result."""

from dataclasses import fields, replace
from pathlib import Path

import pytest

from pipeline.code_registry.entries import BuildReport
from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer, Answers
from pipeline.contract.wire import CommitSha, RunIdentity
from pipeline.domain.issue import IssueDocument
from pipeline.domain.places import Ranking
from pipeline.domain.ticket import IncomingTicket
from pipeline.domain.working_tree import WorkingTree
from pipeline.stages.all_stages import STAGE_KINDS
from pipeline.stages.context import RunContext, RunInput, StageContext, UndeclaredInput
from pipeline.stages.stage import NoOptions, StageValue

COMMIT = "c" * 40
TICKET = IncomingTicket(title="Add a flag", body="")
TREE = WorkingTree(commit=COMMIT, changed_files=(), test_files=1)
READERS = {
    RunInput.TICKET: lambda context: context.ticket,
    RunInput.TREE: lambda context: context.tree,
    RunInput.INDEX: lambda context: context.registry(),
    RunInput.CHECKOUT: lambda context: context.identity,
    RunInput.WANTED_CHANGES: lambda context: context.wanted_changes,
    RunInput.ANSWERS: lambda context: context.answers,
    RunInput.DECISIONS: lambda context: context.decisions,
    RunInput.MODEL: lambda context: context.model,
    RunInput.GUIDANCE: lambda context: context.guidance,
    RunInput.PROGRAMS: lambda context: context.tool(RunInput.PROGRAMS, Path),
    RunInput.SECRETS: lambda context: context.holds_secret,
}


class EmptyIndexes:
    """The indexes of a tree without any code."""

    root = Path("nowhere")

    def registry(self) -> Registry:
        return Registry(lambda _kind: (), BuildReport(0, 0, (), 0.0))

    def rank(self, document: IssueDocument) -> Ranking:
        raise AssertionError(f"nobody ranks {document}")


def identity(commit: CommitSha) -> RunIdentity:
    return RunIdentity(repository=None, issue=None, commit=commit, run_id="1", ticket_sha256=TICKET.sha256)


def answer(slot: str) -> Answer:
    return Answer(question_id=f"q-{slot}", slot=slot, choice="a", answered_by="octocat")


RUN = RunContext(
    TICKET,
    identity,
    TREE,
    TREE,
    EmptyIndexes(),
    answers=Answers(answers=(answer("route"), answer("budget"))),
    tools={RunInput.PROGRAMS: lambda _stage: Path("runs")},
)


def context(*reads: RunInput, slots: frozenset[str] = frozenset(), run: RunContext = RUN) -> StageContext:
    return StageContext("area", "area", frozenset(reads), slots, NoOptions(), StageValue, None, run)


@pytest.mark.parametrize("run_input", READERS)
def test_a_stage_reaches_what_its_kind_declares_and_nothing_else(run_input: RunInput) -> None:
    READERS[run_input](context(run_input))
    others = frozenset(RunInput) - {run_input}
    with pytest.raises(UndeclaredInput, match=rf"add RunInput\.{run_input.name} to its KIND"):
        READERS[run_input](context(*others))


def test_without_a_declaration_a_stage_reaches_nothing_of_its_run() -> None:
    undeclared = context()
    for name in (name for name, member in vars(StageContext).items() if isinstance(member, property)):
        with pytest.raises(UndeclaredInput):
            getattr(undeclared, name)
    assert RUN not in [getattr(undeclared, item.name) for item in fields(undeclared) if item.name[0] != "_"]


def test_a_stage_sees_the_answers_to_questions_of_its_slots() -> None:
    seen = context(RunInput.ANSWERS, slots=frozenset({"route"})).answers
    assert [given.slot for given in seen.answers] == ["route"]


def test_what_is_declared_decides_the_key_and_nothing_else_does() -> None:
    later = replace(RUN, answers=Answers(answers=(answer("route"),)))
    reads = (RunInput.TICKET, RunInput.ANSWERS)
    assert context(*reads).digest() != context(*reads, run=later).digest()
    assert context(RunInput.TICKET).digest() == context(RunInput.TICKET, run=later).digest()
    of_route = context(*reads, slots=frozenset({"route"}))
    assert of_route.digest() == replace(of_route, _run=later).digest()


def test_a_tool_of_another_type_is_refused() -> None:
    with pytest.raises(TypeError, match="PROGRAMS is a PosixPath and no str"):
        context(RunInput.PROGRAMS).tool(RunInput.PROGRAMS, str)


def test_no_stage_can_change_what_another_one_handed_on() -> None:
    outputs = [kind.output for kind in STAGE_KINDS.values()]
    assert [output for output in outputs if not output.model_config.get("frozen")] == []
