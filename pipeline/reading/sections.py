"""Cut an issue into stretches of one heading and one role, without what a template says itself.

A stretch is what follows a heading, up to a code block, a log, the next heading or something that is left out. A heading
is one of Markdown, a line in bold type, the summary of a `<details>`, or a line such as `Steps to reproduce:`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from pipeline.domain.issue import Section, SectionRole
from pipeline.reading.hidden_text import VisibleText
from pipeline.reading.language_data import NO_ANSWERS
from pipeline.reading.logs import is_log, log_lines
from pipeline.reading.markdown_blocks import BlockKind, MarkdownBlock, line_starts
from pipeline.reading.templates import BOLD_HEADING, IssueTemplate, heading_key, line_key, role_of_heading

_MOST_STRETCHES = 400
_PLAIN_HEADING = re.compile(
    r"^[ \t>]*(?:[-*+][ \t]+)?(?P<heading>[^\W\d_][^:*`_\n]{2,48}?)[ \t]*[:：][ \t]*(?P<rest>.*)$"
)
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>\n]{0,2000})?/?>")
_SUMMARY = re.compile(r"<summary[^<>\n]*>(.{0,200}?)(?:</summary>|$)", re.IGNORECASE)
IMAGE = re.compile(r"!\[[^\[\]\n]{0,500}\]\([^()\n]{0,2000}\)|<img\b[^<>\n]{0,2000}>")
_LINK = re.compile(
    r"(?<!!)\[(?P<text>[^\[\]\n]{0,500})\]\(\s*<?[^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,2000})?[^()\n]{0,200}\)"
)
_URL = re.compile(r"<?\b(?:https?|ftp)://[^\s<>)\]]+>?|\bwww\.[^\s<>)\]]+", re.IGNORECASE)
_ROLES_OF_CRITERIA = frozenset({SectionRole.ACCEPTANCE, SectionRole.EXPECTED})
_NO_PLAIN_HEADINGS = frozenset({SectionRole.SUMMARY, SectionRole.OTHER, SectionRole.CODE})
QUIET_ROLES = frozenset({SectionRole.LOG, SectionRole.CODE})


@dataclass(frozen=True)
class Stretch:
    """Characters `start` up to `end` of a visible text, under one heading and of one role.

    `items` are the places of the list items and paragraphs inside. What goes on with a paragraph that a log or an address
    interrupted is none.
    """

    heading: str
    role: SectionRole
    start: int
    end: int
    items: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class _Heading:
    text: str = ""
    role: SectionRole = SectionRole.SUMMARY
    level: int = 0


def cut(
    text: str,
    blocks: Sequence[MarkdownBlock],
    templates: Sequence[IssueTemplate],
    *,
    has_template: bool = False,
    role: SectionRole = SectionRole.SUMMARY,
) -> tuple[Stretch, ...]:
    """The stretches of a visible text in their order.

    Args:
        text: as people see it.
        blocks: of the text.
        templates: of the repository, the one that fits first.
        has_template: whether the first one fits: an unknown heading then stands inside an answer to it.
        role: of what stands before any heading.
    """
    cutter = _Cutter(text, templates, has_template=has_template, role=role)
    return tuple(islice(_join_neighbours(text, cutter.pieces(blocks)), _MOST_STRETCHES))


def headings_of(text: str, blocks: Sequence[MarkdownBlock]) -> frozenset[str]:
    """The headings of a text, in the form in which templates are compared."""
    headings = [block.text for block in blocks if block.kind is BlockKind.HEADING]
    headings += [match["heading"] for line in text.split("\n") if (match := BOLD_HEADING.match(line[:200]))]
    return frozenset(map(heading_key, headings))


def section_of(stretch: Stretch, visible: VisibleText) -> Section:
    """The stretch as a section: prose loses its links and images, code and logs do not change."""
    text = visible.text[stretch.start : stretch.end]
    return Section(
        heading=stretch.heading,
        role=stretch.role,
        text=text.strip("\n") if stretch.role in QUIET_ROLES else plain_prose(text),
        span=visible.span(stretch.start, stretch.end),
    )


def plain_prose(text: str) -> str:
    """Text without images, addresses and tags of HTML. Of a link its words stay."""
    text = _LINK.sub(lambda match: match["text"], IMAGE.sub(" ", text))
    return _TAG.sub(" ", _URL.sub(" ", text)).strip()


class _Cutter:
    """One text on its way to stretches."""

    def __init__(
        self, text: str, templates: Sequence[IssueTemplate], *, has_template: bool, role: SectionRole
    ) -> None:
        self._text = text
        self._has_template = has_template
        self._heading = _Heading(role=role)
        self._outer: list[_Heading] = []
        self._after_block: _Heading | None = None
        """The heading that counts again behind a paragraph such as `Version: 5.4`, which is a section of its own."""
        self._lines = frozenset[str]().union(*(template.lines for template in templates))
        self._beginnings = tuple(beginning for template in templates for beginning in template.beginnings)
        self._roles: dict[str, SectionRole | None] = {}
        for template in templates:
            for key, template_role in template.roles.items():
                self._roles.setdefault(key, template_role)

    def pieces(self, blocks: Iterable[MarkdownBlock]) -> Iterator[Stretch]:
        for block in blocks:
            if self._after_block is not None and block.kind is not BlockKind.ITEM:
                self._heading, self._after_block = self._after_block, None
            match block.kind:
                case BlockKind.HEADING:
                    self._enter(block.text.strip("*_ :"), block.level)
                case BlockKind.CODE:
                    yield from self._code(block)
                case BlockKind.CHECK_BOX:
                    yield from self._check_box(block)
                case _:
                    yield from self._prose(block)

    def _enter(self, heading: str, level: int) -> None:
        """An unknown heading keeps the role of the one around it: a deeper one, or any inside an answer to a form.

        But for a criterion a section has to say so itself: "Root cause" behind "Expected behavior" holds none.
        """
        key = heading_key(heading)
        role = self._roles.get(key) or role_of_heading(heading)
        around = self._heading
        if role is not None:
            self._heading = _Heading(heading, role, level)
        elif (around.level and level > around.level) or self._is_inside_answer(key):
            self._heading = _Heading(heading, around.role, around.level)
        else:
            self._heading = _Heading(heading, SectionRole.OTHER, level)

    def _is_inside_answer(self, key: str) -> bool:
        is_templates = key in self._roles
        return self._has_template and not is_templates and self._heading.role not in _ROLES_OF_CRITERIA

    def _code(self, block: MarkdownBlock) -> Iterator[Stretch]:
        lines = [line for line in block.text.split("\n") if line.strip()]
        if not lines or all(line_key(line) in self._lines for line in lines):
            return
        is_shown = self._heading.role is SectionRole.LOG or is_log(lines)
        yield self._piece(block.start, block.end, SectionRole.LOG if is_shown else SectionRole.CODE)

    def _check_box(self, block: MarkdownBlock) -> Iterator[Stretch]:
        """A check box is an answer to a template. Only where its author writes of the matter itself are its words read."""
        if self._heading.role not in (SectionRole.ACCEPTANCE, SectionRole.WISH):
            return
        if line_key(self._text[block.start : block.end]) not in self._lines:
            yield self._piece(block.start, block.end, SectionRole.OTHER)

    def _prose(self, block: MarkdownBlock) -> Iterator[Stretch]:
        """The lines of a paragraph, an item or of HTML: logs apart, headings taken, the template's own words left out."""
        starts = line_starts(self._text[block.start : block.end])
        lines = [
            self._text[block.start + start : block.start + end].rstrip("\n")
            for start, end in pairwise(starts)
        ]
        is_new = True
        for at, (line, is_logged) in enumerate(zip(lines, log_lines(lines), strict=True)):
            start = block.start + starts[at]
            end = start + len(line)
            if is_logged:
                yield self._piece(start, end, SectionRole.LOG)
                is_new = False
                continue
            if block.kind is BlockKind.HTML or "<" in line:
                start += self._follow_html(line)
            heading_length = self._heading_length(self._text[start:end], is_first=at == 0)
            start += heading_length
            key = line_key(self._text[start:end])
            has_words = any(sign.isalnum() for sign in key)
            if not has_words or key in self._lines or key.casefold() in NO_ANSWERS:
                is_new = True
                continue
            is_new = is_new or heading_length > 0 or line_key(line) != line.strip()
            is_link = "](" in key or "://" in key
            if plain_prose(key):
                yield self._piece(start, end, self._role_of_prose(), new_item=is_new)
                is_new = False
            elif is_link:  # an address alone is read for what it cites, and nothing else
                yield self._piece(start, end, SectionRole.OTHER, new_item=is_new)
                is_new = False

    def _role_of_prose(self) -> SectionRole:
        """What people write about an example is no code."""
        return SectionRole.OTHER if self._heading.role is SectionRole.CODE else self._heading.role

    def _heading_length(self, line: str, *, is_first: bool) -> int:
        """How many characters of the line are a heading or the beginning of a template's line."""
        if (match := BOLD_HEADING.match(line[:200])) is not None:
            has_colon = bool(match["colon"] or match["after"])
            is_alone = not line[match.end() :].strip()
            is_known = (
                heading_key(match["heading"]) in self._roles or role_of_heading(match["heading"]) is not None
            )
            if (has_colon or is_alone) and (is_known or (is_alone and is_first)):
                self._enter(match["heading"], max(self._heading.level, 1))
                return match.end()
            return 0
        if (match := _PLAIN_HEADING.match(line[:400])) is not None and self._is_plain_heading(match):
            if match["rest"]:
                self._after_block = self._after_block or self._heading
            self._enter(match["heading"], max(self._heading.level, 1))
            return match.start("rest")
        key = line_key(line)
        for beginning in self._beginnings:
            if key.startswith(beginning) and beginning in line:
                return line.index(beginning) + len(beginning)
        return 0

    def _is_plain_heading(self, match: re.Match[str]) -> bool:
        """Whether the words before a colon are a heading: a template's, or few words that give a role of their own."""
        key = heading_key(match["heading"])
        if key in self._roles:
            return True
        role = role_of_heading(match["heading"])
        is_short = len(key.split()) <= 4
        return is_short and role not in (None, *_NO_PLAIN_HEADINGS, self._heading.role)

    def _follow_html(self, line: str) -> int:
        """Take up what `<details>` and its summary say; how many characters of the line the summary takes."""
        lower_line = line.lower()
        length = 0
        if "<details" in lower_line:
            self._outer.append(self._heading)
        if (match := _SUMMARY.search(line)) is not None:
            summary = _TAG.sub("", match[1]).strip()
            role = self._roles.get(heading_key(summary)) or role_of_heading(summary)
            self._heading = _Heading(summary, role or self._heading.role, self._heading.level)
            length = match.end()
        if "</details" in lower_line and self._outer:
            self._heading = self._outer.pop()
        return length

    def _piece(self, start: int, end: int, role: SectionRole, *, new_item: bool = True) -> Stretch:
        return Stretch(self._heading.text, role, start, end, ((start, end),) if new_item else ())


def _join_neighbours(text: str, pieces: Iterable[Stretch]) -> Iterator[Stretch]:
    """Neighbours under one heading and of one role as one stretch, where nothing but spaces lies between them."""
    group: list[Stretch] = []
    for piece in pieces:
        if group and not _goes_on(text, group[-1], piece):
            yield _stretch_of(group)
            group = []
        group.append(piece)
    if group:
        yield _stretch_of(group)


def _goes_on(text: str, piece: Stretch, following: Stretch) -> bool:
    is_same = (piece.heading, piece.role) == (following.heading, following.role)
    return is_same and not text[piece.end : following.start].strip()


def _stretch_of(group: list[Stretch]) -> Stretch:
    items: list[tuple[int, int]] = []
    for piece in group:
        if piece.items:
            items.append((piece.start, piece.end))
        elif items:
            items[-1] = (items[-1][0], piece.end)
    return replace(group[0], end=group[-1].end, items=tuple(items))
