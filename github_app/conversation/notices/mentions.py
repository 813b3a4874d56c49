"""Notices to people who write to us: what their comment leads to, or why to nothing."""

from typing import assert_never

from github_app.conversation import events
from github_app.conversation.effects import MentionAnswered, Notice
from github_app.conversation.message import Block, Code, Line, Paragraph, Prose, RunLink, Text
from github_app.conversation.record import Conversation
from github_app.conversation.states import Trigger

_HOW_TO = (
    "`@askfirst` alone starts, `@askfirst stop` stops, `@askfirst` and a sentence is a note to a run that builds;"
    " on the pull request, `/revise` and a sentence asks for changes."
)


def notice_of_mention(
    event: events.MentionReceived | events.MentionNotStarted, trigger: Trigger
) -> tuple[str, Notice]:
    """A refusal is said once for each person, whatever they write; the others once for each comment."""
    if isinstance(event, events.MentionNotStarted):
        detail = f"{event.status}, {event.message}"
        return f"mention-not-started:{event.comment_id}", MentionAnswered(how="not_started", detail=detail)
    match trigger:
        case Trigger.MENTION_ACCEPTED:
            return f"mention:{event.comment_id}", MentionAnswered(how="started", login=event.login)
        case Trigger.NOTE_WRITTEN:
            return f"mention:{event.comment_id}", MentionAnswered(how="noted", login=event.login)
        case Trigger.MENTION_REFUSED:
            return f"mention-refused:{event.login}", MentionAnswered(how="refused", login=event.login)
        case _:
            return f"mention-in-vain:{event.login}", MentionAnswered(how="in_vain", login=event.login)


def mention_answered(conversation: Conversation, notice: MentionAnswered) -> list[Block]:
    """How it reads."""
    return [Paragraph((_line(conversation, notice),))]


def _line(conversation: Conversation, notice: MentionAnswered) -> Line:
    match notice.how:
        case "started":
            run_id = conversation.mention.run_id if conversation.mention else None
            run_link: Line = (Text(": run "), RunLink(str(run_id))) if run_id is not None else ()
            return (
                Text("I am working on this issue as it is written now"), *run_link,
                Text(". I will ask here if something is unclear, and report the result otherwise. To stop: `@askfirst stop`."),
            )  # fmt: skip
        case "noted":
            return (
                Text("I hand this note to the next round of the running build, as information beside the ticket. If no round "
                     "follows, nobody reads it: then ask for the change with `/revise` on the pull request."),
            )  # fmt: skip
        case "refused":
            return (
                Text("I have **not** started: "), Code(notice.login),
                Text(" has no write access here, and starting a run takes it. Somebody who has it can write `@askfirst` or "
                     "set the label `askfirst`."),
            )  # fmt: skip
        case "not_started":
            return (
                Text("I could not start the run: GitHub answered “"), Prose(notice.detail), Text("”. Is "
                     "`.github/workflows/askfirst.yml` on the default branch and enabled? Then write `@askfirst` again."),
            )  # fmt: skip
        case "in_vain":
            return (Text(f"I have **not** done anything: I cannot use this comment now. {_HOW_TO}"),)
        case _:
            assert_never(notice.how)
