"""The words about a reply from a surface: the comment that passes it on, and the sentences for the person."""

from github_app.conversation.answering import chosen_of
from github_app.conversation.message import Code, Line, Message, Paragraph, Prose, Text
from github_app.conversation.record import Conversation, PendingAnswer
from pipeline.contract.choices import Choice, choice_of, choices, default_choice
from pipeline.contract.clarification import Clarification
from pipeline.contract.point_reply import changes_in_short, point_replies_in_plain_text
from pipeline.contract.reply_meaning import Reply, ReplyKind


def reply_comment(clarification: Clarification, reply: Reply, login: str, surface: str) -> Message:
    """The comment that passes a reply on. Words of one's own stand behind `/answer`, where a run looks for them."""
    head: Line = (Code(login), Text(" replied on "), Code(surface), Text(":"))
    picks = reply.choices or ((reply.choice,) if reply.choice is not None else ())
    chosen_options = [choice for pick in picks if (choice := choice_of(clarification, pick)) is not None]
    if reply.kind is ReplyKind.CANCEL:
        reply_line: Line = (Text("/cancel"),)
    elif clarification.question.has_points and reply.kind is not ReplyKind.FREE:
        short = changes_in_short(clarification.question, dict(reply.points), dict(reply.words))
        reply_line = (Prose(short),)
    elif not chosen_options or any(choice.needs_text for choice in chosen_options):
        reply_line = (Text("/answer "), Prose(reply.note or ""))
    else:
        lines = map(_choice_line, chosen_options)
        reply_line = tuple(part for line in lines for part in (Text(" and "), *line))[1:]
    blocks = (Paragraph((head,)), Paragraph((reply_line,)))
    return Message(blocks, clarification.run.repository, clarification.run.issue)


def _choice_line(choice: Choice) -> Line:
    number = (Text(f"**{choice.number}**, "),) if choice.number else ()
    return (*number, Code(choice.label))


def why_over(conversation: Conversation | None) -> str:
    """Why a question takes no answer any more."""
    if conversation is None or conversation.given is None or conversation.question is None:
        return "This question is over, so nothing was done with your reply. If it is still wanted, reply on GitHub."
    pending_answer = conversation.given
    place = f" on {pending_answer.surface}" if pending_answer.surface is not None else ""
    answer = in_short(conversation.question, pending_answer)
    return f"{pending_answer.login} has answered{place} already: {answer}. To change it, reply /answer on GitHub."


def in_short(clarification: Clarification, pending_answer: PendingAnswer) -> str:
    """The answer: the labels of the chosen options, else the person's words."""
    answer = pending_answer.answer
    if answer.points is not None:
        return changes_in_short(clarification.question, answer.points, answer.words)
    return (
        " and ".join(choice.label for choice in chosen_of(clarification, pending_answer))
        or pending_answer.said
    )


def how_to_reply_shortly(clarification: Clarification) -> str:
    """What would be accepted, in one line of plain text."""
    if clarification.question.has_points:
        return point_replies_in_plain_text(clarification.question)
    parts = [str(choice.number) for choice in choices(clarification)]
    default = default_choice(clarification)
    if default is not None and not default.needs_text:
        parts.append(f"go for {default.number}")
    if clarification.question.multiple:
        parts.append("all")
    return f"Reply {', '.join([*parts, '/answer and one sentence'])}."


NO_ROLE = (
    "You may not answer this question: that takes its author, an assignee, or write access to the repository."
)
NOT_MAPPED = "The App's settings do not say who you are on GitHub, so nothing was done with your reply. Reply on GitHub."
ISSUE_CLOSED = "The issue is closed or locked, so nothing was done with your reply. To go on, open it and label it askfirst again."
NOT_HERE = "This question is too long to be shown here, so it is answered on GitHub only. Nothing was done with your reply."
NOTHING_ASKED = (
    "No question is open here, so nothing was done with your reply. Questions stand here when an issue on GitHub names this"
    " ticket and gets the label askfirst."
)
TOO_OLD = (
    "This question was open until its last day, and that is over. If it is still wanted, reply on GitHub."
)
OTHER_KEY = (
    "This message is from before the App's keys or settings were changed, so nothing was done with your reply. Its link leads"
    " to GitHub: reply there."
)
