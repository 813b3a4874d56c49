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
    Text,
)
from github_app.conversation.question import Choice, choices, default_choice
from github_app.conversation.wording.choice_table import choice_table, found_table
from github_app.conversation.wording.deciding import HOW_TO_KEEP, can_be_kept
from pipeline.contract.clarification import Clarification, StopKind
from pipeline.contract.wire import NO_COMMIT, Location

_WHAT_IS_OPEN = "Prose did not name which."
"""How the reason of the payload ends what the question above says already; behind it stand remarks."""

SHOWN = 4
"""So many choices are shown; the others are folded, and keep their numbers."""

_CODES_IN_SIGHT = 2
_LINES_IN_SIGHT = 12
"""Code is folded where it belongs to more candidates than this, or has more lines in all."""

_LINES_OF_BLOCKED = ("BLOCKED", "Tried", "Believes", "Default")
_MAX_SETTLED = 8
_SUBJECT_LINE = 1_000

_FITTING = {
    "entry_route": "routes fit",
    "definition": "definitions have that name",
    "model": "models have that field",
    "caller": "functions lead there",
    "config": "settings fit",
    "cli": "commands fit",
    "package": "packages have it",
}
"""What stands to choose, by the slot of a question about the code."""


def question_asked(
    asked: Clarification, *, addressee: str | None = None, deadline: datetime | None = None
) -> Message:
    """The comment that asks. Needs nothing but the payload: without an App there is no addressee and no deadline."""
    numbered = choices(asked)
    blocks: list[Block] = [_opening(asked, addressee)]
    if asked.kind is StopKind.CONFIRMATION_NEEDED:
        blocks.append(_subject(asked))
    code, is_short = _code(asked)
    in_sight = code if is_short else ()
    about_code = asked.question.options is not None and asked.candidates
    if about_code:
        blocks += [found_table(asked.candidates[:SHOWN]), *in_sight]
    if numbered:
        blocks.append(choice_table(asked, numbered[:SHOWN]))
    if len(numbered) > SHOWN:
        rest = numbered[SHOWN:]
        blocks.append(Fold(f"{len(rest)} more, with their numbers", (choice_table(asked, rest),)))
    blocks += () if about_code else in_sight
    blocks.append(Paragraph(((*how_to_reply(asked), Text(" "), *_who_may_answer(asked, deadline)),)))
    if code and not is_short:
        blocks.append(Fold("The code", code))
    blocks.append(_details(asked))
    return Message(tuple(blocks), asked.run.repository, asked.run.issue)


def how_to_reply(asked: Clarification) -> Line:
    """How to answer this question, in one line."""
    numbered, default = choices(asked), default_choice(asked)
    parts: list[Line] = []
    if numbered:
        parts.append((Text("Reply "), *_numbers(numbered)))
        if default is not None and not default.needs_text:
            declines = " (it declines)" if asked.kind is StopKind.CONFIRMATION_NEEDED else ""
            parts.append((Text(f", or **`go`** to take {default.number}{declines}"),))
        elif default is None:
            parts.append((Text("; there is no default"),))
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
    fitting = _FITTING.get(asked.question.slot)
    if asked.kind is StopKind.CLARIFICATION_NEEDED and fitting is not None and count > 1:
        return (Text(f"{_counted(count)} {fitting}, and no word in the ticket picks one."),)
    if asked.kind is StopKind.ALREADY_IMPLEMENTED and asked.candidates:
        return (Text("Everything it asks for was found in the code."),)
    if asked.question.probe is not None:
        plans = f"{_counted(asked.question.probe.k)} plans, all made from the same text,"
        return (Text(f"{plans} would do different things."),)
    return (Prose(asked.reason),)


def _code(asked: Clarification) -> tuple[tuple[Block, ...], bool]:
    """The code of the candidates that are shown, each below its name, and whether it is short enough to stand unfolded."""
    placed = [one for one in asked.candidates[:SHOWN] if permalink(one.location, asked.run.commit)]
    blocks: list[Block] = []
    for one in placed:
        blocks += [Paragraph(((Code(one.label), Text(":")),)), *permalink(one.location, asked.run.commit)]
    lines = sum(one.location.end_line - one.location.start_line + 1 for one in placed if one.location)
    return tuple(blocks), len(placed) <= _CODES_IN_SIGHT and lines <= _LINES_IN_SIGHT


def _subject(asked: Clarification) -> Bullets:
    """What exactly would be approved, whole: a call that is cut short could hide what it does."""
    items: list[Line] = []
    for key, value in (asked.question.subject or {}).items():
        shown = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=True)
        pieces = [shown[at : at + _SUBJECT_LINE] for at in range(0, max(len(shown), 1), _SUBJECT_LINE)]
        items += [(Code(key), Text(": "), Code(piece, limit=_SUBJECT_LINE * 4)) for piece in pieces]
    return Bullets(tuple(items) or ((Text("(the call was not described)"),),))


def _details(asked: Clarification) -> Fold:
    default = default_choice(asked)
    items: list[Line] = []
    if default is not None and asked.question.default_reason:
        items.append((Text(f"**Why {default.number}:** "), Prose(asked.question.default_reason)))
    if asked.question.probe is not None:
        items.append((Text("I compare what plans would touch and do, not how they are worded."),))
        settled = asked.question.probe.fired[:_MAX_SETTLED]
        items += [(Text("Settled without you: "), Prose(one)) for one in settled]
    _, _, remark = asked.reason.partition(_WHAT_IS_OPEN)
    if remark:
        items.append((Prose(remark.strip()),))
    items.append(_nothing_written(asked))
    has_reason = default is not None and asked.question.default_reason
    reason = f", and why {default.number} is the default" if default is not None and has_reason else ""
    return Fold(f"What I looked at{reason}", (Bullets(tuple(items)),))


def _nothing_written(asked: Clarification) -> Line:
    at_commit: Line = (Text("Run "),)
    if asked.run.commit != NO_COMMIT:
        at_commit = (Text("Commit "), Code(asked.run.commit[:7]), Text(", run "))
    kept = f"{HOW_TO_KEEP} " if can_be_kept(asked) else ""
    written = Text(f"Nothing is written. Without an answer I change nothing. {kept}")
    return (written, *at_commit, RunLink(asked.run.run_id), Text(", stage "), Code(asked.stage), Text("."))


def _who_may_answer(asked: Clarification, deadline: datetime | None) -> Line:
    """Who can answer, and until when; of a confirmation `how_to_reply` has said who."""
    until = f" by {date(deadline)}" if deadline else ""
    if asked.kind is StopKind.CONFIRMATION_NEEDED:
        return (Text(f"Answer{until}."),) if until else ()
    return (Text(f"The author, assignees and anyone with write access can answer{until}."),)


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
