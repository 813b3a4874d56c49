"""The checks of a pull request's head: which of them the change broke, and what follows from that. Pure.

A check is known by its App and its name, as GitHub's required checks are. Of two with the same, such as the jobs of a push and
of a pull request, the red one counts, as soon as no job of that name runs.

    on the head   on the base            verdict
    running       any                    RUNNING
    green         any                    PASSED
    red           green, and none red    BROKEN: the change is to blame, and is mended where there is a log to read
    red           red                    RED_BEFORE: not charged
    red           no result yet          UNKNOWN: not charged
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from github_app.conversation.event import ConversationEvent, KeyedNotice
from github_app.conversation.message import Code, Line, StartedRun, Strong, Text, joined, paragraph
from github_app.conversation.record import (
    CheckVerdict,
    Conversation,
    JudgedCheck,
    RevisionAsked,
    State,
)
from github_app.conversation.review import failed_jobs, to_mend, with_revision
from github_app.conversation.states import MAX_CHECK_REVISIONS, Trigger
from github_app.conversation.wording.phrases import LONGEST_NAME

_RED = frozenset({"failure", "timed_out", "startup_failure"})
_WITH_LOG = _RED - {"startup_failure"}
"""A job that never began has no log that tells why: it is said, and not mended."""
_GREEN = frozenset({"success", "neutral", "skipped"})


@dataclass(frozen=True)
class Check:
    """A check of a commit. `conclusion` is None while it runs; `job_id` is None where no job of Actions is behind it; `app` is the
    slug of the App that made it, and empty where GitHub names none.
    """

    name: str
    conclusion: str | None
    job_id: int | None
    app: str = ""


@dataclass(frozen=True)
class ChecksSeen(ConversationEvent):
    """The current checks of the pull request's head. `head` may be a commit that we did not make."""

    head: str
    checks: tuple[JudgedCheck, ...]

    def trigger(self, conversation: Conversation) -> Trigger | None:
        """One revision for one head, however often its checks are seen."""
        pull_request = conversation.pull_request
        if pull_request is None:
            return None
        if not pull_request.is_ours(self.head):
            mends = conversation.revision is not None and conversation.revision.asked is None
            if mends and conversation.state is State.REVISING:
                return Trigger.MENDING_OVERTAKEN
            return None if pull_request.is_taken_over else Trigger.BRANCH_PUSHED
        if self.head != pull_request.head:
            return None
        revision = self._revision()
        is_over = pull_request.is_taken_over or conversation.state is not State.PUBLISHED
        if is_over or revision is None or revision.source in conversation.reviewed:
            return None if self.checks == conversation.checks else Trigger.CHECKS_SEEN
        is_left = conversation.check_revisions < MAX_CHECK_REVISIONS
        return Trigger.CHECKS_FAILED if is_left else Trigger.CHECKS_FAILED_TOO_OFTEN

    def remember(self, conversation: Conversation, trigger: Trigger) -> Conversation:
        pull_request, revision = conversation.pull_request, self._revision()
        if pull_request is not None and self.head == pull_request.head:
            conversation = conversation.model_copy(update={"checks": self.checks})
        if trigger is Trigger.CHECKS_FAILED and revision is not None:
            revising = with_revision(conversation, revision, self.head)
            return revising.model_copy(update={"check_revisions": conversation.check_revisions + 1})
        if trigger is Trigger.CHECKS_FAILED_TOO_OFTEN and revision is not None:
            return conversation.model_copy(update={"reviewed": (*conversation.reviewed, revision.source)})
        if pull_request is None or trigger is Trigger.CHECKS_SEEN:
            return conversation
        taken_over = pull_request.model_copy(update={"is_taken_over": True})
        return conversation.model_copy(update={"pull_request": taken_over})

    def notice(self, _before: Conversation, after: Conversation, trigger: Trigger) -> KeyedNotice:
        names, count = self._names(), after.check_revisions
        match trigger:
            case Trigger.MENDING_OVERTAKEN:
                key, line = f"overtaken:{self.head}", _OVERTAKEN
            case Trigger.CHECKS_FAILED:
                passes = "passes" if len(to_mend(self.checks)) == 1 else "pass"
                key, line = f"checks:{self.head}", (
                    *names,
                    Text(f" here and {passes} on the base. I work on it from the end of the log: revision {count} of {MAX_CHECK_REVISIONS}"),
                    StartedRun(", run "), Text(". A push onto the branch stops me."),
                )  # fmt: skip
            case _:
                key, line = f"checks-given-up:{self.head}", (
                    Strong((Text("I stop here:"),)), Text(" "), *names,
                    Text(f" after {count} revisions. A person should go on. {_TO_GO_ON}"),
                )  # fmt: skip
        return key, [paragraph(*line)]

    def _revision(self) -> RevisionAsked | None:
        """The revision that mends the checks; None while a job runs, or where the change broke nothing."""
        failed = failed_jobs(self.head, self.checks)
        return RevisionAsked(failed=failed) if failed is not None and are_settled(self.checks) else None

    def _names(self) -> Line:
        names = [(Code(check.name[:LONGEST_NAME]),) for check in to_mend(self.checks)]
        return (*joined(names, ", "), Text(" fails" if len(names) == 1 else " fail"))


_TO_GO_ON = "To have me go on, comment `/revise` and a sentence."
_OVERTAKEN: Line = (
    Strong((Text("Somebody pushed onto this branch"),)), Text(" while I worked on its checks. I have stopped, and push"
    f" nothing more by myself. {_TO_GO_ON}"),
)  # fmt: skip


def judge(head: Iterable[Check], base: Iterable[Check]) -> tuple[JudgedCheck, ...]:
    """The checks of the head, one of each App and name, in the order of their names."""
    on_head, on_base = _by_identity(head), _by_identity(base)
    apps = Counter(name for name, _app in on_head)
    return tuple(
        _judged_check(
            f"{name} ({app})" if apps[name] > 1 and app else name, checks, on_base.get((name, app), [])
        )
        for (name, app), checks in sorted(on_head.items())
    )


def has_red(checks: Iterable[Check]) -> bool:
    """Whether any check is red: only then the base has to be looked at."""
    return any(check.conclusion in _RED for check in checks)


def are_settled(checks: Iterable[JudgedCheck]) -> bool:
    """Whether no job runs any more. A check of another service may run for days: nothing waits for it."""
    return not any(check.verdict is CheckVerdict.RUNNING and check.job_id is not None for check in checks)


def _by_identity(checks: Iterable[Check]) -> dict[tuple[str, str], list[Check]]:
    checks_by_identity: dict[tuple[str, str], list[Check]] = {}
    for check in checks:
        checks_by_identity.setdefault((check.name, check.app), []).append(check)
    return checks_by_identity


def _judged_check(name: str, head: Sequence[Check], base: Sequence[Check]) -> JudgedCheck:
    red = [check for check in head if check.conclusion in _RED]
    running = [check for check in head if check.conclusion is None]
    running_jobs = [check.job_id for check in running if check.job_id is not None]
    if red and not running_jobs:
        jobs = [check.job_id for check in red if check.job_id is not None and check.conclusion in _WITH_LOG]
        return JudgedCheck(name=name, verdict=_verdict_of_red(base), job_id=max(jobs, default=None))
    if running:
        return JudgedCheck(name=name, verdict=CheckVerdict.RUNNING, job_id=max(running_jobs, default=None))
    has_passed = any(check.conclusion in _GREEN for check in head)
    return JudgedCheck(name=name, verdict=CheckVerdict.PASSED if has_passed else CheckVerdict.ENDED)


def _verdict_of_red(base: Sequence[Check]) -> CheckVerdict:
    if has_red(base):
        return CheckVerdict.RED_BEFORE
    # A check that was skipped on the base has not passed there.
    return (
        CheckVerdict.BROKEN if any(check.conclusion == "success" for check in base) else CheckVerdict.UNKNOWN
    )
