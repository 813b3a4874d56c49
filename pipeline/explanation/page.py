"""Draw an explanation as one page: no script, no network, and every text of others is text.

The page is built as a tree of elements, so nothing that a ticket or a repository says can become markup: texts are
escaped where the tree is written out, in one place. Invisible characters are shown by their number, and each
untrusted text is isolated, so that its direction cannot turn its surroundings.
"""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, tostring

from pipeline.contract.clarification import Candidate, StopKind
from pipeline.contract.version import VERSION
from pipeline.contract.wire import Location
from pipeline.domain.ticket import IncomingTicket
from pipeline.explanation.explanation import Explanation
from pipeline.explanation.marks import Mark, Piece, is_unseen, marked_pieces
from pipeline.explanation.text import verdict

_LONGEST = 65_536
"""Characters of a text that are shown: as many as an issue on GitHub can have."""

_SHORT = 2_000
"""Characters that are shown of everything but the ticket."""

_LEGEND = {
    Mark.NAME: "names something that may be in the code",
    Mark.MESSAGE: "quotes a message or a label",
    Mark.WORD: "was held against the candidates",
    Mark.HIDDEN: "invisible on GitHub, and is not read",
}


def as_page(explanation: Explanation, ticket: IncomingTicket) -> str:
    """The page as HTML."""
    page = Element("html", lang="en")
    _head(page, ticket)
    main = SubElement(SubElement(page, "body"), "main")
    _verdict(main, explanation)
    _ticket(main, explanation, ticket)
    _candidates(main, explanation)
    _places(main, explanation)
    _evidence(main, explanation)
    _existing(main, explanation)
    _name_cells(main)
    SubElement(main, "footer").text = f"askfirst {VERSION}. This page runs nothing and loads nothing."
    return "<!doctype html>\n" + tostring(page, encoding="unicode", method="html") + "\n"


def _head(page: Element, ticket: IncomingTicket) -> None:
    css = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    head = SubElement(page, "head")
    SubElement(head, "meta", charset="utf-8")
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": policy})
    SubElement(head, "meta", name="viewport", content="width=device-width, initial-scale=1")
    SubElement(head, "meta", name="color-scheme", content="light dark")
    title = "".join(sign for sign in ticket.title if not is_unseen(sign))[:120]
    SubElement(head, "title").text = f"askfirst: {title}"
    SubElement(head, "style").text = css


def _verdict(main: Element, explanation: Explanation) -> None:
    SubElement(main, "p", {"class": "soft"}).text = "askfirst explain"
    box = SubElement(main, "section", {"class": f"verdict {_look(explanation)}"})
    SubElement(box, "div", {"class": "kind"}).text = (
        "A run would not ask" if explanation.asks is None else "A run would ask"
    )
    first, *lines = verdict(explanation, with_candidates=False)
    _say(SubElement(box, "h1"), first)
    for line in lines:
        _say(SubElement(box, "p"), line)


def _look(explanation: Explanation) -> str:
    if explanation.asks is None:
        return "goes"
    return "there" if explanation.asks is StopKind.ALREADY_IMPLEMENTED else "asks"


def _ticket(main: Element, explanation: Explanation, ticket: IncomingTicket) -> None:
    _heading(main, "The ticket", "as it was read")
    sheet = SubElement(main, "section", {"class": "sheet"})
    pieces = [
        marked_pieces(text[:_LONGEST], explanation.document, explanation.evidence)
        for text in (ticket.title, ticket.body)
    ]
    _pieces(SubElement(sheet, "p", {"class": "title", "dir": "auto"}), pieces[0])
    _pieces(SubElement(sheet, "div", {"class": "text", "dir": "auto"}), pieces[1])
    if max(len(ticket.title), len(ticket.body)) > _LONGEST:
        cut = SubElement(sheet, "p", {"class": "soft"})
        cut.text = f"The text goes on for {len(ticket.body):,} characters; the rest is not shown."
    legend = SubElement(sheet, "ul", {"class": "legend"})
    used_marks = {piece.mark for of_text in pieces for piece in of_text}
    for mark, meaning in _LEGEND.items():
        if mark in used_marks:
            entry = SubElement(legend, "li")
            SubElement(entry, "mark", {"class": mark.value}).text = mark.value
            SubElement(entry, "span").text = f" {meaning}"


def _pieces(parent: Element, pieces: Iterable[Piece]) -> None:
    for piece in pieces:
        if piece.mark is Mark.NOTHING:
            _say(parent, piece.text, longest=_LONGEST)
        else:
            _say(SubElement(parent, "mark", {"class": piece.mark.value}), piece.text, longest=_LONGEST)


def _candidates(main: Element, explanation: Explanation) -> None:
    if not explanation.candidates:
        return
    if explanation.asks is StopKind.ALREADY_IMPLEMENTED:
        _heading(main, "Found in the code", "where it is, and which test covers it")
    else:
        _heading(main, "Candidates", f"{len(explanation.candidates)}, with what differs between them")
    cards = SubElement(main, "ol", {"class": "cards"})
    for number, candidate in enumerate(explanation.candidates, start=1):
        _card(cards, number, candidate, is_default=candidate.id == explanation.default)


def _card(cards: Element, number: int, candidate: Candidate, *, is_default: bool) -> None:
    card = SubElement(cards, "li", {"class": "default"} if is_default else {})
    heading = SubElement(card, "h3")
    SubElement(heading, "span", {"class": "number"}).text = f"{number}."
    _say(heading, candidate.label)
    if is_default:
        SubElement(heading, "span", {"class": "badge"}).text = "default"
    _place(SubElement(card, "p", {"class": "soft"}), candidate.location)
    facts = SubElement(card, "dl")
    field_count = {} if candidate.body_field_count is None else {"body fields": candidate.body_field_count}
    for name, value in {**field_count, **candidate.facts}.items():
        _say(SubElement(facts, "dt"), name)
        _say(SubElement(facts, "dd"), str(value))


def _evidence(main: Element, explanation: Explanation) -> None:
    _heading(main, "What the words met in the code", "step by step, until one candidate stood or none")
    if not explanation.evidence:
        SubElement(main, "p", {"class": "soft"}).text = "No name and no word of the ticket met anything."
        return
    rows = _table(main, "about", "candidates", "words of the ticket that fit", "concluded")
    for row in explanation.evidence:
        cells = SubElement(rows, "tr")
        _say(SubElement(cells, "td"), row.about.strip("`"))
        _list_of_codes(SubElement(cells, "td"), row.candidates)
        words = SubElement(cells, "td")
        for word in row.words:
            _say(SubElement(words, "mark", {"class": "word"}), word)
            SubElement(words, "span").text = " "
        if not row.words:
            SubElement(words, "span", {"class": "soft"}).text = "none"
        _say(SubElement(cells, "td"), row.concluded)


def _existing(main: Element, explanation: Explanation) -> None:
    if explanation.hint is None and not explanation.existing:
        return
    _heading(main, "What exists already", "point by point")
    _say(SubElement(main, "p"), explanation.hint or "")
    if not explanation.existing:
        return
    rows = _table(main, "the ticket asks for", "found", "test that covers it")
    for finding in explanation.existing:
        cells = SubElement(rows, "tr")
        _say(SubElement(cells, "td"), finding.asked)
        found_cell = SubElement(cells, "td", {"class": "missing" if finding.found is None else "found"})
        _say(SubElement(found_cell, "div"), finding.found or "missing")
        _place(SubElement(found_cell, "div", {"class": "soft"}), finding.location)
        _place(SubElement(cells, "td"), finding.covered_by)


def _places(main: Element, explanation: Explanation) -> None:
    notes = " ".join(explanation.ranking.notes)
    _heading(main, "Where it probably is", "files by calibrated probability, any language")
    if notes:
        _say(SubElement(main, "p", {"class": "soft"}), notes)
    if not explanation.places:
        SubElement(main, "p", {"class": "soft"}).text = "No file shares anything with the issue."
        return
    rows = _table(main, "probability", "file", "what in it", "why")
    for place in explanation.places:
        cells = SubElement(rows, "tr")
        SubElement(cells, "td").text = f"{place.probability:.2f}"
        _code(SubElement(cells, "td"), place.path)
        entries = [entry.label.removesuffix(f" ({place.path})") for entry in place.entries]
        _list_of_codes(SubElement(cells, "td"), entries)
        _say(SubElement(cells, "td"), "; ".join(place.because))


def _heading(main: Element, text: str, remark: str) -> None:
    heading = SubElement(main, "h2")
    heading.text = f"{text} "
    SubElement(heading, "small").text = remark


def _table(main: Element, *heads: str) -> Element:
    table = SubElement(SubElement(main, "div", {"class": "sheet scroll"}), "table")
    row = SubElement(SubElement(table, "thead"), "tr")
    for head in heads:
        SubElement(row, "th").text = head
    return SubElement(table, "tbody")


def _name_cells(main: Element) -> None:
    """Give each cell the head of its column: on a narrow screen a row is a list, and each entry says what it is."""
    for table in main.iter("table"):
        heads = [head.text or "" for head in table.iter("th")]
        for row in table.iter("tr"):
            for cell, head in zip(row.iter("td"), heads, strict=False):
                cell.set("data-head", head)


def _place(parent: Element, location: Location | None) -> None:
    if location is not None:
        last = f"-{location.end_line}" if location.end_line > location.start_line else ""
        _code(parent, f"{location.path}:{location.start_line}{last}")


def _list_of_codes(parent: Element, texts: Sequence[str]) -> None:
    entries = SubElement(parent, "ul") if texts else parent
    for text in texts:
        _code(SubElement(entries, "li"), text)


def _code(parent: Element, text: str) -> None:
    _say(SubElement(parent, "code"), text)


def _say(parent: Element, text: str, *, longest: int = _SHORT) -> None:
    """Add a text of others as text. Invisible characters are shown by number, and a long text is cut."""
    isolation = SubElement(parent, "bdi")
    for is_invisible, signs in groupby(text[:longest], key=is_unseen):
        part = "".join(signs)
        if not is_invisible:
            SubElement(isolation, "span").text = part
            continue
        mark = SubElement(isolation, "span", {"class": "unseen"})
        numbers = [f"U+{ord(sign):04X}" for sign in part[:8]]
        mark.text = " ".join(numbers) + (f" and {len(part) - 8} more" if len(part) > 8 else "")
    if len(text) > longest:
        SubElement(isolation, "span", {"class": "soft"}).text = " … cut"
