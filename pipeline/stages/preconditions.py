"""Stage `preconditions`: refuse to start where no good work can come out. A warning would go unread."""

from pipeline.contract.wire import CommitSha
from pipeline.domain.errors import PreconditionFailed
from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.snapshot import Snapshot
from pipeline.stages.stage import StageKind, StageValue

_MOST_FILES = 5


class PreconditionsInput(StageValue):
    """The things that the stage checks."""

    snapshot: Snapshot


class PreconditionsMet(StageValue):
    """Which conditions were found to hold."""

    checked: tuple[str, ...]


def _run(inputs: PreconditionsInput, context: StageContext) -> PreconditionsMet:
    check_preconditions(inputs.snapshot, can_do_without_tests=context.testing.without_tests)
    return PreconditionsMet(checked=("text", "tree", "tests"))


KIND = StageKind(
    name="preconditions",
    input=PreconditionsInput,
    output=PreconditionsMet,
    run=_run,
    reads=frozenset({RunInput.TESTS}),
)


def check_preconditions(snapshot: Snapshot, *, can_do_without_tests: bool = False) -> None:
    """Let the run go on, or end it.

    Raises:
        PreconditionFailed: the first condition that does not hold, with what to do about it.
    """
    if not snapshot.ticket.title.strip():
        raise PreconditionFailed(
            "The ticket has no title.",
            why="Title and body are all that askfirst knows of the wish.",
            what_to_do="Give the issue a title that says what is wanted, and set the label again.",
        )
    if snapshot.changed_files:
        _refuse_changes(snapshot.changed_files, snapshot.commit)
    if snapshot.test_files == 0 and not can_do_without_tests:
        raise PreconditionFailed(
            "The repository has no test files.",
            why="No path fits what a test runner of any known language looks for, and without tests nobody, person or program, could tell whether a change works.",
            what_to_do="Add at least one test where its runner looks for it (tests/test_*.py, *.test.ts, *_test.go, *_spec.rb, "
            "*Test.java, …), commit it and set the label again.",
        )


def refusal_of(snapshot: Snapshot) -> str | None:
    """What a run from here would end with at once, and what to do about it, as one line; None where it would start."""
    try:
        check_preconditions(snapshot)
    except PreconditionFailed as refusal:
        return f"{refusal.message} {refusal.what_to_do}"
    return None


def _refuse_changes(changed_files: tuple[str, ...], commit: CommitSha) -> None:
    more_text = f" and {len(changed_files) - _MOST_FILES} more" if len(changed_files) > _MOST_FILES else ""
    files = (
        "1 tracked file differs" if len(changed_files) == 1 else f"{len(changed_files)} tracked files differ"
    )
    raise PreconditionFailed(
        f"{files} from commit {commit[:7]}: {', '.join(changed_files[:_MOST_FILES])}{more_text}.",
        why="Every question and every change names lines of one commit; these files are not that commit.",
        what_to_do="Commit or stash them: git add --update && git stash",
    )
