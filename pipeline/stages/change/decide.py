"""The decision: the change may leave, or is refused, or a person is asked. Pure."""

import hashlib
from collections.abc import Callable, Iterable, Mapping

from pipeline.agents.agent import WRITING_TOOLS
from pipeline.agents.gate import Decision
from pipeline.agents.gate_rules import Tier
from pipeline.agents.questions import Escalation, blocked, confirmation, unless_stopped
from pipeline.agents.transcript import Decided
from pipeline.contract.answers import Answers
from pipeline.contract.answers import Verdict as Said
from pipeline.contract.change import Approval, Change, FileChange, JudgedCriterion, TestsReport, Work
from pipeline.contract.change_check import Verdict, check_change
from pipeline.contract.wire import RunIdentity
from pipeline.domain.errors import ChangeRefused
from pipeline.domain.wanted_changes import WantedChanges
from pipeline.stages.change.stage import STAGE, ChangeDraft, ChangeInput
from pipeline.stages.work import Judged, place_in_words

_RULE = "change-check"
"""Whoever lets one of these calls through lets its file be changed; to read a file is something else."""
_SUBJECT_CHARACTERS = 72
_SHOWN_TESTS = 50


def make_change(
    needed: ChangeInput,
    run: RunIdentity,
    *,
    answers: Answers,
    wanted: WantedChanges | None,
    rounds_granted: int,
    decisions: Iterable[Decided],
    gate: Callable[[FileChange], Decision],
    holds_secret: Callable[[str], bool],
) -> ChangeDraft:
    """Let the change out.

    `rounds_granted` counts how often a person has granted all rounds, from 1; `decisions` are those that the
    gate has made, and `gate` is what it says about a file that is changed. `wanted` is what a reviewer asked for, where
    the change continues a pull request.

    Raises:
        Blocked: no round was enough.
        ConfirmationNeeded: a protected file is changed, and nobody has approved that.
        ChangeRefused: something in it may not leave the worktree.
        StoppedByPerson: a person was asked whether to go on, and said no.
    """
    if needed.work.exhausted:
        raise _not_enough(needed, answers, rounds_granted)
    decided = [one for one in decisions if one.verdict is not None]
    draft = ChangeDraft(
        message=_message(needed, wanted),
        files=needed.coder.files,
        work=_work(needed, [_approval(one) for one in decided]),
    )
    approved = {one.target for one in decided if one.verdict == Said.APPROVE and one.tool in WRITING_TOOLS}
    _check(draft.change(run), answers, approved, gate)
    _refuse_secrets(draft, holds_secret)
    return draft


def _not_enough(needed: ChangeInput, answers: Answers, granted: int) -> Exception:
    coded = needed.coder
    why = needed.tests.in_words if not needed.tests.green else "the review asks for changes"
    now = f"round {coded.round}: {needed.tests.in_words}"
    if needed.tests.green and needed.reviewer is not None:
        now = f"round {coded.round}: " + "; ".join(needed.reviewer.objections)
    stop = blocked(
        "work",
        granted,
        Escalation(
            blocked=f"{needed.work.rounds} of {needed.work.rounds} rounds are used: {_line(why)}",
            tried=" · ".join(_line(one) for one in (*coded.history, now)),
            believes=_line(coded.summary),
            question="Shall it go on for as many rounds again, or stop here?",
            default="stop, and leave the repository as it is",
        ),
    )
    return unless_stopped(stop, answers)


def _check(
    change: Change, answers: Answers, approved: set[str], gate: Callable[[FileChange], Decision]
) -> None:
    """Refuse what may not be, and ask about the first protected file that nobody has approved."""
    problems = check_change(change)
    refused = [f"{one.path or 'the change'}: {one.why}" for one in problems if one.verdict is Verdict.REFUSED]
    said = {file.path: gate(file) for file in change.files}
    refused += [f"{path}: {one.why}" for path, one in said.items() if one.tier is Tier.DENY]
    if refused:
        raise _refusal(refused)
    waiting = {
        one.path: Decision(Tier.CONFIRM, _RULE, one.why) for one in problems if one.path is not None
    } | {path: one for path, one in said.items() if one.tier is Tier.CONFIRM}
    for file in change.files:
        if file.path in waiting and file.path not in approved:
            _refuse_unless_approved(file, waiting[file.path], answers)


def _refuse_unless_approved(file: FileChange, decision: Decision, answers: Answers) -> None:
    stop = confirmation(STAGE, "change_file", _as_arguments(file), 1, decision)
    answer = answers.to(stop.question_id)
    if answer is None or answer.verdict is None:
        raise stop
    if answer.verdict is Said.DECLINE:
        raise _refusal([f"{file.path}: {answer.answered_by or 'a person'} declined to change it"])


def _as_arguments(file: FileChange) -> Mapping[str, str]:
    """What exactly would be approved: the file with this very content."""
    content = "deleted" if file.content is None else hashlib.sha256(file.content).hexdigest()
    return {"path": file.path, "mode": file.mode, "sha256": content}


def _refuse_secrets(draft: ChangeDraft, holds_secret: Callable[[str], bool]) -> None:
    texts = {file.path: (file.content or b"").decode("utf-8", "replace") for file in draft.files}
    found = [path for path, text in texts.items() if holds_secret(text) or holds_secret(path)]
    if found:
        raise _refusal([f"{path}: it holds a secret of this run's environment" for path in found])


def _refusal(reasons: list[str]) -> ChangeRefused:
    return ChangeRefused(
        "The change may not leave the worktree.",
        why="\n".join(reasons[:20]),
        what_to_do="Make such changes by hand, or say in the ticket how it can be done without them.",
    )


def _message(needed: ChangeInput, wanted: WantedChanges | None) -> str:
    """The commit's message: what it is about, what was done, and whose words these are if not a model's.

    The first commit is about the ticket; a later one says itself what it changes.
    """
    about = needed.ticket.title if wanted is None else needed.coder.summary
    title = " ".join(about.split())
    if len(title) > _SUBJECT_CHARACTERS:
        title = title[: _SUBJECT_CHARACTERS - 1] + "…"
    paragraphs = [title, needed.coder.summary.strip()]
    said = {
        "scripted": "The replies of the models were scripted: written by hand, for a test of the wiring.",
        "recorded": "The replies of the models were recorded in an earlier run.",
    }.get(needed.coder.told.replies)
    return "\n\n".join([*paragraphs, said] if said else paragraphs)


def _work(needed: ChangeInput, approvals: list[Approval]) -> Work:
    coded, tests, review = needed.coder, needed.tests, needed.reviewer
    costs = [coded.dollars_before, coded.told.dollars, review.told.dollars if review else 0.0]
    known = [cost for cost in costs if cost is not None]
    return Work(
        summary=coded.summary,
        model=coded.told.model,
        replies=coded.told.replies,
        rounds=coded.round,
        tests=TestsReport(
            command=tests.command,
            exit_code=tests.exit_code,
            seconds=tests.seconds,
            passed=tests.passed,
            failed=tests.failed,
            red_before=tests.red_before[:_SHOWN_TESTS],
        ),
        review=tuple(finding.in_words for finding in review.findings) if review else (),
        criteria=tuple(_judged(one) for one in review.criteria) if review else (),
        assumptions=(*coded.assumptions, *coded.self_answered, *(review.self_answered if review else ())),
        approvals=tuple(dict.fromkeys(approvals)),
        dollars=sum(known) if len(known) == len(costs) else None,
    )


def _judged(one: Judged) -> JudgedCriterion:
    place = None if one.path is None else place_in_words(one.path, one.line)
    return JudgedCriterion(criterion=one.criterion, met=one.met, place=place, reason=one.reason)


def _approval(one: Decided) -> Approval:
    return Approval(tool=one.tool, target=one.target, rule=one.rule, why=one.why, verdict=one.verdict or "")


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 200 else line[:199] + "…"
