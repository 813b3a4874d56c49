"""The question as it is first posted: addressee and question, why it is open, the choices, how to reply, the facts."""

import json
from datetime import datetime

from github_app.conversation.message import (
    Block,
    Bullets,
    Code,
    Fold,
    Line,
    Mention,
    Message,
    Paragraph,
    Permalink,
    Prose,
    RunLink,
    Strong,
    Table,
    Text,
)
from github_app.conversation.question import Choice, choices, default_choice
from pipeline.contract.clarification import Candidate, Clarification, StopKind
from pipeline.contract.wire import NO_COMMIT, Location

SHOWN = 4
"""So many choices are shown; the others are folded, and keep their numbers."""

_LINES_OF_BLOCKED = ("BLOCKED", "Tried", "Believes", "Default")
_MAX_FACTS = 8
_SUBJECT_LINE = 1_000
_FACT_NAMES = {
    "callers": "Called from, in this repository",
    "tests": "Tests that reach it",
    "body_field_count": "Fields in the request body",
}


def question_asked(
    asked: Clarification, *, addressee: str | None = None, deadline: datetime | None = None
) -> Message:
    """The comment that asks. Needs nothing but the payload: without an App there is no addressee and no deadline."""
    numbered = choices(asked)
    blocks: list[Block] = [_opening(asked, addressee)]
    if asked.kind is StopKind.CONFIRMATION_NEEDED:
        blocks.append(_subject(asked))
    if asked.question.options is not None:
        blocks += _places(asked)
        blocks += [Paragraph(tuple(_option(choice) for choice in numbered))] if numbered else []
    else:
        for choice in numbered[:SHOWN]:
            blocks += _candidate(asked, choice)
        if len(numbered) > SHOWN:
            blocks.append(_others(numbered))
    blocks.append(Paragraph((how_to_reply(asked),)))
    blocks.append(_facts(asked, deadline))
    return Message(tuple(blocks), asked.run.repository, asked.run.issue)


def how_to_reply(asked: Clarification) -> Line:
    """One line that tells how to answer this question."""
    numbered, default = choices(asked), default_choice(asked)
    parts: list[Line] = []
    if numbered:
        parts.append((Text("Reply "), *_numbers(numbered)))
        if default is not None and not default.needs_text:
            declines = " (it declines)" if asked.kind is StopKind.CONFIRMATION_NEEDED else ""
            parts.append((Text(f", or **`go`** to take {default.number}{declines}"),))
        parts.append((Text(". "),))
    if asked.kind is StopKind.CONFIRMATION_NEEDED:
        parts.append((Text("Only people with write access can decide; `ok`, `yes` and 👍 decide nothing. "),))
    elif numbered:
        parts.append((Text("For anything else: `/answer` and one sentence. "),))
    else:
        parts.append((Text("Reply `/answer` and one sentence. "),))
    parts.append((Text("To stop: `/cancel`."),))
    return tuple(part for line in parts for part in line)


def bare_question(asked: Clarification) -> str:
    """The question's text as one sentence."""
    return asked.question.text.strip()


def lines_of(location: Location) -> Line:
    """A place in the code as text, for mail and for people without access."""
    end = f"–{location.end_line}" if location.end_line != location.start_line else ""
    word = "lines" if end else "line"
    return (Code(location.path), Text(f" {word} {location.start_line}{end}"))


def permalink(location: Location | None, commit: str) -> list[Permalink]:
    """The permalink of a place, if there is a place and a commit."""
    if location is None or commit == NO_COMMIT:
        return []
    return [Permalink(location.path, location.start_line, location.end_line, commit)]


def _opening(asked: Clarification, addressee: str | None) -> Paragraph:
    text = bare_question(asked)
    greeting: Line = (Mention(addressee), Text(", ")) if addressee is not None else ()
    blocked: Line = (Text("I am blocked: "),) if asked.kind is StopKind.BLOCKED else ()
    head = Strong((*greeting, *blocked, Prose(_uncapitalised(text) if greeting or blocked else text)))
    line: list[Line] = [(head,)]
    if asked.question.quotes:
        quotes: list[Line] = [(Text("“"), Prose(quote), Text("”")) for quote in asked.question.quotes[:2]]
        joined = quotes[0] if len(quotes) == 1 else (*quotes[0], Text(" and "), *quotes[1])
        line.append((Text(" The ticket says "), *joined, Text(".")))
    if asked.kind is StopKind.BLOCKED and (stuck := _where_it_is_stuck(asked)):
        return Paragraph((tuple(part for parts in line for part in parts), *stuck))
    line.append((Text(" "), *_why(asked)))
    return Paragraph((tuple(part for parts in line for part in parts),))


def _where_it_is_stuck(asked: Clarification) -> tuple[Line, ...]:
    """The five lines of a `Blocked`, each on a line of its own; the question among them stands above already."""
    said = dict(line.partition(": ")[::2] for line in asked.reason.splitlines())
    return tuple(
        (Strong((Text(f"{name.capitalize()}:"),)), Text(" "), Prose(said[name]))
        for name in _LINES_OF_BLOCKED
        if name in said
    )


def _why(asked: Clarification) -> Line:
    """Why the ticket does not settle it, in a sentence."""
    count = len(asked.candidates)
    if asked.kind is StopKind.CLARIFICATION_NEEDED and asked.stage == "decomposition" and count > 1:
        routes = all(candidate.id.startswith("route:") for candidate in asked.candidates)
        return (
            Text(
                f"{_counted(count)} {'routes' if routes else 'places'} fit, and no word in the ticket picks one."
            ),
        )
    if asked.question.probe is not None:
        plans = f"{_counted(asked.question.probe.k)} plans, all made from the same text,"
        return (Text(f"{plans} would do different things."),)
    return (Prose(asked.reason),)


def _candidate(asked: Clarification, choice: Choice) -> list[Block]:
    candidate = asked.candidates[choice.number - 1]
    parts: list[Line] = [(Strong((Text(f"{choice.number}."),)), Text(" "), Code(choice.label))]
    handler = candidate.facts.get("handler")
    if isinstance(handler, str) and handler:
        parts.append((Text(" → "), Code(handler)))
    if choice.location is not None:
        parts.append((Text(" · "), *lines_of(choice.location)))
    if choice.is_default:
        parts.append((Text(" · **default**"),))
    line = tuple(part for items in parts for part in items)
    return [Paragraph((line,)), *permalink(choice.location, asked.run.commit)]


def _others(numbered: tuple[Choice, ...]) -> Fold:
    lines: list[Line] = []
    for choice in numbered[SHOWN:]:
        where: Line = (Text(" · "), *lines_of(choice.location)) if choice.location else ()
        default: Line = (Text(" · **default**"),) if choice.is_default else ()
        lines.append((Strong((Text(f"{choice.number}."),)), Text(" "), Code(choice.label), *where, *default))
    return Fold(f"{len(lines)} more, with their numbers", (Bullets(tuple(lines)),))


def _option(choice: Choice) -> Line:
    needs_text: Line = (Text(" Tell me how: `/answer` and one sentence."),) if choice.needs_text else ()
    default: Line = (Text(" · **default**"),) if choice.is_default else ()
    return (
        Strong((Text(f"{choice.number}."),)),
        Text(" "),
        Prose(choice.label),
        *needs_text,
        *default,
    )


def _places(asked: Clarification) -> list[Block]:
    """The code that a question with options is about."""
    blocks: list[Block] = []
    for candidate in asked.candidates[:SHOWN]:
        where: Line = (Text(" · "), *lines_of(candidate.location)) if candidate.location else ()
        blocks.append(Paragraph(((Text("The code: "), Code(candidate.label), *where),)))
        blocks += permalink(candidate.location, asked.run.commit)
    return blocks


def _subject(asked: Clarification) -> Bullets:
    """What exactly would be approved, whole: a call that is cut short could hide what it does."""
    items: list[Line] = []
    for key, value in (asked.question.subject or {}).items():
        shown = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=True)
        pieces = [shown[at : at + _SUBJECT_LINE] for at in range(0, max(len(shown), 1), _SUBJECT_LINE)]
        items += [(Code(key), Text(": "), Code(piece, limit=_SUBJECT_LINE * 4)) for piece in pieces]
    return Bullets(tuple(items) or ((Text("(the call was not described)"),),))


def _facts(asked: Clarification, deadline: datetime | None) -> Fold:
    default = default_choice(asked)
    blocks: list[Block] = []
    if table := _fact_table(asked):
        blocks.append(table)
    items: list[Line] = []
    if default is not None and asked.question.default_reason:
        items.append((Text(f"**Why {default.number}:** "), Prose(asked.question.default_reason)))
    if default is None and len(asked.candidates) > 1:
        items.append((Text("There is no default: nothing in the issue or the code sets one of them apart."),))
    if not _is_prose_of(asked.reason, _why(asked)):
        items.append((Prose(asked.reason),))
    if asked.question.probe is not None:
        items.append((Text("I compare what plans would touch and do, not how they are worded."),))
        settled = asked.question.probe.fired[:_MAX_FACTS]
        items += [(Text("Settled without you: "), Prose(one)) for one in settled]
    items.append(_nothing_written(asked))
    items.append(_who_may_answer(asked, deadline))
    blocks.append(Bullets(tuple(items)))
    summary = "Facts I compared" if len(blocks) > 1 else "What I looked at"
    if default is not None and asked.question.default_reason:
        summary += f", and why {default.number} is the default"
    return Fold(summary, tuple(blocks))


def _is_prose_of(text: str, line: Line) -> bool:
    return any(isinstance(part, Prose) and part.text == text for part in line)


def _fact_table(asked: Clarification) -> Table | None:
    """The facts in which the shown candidates differ."""
    shown = asked.candidates[:SHOWN]
    if len(shown) < 2 or asked.kind is StopKind.CONFIRMATION_NEEDED:
        return None
    facts = [_facts_of(candidate) for candidate in shown]
    keys = [key for key in dict.fromkeys(key for each in facts for key in each) if key != "handler"]
    different = [key for key in keys if len({each.get(key) for each in facts}) > 1][:_MAX_FACTS]
    if not different:
        return None
    are_choices = asked.question.options is None
    header: tuple[Line, ...] = (
        (),
        *(
            (Text(f"{number} · " if are_choices else ""), Code(each.label, limit=60))
            for number, each in enumerate(shown, start=1)
        ),
    )
    rows = tuple(
        (_fact_name(key), *((Prose(each.get(key) or "unknown"),) for each in facts)) for key in different
    )
    return Table(header, rows)


def _facts_of(candidate: Candidate) -> dict[str, str]:
    facts: dict[str, object] = {**candidate.facts, "body_field_count": candidate.body_field_count}
    return {
        key: value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
        for key, value in facts.items()
        if value is not None
    }


def _fact_name(key: str) -> Line:
    known = _FACT_NAMES.get(key)
    return (Text(known),) if known else (Prose(key.replace("_", " ").capitalize()),)


def _nothing_written(asked: Clarification) -> Line:
    at_commit: Line = (Text("Run "),)
    if asked.run.commit != NO_COMMIT:
        at_commit = (Text("Looked at commit "), Code(asked.run.commit[:7]), Text(", run "))
    said = Text("Nothing is written yet: no branch, no commit. ")
    return (said, *at_commit, RunLink(asked.run.run_id), Text(", stage "), Code(asked.stage), Text("."))


def _who_may_answer(asked: Clarification, deadline: datetime | None) -> Line:
    who = (
        "Anyone with write access"
        if asked.kind is StopKind.CONFIRMATION_NEEDED
        else "The author, assignees and anyone with write access"
    )
    until = f", by {date(deadline)}" if deadline else ""
    return (Text(f"{who} can answer{until}. Without an answer I change nothing."),)


def date(moment: datetime) -> str:
    """A day as people write it."""
    return f"{moment.day} {moment:%B}"


def _numbers(numbered: tuple[Choice, ...]) -> Line:
    shown = [f"**`{choice.number}`**" for choice in numbered]
    if len(shown) > SHOWN:
        return (Text(f"**`1`** to **`{len(shown)}`**"),)
    if len(shown) == 1:
        return (Text(shown[0]),)
    return (Text(f"{', '.join(shown[:-1])} or {shown[-1]}"),)


def _counted(count: int) -> str:
    words = {2: "Two", 3: "Three", 4: "Four", 5: "Five"}
    return words.get(count, str(count))


def _uncapitalised(text: str) -> str:
    """The text as it reads behind "@octocat, ": an ordinary first word loses its capital."""
    first = text.split(" ", 1)[0]
    is_ordinary = len(first) > 1 and first[0].isupper() and first[1:].islower() and first.isalpha()
    return text[0].lower() + text[1:] if is_ordinary else text
