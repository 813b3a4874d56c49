"""Stage `reviewer`: another agent holds the change against the acceptance criteria, and approves it or says what must change."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from pipeline.agents.agent import Agent
from pipeline.contract.change import TestsReport
from pipeline.domain.material import material
from pipeline.domain.wanted_changes import WantedChanges
from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.snapshot import Snapshot, house_rules_as_prompt
from pipeline.stages.stage import StageKind, StageValue
from pipeline.stages.ticket import TicketDraft
from pipeline.stages.work import (
    AgentChoice,
    CoderOutput,
    JudgedPoint,
    ModelOrigin,
    ReviewFinding,
    ReviewOutput,
    coder_in_words,
    criteria_of,
    new_tests_in_words,
    place_in_words,
    ticket_as_prompt,
    workbench_of,
)

if TYPE_CHECKING:
    from pipeline.workbench.workbench import Workbench


_MOST_MISTAKES = 8


class ReviewerInput(StageValue):
    """The wish, the change and what its tests say."""

    ticket: TicketDraft
    coder: CoderOutput
    tests: TestsReport
    snapshot: Snapshot | None = None


def _run(inputs: ReviewerInput, context: StageContext) -> ReviewOutput:
    return review(inputs, workbench_of(context), context.agent, context.wanted_changes)


KIND = StageKind(
    name="reviewer",
    input=ReviewerInput,
    output=ReviewOutput,
    run=_run,
    options=AgentChoice,
    reads=frozenset({RunInput.CHECKOUT, RunInput.WANTED_CHANGES, RunInput.AGENT, RunInput.WORKBENCH}),
)


def review(
    inputs: ReviewerInput, bench: "Workbench", agent: Agent, wanted_changes: WantedChanges | None
) -> ReviewOutput:
    """Have the agent judge the change of this round, against what a reviewer asks for where there is that.

    Raises:
        Stop: the agent asks, or its budget is spent.
        AgentGaveUp: the change cannot be judged.
    """
    coder_output, criteria = inputs.coder, criteria_of(inputs.ticket, wanted_changes)
    rules = inputs.snapshot.house_rules if inputs.snapshot else ()
    prompt = "\n\n".join(
        [
            ticket_as_prompt(inputs.ticket, with_criteria=False),
            *house_rules_as_prompt(rules, [file.path for file in coder_output.files]),
            *(
                [wanted_changes.as_prompt(bench.diff_since(wanted_changes.base_commit))]
                if wanted_changes
                else []
            ),
            _round_in_words(coder_output),
            material("what the coder says", coder_in_words(coder_output)),
            material("the change", bench.diff(coder_output.files) or "(no file is changed)"),
            material("the tests", "\n".join([inputs.tests.in_words, *new_tests_in_words(inputs.tests)])),
            _to_judge(criteria),
        ]
    )
    has_answers = bool(inputs.ticket.answers or inputs.ticket.decisions or wanted_changes)
    deleted_paths = {file.path for file in coder_output.files if file.content is None}

    def wrong(output: BaseModel) -> str | None:
        problems = list(
            mistakes(
                output.model_dump(), len(criteria), bench.line_count, deleted_paths, has_answers=has_answers
            )
        )
        return (
            f"the review does not fit the change: {'; '.join(problems[:_MOST_MISTAKES])}"
            if problems
            else None
        )

    ending = bench.run_agent(agent, KIND.name, coder_output.round, prompt, coder_output.files, wrong=wrong)
    answer = ending.output.model_dump()

    def in_words(entry: dict[str, Any]) -> dict[str, Any]:
        number = entry["criterion"]
        return entry | {"criterion": criteria[number - 1] if number else None}

    judgements = sorted(answer["criteria"], key=lambda entry: entry["criterion"])
    return ReviewOutput(
        verdict=answer["verdict"],
        criteria=tuple(JudgedPoint(**in_words(entry)) for entry in judgements),
        findings=tuple(ReviewFinding(**in_words(entry)) for entry in answer["findings"]),
        origin=ModelOrigin(
            model=agent.model or bench.rules.model, replies=ending.origin.value, dollars=ending.spend.dollars
        ),
        self_answered=ending.assumptions,
    )


def mistakes(
    answer: dict[str, Any],
    criteria: int,
    line_count: Callable[[str], int | None],
    deleted_paths: set[str],
    *,
    has_answers: bool,
) -> Iterator[str]:
    """What in a review cannot be: places that do not exist, criteria that were never set, a verdict that contradicts it.

    `line_count` gives the lines of a file of the tree, None if there is no such file; `deleted_paths` are files that the
    change takes away. A finding may be about those, and about none of their lines. Without answers of a person
    (`has_answers`), none can overrule a criterion.
    """
    judged_numbers = [entry["criterion"] for entry in answer["criteria"]]
    for number in range(1, criteria + 1):
        if judged_numbers.count(number) != 1:
            yield f"criterion {number} is judged {judged_numbers.count(number)} times, and once is meant"
    for kind in ("criteria", "findings"):
        for at, entry in enumerate(answer[kind], start=1):
            number, entry_name = entry["criterion"], f"{kind}, entry {at}"
            if number is not None and number > criteria:
                yield f"{entry_name}: there is no criterion {number}, the ticket has {criteria}"
            if entry["path"] is not None:
                yield from _place_mistakes(entry_name, entry, line_count, deleted_paths)
            elif entry.get("met") == "met":
                yield f"{entry_name}: it is met, and `path` does not say which file shows it"
    if not has_answers and any(entry["met"] == "overruled" for entry in answer["criteria"]):
        yield "a criterion is `overruled`, and no person has answered anything"
    unmet = [str(entry["criterion"]) for entry in answer["criteria"] if entry["met"] == "not_met"]
    blocking = any(entry["severity"] == "blocking" for entry in answer["findings"])
    if answer["verdict"] == "approve" and unmet:
        yield f"the verdict is `approve`, and criterion {', '.join(unmet)} is not met"
    if answer["verdict"] == "approve" and blocking:
        yield "the verdict is `approve`, and a finding is blocking"
    if answer["verdict"] == "changes" and not blocking:
        yield "the verdict is `changes`, and no finding is blocking"


def _place_mistakes(
    entry_name: str, entry: dict[str, Any], line_count: Callable[[str], int | None], deleted_paths: set[str]
) -> Iterator[str]:
    path, line = entry["path"], entry["line"]
    if path in deleted_paths:
        if line is not None:
            yield f"{entry_name}: the change deletes {path}, so it has no line {line}; leave `line` out"
        return
    lines = line_count(path)
    if lines is None:
        yield f"{entry_name}: there is no file {path!r} in the change or in the tree"
    elif line is not None and line > lines:
        yield f"{entry_name}: {place_in_words(path, line)} is no line, the file has {lines}"


def _round_in_words(coder_output: CoderOutput) -> str:
    """Which round is judged, and what became of those before."""
    round_text = f"This is round {coder_output.round} of the work on this ticket."
    if not coder_output.history:
        return round_text
    history = material("what became of the rounds before", "\n".join(coder_output.history))
    return f"{round_text}\n\n{history}"


def _to_judge(criteria: tuple[str, ...]) -> str:
    numbered_list = "\n".join(f"{number}. {criterion}" for number, criterion in enumerate(criteria, start=1))
    return material("the criteria to judge, by their numbers", numbered_list or "(none)")
