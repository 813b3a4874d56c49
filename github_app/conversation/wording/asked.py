"""The first post of a question: addressee and question, why it is open, the choices, how to reply, the facts."""

import json
from datetime import datetime

from github_app.conversation.message import (
    Block,
    Bullets,
    Code,
    Details,
    Line,
    Message,
    Paragraph,
    Permalink,
    Prose,
    RunLink,
    Strong,
    Text,
    UserMention,
)
from github_app.conversation.wording.choice_table import choice_table, found_table, work_list
from github_app.conversation.wording.deciding import keep_box
from github_app.conversation.wording.planned import (
    effects_of_plan,
    how_to_reply_to_plan,
    plan_beside,
    plan_blocks,
    point_blocks,
)
from pipeline.contract.choices import Choice, choices
from pipeline.contract.clarification import Clarification, StopKind
from pipeline.contract.plain_reason import number_in_words, remark_of, why_it_is_open
from pipeline.contract.wire import NO_COMMIT, Location

SHOWN_CHOICES = 4
"""So many choices are shown; the others are folded, and keep their numbers."""

_CODES_IN_SIGHT = 2
_LINES_IN_SIGHT = 12
"""Code is folded where it belongs to more candidates than this, or has more lines in all."""

_LINES_OF_BLOCKED = ("BLOCKED", "Tried", "Believes", "Default")
"""The lines of an escalation below its question."""

_MAX_SETTLED = 8
_MOST_WORK = 8
_SUBJECT_LINE = 1_000


def question_asked(
    clarification: Clarification,
    *,
    addressee: str | None = None,
    other_addressee: str | None = None,
    deadline: datetime | None = None,
    keep_wished_by: str | None = None,
) -> Message:
    """The comment that asks. Needs nothing but the payload: without an App there is no addressee and no deadline."""
    question, numbered_choices = clarification.question, choices(clarification)
    blocks: list[Block] = [
        _opening(clarification, addressee),
        *(plan_blocks(question) if question.is_about_plan else ()),
    ]
    if clarification.kind is StopKind.CONFIRMATION_NEEDED:
        blocks.append(_subject(clarification))
    code, is_short = _code(clarification)
    in_sight = code if is_short else ()
    about_code = clarification.question.options is not None and clarification.candidates
    if clarification.kind is StopKind.WORK_UNDER_WAY:
        blocks.append(work_list(clarification.candidates[:_MOST_WORK]))
    elif about_code:
        blocks += [found_table(clarification.candidates[:SHOWN_CHOICES]), *in_sight]
    if numbered_choices and not _says_it_in_a_line(clarification):
        blocks.append(choice_table(clarification, numbered_choices[:SHOWN_CHOICES]))
    if len(numbered_choices) > SHOWN_CHOICES:
        rest = numbered_choices[SHOWN_CHOICES:]
        blocks.append(Details(f"{len(rest)} more, with their numbers", (choice_table(clarification, rest),)))
    blocks += () if about_code else in_sight
    blocks += () if question.is_about_plan else point_blocks(question, other_addressee)
    blocks.append(
        Paragraph(((*how_to_reply(clarification), Text(" "), *_who_may_answer(clarification, deadline)),))
    )
    if code and not is_short:
        blocks.append(Details("The code", code))
    blocks += plan_beside(question)
    blocks.append(_details(clarification, numbered_choices, keep_wished_by))
    return Message(tuple(blocks), clarification.run.repository, clarification.run.issue)


def how_to_reply(clarification: Clarification) -> Line:
    """How to answer this question, in one line."""
    if clarification.question.has_points:
        return how_to_reply_to_plan(clarification.question)
    numbered_choices = choices(clarification)
    default = next((choice for choice in numbered_choices if choice.is_default), None)
    parts: list[Line] = []
    if _says_it_in_a_line(clarification):
        parts.append((Text("Reply **`go`** to have that done within a fresh budget. "),))
    elif numbered_choices:
        parts.append((Text("Reply "), *_numbers(numbered_choices)))
        if default is not None and not default.needs_text:
            declines = " (it declines)" if clarification.kind is StopKind.CONFIRMATION_NEEDED else ""
            parts.append((Text(f", or **`go`** to take {default.number}{declines}"),))
        elif default is None:
            parts.append((Text("; there is no default"),))
        if clarification.question.multiple:
            together = "both" if len(numbered_choices) == 2 else "all"
            parts.append((Text(f"; **`{together}`** takes them together"),))
        parts.append((Text(". "),))
    if clarification.kind is StopKind.CONFIRMATION_NEEDED:
        parts.append((Text("Only people with write access can decide; `ok`, `yes` and 👍 decide nothing. "),))
    elif numbered_choices:
        parts.append((Text("For anything else: `/answer` and one sentence. "),))
    else:
        parts.append((Text("Reply `/answer` and one sentence. "),))
    give_up = "To give up" if clarification.kind is StopKind.BLOCKED else "To stop"
    parts.append((Text(f"{give_up}: `/cancel`."),))
    return tuple(part for line in parts for part in line)


def bare_question(clarification: Clarification) -> str:
    """The question's text as one sentence."""
    return clarification.question.text.strip()


def permalink(location: Location | None, commit: str) -> list[Permalink]:
    """The permalink of a place, if there is a place and a commit."""
    if location is None or commit == NO_COMMIT:
        return []
    return [Permalink(location.path, location.start_line, location.end_line, commit)]


def _opening(clarification: Clarification, addressee: str | None) -> Paragraph:
    text = bare_question(clarification)
    greeting: Line = (UserMention(addressee), Text(", ")) if addressee is not None else ()
    blocked_prefix: Line = (Text("I am blocked: "),) if clarification.kind is StopKind.BLOCKED else ()
    head = Strong(
        (*greeting, *blocked_prefix, Prose(_without_capital(text) if greeting or blocked_prefix else text))
    )
    line: list[Line] = [(head,)]
    if clarification.question.quotes:
        quotes: list[Line] = [
            (Text("“"), Prose(quote), Text("”")) for quote in clarification.question.quotes[:2]
        ]
        joined_quotes = quotes[0] if len(quotes) == 1 else (*quotes[0], Text(" and "), *quotes[1])
        line.append((Text(" The ticket says "), *joined_quotes, Text(".")))
    if clarification.kind is StopKind.BLOCKED and (blocked_lines := _where_it_is_stuck(clarification)):
        return Paragraph((tuple(part for parts in line for part in parts), *blocked_lines))
    line.append((Text(" "), *_why(clarification)))
    return Paragraph((tuple(part for parts in line for part in parts),))


def _says_it_in_a_line(clarification: Clarification) -> bool:
    """Whether the only choice of an escalation is the default, which stands in one of its lines already."""
    if clarification.kind is not StopKind.BLOCKED or not _where_it_is_stuck(clarification):
        return False
    return [choice.id for choice in choices(clarification)] == [clarification.question.default]


def _where_it_is_stuck(clarification: Clarification) -> tuple[Line, ...]:
    """The five lines of a `Blocked`, each on a line of its own; the question among them stands above already."""
    text_of = dict(line.partition(": ")[::2] for line in clarification.reason.splitlines())
    return tuple(
        (Strong((Text(f"{name.capitalize()}:"),)), Text(" "), Prose(text_of[name]))
        for name in _LINES_OF_BLOCKED
        if name in text_of
    )


def _why(clarification: Clarification) -> Line:
    """Why the ticket does not settle it, in a sentence."""
    candidates = len(clarification.candidates)
    sentence = why_it_is_open(clarification.kind, clarification.question.slot, candidates)
    if sentence is not None:
        return (Text(sentence),)
    if clarification.kind is StopKind.WORK_UNDER_WAY:
        return (Text("It names this issue:"),)
    if clarification.kind is StopKind.ALREADY_IMPLEMENTED and clarification.candidates:
        return (Text("Everything it asks for was found in the code."),)
    if clarification.question.probe is not None:
        plans = f"{number_in_words(clarification.question.probe.k)} plans, all made from the same text,"
        return (Text(f"{plans} would do different things."),)
    return (Prose(clarification.reason),)


def _code(clarification: Clarification) -> tuple[tuple[Block, ...], bool]:
    """The code of the candidates that are shown, each below its name, and whether it is short enough to stand unfolded."""
    with_code = [
        candidate
        for candidate in clarification.candidates[:SHOWN_CHOICES]
        if permalink(candidate.location, clarification.run.commit)
    ]
    blocks: list[Block] = []
    for candidate in with_code:
        blocks += [
            Paragraph(((Code(candidate.label), Text(":")),)),
            *permalink(candidate.location, clarification.run.commit),
        ]
    lines = sum(
        candidate.location.end_line - candidate.location.start_line + 1
        for candidate in with_code
        if candidate.location
    )
    return tuple(blocks), len(with_code) <= _CODES_IN_SIGHT and lines <= _LINES_IN_SIGHT


def _subject(clarification: Clarification) -> Bullets:
    """What exactly would be approved, whole: a call that is cut short could hide what it does."""
    items: list[Line] = []
    for key, value in (clarification.question.subject or {}).items():
        text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=True)
        pieces = [text[at : at + _SUBJECT_LINE] for at in range(0, max(len(text), 1), _SUBJECT_LINE)]
        items += [(Code(key), Text(": "), Code(piece, limit=_SUBJECT_LINE * 4)) for piece in pieces]
    return Bullets(tuple(items) or ((Text("(the call was not described)"),),))


def _details(
    clarification: Clarification, numbered_choices: tuple[Choice, ...], keep_wished_by: str | None
) -> Details:
    default = next((choice for choice in numbered_choices if choice.is_default), None)
    items: list[Line] = []
    if default is not None and clarification.question.default_reason:
        items.append((Text(f"**Why {default.number}:** "), Prose(clarification.question.default_reason)))
    if clarification.question.probe is not None:
        items.append((Text("I compare what plans would touch and do, not how they are worded."),))
        conclusions = clarification.question.probe.fired[:_MAX_SETTLED]
        items += [(Text("Settled without you: "), Prose(conclusion)) for conclusion in conclusions]
    items += effects_of_plan(clarification.question) if clarification.question.is_about_plan else ()
    if remark := remark_of(clarification.reason):
        items.append((Prose(remark),))
    items.append(_run_reference(clarification))
    has_reason = default is not None and clarification.question.default_reason
    reason = f", and why {default.number} is the default" if default is not None and has_reason else ""
    return Details(
        f"What I looked at{reason}", (Bullets(tuple(items)), *keep_box(clarification, keep_wished_by))
    )


def _run_reference(clarification: Clarification) -> Line:
    at_commit: Line = (Text("Run "),)
    if clarification.run.commit != NO_COMMIT:
        at_commit = (Text("Commit "), Code(clarification.run.commit[:7]), Text(", run "))
    no_change = Text("Without an answer I change nothing. ")
    return (
        no_change,
        *at_commit,
        RunLink(clarification.run.run_id),
        Text(", stage "),
        Code(clarification.stage),
        Text("."),
    )


def _who_may_answer(clarification: Clarification, deadline: datetime | None) -> Line:
    """Who can answer, and until when; of a confirmation `how_to_reply` has said who."""
    until = f" by {date(deadline)}" if deadline else ""
    if clarification.kind is StopKind.CONFIRMATION_NEEDED:
        return (Text(f"Answer{until}."),) if until else ()
    if clarification.kind is StopKind.BLOCKED:
        by = f" Answer{until}." if until else ""
        return (Text(f"A fresh budget takes write access; the author and assignees can give up.{by}"),)
    return (Text(f"The author, assignees and anyone with write access can answer{until}."),)


def date(moment: datetime) -> str:
    """A day as people write it."""
    return f"{moment.day} {moment:%B}"


def _numbers(numbered_choices: tuple[Choice, ...]) -> Line:
    labels = [f"**`{choice.number}`**" for choice in numbered_choices]
    if len(labels) > SHOWN_CHOICES:
        return (Text(f"**`1`** to **`{len(labels)}`**"),)
    if len(labels) == 1:
        return (Text(labels[0]),)
    return (Text(f"{', '.join(labels[:-1])} or {labels[-1]}"),)


def _without_capital(text: str) -> str:
    """The text as it reads behind "@octocat, ": an ordinary first word loses its capital."""
    first = text.split(" ", 1)[0]
    is_ordinary = len(first) > 1 and first[0].isupper() and first[1:].islower() and first.isalpha()
    return text[0].lower() + text[1:] if is_ordinary else text
