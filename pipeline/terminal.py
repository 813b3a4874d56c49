"""What a person sees on a terminal while a run goes on, and at its end. Everything here goes to stderr or is a question."""

import sys
from collections.abc import Sequence
from typing import TextIO, assert_never

from pipeline.contract.clarification import Candidate, Clarification, Option
from pipeline.contract.failure import Failure
from pipeline.contract.ticket import Ticket
from pipeline.contract.wire import Location
from pipeline.domain.printable import printable
from pipeline.run_record.events import (
    Event,
    MemoIgnored,
    Note,
    RoundStarted,
    StageFailed,
    StageFinished,
    StageRetried,
    StageReused,
    StageSkipped,
    StageStopped,
)

_MARKS = {"done": "✓", "reused": "↺", "skipped": "-", "asks": "?", "failed": "✗", "again": "…", "note": "·"}
_COLOURS = {"done": "green", "reused": "cyan", "skipped": "bright_black", "asks": "yellow", "failed": "red"}


class Progress:
    """Prints a line for each stage as it ends. On a terminal with colours, elsewhere plainly."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._colours = stream.isatty()

    def __call__(self, event: Event) -> None:
        """Listener of the journal."""
        line = _line(event)
        if line is not None:
            how, stage, text = line
            self._print(how, stage, printable(text))

    def _print(self, how: str, stage: str, text: str) -> None:
        if not self._colours:
            self._stream.write(f"{_MARKS[how]} {stage:<14} {text}\n".rstrip() + "\n")
            self._stream.flush()
            return
        from rich.console import Console
        from rich.text import Text

        line = Text.assemble((f"{_MARKS[how]} {stage:<14} ", _COLOURS.get(how, "")), (text, "dim"))
        Console(file=self._stream, highlight=False).print(line)


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
        case StageFailed():
            return "failed", event.stage, event.message
        case StageRetried():
            return "again", event.stage, f"attempt {event.attempt} failed: {event.message}"
        case RoundStarted():
            return "note", event.stage, f"round {event.round}"
        case MemoIgnored():
            return "note", event.stage, f"stored result not used: {event.reason}"
        case Note():
            return "note", event.stage or "", event.text
        case _:
            return None


def ending_as_text(ending: Clarification | Failure | Ticket) -> str:
    """How a run ended, for a person at a terminal."""
    match ending:
        case Clarification():
            return question_as_text(ending)
        case Failure():
            said = "\n".join(line for line in (ending.message, ending.why, ending.what_to_do) if line)
            return printable(said) + "\n"
        case Ticket():
            return printable(_ticket_as_text(ending))
        case _:
            assert_never(ending)


def question_as_text(asked: Clarification) -> str:
    """The question with its numbered options, the default marked."""
    question = asked.question
    lines = ["", question.text, "", f"  {asked.reason}", ""]
    options = offered(asked)
    places = {candidate.id: candidate.location for candidate in asked.candidates}
    for number, option in enumerate(options, start=1):
        default = "  (default)" if option.id == question.default else ""
        lines.append(f"  {number}. {option.label}{_at(places.get(option.id))}{default}")
    if question.options:
        lines += [
            "",
            *(f"  found: {candidate.label}{_at(candidate.location)}" for candidate in asked.candidates),
        ]
    if question.default_reason:
        lines += ["", f"  Why the default: {question.default_reason}"]
    return printable("\n".join(lines)) + "\n"


def offered(asked: Clarification) -> Sequence[Option | Candidate]:
    """What the numbers of a reply mean."""
    return asked.question.options if asked.question.options is not None else asked.candidates


_RECEIVED = {"model": "a model's words", "recorded": "recorded replies", "scripted": "scripted replies"}


def _ticket_as_text(ticket: Ticket) -> str:
    lines = ["", f"Ticket: {ticket.title}", f"  operation  {ticket.operation}"]
    if ticket.targets == "unknown":
        lines.append("  targets    unknown")
    else:
        lines += [f"  target     {target.label}{_at(target.location)}" for target in ticket.targets]
    lines.append(f"  because    {ticket.selected_because}")
    if len(ticket.chain) > 1:
        lines.append(f"  chain      {' → '.join(place.label for place in ticket.chain)}")
    lines += [f"  test       {test.label}{_at(test.location)}" for test in ticket.tests[:5]]
    lines += [f"  assumed    {assumption}" for assumption in ticket.assumptions]
    lines += [f"  accept     {criterion}" for criterion in ticket.acceptance_criteria]
    for conclusion in ticket.conclusions:
        lines += ["", f"{conclusion.stage} ({_RECEIVED[conclusion.replies]}):"]
        lines += [f"  {name:<18} {words}" for name, words in conclusion.in_words()]
    lines += [""] if ticket.conclusions else []
    lines.append(f"  ready      {'yes' if ticket.ready else 'no: nothing may be coded from it yet'}")
    return "\n".join(lines) + "\n"


def _at(location: Location | None) -> str:
    return f"  {location.path}:{location.start_line}" if location else ""


def read_reply(asked: Clarification) -> tuple[str, str] | None:
    """Ask for a reply until one is understood: ("choice", id) or ("text", words); None at the end of input.

    The whole grammar of replies belongs to the App, where people write prose. Here a line is a number, a letter, `go`,
    an option's label, or words after `/answer`.
    """
    options = [option.id for option in offered(asked)]
    labels = [option.label.lower() for option in offered(asked)]
    while True:
        sys.stderr.write("Reply with a number, `go` for the default, or /answer and one sentence: ")
        sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:
            return None
        said = line.strip()
        if said.lower().startswith("/answer ") and said[8:].strip():
            return "text", said[8:].strip()
        if said.lower() == "go" and asked.question.default is not None:
            return "choice", asked.question.default
        if said.isdecimal() and 1 <= int(said) <= len(options):
            return "choice", options[int(said) - 1]
        if len(said) == 1 and said.isalpha() and ord(said.lower()) - ord("a") < len(options):
            return "choice", options[ord(said.lower()) - ord("a")]
        if said.lower() in labels:
            return "choice", options[labels.index(said.lower())]
        sys.stderr.write(f"“{said}” is none of 1 to {len(options)}, and nothing was started.\n")
