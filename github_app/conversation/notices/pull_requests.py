"""Notices about the pull request: opened, changed again, refused, and what was asked for there."""

from typing import Literal, assert_never

from github_app.conversation import events
from github_app.conversation.effects import (
    ChangeNotPublished,
    ChecksFailed,
    Notice,
    NoticeOfPullRequest,
    PullRequestOpened,
    PullRequestRevised,
    RevisionNotTaken,
    RevisionStarted,
)
from github_app.conversation.message import (
    Block,
    Bullets,
    Code,
    Line,
    Paragraph,
    Prose,
    PullRequestLink,
    RunLink,
    Strong,
    Text,
)
from github_app.conversation.notices.checks import checks_failed, notice_of_checks
from github_app.conversation.notices.phrases import LONGEST_NAME
from github_app.conversation.record import Conversation, RevisionAsked, State
from github_app.conversation.states import MAX_REVISIONS, Trigger
from github_app.conversation.wording.published import criterion_line, results_of_tests, whose_words

_MOST_WISHES = 20


def notice_of_pull_request(
    before: Conversation, conversation: Conversation, event: events.OnThePullRequest, trigger: Trigger
) -> tuple[str, Notice]:
    """The key of a notice and the notice itself."""
    match event:
        case events.ChangePublished():
            return _of_change(before, event)
        case events.PublishRefused():
            refused_change = ChangeNotPublished(
                why=event.why, run_id=event.run.run_id, branch=event.branch or ""
            )
            return f"change:{event.run.run_id}.{event.run.attempt}", refused_change
        case events.ChangesRequested():
            return _of_request(before, event, trigger)
        case events.ChecksSeen():
            return notice_of_checks(conversation, event, trigger)
        case events.RevisionNotStarted():
            detail = f"{event.status}, {event.message}"
            return f"revision-not-started:{event.source}", RevisionNotTaken(why="refused", detail=detail)
        case _:
            assert_never(event)


def why_not_taken(
    conversation: Conversation, event: events.ChangesRequested
) -> Literal["busy", "asking", "empty", "limit", "closed", "issue_closed"] | None:
    """Why changes that somebody asked for start no run; None when they do."""
    if conversation.state is State.CLOSED:
        return "issue_closed"
    if event.head is None:
        return "closed"
    if event.is_empty:
        return "empty"
    if conversation.state is State.REVISING:
        return "busy"
    if conversation.state is State.ASKING_IN_REVIEW:
        return "asking"
    return "limit" if conversation.revisions >= MAX_REVISIONS else None


def _of_request(before: Conversation, event: events.ChangesRequested, trigger: Trigger) -> tuple[str, Notice]:
    source = RevisionAsked(asked=event.request).source
    if trigger is Trigger.CHANGES_REQUESTED:
        return f"revising:{source}", RevisionStarted(login=event.request.asked_by)
    return f"not-taken:{source}", RevisionNotTaken(why=why_not_taken(before, event) or "busy")


def _of_change(before: Conversation, event: events.ChangePublished) -> tuple[str, Notice]:
    key = f"change:{event.run.run_id}.{event.run.attempt}"
    work = event.work
    replies = work.replies if work else None
    if before.pull_request is None:
        return key, PullRequestOpened(number=event.pull_request.number, replies=replies)
    tests = work.tests.model_copy(update={"command": work.tests.command[:LONGEST_NAME]}) if work else None
    return key, PullRequestRevised(
        commit=event.pull_request.head,
        wishes=tuple(criterion for criterion in work.criteria if criterion.is_wish)[:_MOST_WISHES]
        if work
        else (),
        tests=tests,
        replies=replies,
        run_id=event.run.run_id,
    )


def pull_request_blocks(conversation: Conversation, notice: NoticeOfPullRequest) -> list[Block]:
    """How it reads."""
    match notice:
        case PullRequestOpened():
            return _pull_request_opened(notice)
        case PullRequestRevised():
            return _pull_request_revised(notice)
        case ChangeNotPublished():
            return _change_refused(notice, conversation)
        case RevisionStarted():
            return _revision_started(notice, conversation)
        case RevisionNotTaken():
            return [Paragraph((_not_taken(notice),))]
        case ChecksFailed():
            return checks_failed(notice, conversation)
        case _:
            assert_never(notice)


def _pull_request_opened(notice: PullRequestOpened) -> list[Block]:
    line: Line = (
        Strong((Text("The change is there: "), PullRequestLink(notice.number))),
        Text(". It is a draft: read it, and mark it ready. To have it changed, request changes in a review there, or "
             "comment `/revise` and a sentence."),
    )  # fmt: skip
    return [Paragraph((line,)), *whose_words(notice.replies)]


def _pull_request_revised(notice: PullRequestRevised) -> list[Block]:
    line: Line = (
        Strong((Text("I have changed it again:"),)), Text(" "), Text(notice.commit[:7]), Text(", run "),
        RunLink(str(notice.run_id)), Text("."),
    )  # fmt: skip
    return [
        Paragraph((line,)),
        *([Bullets(tuple(map(criterion_line, notice.wishes)))] if notice.wishes else []),
        *results_of_tests(notice.tests),
        *whose_words(notice.replies),
    ]


def _change_refused(notice: ChangeNotPublished, conversation: Conversation) -> list[Block]:
    again = (
        "To try again, label the issue `askfirst` again."
        if conversation.pull_request is None
        else "To try again, ask for the changes once more."
    )
    what_is_there: Line = (Text("Nothing was changed."),)
    if notice.branch:
        what_is_there = (
            Text("Its commit is on the branch "), Code(notice.branch),
            Text(": open a pull request from there yourself, or delete the branch."),
        )  # fmt: skip
    line: Line = (
        Strong((Text("I have not published the change:"),)), Text(" "), Prose(notice.why), Text(". "), *what_is_there,
        Text(" See run "), RunLink(str(notice.run_id)), Text(f". {again}"),
    )  # fmt: skip
    return [Paragraph((line,))]


def _revision_started(notice: RevisionStarted, conversation: Conversation) -> list[Block]:
    run_id = conversation.revision.run_id if conversation.revision else None
    run_link: Line = (Text(": run "), RunLink(str(run_id))) if run_id is not None else ()
    return [
        Paragraph(
            (
                (
                    Text("I am working on the changes that "),
                    Code(notice.login),
                    Text(" requested"),
                    *run_link,
                    Text("."),
                ),
            )
        )
    ]


def _not_taken(notice: RevisionNotTaken) -> Line:
    not_started = Text("I have **not** started: ")
    match notice.why:
        case "busy":
            return (
                not_started,
                Text(
                    "a run is changing this already. Ask again when it has ended, or stop it with `/cancel`."
                ),
            )
        case "asking":
            return (not_started, Text("there is a question above that I need answered first."))
        case "empty":
            return (not_started, Text("I found no description of the change. Write them in the review, or "
                                  "comment `/revise` and one sentence."))  # fmt: skip
        case "limit":
            return (
                not_started,
                Text(f"this was changed {MAX_REVISIONS} times already. A person should go on from here."),
            )
        case "closed":
            return (
                not_started,
                Text(
                    "this pull request is closed. Reopen it and ask again, or label the issue `askfirst` again."
                ),
            )
        case "issue_closed":
            return (
                not_started,
                Text(
                    "the issue of this pull request is closed. To have it changed, reopen the issue and label it `askfirst`"
                    " again: I then open another pull request."
                ),
            )
        case "refused":
            return (not_started, Text("GitHub answered “"), Prose(notice.detail), Text("”. Is "
                    "`.github/workflows/askfirst.yml` on the default branch and enabled? Then ask again."))  # fmt: skip
        case _:
            assert_never(notice.why)
