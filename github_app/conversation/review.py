"""Changes that somebody asks for on the pull request, in a review or a comment."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from github_app.conversation.answering import question_over
from github_app.conversation.event import ConversationEvent, KeyedNotice
from github_app.conversation.message import Code, Line, StartedRun, Text, paragraph
from github_app.conversation.record import CheckVerdict, Conversation, JudgedCheck, RevisionAsked, State
from github_app.conversation.states import MAX_REVISIONS, Trigger
from pipeline.contract.revision import MAX_FAILED_JOBS, ChangesAsked, FailedChecks

_ABOUT_ONE_RUN = frozenset({"budget", "confirmation"})
"""Slots whose answers hold for the work that asked: more of it, none of it, or one certain call."""


@dataclass(frozen=True)
class ChangesRequested(ConversationEvent):
    """Somebody wants the pull request changed, in a review or by a command in a comment.

    `head` is the commit that the pull request stands at, from whatever author; None for one that is closed.
    """

    request: ChangesAsked
    may_ask: bool
    is_empty: bool
    head: str | None

    @property
    def revision(self) -> RevisionAsked:
        """The revision that it wants."""
        return RevisionAsked(asked=self.request)

    def comment_to_react_to(self) -> int | None:
        return self.request.comment_id

    def trigger(self, conversation: Conversation) -> Trigger | None:
        """Whether a run starts; `why_not_taken` says why not."""
        if conversation.pull_request is None or self.revision.source in conversation.reviewed:
            return None
        if not self.may_ask:
            return Trigger.REVIEW_OF_STRANGER
        return (
            Trigger.CHANGES_REQUESTED
            if self.why_not_taken(conversation) is None
            else Trigger.CHANGES_NOT_TAKEN
        )

    def remember(self, conversation: Conversation, trigger: Trigger) -> Conversation:
        if trigger is not Trigger.CHANGES_REQUESTED:
            return conversation
        revision, pull_request = self.revision, conversation.pull_request
        if pull_request is not None and self.head == pull_request.head:
            # What is red by then is mended on the way.
            failed = failed_jobs(pull_request.head, conversation.checks)
            revision = revision.model_copy(update={"failed": failed})
        revising = with_revision(conversation, revision, self.head)
        return revising.model_copy(update={"revisions": conversation.revisions + 1})

    def notice(self, before: Conversation, _after: Conversation, trigger: Trigger) -> KeyedNotice:
        source = self.revision.source
        if trigger is Trigger.CHANGES_REQUESTED:
            login = self.request.asked_by
            line: Line = (
                Text("I am working on the changes that "),
                Code(login),
                Text(" requested"),
                StartedRun(": run "),
                Text("."),
            )
            return f"revising:{source}", [paragraph(*line)]
        why = _WHY_NOT_TAKEN[self.why_not_taken(before) or "busy"]
        return f"not-taken:{source}", [paragraph(Text(f"I have **not** started: {why}"))]

    def why_not_taken(
        self, conversation: Conversation
    ) -> Literal["busy", "asking", "empty", "limit", "closed", "issue_closed"] | None:
        """Why no run starts; None when one does."""
        if conversation.state is State.CLOSED:
            return "issue_closed"
        if self.head is None:
            return "closed"
        if self.is_empty:
            return "empty"
        if conversation.state is State.REVISING:
            return "busy"
        if conversation.state is State.ASKING_IN_REVIEW:
            return "asking"
        return "limit" if conversation.revisions >= MAX_REVISIONS else None


def with_revision(conversation: Conversation, revision: RevisionAsked, head: str | None) -> Conversation:
    """What the run for a revision starts from. Answers about the work of one run do not hold for it."""
    return conversation.model_copy(
        update={
            "revision": revision,
            "reviewed": (*conversation.reviewed, revision.source),
            "commit": head,
            "memo": None,
            **question_over(conversation),
            "answers": tuple(
                answer for answer in conversation.every_answer if answer.slot not in _ABOUT_ONE_RUN
            ),
        }
    )


def to_mend(checks: Iterable[JudgedCheck]) -> tuple[JudgedCheck, ...]:
    """The checks that one revision works on: broken by the change, with a log that tells how."""
    broken_checks = [
        check for check in checks if check.verdict is CheckVerdict.BROKEN and check.job_id is not None
    ]
    return tuple(broken_checks[:MAX_FAILED_JOBS])


def failed_jobs(commit: str, checks: Iterable[JudgedCheck]) -> FailedChecks | None:
    """The checks of a commit to mend, as a run is told them; None where there is none."""
    jobs = tuple(check.job_id for check in to_mend(checks) if check.job_id is not None)
    return FailedChecks(commit=commit, jobs=jobs) if jobs else None


_WHY_NOT_TAKEN = {
    "busy": "a run is changing this already. Ask again when it has ended, or stop it with `/cancel`.",
    "asking": "there is a question above that I need answered first.",
    "empty": "I found no description of the change. Write them in the review, or comment `/revise` and one sentence.",
    "limit": f"this was changed {MAX_REVISIONS} times already. A person should go on from here.",
    "closed": "this pull request is closed. Reopen it and ask again, or label the issue `askfirst` again.",
    "issue_closed": "the issue of this pull request is closed. To have it changed, reopen the issue and label it `askfirst` "
    "again: I then open another pull request.",
}
