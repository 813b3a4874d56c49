"""Stage `preconditions`: refuse to start where no good work can come out. A warning would be read by nobody."""

from pipeline.domain.errors import PreconditionFailed
from pipeline.stages.context import StageContext
from pipeline.stages.snapshot.stage import Snapshot
from pipeline.stages.stage import StageKind, StageValue

_MOST_FILES = 5


class PreconditionsInput(StageValue):
    """What is checked."""

    snapshot: Snapshot


class PreconditionsMet(StageValue):
    """Which conditions were found to hold."""

    checked: tuple[str, ...]


def _run(inputs: PreconditionsInput, _: StageContext) -> PreconditionsMet:
    return check_preconditions(inputs)


KIND = StageKind(
    name="preconditions",
    input=PreconditionsInput,
    output=PreconditionsMet,
    run=_run,
)


def check_preconditions(inputs: PreconditionsInput) -> PreconditionsMet:
    """Let the run go on, or end it.

    Raises:
        PreconditionFailed: the first condition that does not hold, with what to do about it.
    """
    snapshot = inputs.snapshot
    _check_text(snapshot)
    _check_tree(snapshot)
    _check_tests(snapshot)
    return PreconditionsMet(checked=("text", "tree", "tests"))


def refusal_of(snapshot: Snapshot) -> str | None:
    """What a run from here would end with at once, and what to do about it, as one line; None where it would start."""
    try:
        check_preconditions(PreconditionsInput(snapshot=snapshot))
    except PreconditionFailed as refusal:
        return f"{refusal.message} {refusal.what_to_do}"
    return None


def _check_text(snapshot: Snapshot) -> None:
    if not snapshot.ticket.title.strip():
        raise PreconditionFailed(
            "The ticket has no title.",
            why="Title and body are all that askfirst knows of the wish.",
            what_to_do="Give the issue a title that says what is wanted, and set the label again.",
        )


def _check_tree(snapshot: Snapshot) -> None:
    changed_files = snapshot.changed_files
    if not changed_files:
        return
    more_text = f" and {len(changed_files) - _MOST_FILES} more" if len(changed_files) > _MOST_FILES else ""
    files = (
        "1 tracked file differs" if len(changed_files) == 1 else f"{len(changed_files)} tracked files differ"
    )
    raise PreconditionFailed(
        f"{files} from commit {snapshot.commit[:7]}: {', '.join(changed_files[:_MOST_FILES])}{more_text}.",
        why="Every question and every change names lines of one commit; these files are not that commit.",
        what_to_do="Commit or stash them: git stash",
    )


def _check_tests(snapshot: Snapshot) -> None:
    if snapshot.test_files == 0:
        raise PreconditionFailed(
            "The repository has no test files.",
            why="No path fits what a test runner of any known language looks for, and without tests nobody, person or program, could tell whether a change works.",
            what_to_do="Add at least one test where its runner looks for it (tests/test_*.py, *.test.ts, *_test.go, *_spec.rb, "
            "*Test.java, …), commit it and set the label again.",
        )
