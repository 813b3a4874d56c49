"""Who may answer, and what a reply becomes: the answer that travels into the next run."""

import hashlib
from collections.abc import Iterator, Mapping
from datetime import date

from github_app.conversation.record import Conversation, Exchange, PendingAnswer
from github_app.conversation.transcript import Issue, Person, Role
from pipeline.contract.answers import Verdict
from pipeline.contract.choices import Choice, choice_of
from pipeline.contract.clarification import Clarification, Question, StopKind
from pipeline.contract.decisions import Decision, decision_from
from pipeline.contract.point_reply import changes_in_short, decision_label
from pipeline.contract.reply_meaning import Reply, ReplyKind

BEFORE_CODE_RUNS = frozenset({"under_way", "existing", "decomposition", "plans", "semantics"})
"""Stages that ask before any code of the repository has run. Only from there a memo is taken, and an answer offered for
later tickets: what stops later, the rounds of work among them, may have been told by that code what to say."""

_STOP = "stop"
_MAY_BE_NEEDLESS = frozenset(
    {StopKind.ALREADY_IMPLEMENTED, StopKind.WORK_UNDER_WAY, StopKind.CLARIFICATION_NEEDED}
)
_EXCHANGE = 120
_MOST_POINTS = 4
"""Points of a plan that a record keeps with the answer: our markers have no room for more."""
_LONGEST_DECISION = 1_500
"""In characters of JSON: our markers have no room for more, and people do not review a longer list."""
_WRITING = frozenset({"edit_file", "create_file", "change_file"})
"""Calls that write one file: of an agent, and of the stage `change` for what was written without the gate."""


def may_answer(kind: StopKind, person: Person, issue: Issue, role: Role) -> bool:
    """Whether a person may answer a question of this kind.

    The author, the assignees and people with write access may; what approves a tool call or a larger budget takes write
    access, even from the author of the issue. Bots never answer.
    """
    if person.is_bot:
        return False
    match kind:
        case StopKind.CONFIRMATION_NEEDED:
            return role.may_write
        case (
            StopKind.CLARIFICATION_NEEDED
            | StopKind.ALREADY_IMPLEMENTED
            | StopKind.WORK_UNDER_WAY
            | StopKind.BLOCKED
        ):
            return role.may_write or person.id == issue.author.id or person.id in issue.assignee_ids


def grants_more(clarification: Clarification, reply: Reply) -> bool:
    """Whether a reply lets an agent that is stuck go on: with `go`, a choice or words of one's own. To give up is `/cancel`.

    The agent works on within a fresh budget, and that takes write access.
    """
    goes_on = {ReplyKind.CHOICE, ReplyKind.DEFAULT, ReplyKind.FREE}
    return clarification.kind is StopKind.BLOCKED and reply.kind in goes_on


def stops(conversation: Conversation, reply: Reply) -> bool:
    """Whether a reply ends the conversation without another run: the wanted result exists, is on its way, or makes no sense."""
    clarification = conversation.question
    return clarification is not None and clarification.kind in _MAY_BE_NEEDLESS and reply.choice == _STOP


def stands_already(conversation: Conversation, surface: str, login: str, reply: Reply) -> bool:
    """Whether the answer that stands is this very reply from a surface, come again after a crash or because its sender heard
    nothing. Of an answer in words only its beginning is kept.
    """
    answer = conversation.given
    if answer is None or (answer.surface, answer.login) != (surface, login):
        return False
    return is_same_answer(reply, answer)


def with_decision(
    clarification: Clarification, pending_answer: PendingAnswer, *, login: str, may_keep: bool
) -> PendingAnswer:
    """An answer that somebody wants to hold for later tickets. That takes write access, and a question about the code."""
    if not may_keep:
        return pending_answer.model_copy(update={"keep": "no_role"})
    kept_answer = pending_answer.model_copy(update={"keep": "kept", "kept_by": login})
    if _decision(clarification, kept_answer, date.min) is None:
        return pending_answer.model_copy(update={"keep": "not_about_code"})
    return kept_answer


def is_same_answer(reply: Reply, pending_answer: PendingAnswer) -> bool:
    """Whether a reply says what the answer that stands has said; of words only the beginning is kept."""
    is_option = bool(
        pending_answer.choice or pending_answer.choices or pending_answer.answer.points is not None
    )
    if reply.kind is ReplyKind.FREE:
        return not is_option and " ".join((reply.note or "").split()).startswith(pending_answer.said)
    if reply.kind not in {ReplyKind.CHOICE, ReplyKind.DEFAULT} or not is_option:
        return False
    is_same_option = (reply.choice, reply.choices) == (pending_answer.choice, pending_answer.choices)
    is_same_words = dict(reply.words) == (pending_answer.answer.words or {})
    return is_same_option and is_same_words and dict(reply.points) == dict(pending_answer.points)


def chosen_of(clarification: Clarification, pending_answer: PendingAnswer) -> tuple[Choice, ...]:
    """What an answer chose, in the order in which it was offered; nothing for words of one's own."""
    picks = pending_answer.choices or ((pending_answer.choice,) if pending_answer.choice is not None else ())
    return tuple(choice for pick in picks if (choice := choice_of(clarification, pick)) is not None)


def approval_of(path: str, blob: str) -> str:
    """What a record keeps of a file that a person let be written: its path and its content, as `FileChange.blob` has it."""
    return hashlib.sha256(f"{blob} {path}".encode()).hexdigest()[:32]


def exchanges_with(
    clarification: Clarification, pending_answer: PendingAnswer, on: date | None
) -> tuple[Exchange, ...]:
    """A question and its answer, as a pull request tells them; of several points what was decided about each.

    `on` is the day of the run that worked with it.
    """
    points = tuple(_point_exchanges(clarification.question, pending_answer))
    if points and not clarification.question.is_about_plan:
        return points
    return (_exchange(clarification, pending_answer, on), *points)


def _point_exchanges(question: Question, pending_answer: PendingAnswer) -> Iterator[Exchange]:
    """The points that a person has decided, those first that the person changed."""
    choices, words = pending_answer.answer.points, pending_answer.answer.words
    if choices is None:
        return
    order = sorted(question.every_point, key=lambda point: choices.get(point.id) == point.taken)
    for point in order[:_MOST_POINTS]:
        label = decision_label(point, choices, words)
        yield Exchange(question=_short(point.text), answer=_short(label), login=pending_answer.login)
    if len(order) > _MOST_POINTS:
        rest = f"{len(order) - _MOST_POINTS} more points"
        yield Exchange(question=rest, answer="as the issue has them", login=pending_answer.login)


def _exchange(clarification: Clarification, pending_answer: PendingAnswer, on: date | None) -> Exchange:
    chosen_options = chosen_of(clarification, pending_answer)
    is_told_by_label = bool(chosen_options) and not any(choice.needs_text for choice in chosen_options)
    approves = pending_answer.answer.verdict is Verdict.APPROVE
    answer = pending_answer.answer
    if answer.points is not None:
        answer_text = changes_in_short(clarification.question, answer.points, answer.words)
    elif is_told_by_label:
        answer_text = " and ".join(choice.label for choice in chosen_options)
    else:
        answer_text = pending_answer.said
    return Exchange(
        question=_short(clarification.question.text),
        answer=_short(answer_text),
        login=pending_answer.login,
        is_decision=clarification.kind in {StopKind.CONFIRMATION_NEEDED, StopKind.BLOCKED},
        approved=(approval_of(*file_content),)
        if approves and (file_content := _written_file(clarification)) is not None
        else (),
        decision=_decision(clarification, pending_answer, on) if on is not None else None,
    )


def _decision(clarification: Clarification, pending_answer: PendingAnswer, on: date) -> Decision | None:
    """What an answer becomes for later tickets, if somebody with write access said `/decide`."""
    if pending_answer.keep != "kept" or clarification.stage not in BEFORE_CODE_RUNS:
        return None
    answer = pending_answer.answer.model_copy(update={"answered_by": pending_answer.kept_by})
    decision = decision_from(clarification, answer, on=on)
    fits = decision is not None and len(decision.model_dump_json()) <= _LONGEST_DECISION
    return decision if fits else None


def _short(text: str) -> str:
    return text if len(text) <= _EXCHANGE else text[: _EXCHANGE - 1] + "…"


def _written_file(clarification: Clarification) -> tuple[str, str] | None:
    """Path and content of the one file that a call writes, as the person who approved it saw them; None for any other call.

    Nothing else in a call is taken for a path: its text comes from an agent, and may be the name of another file.
    """
    subject = clarification.question.subject or {}
    arguments = subject.get("arguments")
    if subject.get("tool") not in _WRITING or not isinstance(arguments, Mapping):
        return None
    path, result = arguments.get("path"), subject.get("result")
    if subject.get("tool") == "change_file":
        result = f"{arguments.get('mode')} {arguments.get('sha256')}"
    return (path, result) if isinstance(path, str) and isinstance(result, str) else None


def exchanges_of(conversation: Conversation) -> tuple[Exchange, ...]:
    """All questions of a conversation that were answered, the current one included."""
    clarification, pending_answer, at = conversation.question, conversation.given, conversation.run_created_at
    if clarification is None or pending_answer is None:
        return conversation.exchanges
    return (
        *conversation.exchanges,
        *exchanges_with(clarification, pending_answer, at.date() if at is not None else None),
    )


def question_over(conversation: Conversation) -> dict[str, object]:
    """The change that makes history of a question and its answer: nothing said later is late for it."""
    return {
        "answers": conversation.every_answer,
        "exchanges": exchanges_of(conversation),
        **dict.fromkeys(("question", "question_on", "given", "ended")),
    }
