"""What a person sees on a terminal while a run goes on, and at its end. Everything here goes to stderr or is a question."""

import os
import re
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self, TextIO, assert_never

from pipeline.contract.clarification import Candidate, Clarification, Option, PlanPoint, Question
from pipeline.contract.failure import Failure
from pipeline.contract.plain_reason import plain_reason_of
from pipeline.contract.plan_reply import named_options, plan_replies_in_plain_text, reply_to
from pipeline.contract.ticket import TargetConfidence, Ticket, TicketPlan
from pipeline.contract.wire import Location
from pipeline.domain.printable import printable
from pipeline.run_record.events import (
    ChildAnswered,
    ChildAsked,
    ConfinementChosen,
    Event,
    MemoIgnored,
    Note,
    RoundStarted,
    StageErrored,
    StageFinished,
    StageRetried,
    StageReused,
    StageSkipped,
    StageStopped,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from pipeline.llm.metered import ReplyProgress

_PLACES_IN_DOUBT = 5
"""Likely places that are shown of a ticket that is not ready."""

_MARKS = {"done": "✓", "reused": "↺", "skipped": "-", "asks": "?", "failed": "✗", "again": "…", "note": "·"}
_COLOURS = {"done": "green", "reused": "cyan", "skipped": "bright_black", "asks": "yellow", "failed": "red"}


class Progress:
    """Prints a line for each stage as it ends, and says meanwhile how indexing and the replies of models go on.

    `live` is for a person who watches: one line at the bottom, drawn anew every second, of which nothing stays. Else it is
    a line for each turn. Safe to use from several threads.
    """

    def __init__(self, stream: TextIO, *, live: bool = False) -> None:
        self._stream = stream
        self._colours = takes_escapes(stream, os.environ)
        self._lock = threading.Lock()
        self._line = _LiveLine(self) if live else None

    @cached_property
    def console(self) -> "Console":
        """The stream with colours. rich is imported with the first line that needs it."""
        return open_console(self._stream)

    def __call__(self, event: Event) -> None:
        """Listener of the journal."""
        line = _line(event)
        if line is not None:
            self._print(*line)

    def reply(self, progress: "ReplyProgress") -> None:
        """Listener of models."""
        if self._line is not None:
            with self._lock:
                self._line.show(progress.purpose, _turn_in_words(progress), over=progress.over)
        elif progress.over:
            self._print("note", progress.purpose, _turn_in_words(progress))

    def indexing(self, count: int, total: int) -> None:
        """Listener of indexes. Who does not watch sees the stage when it ends."""
        if self._line is not None:
            with self._lock:
                self._line.show("indexing", f"about {count:,} of {total:,} files", over=count >= total)

    def _print(self, how: str, stage: str, text: str) -> None:
        text = printable(text)
        if not self._colours:
            say(self._stream, f"{_MARKS[how]} {stage:<14} {text}\n".rstrip() + "\n")
            return
        from rich.text import Text

        line = Text.assemble((f"{_MARKS[how]} {stage:<14} ", _COLOURS.get(how, "")), (text, "dim"))
        self.console.print(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Take the line away, also when the run ends while models still reply."""
        if self._line is not None:
            with self._lock:
                self._line.close()


class _LiveLine:
    """What is under way, in one line: each thing by its name, with words on how far it is."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        # Replaced and never changed: the thread that draws reads it without a lock.
        self._under_way: Mapping[str, tuple[str, float]] = {}
        self._drawn: Live | None = None
        self._closed = False

    def show(self, name: str, words: str, *, over: bool) -> None:
        """Take note; the line appears with the first thing that is under way and goes with the last."""
        if self._closed:
            return
        _, since = self._under_way.get(name, (words, time.monotonic()))
        other_entries = {
            other_name: entry for other_name, entry in self._under_way.items() if other_name != name
        }
        self._under_way = other_entries if over else {**other_entries, name: (words, since)}
        if not self._under_way:
            self._stop()
        elif self._drawn is None:
            from rich.live import Live

            self._drawn = Live(
                self,
                console=self._progress.console,
                refresh_per_second=1,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._drawn.start()

    def close(self) -> None:
        """Draw no more."""
        self._closed = True
        self._stop()

    def _stop(self) -> None:
        if self._drawn is not None:
            self._drawn.stop()
            self._drawn = None

    def __rich__(self) -> "Text":
        from rich.text import Text

        now = time.monotonic()
        parts = [f"{name}  {words}, {now - since:.0f} s" for name, (words, since) in self._under_way.items()]
        return Text(f"{_MARKS['again']} {'   '.join(parts)}", style="dim", no_wrap=True, overflow="ellipsis")


def _turn_in_words(progress: "ReplyProgress") -> str:
    about = "" if progress.over else "about "
    cost = "" if progress.dollars is None else f", ${progress.dollars:.2f} so far"
    return f"turn {progress.turn}: {about}{progress.output_tokens:,} tokens{cost}"


def say(stream: TextIO, text: str) -> None:
    """Write to whoever reads. A reader that has gone (`| head`) ends nothing: what is written from then on is dropped."""
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def is_watched(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether a person sees the stream as it is written, on a terminal that can draw a line anew."""
    return (
        takes_escapes(stream, environment)
        and not environment.get("CI")
        and environment.get("TERM", "dumb") != "dumb"
    )


def takes_escapes(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether colours, bold text and movements of the cursor may be written: https://no-color.org."""
    return stream.isatty() and not environment.get("NO_COLOR")


def open_console(stream: TextIO) -> "Console":
    """For tables and coloured lines. rich by itself leaves out only colours for NO_COLOR, and no bold text."""
    from rich.console import Console

    with_escapes = takes_escapes(stream, os.environ)
    return Console(file=stream, highlight=False, markup=False, color_system="auto" if with_escapes else None)


def _line(event: Event) -> tuple[str, str, str] | None:
    match event:
        case StageFinished():
            return "done", event.stage, f"{event.seconds * 1000:.0f} ms"
        case StageReused():
            return "reused", event.stage, "reused, nothing it depends on has changed"
        case StageSkipped():
            return "skipped", event.stage, event.reason
        case StageStopped():
            return "asks", event.stage, event.reason
        case StageErrored():
            return "failed", event.stage, event.message
        case StageRetried():
            return "again", event.stage, f"attempt {event.attempt} failed: {event.message}"
        case RoundStarted():
            return "note", event.stage, f"round {event.round}"
        case MemoIgnored():
            return "note", event.stage, f"stored result not used: {event.reason}"
        case ChildAsked() | ChildAnswered():
            return "note", event.stage, event.in_words
        case Note():
            return "note", event.stage or "", event.text
        case ConfinementChosen():
            return "note", "", event.text
        case _:
            return None


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
    options = choices_of(clarification)
    places = {candidate.id: candidate.location for candidate in clarification.candidates}
    for number, option in enumerate(options, start=1):
        default = "  (default)" if option.id == question.default else ""
        lines.append(f"  {number}. {option.label}{_at(places.get(option.id))}{default}")
        if isinstance(option, Option) and option.effect:
            lines.append(f"     {option.effect}")
    if question.options and clarification.candidates:
        lines += [
            "",
            *(
                f"  found: {candidate.label}{_at(candidate.location)}"
                for candidate in clarification.candidates
            ),
        ]
    if question.default_reason:
        lines += ["", f"  Why the default: {question.default_reason}"]
    return printable("\n".join(lines)) + "\n"


def _plan_lines(question: Question) -> Iterator[str]:
    """What a plan changes where, and its open points with what to type for each option."""
    if question.plan is not None:
        yield f"  {question.plan.summary}"
        yield from _changes(question.plan)
    for number, point in enumerate(question.points, start=1):
        yield from ("", f"  {number}. {point.text}")
        for option in point.options:
            plan_mark = "  (as planned)" if option.id == point.taken else ""
            yield f"     {reply_to(point, number, option)}  {option.label}{plan_mark}"
            yield from [f"         {option.effect}"] if option.effect else []


def choices_of(clarification: Clarification) -> Sequence[Option | Candidate]:
    """What the numbers of a reply mean."""
    return (
        clarification.question.options
        if clarification.question.options is not None
        else clarification.candidates
    )


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
    lines = ["", f"Ticket: {ticket.title}", f"  operation  {ticket.operation}"]
    if ticket.targets == "unknown":
        doubt = "" if ticket.confidence is TargetConfidence.UNKNOWN else f" ({ticket.confidence.value})"
        lines.append(f"  targets    unknown{doubt}")
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
    lines += [""] if ticket.conclusions else []
    lines.append(f"  ready      {'yes' if ticket.ready else 'no: nothing may be coded from it yet'}")
    return "\n".join(lines) + "\n"


def _at(location: Location | None) -> str:
    return f"  {location.path}:{location.start_line}" if location else ""


@dataclass(frozen=True)
class TypedReply:
    """What somebody typed: the ids of one or several options, of a plan the options by their points, or words."""

    choices: tuple[str, ...] = ()
    text: str | None = None
    points: Mapping[str, str] | None = None


def read_reply(clarification: Clarification, source: TextIO) -> TypedReply | None:
    """Ask until a line of `source` is understood as a reply; None for `/cancel`, and at the end of input.

    The whole grammar of replies belongs to the App, where people write prose. Here a line is a number, a letter, `go`,
    an option's label, `/cancel`, or words after `/answer`; where several options may be chosen, also `both`, `all` or
    numbers with commas or `and` between them. To a plan it is `go`, or numbers with letters: `2b 3a`.
    """
    options, points = choices_of(clarification), clarification.question.points
    is_about_plan = clarification.question.is_about_plan
    prompt = _prompt(clarification.question)
    while True:
        say(sys.stderr, prompt)
        line = source.readline()
        reply = line.strip()
        if not line or reply.lower() in {"/cancel", "/stop"}:
            return None
        if reply.lower().startswith("/answer ") and reply[8:].strip():
            return TypedReply(text=reply[8:].strip())
        if is_about_plan and (choices := _plan_choices(reply, points)) is not None:
            return TypedReply(points={point.id: choices.get(point.id, point.taken) for point in points})
        if reply.lower() == "go" and clarification.question.default is not None:
            return TypedReply((clarification.question.default,))
        options_chosen = _chosen_options(reply.lower(), options, multiple=clarification.question.multiple)
        if options_chosen:
            return TypedReply(tuple(option.id for option in options_chosen))
        mistake = "no option of the plan" if is_about_plan else f"none of 1 to {len(options)}"
        say(sys.stderr, f"“{reply}” is {mistake}, and nothing was started.\n")


def _prompt(question: Question) -> str:
    if question.is_about_plan:
        return f"{plan_replies_in_plain_text(question)[:-1]}, or /cancel to stop: "
    words_for_several = ", `both` or `all`" if question.multiple else ""
    return f"Reply with a number{words_for_several}, `go` for the default, /answer and one sentence, or /cancel to stop: "


def _plan_choices(text: str, points: Sequence[PlanPoint]) -> Mapping[str, str] | None:
    """What a line chooses of a plan: nothing else than it proposes for `go`; None where it is no such reply."""
    if text.lower() == "go":
        return {}
    reply = named_options(text, points)
    return reply.points if reply is not None and reply.is_all_of(text) else None


def _chosen_options(
    text: str, options: Sequence[Candidate | Option], *, multiple: bool
) -> tuple[Candidate | Option, ...]:
    """The options that a line names, in their order; none if a part of it names nothing, or more than may be chosen."""
    if multiple and (text == "all" or (text == "both" and len(options) == 2)):
        return tuple(options)
    parts = re.split(r"\s*,\s*|\s+and\s+", text) if multiple else [text]
    names = [
        {str(number), chr(ord("a") + number - 1), option.label.lower()}
        for number, option in enumerate(options, 1)
    ]
    if not all(any(part in of_option for of_option in names) for part in parts):
        return ()
    return tuple(option for option, of_option in zip(options, names, strict=True) if of_option & set(parts))
