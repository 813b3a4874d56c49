"""How a run ended, as text: the question, the failure or the ticket."""

from collections.abc import Iterator
from typing import assert_never

from pipeline.contract.choices import choices
from pipeline.contract.clarification import Clarification, Question
from pipeline.contract.failure import Failure
from pipeline.contract.plain_reason import plain_reason_of
from pipeline.contract.point_reply import LETTERS, reply_to
from pipeline.contract.ticket import Ticket, TicketPlan
from pipeline.contract.wire import Location
from pipeline.domain.printable import printable

_PLACES_IN_DOUBT = 5
"""Likely places that are shown of a ticket that is not ready."""


def ending_as_text(ending: Clarification | Failure | Ticket) -> str:
    """How a run ended, for a person at a terminal."""
    match ending:
        case Clarification():
            return question_as_text(ending)
        case Failure():
            text = "\n".join(line for line in (ending.message, ending.why, ending.what_to_do) if line)
            return printable(text) + "\n"
        case Ticket():
            return printable(_ticket_as_text(ending))
        case _:
            assert_never(ending)


def question_as_text(clarification: Clarification) -> str:
    """The question with its numbered options, the default marked."""
    question = clarification.question
    lines = ["", question.text, "", f"  {plain_reason_of(clarification)}", ""]
    lines += _plan_lines(question) if question.is_about_plan else ()
    for choice in choices(clarification):
        default = "  (default)" if choice.is_default else ""
        lines.append(f"  {choice.number}. {choice.label}{_at(choice.location)}{default}")
        lines += [f"     {choice.effect}"] if choice.effect else []
    if question.options and clarification.candidates:
        lines += [
            "",
            *(
                f"  found: {candidate.label}{_at(candidate.location)}"
                for candidate in clarification.candidates
            ),
        ]
    lines += () if question.is_about_plan else _point_lines(question)
    if question.default_reason:
        lines += ["", f"  Why the default: {question.default_reason}"]
    if question.plan is not None and not question.is_about_plan:
        lines += ["", "  The plan that it belongs to:", *_plan_lines(question)]
    return printable("\n".join(lines)) + "\n"


def _plan_lines(question: Question) -> Iterator[str]:
    """What a plan changes where, and its open points with what to type for each option."""
    if question.plan is not None:
        yield f"  {question.plan.summary}"
        yield from _changes(question.plan)
    yield from _point_lines(question) if question.is_about_plan else ()


def _point_lines(question: Question) -> Iterator[str]:
    """The points of a plan, or those below a question, with what to type for each option."""
    default = "as planned" if question.is_about_plan else "default"
    for letter, point in zip(LETTERS, question.every_point, strict=False):
        if point not in question.points:
            continue
        yield from ("", f"  {letter}. {point.text}")
        yield from (f"     the ticket says “{quote}”" for quote in point.quotes)
        for option in point.options:
            mark = f"  ({default})" if option.id == point.taken else ""
            yield f"     {reply_to(question, point, option)}  {option.label}{mark}"
            yield from [f"         {option.effect}"] if option.effect else []
        yield from [f"     why the default: {point.reason}"] if point.reason else []


_ORIGIN_TEXTS = {
    "model": "a model's words",
    "recorded": "recorded replies",
    "scripted": "scripted replies",
    "command": "a command, no model",
}


def _changes(plan: TicketPlan) -> Iterator[str]:
    for change in plan.changes:
        yield f"  - {change.path}{' (new)' if change.is_new else ''}: {change.what}"
    yield from (f"  what is seen: {effect}" for effect in plan.effects)
    yield from (f"  not part of it: {wish}" for wish in plan.left_out)


def _ticket_as_text(ticket: Ticket) -> str:
    plan_decisions = ticket.plan.decisions if ticket.plan else ()
    ready = "yes" if ticket.ready else "no: nothing may be coded from it yet"
    lines = ["", f"Ticket: {ticket.title}", f"  ready      {ready}", f"  operation  {ticket.operation}"]
    if ticket.targets == "unknown":
        lines.append("  target     No target yet.")
    else:
        lines += [f"  target     {target.label}{_at(target.location)}" for target in ticket.targets]
    if ticket.ready or not ticket.notes:  # else a note says it
        lines.append(f"  because    {ticket.selected_because}")
    lines += [
        f"  place      {place.probability:4.0%}  {place.path}  {place.because[0] if place.because else ''}".rstrip()
        for place in (() if ticket.ready else ticket.places[:_PLACES_IN_DOUBT])
    ]
    lines += [f"  note       {note}" for note in ticket.notes]
    lines += _changes(ticket.plan) if ticket.plan is not None else ()
    if len(ticket.chain) > 1:
        lines.append(f"  chain      {' → '.join(place.label for place in ticket.chain)}")
    lines += [f"  test       {test.label}{_at(test.location)}" for test in ticket.tests[:5]]
    lines += [f"  fact       {fact.name}: {fact.value}" for fact in ticket.facts]
    lines += [f"  assumed    {assumption}" for assumption in ticket.assumptions]
    lines += [f"  decided    {decision.text} {decision.label}" for decision in plan_decisions]
    lines += [f"  accept     {criterion}" for criterion in ticket.acceptance_criteria]
    for conclusion in ticket.conclusions:
        lines += ["", f"{conclusion.stage} ({_ORIGIN_TEXTS[conclusion.replies]}):"]
        lines += [f"  {name:<18} {words}" for name, words in conclusion.in_words()]
    return "\n".join(lines) + "\n"


def _at(location: Location | None) -> str:
    return f"  {location.path}:{location.start_line}" if location else ""
