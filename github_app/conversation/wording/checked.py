"""What is said about the checks of a pull request: that they are mended, and when that ends."""

from collections.abc import Sequence

from github_app.conversation.effects import ChecksFailed
from github_app.conversation.message import Block, Code, Line, Paragraph, RunLink, Strong, Text
from github_app.conversation.record import Conversation
from github_app.conversation.states import MAX_CHECK_REVISIONS

_TO_GO_ON = "To have me go on, comment `/revise` and what shall be different."


def checks_failed(notice: ChecksFailed, conversation: Conversation) -> list[Block]:
    """The comment for checks that the change broke."""
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
