"""`ticket.json`: what `gate` produces, and what a coder, ours or another, starts from."""

from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import JsonValue

from pipeline.contract.answers import Answer
from pipeline.contract.wire import Location, NonEmpty, RunIdentity, WireModel


class CodePlace(WireModel):
    """Something in the code, by its registry id."""

    id: NonEmpty
    label: NonEmpty
    location: Location | None = None


class Finding(WireModel):
    """One point that the ticket asks for, and whether the code has it already."""

    asked: NonEmpty
    found: str | None
    location: Location | None = None
    covered_by: Location | None = None


class Conclusion(WireModel):
    """What an agent of the definition completed with, in the shape that its file declares.

    `replies` says whether a model thought of it in this run; `recorded` and `scripted` replies come from a file.
    """

    stage: NonEmpty
    agent: NonEmpty
    replies: Literal["model", "recorded", "scripted"]
    output: dict[str, JsonValue]

    def in_words(self) -> Iterator[tuple[str, str]]:
        """Field and value of everything that is not empty, for a person. Both are words of a model: data, to be escaped."""
        for name, value in self.output.items():
            words = _in_words(value)
            if words:
                yield name.replace("_", " "), words


class Ticket(WireModel):
    """A ticket that names its targets, or says that it does not know them.

    A definition may have agents say what they think of the issue (`conclusions`, in the order of its stages). One that
    looks for no targets, such as `triage`, ends with them alone: `operation` and `targets` are `unknown` then.

    `ready` is true only when the targets are known: a coder starts from nothing less, and only such an issue is
    labelled `askfirst:ready`.
    """

    version: Literal[1] = 1
    kind: Literal["Ticket"] = "Ticket"
    run: RunIdentity
    title: NonEmpty
    body: str
    operation: NonEmpty
    targets: Literal["unknown"] | tuple[CodePlace, ...]
    ready: bool
    selected_because: str
    chain: tuple[CodePlace, ...] = ()
    tests: tuple[CodePlace, ...] = ()
    existing: tuple[Finding, ...] = ()
    answers: tuple[Answer, ...] = ()
    decisions: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    acceptance_criteria: tuple[str, ...] = ()
    conclusions: tuple[Conclusion, ...] = ()


def _in_words(value: JsonValue) -> str:
    """A value on one line of printable characters: `; ` between the items of a list, `name: value` for fields."""
    match value:
        case bool():
            return "yes" if value else "no"
        case Mapping():
            told = [(name.replace("_", " "), _in_words(inner)) for name, inner in value.items()]
            return ", ".join(f"{name}: {words}" for name, words in told if words)
        case list():
            return "; ".join(words for words in map(_in_words, value) if words)
        case None:
            return ""
        case _:
            return "".join(one for one in " ".join(str(value).split()) if one.isprintable())
