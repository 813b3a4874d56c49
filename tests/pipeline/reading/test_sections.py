"""An issue is cut into sections, and what is not its author's is left out."""

from inline_snapshot import snapshot

from pipeline.domain.issue import SectionRole
from tests.pipeline.reading.issues import BOTH_TEMPLATES, read, sections


def test_headings_of_markdown_bold_type_and_plain_lines_give_sections_their_roles() -> None:
    body = """\
The total is wrong.

## Steps to reproduce
Open an order.

**Expected behavior**: it is 12.
**Actual behavior:** it is 10.

Version: 5.4

It began last week.

<details><summary>Logs</summary>

it went wrong

</details>
"""
    assert sections(read(body)) == [
        ("summary", "", "The total is wrong."),
        ("steps", "Steps to reproduce", "Open an order."),
        ("expected", "Expected behavior", "it is 12."),
        ("actual", "Actual behavior", "it is 10."),
        ("environment", "Version", "5.4"),
        ("actual", "Actual behavior", "It began last week."),
        ("log", "Logs", "it went wrong"),
    ]


def test_headings_in_other_languages_are_read() -> None:
    body = "## Erwartetes Verhalten\nEs geht.\n\n## 复现步骤\n点击。\n\n## Окружение\nLinux\n"
    assert [role for role, _, _ in sections(read(body))] == ["expected", "steps", "environment"]


def test_a_section_of_what_is_expected_and_of_what_happens_is_neither() -> None:
    document = read("## Expected vs actual behavior\nIt should be 12 and it is 10.\n")
    assert [role for role, _, _ in sections(document)] == ["summary"]
    assert document.acceptance == ()


def test_a_templates_own_words_are_left_out_and_its_headings_keep_their_roles() -> None:
    body = """\
### What happened

A clear and concise description of what the problem is. The total is wrong.

**Expected behavior:** [What you expect to happen]

### Steps to reproduce

1. Open an order
2. [Second step]

### Checklist

- [x] I have searched the open issues
"""
    document = read(body, templates=BOTH_TEMPLATES)
    assert sections(document) == [
        ("actual", "What happened", "The total is wrong."),
        ("steps", "Steps to reproduce", "1. Open an order"),
    ]


def test_a_forms_sections_get_their_roles_from_its_fields() -> None:
    body = """\
### Tell us everything

Exports are slow.

### The change

Write what you want to happen

Write them in the background.

### Anything from the terminal

```shell
started
```

### Which one do you run?

Community Edition

### Code of Conduct

- [x] I agree to follow the rules of this project

### Something that nobody asked

_No response_
"""
    assert sections(read(body, templates=BOTH_TEMPLATES)) == [
        ("summary", "Tell us everything", "Exports are slow."),
        ("wish", "The change", "Write them in the background."),
        ("log", "Anything from the terminal", "```shell\nstarted\n```"),
    ]


def test_code_and_logs_are_sections_of_their_own_fenced_or_not() -> None:
    body = """\
It fails:
2026-11-22 10:00:00 ERROR worker: no card
    at pay (src/cart.ts:12:5)

```ts
pay()
```
"""
    assert [(role, text.split("\n")[0]) for role, _, text in sections(read(body))] == [
        ("summary", "It fails:"),
        ("log", "2026-11-22 10:00:00 ERROR worker: no card"),
        ("code", "```ts"),
    ]


def test_prose_keeps_the_words_of_links_and_loses_addresses_images_and_tags() -> None:
    document = read(
        "See [the guide](https://example.org/a) and <b>this</b> ![shot](https://example.org/b.png) https://example.org/c"
    )
    assert " ".join(document.text_of(SectionRole.SUMMARY).split()) == "See the guide and this"


def test_a_check_box_is_read_only_where_its_author_writes_of_the_matter() -> None:
    body = (
        "- [x] I have read the manual\n\n## Acceptance criteria\n\n- [ ] The total is 12\n- The page loads\n"
    )
    document = read(body)
    assert sections(document) == [
        ("other", "Acceptance criteria", "- [ ] The total is 12"),
        ("acceptance", "Acceptance criteria", "- The page loads"),
    ]
    assert [criterion.text for criterion in document.acceptance] == ["The page loads"]


def test_a_heading_that_nobody_knows_holds_no_criteria_behind_one_that_does() -> None:
    body = "### Expected behavior\nIt is 12.\n### Root cause\nThe tax is left out.\n#### Details\nReally.\n"
    assert [criterion.text for criterion in read(body).acceptance] == ["It is 12."]


def test_criteria_are_the_items_and_paragraphs_of_sections_that_say_so_and_of_no_other_list() -> None:
    body = """\
Things to do:
- paint it

## Definition of done
It is **blue**, as in
[the guide](https://example.org).

1. `GET /orders` shows it
2. For example:
   ```
   blue
   ```
"""
    assert [(one.text, one.quote) for one in read(body).acceptance] == [
        (
            "It is **blue**, as in [the guide](https://example.org).",
            "It is **blue**, as in\n[the guide](https://example.org).",
        ),
        ("`GET /orders` shows it", "1. `GET /orders` shows it"),
    ]


def criteria(body: str) -> list[str]:
    """The criteria of an issue that has this below a heading for what is expected."""
    return [criterion.text for criterion in read(f"## Expected behavior\n{body}\n").acceptance]


def test_a_criterion_keeps_its_addresses_and_its_code() -> None:
    body = """\
- `!pay` redirects to `https://pay.example.org` if <b>nothing</b> is due
- The button is a `<button>`, see <https://example.org/a>, e.g. https://example.org/b (the second one)
- ``a`b`` is read as `List<int>`, and a List<int> is, too
- https://example.org/c
"""
    assert criteria(body) == snapshot(
        [
            "`!pay` redirects to `https://pay.example.org` if nothing is due",
            "The button is a `<button>`, see https://example.org/a, e.g. https://example.org/b (the second one)",
            "``a`b`` is read as `List<int>`, and a List<int> is, too",
        ]
    )


def test_a_sentence_that_leads_to_a_block_is_no_criterion_and_those_before_it_are() -> None:
    block = "\n```\n12\n```"
    assert criteria("I expected it to print something like the following." + block) == []
    assert criteria("I expected it to print" + block) == []
    assert criteria("The list has a total. It should look like this." + block) == ["The list has a total."]
    assert criteria("The total is 12." + block) == ["The total is 12."]
    assert criteria("It looks like ![shot](https://example.org/a.png)") == []
    assert criteria("The ![icon](https://example.org/a.png) button works") == []
    assert criteria("The total is 12. ![shot](https://example.org/a.png)") == ["The total is 12."]
    assert criteria("合計は以下の通り。" + block) == []
    assert criteria("The total does not fall below.") == ["The total does not fall below."]


def test_a_half_of_a_sentence_that_an_address_or_a_log_interrupts_is_no_criterion() -> None:
    assert criteria("It goes to\nhttps://example.org\nif nothing is due") == []
    assert criteria("It writes\n2026-11-22 10:00:00 ERROR worker: no card\nto the log") == []
    assert criteria("It goes away.\nhttps://example.org") == ["It goes away."]
