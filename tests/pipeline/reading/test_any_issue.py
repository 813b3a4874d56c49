"""What holds for every issue: spans point at their words, what is not the author's is no wish, and reading ends soon."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.domain.issue import IssueDocument, SectionRole
from pipeline.domain.ticket import IncomingTicket, IssueComment
from pipeline.reading.document import read_issue
from pipeline.reading.hidden_text import remove_hidden, visible_text
from pipeline.reading.sections import plain_prose
from tests.pipeline.reading.issues import BOTH_TEMPLATES, REPOSITORY, read, templates

SECONDS = 3
"""What one reading may take of the processor; the worst takes one."""

MARKDOWN = st.text(
    alphabet=st.sampled_from("aB1 \n\t`*_#>-+[]()!<>/\\.:;\"'“”$@|~=&{}\r\u200b日ب"), max_size=400
)
PIECES = st.lists(
    st.one_of(
        MARKDOWN,
        st.sampled_from(
            [
                "`pay_invoice`", "src/cart.ts:12", "GET /orders/{id}", "#12", "<!-- hidden -->", "pay\u200b_invoice", "\r\n",
                "### Expected behavior\n", "- [ ] box\n", "```\n", "“No card”", "    at pay (src/cart.ts:12:5)\n",
                '  File "a.py", line 3, in x\n', "https://github.com/acme/orders/blob/main/a.py#L3", "<details>\n", "| a | b |\n|---|---|\n",
            ]
        ),
    ),
    max_size=12,
).map("".join)  # fmt: skip


def words(text: str) -> str:
    return " ".join(remove_hidden(text).replace("\r", "\n").split())


@given(title=PIECES, body=PIECES, comment=PIECES)
def test_every_span_points_at_its_words_in_the_source(title: str, body: str, comment: str) -> None:
    ticket = IncomingTicket(
        title=title,
        body=body,
        repository=REPOSITORY,
        comments=(IssueComment(id=7, author="octocat", sha256="0" * 64, body=comment),),
    )
    document = read_issue(ticket, BOTH_TEMPLATES, ())
    sources = {None: ticket.prose, 7: comment}
    for citation in document.citations:
        span = citation.span
        assert words(sources[span.comment][span.start : span.end]) == words(citation.quote)
    for section in document.sections:
        span = section.span
        assert 0 <= span.start <= span.end <= len(sources[span.comment])


@given(st.text(alphabet="<!->ab\u200b\n", max_size=60))
def test_comments_are_removed_in_one_pass_as_if_again_and_again_and_none_is_put_together(text: str) -> None:
    expected = text
    while "<!--" in expected:
        expected = re.sub(r"<!--.*?(?:-->|\Z)", "", expected, count=1, flags=re.DOTALL)
    visible = visible_text(text)
    assert visible.text.replace(" ", "") == expected.replace("\u200b", "")
    assert "<!--" not in visible.text
    assert remove_hidden(text) == remove_hidden(visible.text) == visible.text
    assert len(visible.offsets) == len(visible.text)


SENTENCES = st.sampled_from(
    ["The total is wrong.", "Show the tax, too", "1. Open it", "* it is blue", "> quoted words"]
)
HEADINGS = st.sampled_from(
    [
        "",
        "### What happened\n",
        "**Expected behavior:**\n",
        "## Acceptance criteria\n",
        "### The change\n",
        "Expected result:\n",
    ]
)
FOREIGN = st.sampled_from(
    [
        "- [x] I zebra all of it",
        "* [ ] zebra\n* [X] zebra again",
        "```\nzebra()\n```",
        "~~~ts\nzebra should be allowed\n~~~",
        "        indented_zebra()",
        "2026-11-22 10:00:00 INFO zebra started",
        'Traceback (most recent call last):\n  File "zebra.py", line 3, in zebra\n    zebra()\nZebraError: zebra is missing',
        "    at zebra (src/zebra.ts:1:2)\n    at src/zebra.ts:3:4",
        "https://example.org/zebra",
        "see https://example.org/zebra?zebra=1#zebra",
        "[it](https://example.org/zebra)",
        "![zebra](https://example.org/zebra.png)",
        '<img src="zebra.png" alt="zebra">',
        "<!-- zebra should be added -->",
        "Please keep the zebra in mind, it is part of this template.",
        "1. [First zebra]",
        "_No response_",
    ]
)  # fmt: skip
ZEBRA_TEMPLATE = """\
### What happened

Please keep the zebra in mind, it is part of this template.

1. [First zebra]
"""


@given(st.lists(st.tuples(HEADINGS, st.one_of(SENTENCES, FOREIGN)), max_size=8))
def test_what_is_not_its_authors_prose_is_no_wish_and_no_criterion(parts: list[tuple[str, str]]) -> None:
    body = "\n\n".join(f"{heading}\n{text}\n" for heading, text in parts)
    document = read(body, templates=(*templates(("ISSUE_TEMPLATE.md", ZEBRA_TEMPLATE)), *BOTH_TEMPLATES))
    stated = document.text_of(
        SectionRole.WISH,
        SectionRole.SUMMARY,
        SectionRole.EXPECTED,
        SectionRole.ACTUAL,
        SectionRole.ACCEPTANCE,
    )
    assert "zebra" not in stated.lower()
    # A sentence that stands in a criterion keeps its addresses.
    assert not any("zebra" in plain_prose(criterion.text).lower() for criterion in document.acceptance)


@given(st.one_of(st.text(max_size=300), PIECES))
def test_any_text_is_read_the_same_every_time(text: str) -> None:
    assert read(text, title=text[:50], templates=BOTH_TEMPLATES) == read(
        text, title=text[:50], templates=BOTH_TEMPLATES
    )


def repeated(text: str, length: int = 60_000) -> str:
    return (text * (length // len(text) + 1))[:length]


TRACE = (
    "Traceback (most recent call last):\n" + '  File "/app/items.py", line 12, in pay\n    pay()\n' * 500_000
)


@pytest.mark.parametrize(
    ("body", "script"),
    [
        pytest.param("", "Latin", id="empty"),
        pytest.param("![image](https://example.org/a.png)", "Latin", id="screenshot"),
        pytest.param(repeated("点击按钮后报错，无法保存。\n"), "Han", id="Han"),
        pytest.param(repeated("لا يعمل الزر عند الضغط عليه.\n"), "Arabic", id="Arabic"),
        pytest.param(repeated("Кнопка не работает. "), "Cyrillic", id="Cyrillic"),
        pytest.param(
            repeated("2026-11-22 10:00:00 ERROR [acme.pay] failed: a=1 at /app/a.py:3\n"), "Latin", id="log"
        ),
        pytest.param(TRACE, "Latin", id="million lines"),
    ],
)
def test_bad_input_ends_with_a_document_in_seconds(body: str, script: str) -> None:
    begun = time.process_time()
    document = read(body, templates=BOTH_TEMPLATES)
    assert time.process_time() - begun < SECONDS
    assert (document.title, document.script) == ("Orders", script)


PATTERNS = (
    "` [ [a]( ![a]( > - a/ / a. a:: --a a_ A_ aB AB a1b2 \"a 'a **a < <a <!-- <!<!--x--> at at( \n # # #1 http://a a@b. ```\n |"
    ' <details> **E:** E: ( /{a} GET /a Error: AError File" {"a":1 $ ~/ a.py#L1 a.py%line 0x \0 \ud800 C:\\ _ __a $A %A A= [a]:b'
).split(" ")


LINES = (
    "#\n",
    "- x\n",
    "x\n\n",
    "```\na\n",
    "| a | b |\n",
    "> > a\n",
    "a\n-\n",
    "**E:** E\n",
    "at a.b(\n",
    "[a]: b\n",
)


@pytest.mark.parametrize("pattern", [*PATTERNS, *LINES])
def test_no_repetition_makes_reading_slow(pattern: str) -> None:
    begun = time.process_time()
    assert isinstance(read(repeated(pattern or " "), templates=BOTH_TEMPLATES), IssueDocument)
    assert time.process_time() - begun < SECONDS


def test_a_long_trace_keeps_its_innermost_frames_and_a_long_issue_says_that_it_was_cut() -> None:
    frames = "".join(f"    at f{number} (src/f{number}.ts:{number}:1)\n" for number in range(1, 1000))
    document = read(f"It fails.\n\n```\nError: x\n{frames}```\n")
    depths = [citation.depth for citation in document.citations if citation.depth is not None]
    assert depths[:5] == [0, 1, 2, 3, 4]
    assert len(document.citations) < 300
    assert read("x" * 70_000).notes == ("The issue is read up to character 65,536; it has 70,000.",)
