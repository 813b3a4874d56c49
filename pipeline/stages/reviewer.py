"""Stage `reviewer`: another agent holds the change against the acceptance criteria, and approves it or says what must change."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from pipeline.agents.agent import Agent
from pipeline.domain.material import material
from pipeline.domain.wanted_changes import WantedChanges
from pipeline.stages.snapshot.stage import Snapshot
from pipeline.stages.stage import RunInput, StageKind, StageValue
from pipeline.stages.ticket import TicketDraft
from pipeline.stages.work import (
    AgentChoice,
    Coded,
    Judged,
    Reviewed,
    ReviewFinding,
    Tested,
    Told,
    criteria_of,
    house_rules_as_prompt,
    place_in_words,
    ticket_as_prompt,
    wanted_as_prompt,
)

if TYPE_CHECKING:
    from pipeline.workbench.workbench import Workbench


_SHOWN = 8


class ReviewerInput(StageValue):
    """The wish, the change and what its tests say."""

    ticket: TicketDraft
    coder: Coded
    tests: Tested
    snapshot: Snapshot | None = None


KIND = StageKind(
    name="reviewer",
    input=ReviewerInput,
    output=Reviewed,
    version="3",
    options=AgentChoice,
    reads=frozenset({RunInput.CHECKOUT, RunInput.WANTED, RunInput.AGENT}),
)


def review(needed: ReviewerInput, bench: "Workbench", agent: Agent, wanted: WantedChanges | None) -> Reviewed:
    """Have the agent judge the change of this round, against what a reviewer asks for where there is that.

    Raises:
        Stop: the agent asks, or its budget is spent.
        AgentGaveUp: the change cannot be judged.
    """
    coded, criteria = needed.coder, criteria_of(needed.ticket, wanted)
    rules = needed.snapshot.house_rules if needed.snapshot else ()
    prompt = "\n\n".join(
        [
            ticket_as_prompt(needed.ticket),
            *house_rules_as_prompt(rules, [file.path for file in coded.files]),
            *([wanted_as_prompt(wanted, bench.diff_since(wanted.base_commit))] if wanted else []),
            material("what the coder says", coded.summary),
            material("the change", bench.diff(coded.files) or "(no file is changed)"),
            material("the tests", needed.tests.in_words),
            _to_judge(criteria),
        ]
    )
    deleted = {file.path for file in coded.files if file.content is None}

    def wrong(output: BaseModel) -> str | None:
        found = list(mistakes(output.model_dump(), len(criteria), bench.line_count, deleted))
        return f"the review does not fit the change: {'; '.join(found[:_SHOWN])}" if found else None

    ending = bench.run_agent(agent, KIND.name, coded.round, prompt, coded.files, wrong=wrong)
    told = ending.output.model_dump()
    return Reviewed(
        verdict=told["verdict"],
        criteria=tuple(
            Judged(**one | {"criterion": criteria[one["criterion"] - 1]})
            for one in sorted(told["criteria"], key=lambda one: one["criterion"])
        ),
        findings=tuple(
            ReviewFinding(**one | {"criterion": criteria[one["criterion"] - 1] if one["criterion"] else None})
            for one in told["findings"]
        ),
        told=Told(
            model=agent.model or bench.rules.model, replies=ending.origin.value, dollars=ending.spent.dollars
        ),
        self_answered=ending.assumptions,
    )


def mistakes(
    told: dict[str, Any], criteria: int, line_count: Callable[[str], int | None], deleted: set[str]
) -> Iterator[str]:
    """What in a review cannot be: places that do not exist, criteria that nobody has set, a verdict that contradicts it.

    `line_count` gives the lines of a file of the tree, None if there is no such file; `deleted` are files that the
    change takes away. A finding may be about those, and about none of their lines.
    """
    judged = [one["criterion"] for one in told["criteria"]]
    for number in range(1, criteria + 1):
        if judged.count(number) != 1:
            yield f"criterion {number} is judged {judged.count(number)} times, and once is meant"
    for kind in ("criteria", "findings"):
        for at, one in enumerate(told[kind], start=1):
            number, where = one["criterion"], f"{kind}, entry {at}"
            if number is not None and number > criteria:
                yield f"{where}: there is no criterion {number}, the ticket has {criteria}"
            if one["path"] is not None:
                yield from _misplaced(where, one, line_count, deleted)
            elif one.get("met") == "met":
                yield f"{where}: it is met, and `path` does not say which file shows it"
    unmet = [str(one["criterion"]) for one in told["criteria"] if one["met"] == "not_met"]
    blocking = any(one["severity"] == "blocking" for one in told["findings"])
    if told["verdict"] == "approve" and unmet:
        yield f"the verdict is `approve`, and criterion {', '.join(unmet)} is not met"
    if told["verdict"] == "approve" and blocking:
        yield "the verdict is `approve`, and a finding is blocking"
    if told["verdict"] == "changes" and not blocking:
        yield "the verdict is `changes`, and no finding is blocking"


def _misplaced(
    where: str, one: dict[str, Any], line_count: Callable[[str], int | None], deleted: set[str]
) -> Iterator[str]:
    path, line = one["path"], one["line"]
    if path in deleted:
        if line is not None:
            yield f"{where}: the change deletes {path}, so it has no line {line}; leave `line` out"
        return
    lines = line_count(path)
    if lines is None:
        yield f"{where}: there is no file {path!r} in the change or in the tree"
    elif line is not None and line > lines:
        yield f"{where}: {place_in_words(path, line)} is no line, the file has {lines}"


def _to_judge(criteria: tuple[str, ...]) -> str:
    numbered = "\n".join(f"{number}. {criterion}" for number, criterion in enumerate(criteria, start=1))
    return material("the criteria to judge, by their numbers", numbered or "(none)")
