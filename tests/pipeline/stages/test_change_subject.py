"""The subject of a commit is written as those of the repository are."""

import pytest

from pipeline.stages.change.decide import as_written_here

CONVENTIONAL = (
    "feat(api): add limits",
    "fix: name it",
    "chore!: drop 3.9",
    "docs: say so",
    "Merge the branch",
    "fix: x",
)


@pytest.mark.parametrize(
    ("title", "operation", "subjects", "subject"),
    [
        ("Name the limit", "fix", CONVENTIONAL, "fix: name the limit"),
        ("Add a dry_run flag", "add", CONVENTIONAL, "feat: add a dry_run flag"),
        ("API answers 500", "change", CONVENTIONAL, "chore: API answers 500"),
        ("fix(api): name the limit", "fix", CONVENTIONAL, "fix(api): name the limit"),
        ("Name the limit", "fix", CONVENTIONAL[:4], "Name the limit"),
        ("Name the limit", "fix", ("Name it", "Drop it", *CONVENTIONAL[2:]), "Name the limit"),
        ("Name the limit", "fix", (), "Name the limit"),
    ],
)
def test_a_subject_says_its_kind_first_where_the_history_does(
    title: str, operation: str, subjects: tuple[str, ...], subject: str
) -> None:
    assert as_written_here(title, operation, subjects) == subject
