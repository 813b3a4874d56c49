"""The kind of an issue: labels before templates, templates before prefixes, prefixes before words."""

import pytest

from pipeline.domain.issue import IssueKind
from tests.pipeline.reading.issues import BOTH_TEMPLATES, read

BUG_REPORT = "### What happened\n\nx\n\n### Steps to reproduce\n\n1. y\n\n### Checklist\n"


@pytest.mark.parametrize(
    ("title", "labels", "body", "kind", "reason"),
    [
        ("fix: totals", ["enhancement"], BUG_REPORT, IssueKind.FEATURE, "The label “enhancement” says feature."),
        ("x", ["type:Bug", "help wanted"], "", IssueKind.BUG, "The label “type:Bug” says bug."),
        ("feat: totals", ["bug", "feature"], "", IssueKind.FEATURE, "The title's prefix “feat” says feature."),
        ("feat: totals", ["triage"], BUG_REPORT, IssueKind.BUG, "The template “Bug report” says bug."),
        ("[Docs] totals", [], "", IssueKind.OTHER, "The title's prefix “Docs” says other."),
        ("fix(api)!: totals", [], "", IssueKind.BUG, "The title's prefix “fix” says bug."),
        ("🐛 Fix: totals", [], "", IssueKind.BUG, "The title's prefix “Fix” says bug."),
        (":sparkles: [Feature] totals", [], "", IssueKind.FEATURE, "The title's prefix “Feature” says feature."),
        ("Allow two totals", [], "", IssueKind.FEATURE, "The words weigh for feature: “allow” in the title."),
        ("Totals", [], "## Actual result\n10\n", IssueKind.BUG, "The words weigh for bug: the section “Actual result”."),
        ("按钮报错", [], "", IssueKind.BUG, "The words weigh for bug: “报错” in the title."),
    ],
)  # fmt: skip
def test_the_first_source_that_names_one_kind_counts(
    title: str, labels: list[str], body: str, kind: IssueKind, reason: str
) -> None:
    document = read(body, title=title, templates=BOTH_TEMPLATES, labels=labels)
    assert (document.kind, document.kind_reason) == (kind, reason)


@pytest.mark.parametrize("title", ["Totals", "", "Add what fails", "Debugger and featureless things"])
def test_what_nothing_says_stays_unsure(title: str) -> None:
    assert read("", title=title).kind is IssueKind.UNSURE


def test_no_title_of_signs_and_spaces_takes_long() -> None:
    title = "🐛" + "\u00a0" * 5_000 + "1 cannot log in"
    assert read("", title=title).kind is IssueKind.BUG
