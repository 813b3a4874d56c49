"""Notices about the checks of a pull request: that they are mended, and when that ends."""

from collections.abc import Sequence

from github_app.conversation import events
from github_app.conversation.checks import to_mend
from github_app.conversation.effects import ChecksFailed, Notice
from github_app.conversation.message import Block, Code, Line, Paragraph, RunLink, Strong, Text
from github_app.conversation.notices.phrases import LONGEST_NAME
from github_app.conversation.record import Conversation
from github_app.conversation.states import MAX_CHECK_REVISIONS, Trigger

_TO_GO_ON = "To have me go on, comment `/revise` and a sentence."


def notice_of_checks(
    conversation: Conversation, event: events.ChecksSeen, trigger: Trigger
) -> tuple[str, Notice]:
    """The key of a notice and the notice itself."""
    if trigger is Trigger.MENDING_OVERTAKEN:
        return f"overtaken:{event.head}", ChecksFailed(how="overtaken")
    names = tuple(check.name[:LONGEST_NAME] for check in to_mend(event.checks))
    after = conversation.check_revisions
    if trigger is Trigger.CHECKS_FAILED:
        return f"checks:{event.head}", ChecksFailed(how="mending", names=names, after=after)
    return f"checks-given-up:{event.head}", ChecksFailed(how="given_up", names=names, after=after)


def checks_failed(notice: ChecksFailed, conversation: Conversation) -> list[Block]:
    """How it reads."""
    return [Paragraph((_line(notice, conversation),))]


def _line(notice: ChecksFailed, conversation: Conversation) -> Line:
    match notice.how:
        case "mending":
            run_id = conversation.revision.run_id if conversation.revision else None
            run: Line = (Text(", run "), RunLink(str(run_id))) if run_id is not None else ()
            return (
                *_names(notice.names),
                Text(f" here and {_pass(notice.names)} on the base. I work on it from the end of the log: revision {notice.after} of {MAX_CHECK_REVISIONS}"), *run,
                Text(". A push onto the branch stops me."),
            )  # fmt: skip
        case "given_up":
            return (
                Strong((Text("I stop here:"),)), Text(" "), *_names(notice.names),
                Text(f" after {notice.after} revisions. A person should go on. {_TO_GO_ON}"),
            )  # fmt: skip
        case "overtaken":
            return (
                Strong((Text("Somebody pushed onto this branch"),)), Text(" while I worked on its checks. I have stopped, and push"
                f" nothing more by myself. {_TO_GO_ON}"),
            )  # fmt: skip


def _names(names: Sequence[str]) -> Line:
    parts = tuple(part for name in names for part in (Text(", "), Code(name)))[1:]
    return (*parts, Text(" fails" if len(names) == 1 else " fail"))


def _pass(names: Sequence[str]) -> str:
    return "passes" if len(names) == 1 else "pass"
