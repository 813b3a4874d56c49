"""Templates of a repository are read from its checkout; a hostile one costs nothing but a note."""

import time
from pathlib import Path

import pytest

from pipeline.reading.templates import MAX_CHARACTERS, TemplateFile, parse_templates
from pipeline.stages.reading.template_files import MOST_TEMPLATES, read_template_files
from tests.pipeline.reading.issues import BOTH_TEMPLATES, FORM_TEMPLATE, MARKDOWN_TEMPLATE


def write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(MARKDOWN_TEMPLATE, encoding="utf-8")


def test_templates_are_found_where_github_looks_for_them_in_any_letter_case(tmp_path: Path) -> None:
    write(
        tmp_path,
        ".github/ISSUE_TEMPLATE/bug.md",
        ".github/ISSUE_TEMPLATE/notes.png",
        "docs/issue_template/form.YML",
        "Issue_Template.md",
        ".github/PULL_REQUEST_TEMPLATE.md",
        "src/ISSUE_TEMPLATE.md",
    )
    assert [file.path for file in read_template_files(tmp_path)] == [
        ".github/ISSUE_TEMPLATE/bug.md",
        "Issue_Template.md",
        "docs/issue_template/form.YML",
    ]


def test_what_leads_out_of_the_checkout_or_has_no_end_is_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("secret", encoding="utf-8")
    root = tmp_path / "checkout"
    write(root, *(f".github/ISSUE_TEMPLATE/{number}.md" for number in range(MOST_TEMPLATES + 5)))
    (root / ".github/ISSUE_TEMPLATE/0.md").write_text("x" * (1 << 20), encoding="utf-8")
    (root / ".github/ISSUE_TEMPLATE/00.md").symlink_to(secret)
    (root / "docs").symlink_to(tmp_path)
    files = read_template_files(root)
    assert len(files) == MOST_TEMPLATES
    assert max(len(file.text) for file in files) == MAX_CHARACTERS + 1
    assert not any("secret" in file.text for file in files)
    assert read_template_files(tmp_path / "nowhere") == ()


def test_name_labels_and_title_are_read_from_both_kinds() -> None:
    markdown, form = BOTH_TEMPLATES
    assert (markdown.name, markdown.labels) == ("Bug report", ("bug", "needs triage"))
    assert (form.name, form.labels) == ("Feature request", ("enhancement",))


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [" + "*c, " * 4000 + "*c]\n",
        "[" * 50_000,
        "body: 3\n",
        "body:\n  - [1, 2]\n  - type: textarea\n    attributes: {label: [a], options: 3}\nname: {a: b}\n",
        "just words",
        "",
        "name: !!python/object/apply:os.system [x]\n",
        "\0",
        "x" * (1 << 20),
    ],
    ids=lambda text: text[:12],
)
@pytest.mark.parametrize("name", ["form.yml", "text.md"])
def test_a_hostile_template_costs_nothing_but_a_note(name: str, text: str) -> None:
    begun = time.monotonic()
    good = TemplateFile("good.yml", FORM_TEMPLATE)
    for content in (text, f"---\n{text}\n---\n### Expected\n"):
        parsed = parse_templates([TemplateFile(name, content), good])
        assert parsed.templates[-1].name == "Feature request"
        assert len(parsed.templates) + len(parsed.notes) == 2
    assert time.monotonic() - begun < 2


def test_a_note_names_the_file_and_what_is_wrong_with_it() -> None:
    parsed = parse_templates([TemplateFile("ISSUE_TEMPLATE/\x1b[2Ja.yml", "body: 3\n")])
    assert parsed.notes == (
        r"The issue template ISSUE_TEMPLATE/\x1b[2Ja.yml was left out: it has no list `body`.",
    )


def test_the_chooser_of_templates_is_none() -> None:
    assert (
        parse_templates(
            [TemplateFile(".github/ISSUE_TEMPLATE/config.yml", "blank_issues_enabled: false")]
        ).notes
        == ()
    )
