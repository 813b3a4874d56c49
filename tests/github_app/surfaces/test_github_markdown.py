"""Untrusted text on the page: parsed again as Markdown, it is text and code, and nothing that acts. Attacks 18, 19, 21."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from github_app.conversation.message import (
    Bullets,
    Code,
    Details,
    Message,
    Paragraph,
    Permalink,
    Prose,
    SourceLink,
    Strikethrough,
    Strong,
    Table,
    Text,
    UserMention,
)
from github_app.conversation.wording.asked import question_asked
from github_app.surfaces.github_markdown import MAX_CHARACTERS, GitHubMarkdown, code, prose
from tests.github_app.conversation.questions import asked, candidate

PARSER = MarkdownIt("gfm-like", {"html": True, "linkify": False}).enable(["table", "strikethrough"])
SURFACE = GitHubMarkdown()

HOSTILE = [
    "@octocat", "ping @claude please", "/fs-code run", "Fixes #1", "closes acme/orders#7", "![x](https://evil.example/a.png)",
    "[click](https://evil.example)", "<img src=x onerror=alert(1)>", "<details><summary>x</summary>", "</details>", "<!-- x",
    "-->", "<!-<!-- x -->- y -->", "https://evil.example/x", "www.evil.example", "mail@evil.example", "`code`", "``", "`",
    "``` js", "# heading", "> quote", "- item", "1. item", "* item", "+ item", "---", "===", "| a | b |", "a | b", "\\|", "\\",
    "**bold**", "__x__", "~~x~~", "$x$", ":shipit:", "&lt;script&gt;", "&#64;octocat", "GH-12", "a\nb", "a\r\n/go", "\t/go",
    "x\u200b@octocat", "\u202eevil", "\ufeff", "\U000e0041", "a\u2062b", "\x00", "\ud800", "x" * 70_000, "", " ", "\n",
    "line\n```\n@claude\n```", "]](x)", "[x]: https://evil.example", "[^1]", "<https://evil.example>", "*", "_", "!", "1)",
    "Terms\n: definition", "- [ ] task", "@acme/team", "＠octocat", "`@dependabot merge`", "\\`@x\\`",
]  # fmt: skip


def tokens_of(markdown: str):
    for token in PARSER.parse(markdown):
        yield token
        yield from token.children or []


def live_text(markdown: str) -> str:
    """What is shown as plain text: neither code nor a link's address."""
    return " ".join(token.content for token in tokens_of(markdown) if token.type == "text")


def assert_harmless(markdown: str, *, own_blocks: frozenset[str] = frozenset()) -> None:
    allowed = {"paragraph_open", "paragraph_close", "inline", "text", "code_inline", "softbreak"} | own_blocks
    found = {token.type for token in tokens_of(markdown)}
    assert found <= allowed, f"{found - allowed} in {markdown[:200]!r}"
    shown = live_text(markdown)
    assert not re.search(r"(?<!\w)@\w", shown)
    assert not re.search(r"#\d", shown)
    assert not re.search(r"\bGH-\d", shown, re.IGNORECASE)
    assert not re.search(r"://|www\.\w", shown)
    assert not any(line.lstrip().startswith("/") for line in markdown.split("\n"))
    assert not re.search(r"@\w", markdown), "another bot may look for its name in the raw text"
    assert not re.search(
        "[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufe00-\ufe0f\U000e0000-\U000e007f]", markdown
    )


WORDS = st.one_of(
    st.text(max_size=60),
    st.sampled_from(HOSTILE),
    st.lists(st.sampled_from(HOSTILE), max_size=4).map(" ".join),
)


@given(WORDS)
@example("1.")
@example("a`b``c")
def test_a_sentence_becomes_text_and_code_only(text):
    assert_harmless(prose(text))


@given(WORDS)
def test_an_identifier_becomes_one_code_span(text):
    written = code(text)
    assert_harmless(written)
    spans = [token for token in tokens_of(written) if token.type == "code_inline"]
    assert len(spans) == 1


@given(WORDS)
def test_a_code_span_shows_the_text_letter_by_letter(text):
    plain = " ".join(text.split())
    if (
        len(plain) <= 160
        and plain.isprintable()
        and plain
        and "@" not in plain
        and "＠" not in plain
        and "[U+" not in code(text)
    ):
        (span,) = [token for token in tokens_of(code(text)) if token.type == "code_inline"]
        assert span.content == plain


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_attack_21_hostile_text_is_harmless_everywhere_in_a_message(text):
    parts = (
        Text("Look: "),
        Prose(text),
        Text(" and "),
        Code(text),
        Text(" and "),
        Strikethrough((Prose(text),)),
        Text(" x"),
    )
    table = Table(((Text("a"),), (Code(text),)), (((Prose(text),), (Code(text),)),))
    written = SURFACE.render(Message((Paragraph((parts,)), Bullets((parts,)), table), "acme/orders", 418))
    assert_harmless(
        written,
        own_blocks=frozenset(
            {
                "bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close", "s_open", "s_close",
                "table_open", "table_close", "thead_open", "thead_close", "tbody_open", "tbody_close", "tr_open", "tr_close",
                "th_open", "th_close", "td_open", "td_close",
            }
        ),
    )  # fmt: skip
    cells = [token for token in tokens_of(written) if token.type == "td_open"]
    assert len(cells) == 2, "a bar in a cell must not open another one"


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_attack_21_a_whole_question_of_hostile_text_asks_and_does_nothing_else(text):
    said = text.replace("\ud800", "") or "x"  # JSON with a lone surrogate does not pass the contract
    hostile = tuple(
        candidate(f"{n}{said}", f"{n}{said}", said, (1, 2), handler=said, **{f"k{n}": said}) for n in "ab"
    )
    question = asked(
        candidates=hostile, text=said, quotes=(said,), default=hostile[0].id, default_reason=said
    )
    written = SURFACE.render(question_asked(question, addressee="octocat"))
    assert len(written) <= MAX_CHARACTERS
    assert [line for line in written.split("\n") if line.startswith("/")] == []
    links = [str(token.attrs["href"]) for token in tokens_of(written) if token.type == "link_open"]
    assert all(link.startswith("https://github.com/acme/orders/") for link in links)
    assert [token for token in tokens_of(written) if token.type == "image"] == []
    html = "".join(
        token.content for token in tokens_of(written) if token.type in {"html_block", "html_inline"}
    )
    assert re.sub(r"</?details>|</?summary>|What I looked at[^<]*|The code|\s", "", html) == ""
    assert re.findall(r"@\w+", written) == ["@octocat"]


@pytest.mark.parametrize(
    "path", ["a b/c.py", "../../x", "a)b.py", "x#L1", "a?b", "<x>.py", "@x/y.ts", "ü.py", "x\n/go"]
)
def test_a_permalink_is_one_address_on_one_line(path):
    written = SURFACE.render(Message((Permalink(path, 1, 2, "a" * 40),), "acme/orders", 1))
    assert re.fullmatch(
        r"https://github\.com/acme/orders/blob/a{40}/[A-Za-z0-9/._%-]+(\?plain=1)?#L1-L2", written
    )


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_attack_21_a_hostile_path_is_one_link_into_the_repository(text):
    link = SourceLink(text.replace("\ud800", "")[:4_000], "a" * 40)  # no path is longer
    line = Paragraph(((Text("See "), link),))
    written = SURFACE.render(Message((line,), "acme/orders", 1))
    (address,) = [token.attrs["href"] for token in tokens_of(written) if token.type == "link_open"]
    assert str(address).startswith(f"https://github.com/acme/orders/blob/{'a' * 40}/")
    assert live_text(written).strip() == "See"


def test_a_markdown_file_is_linked_as_its_source():
    written = SURFACE.render(Message((Permalink("docs/a.md", 1, 2, "a" * 40),), "acme/orders", 1))
    assert written.endswith("docs/a.md?plain=1#L1-L2")


def test_links_go_to_the_server_that_is_configured():
    surface = GitHubMarkdown("http://127.0.0.1:8080/")
    written = surface.render(Message((Permalink("a.py", 1, 2, "a" * 40),), "acme/orders", 1))
    assert written.startswith("http://127.0.0.1:8080/acme/orders/blob/")


@pytest.mark.parametrize("login", ["octocat", "octocat_acme", "a-b"])
def test_a_login_is_mentioned(login):
    assert SURFACE.render(Message((Paragraph(((UserMention(login),),)),))) == f"@{login}"


@pytest.mark.parametrize("login", ["x y", "acme/team", "a\n/go", ""])
def test_what_is_no_login_is_not_mentioned(login):
    assert "@" not in SURFACE.render(Message((Paragraph(((UserMention(login),),)),)))


def test_folds_go_first_where_there_is_too_much():
    long = Paragraph(((Text("word " * 2_000),),))
    message = Message(
        (Paragraph(((Strong((Text("Q"),)),),)), Details("more", (long,) * 20), Paragraph(((Text("end"),),)))
    )
    written = SURFACE.render(message)
    assert written == "**Q**\n\nend"


def test_the_end_is_cut_where_there_is_still_too_much():
    long = Paragraph(((Text("word " * 2_000),),))
    written = SURFACE.render(Message((long,) * 20))
    assert len(written) <= MAX_CHARACTERS
    assert written.endswith("…")


def test_attack_19_invisible_text_is_shown_to_the_reader():
    assert code("pay\u200bload") == "`pay[U+200B]load`"
    assert prose("evil\u202etxt") == "`evil[U+202E]txt`"


@pytest.mark.parametrize(
    ("sentence", "written"),
    [
        ("`POST /actions` takes `dry_run`.", "`POST /actions` takes `dry_run`."),
        ("it (`a b`), and “`c`”", "it (`a b`), and “`c`”"),
        ("`@dependabot merge` now", "`＠dependabot merge` now"),
        ("one ` alone", "one `` ` `` alone"),
        ("`[x](https://evil.example)`", "`[x](https://evil.example)`"),
        ("x`a`y", "``x`a`y``"),
        ("it names “users.py”, and “delete … removed”", "it names “`users.py`”, and “delete … removed”"),
        ("it names “POST /actions”.", "it names “`POST /actions`”."),
        ("“@octocat” and “[x](https://evil.example)”.", "“`＠octocat`” and “`[x](https://evil.example)`”."),
    ],
)
def test_what_its_writer_put_into_back_ticks_or_quotes_stays_code(sentence: str, written: str) -> None:
    assert prose(sentence) == written
    assert_harmless(prose(sentence))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("feat(api): add dry_run to POST /entries", "feat(api): add dry_run to POST /entries"),
        ("Keep `a[0]` <b> at 9:30", "Keep `a[0]` <b> at 9:30"),
        ("thanks @octocat", "thanks ＠octocat"),
        ("Fixes #7 and gh-8, acme/other#9", "Fixes ＃7 and GH\u20118, acme/other＃9"),
        ("closes https://github.com/acme/other/issues/9", "closes https: //github.com/acme/other/issues/9"),
        ("Tidy up [skip ci]", "Tidy up (skip ci)"),
        ("Tidy up [CI-skip] [no actions]", "Tidy up (CI-skip) (no actions)"),
    ],
)
def test_a_title_keeps_its_characters_but_for_those_that_act(text, shown):
    assert GitHubMarkdown().one_line(text) == shown
