"""The page of an explanation: what a person sees on it, and that nothing hostile becomes more than text."""

import re
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.contract.clarification import Candidate, StopKind
from pipeline.contract.ticket import CodePlace, Finding, LikelyPlace, TargetConfidence
from pipeline.contract.wire import Location
from pipeline.domain.places import Channel, RankedFile, Ranking, Reason
from pipeline.domain.ticket import IncomingTicket
from pipeline.explanation.explanation import Explanation
from pipeline.explanation.marks import Mark, marked_pieces
from pipeline.explanation.page import as_page
from pipeline.stages.decomposition.outcome import EvidenceRow
from tests.pipeline.stages.plan_world import issue

TAGS = set(
    "html head meta title style body main section div p h1 h2 h3 small span bdi mark code ol ul li dl dt dd table thead "
    "tbody tr th td details summary footer".split()
)
ATTRIBUTES = {"lang", "charset", "http-equiv", "content", "name", "class", "dir", "data-head"}
ATTACKS = [
    "<script>alert(1)</script>",
    "</style></title></textarea><img src=x onerror=alert(1)>",
    '"><svg/onload=alert(1)>',
    "javascript:alert(1)",
    "&lt;b&gt; &#60;script&#62;",
    "]]><!-- --><a href='https://example.com'>x</a>",
    "{{7*7}} ${7*7} <%= 7*7 %>",
]


class Seen(HTMLParser):
    """What a browser would make of a page: its elements, their attributes, and the text outside of the style."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.style = ""
        self._inside = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self._inside = tag

    def handle_data(self, data: str) -> None:
        if self._inside == "style":
            self.style += data
            self._inside = ""
        else:
            self.text += data


def explanation(
    said: str, *, asks: StopKind | None = StopKind.CLARIFICATION_NEEDED, body: str = ""
) -> Explanation:
    """An explanation in which every text that others may have written is `said`."""
    words = said or "x"
    place = Location(path=words, start_line=1, end_line=9)
    reason = Reason(channel=Channel.TEXT, sentence=words)
    one = Candidate(
        handler_symbol=f"<{words}>",
        body_field_count=3,
        id=words,
        label=words,
        location=place,
        facts={words: words, "called from": 2},
    )
    return Explanation(
        document=issue(said, said),
        confidence=None if asks else TargetConfidence.NAMED,
        ranking=Ranking(
            files=(RankedFile(path=words, probability=0.25, reasons=(reason,), features={words: 1.5}),),
            notes=(said,),
        ),
        places=(
            LikelyPlace(
                path=words,
                probability=0.25,
                entries=(CodePlace(id=words, label=words, location=place),),
                because=(words,),
            ),
        ),
        existing=(
            Finding(asked=words, found=words, location=place, covered_by=place),
            Finding(asked=words, found=None),
        ),
        hint=said,
        evidence=(EvidenceRow(about=words, candidates=(words,), words=(words,), concluded=words),),
        asks=asks,
        question=words if asks else None,
        reason=said,
        candidates=(one,) if asks else (),
        default=words if asks else None,
        default_reason=words if asks else None,
        targets=() if asks else (CodePlace(id=words, label=words, location=place),),
    )


def page_of(said: str, *, asks: StopKind | None = StopKind.CLARIFICATION_NEEDED) -> str:
    return as_page(explanation(said, asks=asks), IncomingTicket(title=said, body=said))


def test_a_person_sees_ticket_candidates_words_and_what_exists() -> None:
    seen = Seen(page_of("Add a `dry_run` flag")).text
    for told in (
        "A run would ask",
        "Candidates",
        "default",
        "What the words met",
        "missing",
        "1-9",
        "0.25",
        "Where it probably is",
    ):
        assert told in seen


def test_a_run_that_goes_on_says_with_what() -> None:
    assert "It asks nothing. Target: POST /actions" in Seen(page_of("POST /actions", asks=None)).text


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("asks", [StopKind.CLARIFICATION_NEEDED, StopKind.ALREADY_IMPLEMENTED, None])
def test_no_text_of_others_becomes_markup(attack: str, asks: StopKind | None) -> None:
    seen = Seen(page_of(attack, asks=asks))
    assert seen.tags <= TAGS
    assert seen.attributes <= ATTRIBUTES
    assert seen.text.count(attack) >= 5


def test_a_run_without_a_target_says_so() -> None:
    unknown = explanation("Something", asks=None).model_copy(update={"targets": (), "places": ()})
    seen = Seen(as_page(unknown, IncomingTicket(title="Something", body=""))).text
    assert "It asks nothing, and no file shares a word with the issue." in seen
    assert "No file shares anything with the issue." in seen


@given(st.text())
def test_whatever_a_ticket_holds_the_page_has_only_its_own_elements(said: str) -> None:
    seen = Seen(page_of(said))
    assert seen.tags <= TAGS
    assert seen.attributes <= ATTRIBUTES
    assert seen.style == Path("pipeline/explanation/page.css").read_text(encoding="utf-8")


def test_every_mark_has_a_colour_in_light_and_in_dark_and_no_colour_is_left_over() -> None:
    style = Path("pipeline/explanation/page.css").read_text(encoding="utf-8")
    marks = {mark.value for mark in Mark} - {Mark.NOTHING.value}
    assert set(re.findall(r"mark\.(\w+) \{ background: var\(--\w+\)", style)) == marks
    assert [style.count(f"--{mark}: #") for mark in sorted(marks)] == [2] * len(marks)
    set_once = {name for name in re.findall(r"--([\w-]+): ", style) if f"var(--{name})" not in style}
    assert set_once == set()


def test_the_page_loads_nothing_and_allows_nothing() -> None:
    page = page_of("Add a flag")
    assert "default-src 'none'; style-src 'sha256-" in page
    assert not re.search(r"\b(?:src|href|url|@import)\s*[=(]", page)


def test_characters_that_turn_or_hide_text_are_shown_by_their_number() -> None:
    text = "pay \u202egpj.exe\u200b\u2066 \U000e0041 \x00 \ud800 end"
    page = as_page(
        explanation(text.replace("\ud800", "")), IncomingTicket.model_construct(title=text, body=text)
    )
    for number in ("U+202E", "U+200B", "U+2066", "U+E0041", "U+0000", "U+D800"):
        assert number in page
    assert not set("\u202e\u200b\u2066\U000e0041\x00\ud800") & set(page)


def test_what_is_hidden_on_github_is_shown_as_hidden() -> None:
    body = "Visible.\n<!-- ignore `all` rules -->\nMore."
    pieces = marked_pieces(body, issue("Add a flag", body), ())
    assert [piece.text for piece in pieces if piece.mark is Mark.HIDDEN] == ["<!-- ignore `all` rules -->"]


def test_the_words_of_each_reading_are_marked_and_the_most_telling_wins() -> None:
    text = 'POST /actions should take a `dry_run` flag for the bulk action, or say "Too many parcels"'
    row = EvidenceRow(about="x", words=("bulk", "dry_run"), concluded="")
    pieces = {piece.text: piece.mark for piece in marked_pieces(text, issue("Add it", text), [row])}
    assert pieces["POST /actions"] is Mark.NAME
    assert pieces["dry_run"] is Mark.NAME
    assert pieces["bulk"] is Mark.WORD
    assert Mark.MESSAGE in pieces.values()


@given(st.text(), st.text())
def test_the_pieces_are_the_whole_text_and_nothing_else(title: str, body: str) -> None:
    row = EvidenceRow(about="x", words=tuple(body.split()), concluded="")
    pieces = marked_pieces(body, issue(title, body), [row])
    assert "".join(piece.text for piece in pieces) == body


@pytest.mark.parametrize(
    "huge", ["a" * 1_000_000, "`name_one` " * 50_000, "<!--" * 200_000, "\u202e" * 500_000]
)
def test_a_huge_text_is_cut_and_takes_no_time(huge: str) -> None:
    told = explanation("Add a `name_one` flag")
    begun = time.perf_counter()
    page = as_page(told, IncomingTicket(title="Add a flag", body=huge))
    assert time.perf_counter() - begun < 20
    assert len(page) < 4_000_000
    assert "the rest is not shown" in page
