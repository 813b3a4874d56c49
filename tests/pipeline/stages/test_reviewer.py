"""A review is held against the change: what cannot be goes back to the reviewer, with the reason."""

from typing import Any

import pytest
from inline_snapshot import snapshot

from pipeline.stages.reviewer import mistakes

LINES = {"app/routes.py": 40, "tests/test_routes.py": 12, "empty.py": 0}
MET = {"criterion": 1, "met": "met", "path": "app/routes.py", "line": 12, "reason": "It is there."}
OPEN = {"criterion": 2, "met": "cannot_tell", "path": None, "line": None, "reason": "No test looks."}
REMARK = {
    "path": "app/routes.py",
    "line": 40,
    "criterion": None,
    "severity": "remark",
    "reason": "A word is misspelt.",
}
BLOCKING = {**REMARK, "severity": "blocking", "criterion": 2}


def said(verdict: str, criteria: list[dict[str, Any]], findings: list[dict[str, Any]]) -> str:
    told = {"verdict": verdict, "criteria": criteria, "findings": findings}
    return "\n".join(mistakes(told, 2, LINES.get, {"app/old.py"}, has_answers=False))


def test_a_review_of_what_is_there_is_taken() -> None:
    assert said("approve", [MET, OPEN], [REMARK]) == ""
    assert said("changes", [OPEN, MET], [BLOCKING, {**REMARK, "path": "app/old.py", "line": None}]) == ""


@pytest.mark.parametrize(
    ("verdict", "criteria", "findings", "expected"),
    [
        ("approve", [MET], [], snapshot("criterion 2 is judged 0 times, and once is meant")),
        ("approve", [MET, MET, OPEN], [], snapshot("criterion 1 is judged 2 times, and once is meant")),
        (
            "approve",
            [MET, OPEN, {**OPEN, "criterion": 3}],
            [],
            snapshot("criteria, entry 3: there is no criterion 3, the ticket has 2"),
        ),
        (
            "approve",
            [{**MET, "path": None}, OPEN],
            [],
            snapshot("criteria, entry 1: it is met, and `path` does not say which file shows it"),
        ),
        (
            "approve",
            [{**MET, "line": 41}, OPEN],
            [],
            snapshot("criteria, entry 1: app/routes.py:41 is no line, the file has 40"),
        ),
        (
            "approve",
            [MET, OPEN],
            [{**REMARK, "path": "app/route.py"}],
            snapshot("findings, entry 1: there is no file 'app/route.py' in the change or in the tree"),
        ),
        (
            "approve",
            [MET, OPEN],
            [{**REMARK, "path": "app/old.py"}],
            snapshot(
                "findings, entry 1: the change deletes app/old.py, so it has no line 40; leave `line` out"
            ),
        ),
        (
            "approve",
            [MET, OPEN],
            [{**REMARK, "path": "empty.py", "line": 1}],
            snapshot("findings, entry 1: empty.py:1 is no line, the file has 0"),
        ),
        (
            "approve",
            [MET, OPEN],
            [{**REMARK, "criterion": 9}],
            snapshot("findings, entry 1: there is no criterion 9, the ticket has 2"),
        ),
        (
            "approve",
            [MET, {**OPEN, "met": "not_met"}],
            [],
            snapshot("the verdict is `approve`, and criterion 2 is not met"),
        ),
        ("approve", [MET, OPEN], [BLOCKING], snapshot("the verdict is `approve`, and a finding is blocking")),
        ("changes", [MET, OPEN], [REMARK], snapshot("the verdict is `changes`, and no finding is blocking")),
    ],
)
def test_what_cannot_be_is_named(
    verdict: str, criteria: list[dict[str, Any]], findings: list[dict[str, Any]], expected: str
) -> None:
    assert said(verdict, criteria, findings) == expected


def test_only_an_answer_of_a_person_overrules_a_criterion() -> None:
    overruled = {
        "criterion": 2,
        "met": "overruled",
        "path": None,
        "line": None,
        "reason": "octocat chose no trash.",
    }
    assert (
        said("approve", [MET, overruled], [])
        == "a criterion is `overruled`, and no person has answered anything"
    )
    told = {"verdict": "approve", "criteria": [MET, overruled], "findings": []}
    assert list(mistakes(told, 2, LINES.get, set(), has_answers=True)) == []
