"""The decision: the change may leave, or is refused, or a person is asked. Pure."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from pipeline.agents.escalation import Escalation, LastWord, one_line
from pipeline.agents.questions import budget_stop, untold
from pipeline.contract.answers import Answers, Verdict
from pipeline.contract.change import Approval, Change, FileChange, JudgedCriterion, Work
from pipeline.contract.change_check import ChangeVerdict, check_change
from pipeline.contract.install_hooks import check_install_hooks
from pipeline.contract.wire import RunIdentity
from pipeline.domain.errors import ChangeRefused
from pipeline.domain.stops import Blocked
from pipeline.domain.wanted_changes import WantedChanges
from pipeline.gate.confirmation import confirmation
from pipeline.gate.decision_log import GateLogEntry
from pipeline.gate.gate import GateDecision
from pipeline.gate.rules import Tier
from pipeline.gate.tool_names import WRITING_TOOLS
from pipeline.stages.change.draft import STAGE, ChangeDraft, ChangeInput
from pipeline.stages.work import JudgedPoint, cost_of_rounds, place_in_words, ticket_as_prompt

_RULE = "change-check"
"""The name of the rule by which a person must approve a change of a protected file."""
_SUBJECT_CHARACTERS = 72
_SHOWN_TESTS = 50
_SHOWN_FILES = 8
_FEWEST_SUBJECTS = 5
_MORE_ROUNDS = "Shall it go on for as many rounds again?"
_CONVENTIONAL = re.compile(r"[a-z]+(?:\([^()]+\))?!?: ")
_NAMES_OF_TESTS = ("red_before", "flaky", "red_without", "green_without")


def make_change(
    inputs: ChangeInput,
    run: RunIdentity,
    *,
    answers: Answers,
    wanted_changes: WantedChanges | None,
    rounds_granted: int,
    decisions: Iterable[GateLogEntry],
    gate: Callable[[FileChange], GateDecision],
    before: Callable[[str], bytes | None],
    subjects: Sequence[str],
    holds_secret: Callable[[str], bool],
    last_word: Callable[..., LastWord | None],
) -> ChangeDraft:
    """Let the change out.

    `rounds_granted` counts how often a person has granted all rounds, from 1; `decisions` are those that the
    gate has made, and `gate` is what it says about a file that is changed. `wanted_changes` is what a reviewer asked for,
    where the change continues a pull request. `before` gives a file as the commit holds it, `subjects` are those of recent commits. `last_word` asks the coder, where
    all rounds are used; it takes what `Workbench.last_word` does behind the agent.

    Raises:
        Blocked: no round was enough.
        ConfirmationNeeded: a protected file is changed, and no person has approved that.
        ChangeRefused: something in it may not leave the worktree.
    """
    if inputs.work.exhausted:
        raise _not_enough(inputs, rounds_granted, last_word, before)
    verdicts = [decision for decision in decisions if decision.verdict is not None]
    draft = ChangeDraft(
        message=_message(inputs, wanted_changes, subjects),
        files=inputs.coder.files,
        work=_work(inputs, [Approval(**decision.model_dump()) for decision in verdicts], wanted_changes),
    )
    approved_content = {
        line.target: line.result
        for line in verdicts
        if line.verdict == Verdict.APPROVE and line.tool in WRITING_TOOLS
    }
    _check(draft.change(run), answers, approved_content, gate, before)
    _refuse_secrets(draft, holds_secret)
    return draft


def _not_enough(
    inputs: ChangeInput,
    rounds_granted: int,
    last_word: Callable[..., LastWord | None],
    before: Callable[[str], bytes | None],
) -> Blocked:
    coder_output = inputs.coder
    why = inputs.tests.in_words if not inputs.tests.green else "the review asks for changes"
    now = f"round {coder_output.round}: {inputs.tests.in_words}"
    if inputs.tests.green and inputs.reviewer is not None:
        now = f"round {coder_output.round}: " + "; ".join(inputs.reviewer.objections)
    rounds = (*coder_output.history, now)
    figures = _change_in_figures(coder_output.files, before)
    facts = Escalation(
        blocker=f"{inputs.work.rounds} of {inputs.work.rounds} rounds are used: {_line(why)}",
        attempts=" · ".join((*map(_line, rounds), figures)),
        word=untold("the coder does not say", _MORE_ROUNDS, "go on for as many rounds again"),
    )
    steps = (*rounds, inputs.tests.output) if not inputs.tests.green else rounds
    word = last_word(
        purpose=f"coder/{coder_output.round}",
        task=ticket_as_prompt(inputs.ticket),
        steps=steps,
        last_words=coder_output.summary,
        why=facts.blocker,
    )
    return budget_stop("work", rounds_granted, facts.with_last_word(word))


def _change_in_figures(files: Sequence[FileChange], before: Callable[[str], bytes | None]) -> str:
    """The size of a change so far, in one line: "2 files so far (+30 −4 lines): a.py, b.py"."""
    if not files:
        return "no file is changed so far"
    plus = minus = 0
    for file in files:
        old, new = (Counter((content or b"").splitlines()) for content in (before(file.path), file.content))
        plus, minus = plus + (new - old).total(), minus + (old - new).total()
    paths = ", ".join(file.path for file in files[:_SHOWN_FILES]) + (
        ", …" if len(files) > _SHOWN_FILES else ""
    )
    count = "1 file" if len(files) == 1 else f"{len(files)} files"
    return f"{count} so far (+{plus} −{minus} lines): {paths}"


def _check(
    change: Change,
    answers: Answers,
    approved_content: Mapping[str, str | None],
    gate: Callable[[FileChange], GateDecision],
    before: Callable[[str], bytes | None],
) -> None:
    """Refuse what may not be, and ask about the first protected file whose content is not approved.

    `approved_content` is what the last approved call made of each file: a test may have written over it since.
    """
    problems = (*check_change(change), *check_install_hooks(change, before))
    refusals = [
        f"{problem.path or 'the change'}: {problem.why}"
        for problem in problems
        if problem.verdict is ChangeVerdict.REFUSE
    ]
    decisions = {file.path: gate(file) for file in change.files}
    refusals += [f"{path}: {problem.why}" for path, problem in decisions.items() if problem.tier is Tier.DENY]
    if refusals:
        raise _refusal(refusals)
    waiting = {
        problem.path: GateDecision(Tier.CONFIRM, _RULE, problem.why)
        for problem in problems
        if problem.path is not None
    } | {path: problem for path, problem in decisions.items() if problem.tier is Tier.CONFIRM}
    for file in change.files:
        if file.path in waiting and approved_content.get(file.path) != file.blob:
            _refuse_unless_approved(file, waiting[file.path], answers)


def _refuse_unless_approved(file: FileChange, decision: GateDecision, answers: Answers) -> None:
    stop = confirmation(STAGE, "change_file", _as_arguments(file), 1, decision)
    answer = answers.to(stop.question_id)
    if answer is None or answer.verdict is None:
        raise stop
    if answer.verdict is Verdict.DECLINE:
        raise _refusal([f"{file.path}: {answer.answered_by or 'a person'} declined to change it"])


def _as_arguments(file: FileChange) -> Mapping[str, str]:
    """What exactly would be approved: the file with this very content."""
    content = "deleted" if file.content is None else hashlib.sha256(file.content).hexdigest()
    return {"path": file.path, "mode": file.mode, "sha256": content}


def _refuse_secrets(draft: ChangeDraft, holds_secret: Callable[[str], bool]) -> None:
    texts = {file.path: (file.content or b"").decode("utf-8", "replace") for file in draft.files}
    paths = [path for path, text in texts.items() if holds_secret(text) or holds_secret(path)]
    if paths:
        raise _refusal([f"{path}: it holds a secret of this run's environment" for path in paths])


def _refusal(reasons: list[str]) -> ChangeRefused:
    return ChangeRefused(
        "The change may not leave the worktree.",
        why="\n".join(reasons[:20]),
        what_to_do="Make such changes by hand, or say in the ticket how it can be done without them.",
    )


def _message(inputs: ChangeInput, wanted_changes: WantedChanges | None, subjects: Sequence[str]) -> str:
    """The commit's message: what it is about, what was done, and whose words these are if not a model's.

    The first commit is about the ticket; of a later one the coder says what it changes. Where most recent commits say first what
    kind of change they are (`fix(api): …`), so does this one.
    """
    later = inputs.coder.subject or inputs.coder.summary
    title = " ".join((inputs.ticket.title if wanted_changes is None else later).split())
    title = as_written_here(title, inputs.ticket.operation, subjects)
    if len(title) > _SUBJECT_CHARACTERS:
        title = title[: _SUBJECT_CHARACTERS - 1] + "…"
    origin = {
        "scripted": "The replies of the models were scripted: written by hand, for a test of the wiring.",
        "recorded": "The replies of the models were recorded in an earlier run.",
    }.get(inputs.coder.origin.replies)
    return "\n\n".join(filter(None, (title, inputs.coder.summary.strip(), origin)))


def as_written_here(title: str, operation: str, subjects: Sequence[str]) -> str:
    """A subject as recent ones are written: `fix: name the limit` where most of them say first what kind of change they are."""
    conventional = sum(_CONVENTIONAL.match(subject) is not None for subject in subjects)
    if len(subjects) < _FEWEST_SUBJECTS or conventional * 3 < len(subjects) * 2 or _CONVENTIONAL.match(title):
        return title
    kind = {"fix": "fix", "add": "feat"}.get(operation, "chore")
    return f"{kind}: {title[:1].lower()}{title[1:]}" if title[1:2].islower() else f"{kind}: {title}"


def _work(inputs: ChangeInput, approvals: list[Approval], wanted_changes: WantedChanges | None) -> Work:
    wishes = frozenset(wanted_changes.wishes if wanted_changes is not None else ())
    coder_output, tests, review = inputs.coder, inputs.tests, inputs.reviewer
    return Work(
        summary=coder_output.summary,
        model=coder_output.origin.model,
        replies=coder_output.origin.replies,
        rounds=coder_output.round,
        tests=tests.model_copy(
            update={
                "output": "",
                "failing": (),
                **{name: getattr(tests, name)[:_SHOWN_TESTS] for name in _NAMES_OF_TESTS},
            }
        ),
        review=tuple(finding.in_words for finding in review.findings) if review else (),
        criteria=tuple(_criterion(point, wishes) for point in review.criteria) if review else (),
        assumptions=(
            *coder_output.assumptions,
            *coder_output.self_answered,
            *(review.self_answered if review else ()),
        ),
        approvals=tuple(dict.fromkeys(approvals)),
        dollars=cost_of_rounds(coder_output, review),
    )


def _criterion(judgement: JudgedPoint, wishes: frozenset[str]) -> JudgedCriterion:
    place = None if judgement.path is None else place_in_words(judgement.path, judgement.line)
    return JudgedCriterion(**dict(judgement), place=place, is_wish=judgement.criterion in wishes)


def _line(text: str) -> str:
    return one_line(text, 200)
