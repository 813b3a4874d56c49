"""The step summary: how a run ended, what it asks, and what each stage took, in Markdown that no quoted text can break.

Everything that comes from a ticket, the code or a model stands in code spans without invisible characters: no mention
in it is live, no link, no image and no HTML. GitHub shows 1 MiB a step and drops a summary that is larger.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import assert_never

from pipeline.contract.clarification import Candidate, Clarification, Option, Question
from pipeline.contract.failure import Failure
from pipeline.contract.plain_reason import plain_reason_of, why_it_is_open
from pipeline.contract.point_reply import LETTERS, reply_to
from pipeline.contract.run import RunRecord, StageStatus
from pipeline.contract.ticket import CodePlace, Ticket
from pipeline.contract.wire import Location
from pipeline.run_record.events import BY, ChildAnswered, ChildAsked
from pipeline.run_record.journal import RunPart, total_of
from pipeline.run_record.run_directory import Ending

MAX_BYTES = 1_000_000
"""Less than the 1,048,576 bytes of a step, because other programs may write into the same step's summary."""

_MOST_ITEMS = 12
_LINE_LENGTH = 300


@dataclass(frozen=True)
class AgentWork:
    """What one agent did in one round, in all processes that worked on it. `calls` counts those that worked, by tool."""

    stage: str
    round: int
    turns: int
    calls: Mapping[str, int]
    failed_calls: int
    tokens: int


def render_summary(
    run: RunRecord,
    ending: Ending,
    child_questions: Sequence[ChildAsked | ChildAnswered] = (),
    *,
    earlier: Sequence[RunPart] = (),
    mermaid: str | None = None,
    agents: Sequence[AgentWork] = (),
) -> str:
    """The whole summary, at most `MAX_BYTES` in UTF-8.

    Args:
        run: the record of the run.
        ending: the document with which it ended.
        child_questions: what agents asked that other agents had started, and the answers.
        earlier: the parts of the run before the one that `run` records, as after an answer.
        mermaid: the graph of the definition, as Mermaid text.
        agents: what agents did, in the order in which they worked.
    """
    summary = "\n".join(_ending(ending))
    for section in (
        _asked_by_agents(child_questions),
        ["\n<details>\n<summary>The run: stages, seconds and dollars</summary>\n"],
        _table(run, earlier),
        _agents(agents, {stage.id for stage in run.stages if stage.round}),
        _graph(mermaid),
        ["\n</details>\n"],
        _origin(run),
    ):
        text = "\n".join(section)
        if len((summary + text).encode("utf-8", "replace")) > MAX_BYTES - 1000:
            text = "\n_A part is left out here: GitHub shows no summary of more than 1 MiB._\n"
        summary += text
    return summary


def _ending(ending: Ending) -> Iterator[str]:
    match ending:
        case Clarification():
            yield from _question(ending)
        case Failure():
            yield from _failure(ending)
        case Ticket():
            yield from _ticket(ending)
        case _:
            assert_never(ending)


def _question(clarification: Clarification) -> Iterator[str]:
    yield "## askfirst asks before it writes code\n"
    yield f"**{_code(clarification.question.text)}**\n"
    options = clarification.question.options
    choices: tuple[Option | Candidate, ...] = clarification.candidates if options is None else options
    places = {candidate.id: candidate.location for candidate in clarification.candidates}
    for number, option in enumerate(choices[:_MOST_ITEMS], start=1):
        default = " (default)" if option.id == clarification.question.default else ""
        effect = f": {_code(option.effect)}" if isinstance(option, Option) and option.effect else ""
        yield f"{number}. {_code(option.label)}{_at(places.get(option.id))}{effect}{default}"
    yield from _rest(choices)
    yield from _plan(clarification.question)
    yield f"\nWhy it asks, in stage {_code(clarification.stage)}: {_why_it_asks(clarification)}\n"
    if clarification.run.issue is not None:
        yield f"Answer on issue {clarification.run.issue}: the run goes on from there.\n"
    if clarification.also:
        yield f"{len(clarification.also)} more will be asked if it still matters then.\n"


def _why_it_asks(clarification: Clarification) -> str:
    """Our own sentence unchanged; a reason that may quote others as a code span."""
    reason = plain_reason_of(clarification)
    sentence = why_it_is_open(clarification.kind, clarification.question.slot, len(clarification.candidates))
    if sentence is None:
        return _code(reason)
    remark = reason.removeprefix(sentence).strip()
    return f"{sentence} {_code(remark)}" if remark else sentence


def _plan(question: Question) -> Iterator[str]:
    """The plan, and the points below the question, with what to reply for each option."""
    if question.plan is not None:
        yield f"{_code(question.plan.summary)}\n"
        yield from (f"- {_code(change.path)}: {_code(change.what)}" for change in question.plan.changes)
        yield ""
    default = " (as planned)" if question.is_about_plan else " (default)"
    for letter, point in zip(LETTERS, question.every_point, strict=False):
        if point not in question.points:
            continue
        yield f"- {letter}. {_code(point.text)}"
        for option in point.options:
            plan_mark = default if option.id == point.taken else ""
            effect = f": {_code(option.effect)}" if option.effect else ""
            yield f"   - {reply_to(question, point, option)} {_code(option.label)}{effect}{plan_mark}"


def _failure(failure: Failure) -> Iterator[str]:
    stage_text = f" in stage {_code(failure.stage)}" if failure.stage else ""
    yield "## askfirst could not go on\n"
    yield f"{_code(failure.kind)}{stage_text}: {_code(failure.message)}\n"
    for head, text in (("Why", failure.why), ("What to do", failure.what_to_do)):
        lines = [line for line in text.splitlines() if line.strip()]
        if lines:
            yield f"{head}:\n"
            yield from (f"- {_code(line)}" for line in lines[:_MOST_ITEMS])
            yield ""


def _ticket(ticket: Ticket) -> Iterator[str]:
    looked_for = ticket.operation != "unknown"
    if looked_for:
        yield "## The ticket is ready\n" if ticket.ready else "## The ticket does not name what it is about\n"
    else:
        yield "## What the agents say\n" if ticket.conclusions else "## No targets\n"
    yield f"{_code(ticket.title)}\n"
    if isinstance(ticket.targets, str):
        yield f"Targets: unknown. {_code(ticket.selected_because)}\n"
        yield "No coder starts from this.\n"
        yield from _likely_places(ticket)
    else:
        yield f"Targets, selected because {_code(ticket.selected_because)}:\n"
        yield from (_place(target) for target in ticket.targets[:_MOST_ITEMS])
        yield from _rest(ticket.targets)
        yield ""
    if ticket.ready:
        yield from _what_is_built(ticket)
    if ticket.facts:
        yield from (f"- {_code(fact.name)}: {_code(fact.value)}" for fact in ticket.facts[:_MOST_ITEMS])
        yield from _rest(ticket.facts)
        yield ""
    for conclusion in ticket.conclusions:
        conclusion_lines = [f"- {_code(name)}: {_code(words)}" for name, words in conclusion.in_words()]
        yield f"### {_code(conclusion.stage)}\n"
        yield from conclusion_lines[:_MOST_ITEMS]
        yield ""


def _what_is_built(ticket: Ticket) -> Iterator[str]:
    """What a person checks before code is written."""
    plan = ticket.plan
    changes = (
        [] if plan is None else [f"{_code(change.path)}: {_code(change.what)}" for change in plan.changes]
    )
    for head, items in (
        ("The plan", changes),
        ("What users see", [] if plan is None else [_code(effect) for effect in plan.effects]),
        ("Not built", [] if plan is None else [_code(wish) for wish in plan.left_out]),
        ("Assumed", [_code(sentence) for sentence in ticket.assumptions]),
        ("It is done when", [_code(criterion) for criterion in ticket.acceptance_criteria]),
    ):
        if items:
            yield f"**{head}**\n"
            yield from (f"- {item}" for item in items[:_MOST_ITEMS])
            yield from _rest(items)
            yield ""


def _likely_places(ticket: Ticket) -> Iterator[str]:
    """Where it probably is, and what a reader should know of the search."""
    if ticket.places:
        yield "| likely place | probability | why |\n|---|---|---|"
        for place in ticket.places[:_MOST_ITEMS]:
            because = _code(place.because[0]) if place.because else ""
            yield f"| {_code(place.path)} | {place.probability:.0%} | {because} |"
        yield ""
    yield from (f"{_code(note)}\n" for note in ticket.notes)


def _asked_by_agents(child_questions: Sequence[ChildAsked | ChildAnswered]) -> Iterator[str]:
    """What agents asked that other agents had started, and who answered: each question once, however often it was told."""
    answers: dict[tuple[str, str], ChildAnswered | None] = {}
    for event in child_questions:
        if isinstance(event, ChildAsked):
            answers.setdefault((event.child, event.question), None)
        else:
            answers[event.child, event.question] = event
    if answers:
        yield "\n### What agents asked on the way\n"
    for (child, question), answer in list(answers.items())[:_MOST_ITEMS]:
        yield f"- ❓ subagent {_code(child)} needs clarification: {_code(question)}"
        answer_text = (
            "not answered" if answer is None else f"{_code(answer.answer)}, by {BY[answer.answered_by]}"
        )
        yield f"  - {answer_text}"
    yield from _rest(list(answers))


def _place(place: CodePlace) -> str:
    return f"- {_code(place.label)}{_at(place.location)}"


def _at(location: Location | None) -> str:
    return "" if location is None else f" in {_code(f'{location.path}:{location.start_line}')}"


def _rest(items: Sequence[object]) -> Iterator[str]:
    if len(items) > _MOST_ITEMS:
        yield f"\nand {len(items) - _MOST_ITEMS} more."


def _table(run: RunRecord, earlier: Sequence[RunPart]) -> Iterator[str]:
    yield "\n| stage | status | seconds | dollars | reason |\n| --- | --- | ---: | ---: | --- |"
    for stage in run.stages:
        status = stage.status.value.replace("_", " ")
        seconds = f"{stage.seconds:.2f}" if stage.attempts else ""
        reason = "" if stage.reason is None else _code(stage.reason, in_table=True)
        name = _code(stage.id, in_table=True) + (f", round {stage.round}" if stage.round else "")
        yield f"| {name} | {status} | {seconds} | {_dollars(stage.dollars)} | {reason} |"
    part = RunPart(
        (run.finished_at - run.started_at).total_seconds(), total_of(stage.dollars for stage in run.stages)
    )
    is_reusing = any(stage.status is StageStatus.REUSED for stage in run.stages)
    name = "this part of the run" if earlier or is_reusing or run.resumed_from else "the whole run"
    yield f"| {name} | {run.outcome.value} | {part.seconds:.2f} | {_dollars(part.dollars)} | |"
    if earlier:
        parts = (*earlier, part)
        seconds = f"{sum(one_part.seconds for one_part in parts):.2f}"
        dollars = _dollars(total_of(one_part.dollars for one_part in parts))
        yield f"| all {len(parts)} parts of the run | {run.outcome.value} | {seconds} | {dollars} | |"
    elif name != "the whole run":
        yield "\nThe part before it, whose results it reuses, has a summary of its own."
    yield ""


def _agents(agents: Sequence[AgentWork], in_rounds: Set[str]) -> Iterator[str]:
    """What each agent did. A stage that works in no rounds may have several agents, such as two explorers."""
    if not agents:
        return
    yield "\n| agent | turns | tool calls | refused or failed | tokens |\n| --- | ---: | --- | ---: | ---: |"
    for work in agents:
        most_first = sorted(work.calls.items(), key=lambda call: (-call[1], call[0]))
        calls = ", ".join(
            f"{number} {_code(tool, in_table=True)}" for tool, number in most_first[:_MOST_ITEMS]
        )
        unit = "round" if work.stage in in_rounds else "agent"
        name = f"{_code(work.stage, in_table=True)}, {unit} {work.round}"
        yield f"| {name} | {work.turns} | {calls or 'none'} | {work.failed_calls} | {work.tokens:,} |"
    yield ""


def _graph(mermaid: str | None) -> Iterator[str]:
    if mermaid:
        fence = "`" * max(3, _longest_run_of_backticks(mermaid) + 1)
        yield f"\n{fence}mermaid\n{mermaid.strip()}\n{fence}\n"


def _origin(run: RunRecord) -> Iterator[str]:
    model = f"model {_code(run.model)}" if run.model else "no model"
    resumed_text = f", resumed from {_code(run.resumed_from)}" if run.resumed_from else ""
    yield f"\naskfirst {_code(run.askfirst)}, definition {_code(run.definition)}, {model}{resumed_text}.\n"
    if run.confinement is not None:
        yield f"\n{run.confinement}\n"


def _dollars(amount: float | None) -> str:
    return "" if amount is None else f"{amount:.4f}"


def _code(text: str, *, in_table: bool = False) -> str:
    """The text as a code span on one line, which shows every character and obeys none of them."""
    visible_text = " ".join("".join(_visible(character) for character in text).split())
    if len(visible_text) > _LINE_LENGTH:
        visible_text = f"{visible_text[:_LINE_LENGTH]}…"
    if in_table:
        # A pipe ends a cell, also in a code span, and escaping it can be undone by a backslash before it.
        visible_text = visible_text.replace("|", "¦")
    fence = "`" * (_longest_run_of_backticks(visible_text) + 1)
    pad = " " if visible_text.startswith("`") or visible_text.endswith("`") else ""
    return f"{fence}{pad}{visible_text}{pad}{fence}" if visible_text else "(nothing)"


def _visible(character: str) -> str:
    """Nothing for characters that cannot be seen: controls, directions, tags and variation selectors."""
    if character.isspace():
        return " "
    is_hidden = unicodedata.category(character).startswith("C") or unicodedata.name(character, "").startswith(
        "VARIATION SELECTOR"
    )
    return "" if is_hidden else character


def _longest_run_of_backticks(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)
