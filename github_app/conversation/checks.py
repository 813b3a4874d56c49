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
from enum import StrEnum

from github_app.conversation.effects import StoredModel
from pipeline.contract.revision import MAX_FAILED_JOBS, FailedChecks

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


class CheckVerdict(StrEnum):
    """What a check says of the change. `ENDED` says nothing: it was cancelled, or waits for somebody's approval."""

    RUNNING = "running"
    PASSED = "passed"
    BROKEN = "broken"
    RED_BEFORE = "red before"
    UNKNOWN = "unknown"
    ENDED = "ended"


class JudgedCheck(StoredModel):
    """A check of the head with its verdict. `name` is that of the check, and of its App where another one has such a check, too.
    `job_id` is that of the job whose log tells why, or that still runs.
    """

    name: str
    verdict: CheckVerdict
    job_id: int | None = None


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


def failed_checks(head: str, checks: Sequence[JudgedCheck]) -> FailedChecks | None:
    """What a revision of the head has to mend; None while a job runs, or where the change broke nothing."""
    jobs = tuple(check.job_id for check in to_mend(checks) if check.job_id is not None)
    return FailedChecks(commit=head, jobs=jobs) if jobs and are_settled(checks) else None


def are_settled(checks: Iterable[JudgedCheck]) -> bool:
    """Whether no job runs any more. A check of another service may run for days: nothing waits for it."""
    return not any(check.verdict is CheckVerdict.RUNNING and check.job_id is not None for check in checks)


def to_mend(checks: Iterable[JudgedCheck]) -> tuple[JudgedCheck, ...]:
    """The checks that one revision works on: broken by the change, with a log that tells how."""
    broken_checks = [
        check for check in checks if check.verdict is CheckVerdict.BROKEN and check.job_id is not None
    ]
    return tuple(broken_checks[:MAX_FAILED_JOBS])


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
