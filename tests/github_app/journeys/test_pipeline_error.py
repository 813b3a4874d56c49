"""A run that fails: one comment that says why and what to do."""

from pathlib import Path

from inline_snapshot import snapshot

from tests.github_app.journeys.conftest import COLLABORATORS, Issues
from tests.github_app.journeys.dialogue import Stage


def test_a_repository_without_tests_is_told_what_to_do(
    opens_issue: Issues, stage: Stage, tmp_path: Path
) -> None:
    (tmp_path / "app.py").write_text("def greet() -> str:\n    return 'hello'\n", encoding="utf-8")
    untested = stage.github.create_repository(
        "untested", from_directory=tmp_path, collaborators=COLLABORATORS
    )
    issue = opens_issue("Greet by name", "`greet` should take a name.", repository=untested)
    issue.label()
    assert issue.hears() == snapshot("""\
**I have not started:** The repository has no test files.

Why: No path fits what a test runner of any known language looks for, and without tests nobody, person or program, could tell whether a change works.

What to do: Add at least one test where its runner looks for it `(tests/test_*.py`, `*.test.ts`, `*_test.go`, `*_spec.rb`, `*Test.java`, …), commit it and set the label again.

Nothing was changed. Run [RUN](https://github.com/acme/untested/actions/runs/RUN), stage `preconditions`. When this is fixed, label the issue `askfirst` again.\
""")
    assert issue.endings == [("issues", 1)]
    assert issue.labels == set()
