"""Notices about a run: how it ended, and that it could not be started."""

from typing import assert_never

from github_app.conversation import events
from github_app.conversation.effects import (
    ChangeNotPublished,
    DaySpent,
    LimitReached,
    Notice,
    NoticeOfRun,
    RunFailed,
    RunNotStarted,
    RunUnreadable,
    TicketReady,
)
from github_app.conversation.message import Block, Code, Line, Paragraph, Prose, RunLink, Strong, Text
from github_app.conversation.notices.phrases import LABEL_AGAIN
from github_app.conversation.notices.ticket_ready import ticket_ready
from github_app.conversation.record import Conversation, State
from github_app.conversation.states import MAX_ROUNDS, Trigger
from pipeline.contract.failure import Failure
from pipeline.contract.ticket import Ticket

_ASK_AGAIN = "ask for the changes once more"
_NO_CHANGE = "the run ended without one"
_ASKED_AGAIN = "it asked again what has been answered already"


def notice_of_run(
    before: Conversation,
    event: events.RunEnded | events.StartRefused | events.StartPostponed,
    trigger: Trigger,
) -> tuple[str, Notice]:
    """The key of a notice and the notice itself."""
    if isinstance(event, events.StartRefused):
        key = f"not-started:{event.question_id}:{event.comment_id}"
        return key, RunNotStarted(status=event.status, message=event.message)
    if isinstance(event, events.StartPostponed):
        day = event.day
        run_id = event.run.run_id if event.run else None
        notice = DaySpent(dollars=day.dollars, limit=day.limit, until=day.until, run_id=run_id)
        return f"spent:{day.until:%Y-%m-%d}", notice
    return f"run:{event.run.run_id}.{event.run.attempt}", _of_ending(before, event, trigger)


def _of_ending(before: Conversation, event: events.RunEnded, trigger: Trigger) -> Notice:
    ending, run_id = event.ending, event.run.run_id
    if trigger is Trigger.RUN_ASKED_TOO_OFTEN:
        return LimitReached(what="rounds", limit=MAX_ROUNDS)
    if isinstance(ending, Ticket) and before.state is State.REVISING:
        return ChangeNotPublished(why=_NO_CHANGE, run_id=run_id)
    if isinstance(ending, Ticket):
        return TicketReady(ticket=ending, run_id=run_id)
    if isinstance(ending, Failure):
        return RunFailed(failure=ending, run_id=run_id)
    return RunUnreadable(why=_ASKED_AGAIN if ending is not None else event.why, run_id=run_id)


def run_blocks(conversation: Conversation, notice: NoticeOfRun) -> list[Block]:
    """How it reads."""
    match notice:
        case TicketReady():
            return ticket_ready(notice.ticket, notice.run_id)
        case RunFailed():
            return _run_failed(conversation, notice)
        case RunUnreadable():
            return _run_unreadable(conversation, notice)
        case RunNotStarted():
            return _run_not_started(notice)
        case LimitReached():
            return _limit_reached(notice)
        case DaySpent():
            return _day_spent(notice)
        case _:
            assert_never(notice)


def _again(conversation: Conversation) -> str:
    return LABEL_AGAIN if conversation.revision is None else _ASK_AGAIN


def _run_failed(conversation: Conversation, notice: RunFailed) -> list[Block]:
    failure = notice.failure
    is_precondition = failure.kind == "PreconditionFailed"
    opening = "I have not started:" if is_precondition else "The run ended with an error:"
    lines: list[Block] = [Paragraph(((Strong((Text(opening),)), Text(" "), Prose(failure.message)),))]
    if failure.why:
        lines.append(Paragraph(((Text("Why: "), Prose(failure.why)),)))
    if failure.what_to_do:
        lines.append(Paragraph(((Text("What to do: "), Prose(failure.what_to_do)),)))
    stage: Line = (Text(", stage "), Code(failure.stage)) if failure.stage else ()
    lines.append(
        Paragraph(
            (
                (
                    Text("Nothing was changed. Run "),
                    RunLink(str(notice.run_id)),
                    *stage,
                    Text(f". When this is fixed, {_again(conversation)}."),
                ),
            )
        )
    )
    return lines


def _run_unreadable(conversation: Conversation, notice: RunUnreadable) -> list[Block]:
    line: Line = (
        Strong((Text("The run ended without a result that I can use:"),)), Text(" "), Prose(notice.why), Text(". Nothing was changed. See run "),
        RunLink(str(notice.run_id)), Text(f"; to try once more, {_again(conversation)}."),
    )  # fmt: skip
    return [Paragraph((line,))]


def _run_not_started(notice: RunNotStarted) -> list[Block]:
    line: Line = (
        Strong((Text("I could not start the run:"),)), Text(f" GitHub answered {notice.status}, “"), Prose(notice.message),
        Text("”. Is `.github/workflows/askfirst.yml` on the default branch, enabled, and written by `askfirst init --app`? May "
             "Actions run here? When this is fixed, reply again with `/answer` and the number."),
    )  # fmt: skip
    return [Paragraph((line,))]


def _limit_reached(notice: LimitReached) -> list[Block]:
    line: Line = (
        Strong((Text(f"I stop here after {notice.limit} {notice.what}."),)),
        Text(" More is open than a ticket should leave open. Nothing was changed. Add the "
             f"answers to the ticket, and {LABEL_AGAIN}."),
    )  # fmt: skip
    return [Paragraph((line,))]


def _day_spent(notice: DaySpent) -> list[Block]:
    about_run: Line = (Text("I have not started the next run."),)
    if notice.run_id is not None:
        about_run = (Text("I have cancelled run "), RunLink(str(notice.run_id)), Text("."))
    line: Line = (
        Strong((Text("I go on tomorrow:"),)),
        Text(f" the runs of this repository have cost ${notice.dollars:.2f} today, and its limit is ${notice.limit:.2f} a day. "),
        *about_run,
        Text(f" I start it by myself on {notice.until:%Y-%m-%d}, in the first hour after 00:00 UTC. You need not do anything. To "
             "stop it, comment `/cancel`. Whoever runs this App can set another limit (`ASKFIRST_DOLLARS_PER_DAY`)."),
    )  # fmt: skip
    return [Paragraph((line,))]
