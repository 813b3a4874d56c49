"""The choices of a question as a table: reply, what, consequence, where, tests. A column that says nothing is left out."""

import json
from collections.abc import Sequence

from github_app.conversation.message import (
    Bullets,
    Code,
    Line,
    Prose,
    PullRequestLink,
    Strong,
    Table,
    Text,
)
from pipeline.contract.choices import Choice
from pipeline.contract.clarification import Candidate, Clarification, StopKind
from pipeline.contract.wire import Location

_HANDLER = "handler"
_ASKED_FOR = "asked for"
_TESTS = ("tests that reach it", "tests", "covered by")
_MAX_FACTS = 4

_COUNT_PHRASES = {
    "called from": ("{} caller notices it", "{} callers notice it"),
    "callers": ("{} caller notices it", "{} callers notice it"),
    "uses of the model": ("the model is used {} time", "the model is used {} times"),
    "fields of the model": ("the model has {} field today", "the model has {} fields today"),
    "body fields": ("the body has {} field today", "the body has {} fields today"),
    "query fields": ("the query has {} field today", "the query has {} fields today"),
}
"""Facts whose value is a number, as the consequence of choosing what has them: for one, and for any other number."""

_IN_ITS_OWN_WORDS = "in its own words"
_PLANS = "plans"

_CONSEQUENCES: dict[tuple[StopKind, str], str] = {
    (StopKind.CONFIRMATION_NEEDED, "approve"): "This one call is made, and no other.",
    (StopKind.CONFIRMATION_NEEDED, "decline"): "The call is not made; the agent looks for another way.",
    (StopKind.ALREADY_IMPLEMENTED, "stop"): "Nothing is built. You may close the issue.",
    (StopKind.WORK_UNDER_WAY, "stop"): "Nothing is built. You may close the issue.",
    (StopKind.WORK_UNDER_WAY, "go_on"): "I go on as if nobody were at work on it.",
    (StopKind.ALREADY_IMPLEMENTED, "build_anyway"): "I go on as if it were not there.",
}
"""The effect of an id that always means the same."""


def choice_table(clarification: Clarification, choices: Sequence[Choice]) -> Table:
    """The table of some choices. Their facts are those in which the candidates differ, shown or not."""
    candidates = {candidate.id: candidate for candidate in clarification.candidates}
    telling = _telling(clarification.candidates)
    rows = [_row(clarification, choice, candidates.get(choice.id), telling) for choice in choices]
    return _without_empty_columns(("Reply", "What", "Consequence", "Where", "Tests"), rows)


def found_table(candidates: Sequence[Candidate]) -> Table:
    """What a question with options is about: the code that was found, point by point."""
    rows = [
        (
            _prose(candidate.facts.get(_ASKED_FOR)),
            (Code(candidate.label),),
            lines_of(candidate.location),
            _tests(candidate),
        )
        for candidate in candidates
    ]
    return _without_empty_columns(("The ticket asks for", "Found", "Where", "Test"), rows)


def work_list(candidates: Sequence[Candidate]) -> Bullets:
    """The pull requests, commits and branches that work on an issue, with links where GitHub has pages for them."""
    return Bullets(tuple(map(_work_line, candidates)))


def _work_line(candidate: Candidate) -> Line:
    kind, _, name = candidate.id.partition(":")
    state = Text(f", {candidate.facts.get('state')}") if kind == "pull" else Text("")
    title = candidate.label.partition(" ")[2]
    if kind == "pull" and name.isdecimal():
        return (PullRequestLink(int(name)), Text(": "), Prose(title), state)
    if kind == "commit":
        return (Text("Commit "), Code(name[:12]), Text(": "), Prose(title))
    return (Text("Branch "), Code(name))


def lines_of(location: Location | None) -> Line:
    """A place in the code as text, for mail and for people without access; empty where there is no place."""
    if location is None:
        return ()
    first, last = location.start_line, location.end_line
    return (Code(location.path), Text(f" lines {first}–{last}" if first != last else f" line {first}"))


def _row(
    clarification: Clarification, choice: Choice, candidate: Candidate | None, telling: frozenset[str]
) -> tuple[Line, ...]:
    default: Line = (Text(" default"),) if choice.is_default else ()
    reply: Line = (Strong((Text(f"`{choice.number}`"),)), *default)
    happens = _CONSEQUENCES.get((clarification.kind, choice.id))
    if choice.needs_text:
        happens = f"Tell me how: `/answer {choice.number}` and one sentence."
    consequence: Line = (Text(happens),) if happens is not None else ()
    place = lines_of(choice.location)
    if choice.effect is not None and happens is None:
        consequence = (Prose(choice.effect),)
    if candidate is None:
        return (reply, (Prose(choice.label),), consequence, place, ())
    handler = candidate.facts.get(_HANDLER)
    label: Line = (Code(choice.label),)
    if isinstance(handler, str) and handler:
        label = (*label, Text(" → "), Code(handler))
    return (reply, label, consequence or _consequence(candidate, telling), place, _tests(candidate))


def _consequence(candidate: Candidate, telling: frozenset[str]) -> Line:
    """The facts in which a candidate differs from others, but for those that have a column of their own."""
    apart = {_HANDLER, _ASKED_FOR, *_TESTS}
    facts = {name: value for name, value in _facts(candidate).items() if name in telling - apart}
    phrases = [_phrase(name, value) for name, value in list(facts.items())[:_MAX_FACTS]]
    return tuple(part for phrase in phrases for part in (Text("; "), *phrase))[1:]


def _phrase(name: str, value: object) -> Line:
    if name in _COUNT_PHRASES and isinstance(value, int):
        singular, plural = _COUNT_PHRASES[name]
        return (Text((singular if value == 1 else plural).format(value or "no")),)
    if name == _IN_ITS_OWN_WORDS:
        return (Text("“"), Prose(str(value)), Text("”"))
    if name == _PLANS:
        return (Prose(f"{value} plans"),)
    return (Prose(f"{name.replace('_', ' ')}:"), Text(" "), *_prose(value))


def _telling(candidates: Sequence[Candidate]) -> frozenset[str]:
    """The names of the facts that are not the same for all candidates."""
    facts = [_facts(candidate) for candidate in candidates]
    names = {name for candidate_facts in facts for name in candidate_facts}
    return frozenset(
        name for name in names if len({_in_words(candidate_facts.get(name)) for candidate_facts in facts}) > 1
    )


def _facts(candidate: Candidate) -> dict[str, object]:
    count = candidate.body_field_count
    return {**({} if count is None else {"body fields": count}), **candidate.facts}


def _tests(candidate: Candidate) -> Line:
    return next((_prose(candidate.facts[name]) for name in _TESTS if name in candidate.facts), ())


def _prose(value: object) -> Line:
    return (Prose(_in_words(value)),) if value is not None else ()


def _in_words(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)


def _without_empty_columns(header: tuple[str, ...], rows: Sequence[tuple[Line, ...]]) -> Table:
    columns = [column for column in range(len(header)) if any(row[column] for row in rows)]
    return Table(
        tuple((Text(header[column]),) for column in columns),
        tuple(tuple(row[column] for column in columns) for row in rows),
    )
