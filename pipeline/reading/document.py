"""Read an issue as a document. The door of this room: pure, the same every time, for any text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from pipeline.domain.issue import IssueDocument, Section, SectionRole
from pipeline.domain.ticket import IncomingTicket
from pipeline.reading.acceptance import MOST_CRITERIA, find_acceptance
from pipeline.reading.citations import find_citations, unique_citations
from pipeline.reading.hidden_text import VisibleText, visible_text
from pipeline.reading.kinds import kind_of
from pipeline.reading.languages import has_topic, is_english, script_of
from pipeline.reading.markdown_blocks import MarkdownBlock, markdown_blocks
from pipeline.reading.sections import QUIET_ROLES, Stretch, cut, headings_of, section_of
from pipeline.reading.templates import IssueTemplate, line_key

MOST_CHARACTERS = 65_536
"""Of one source, as on GitHub; a longer file is read from its beginning."""


@dataclass(frozen=True)
class _Source:
    """A part of the issue with its own text: the title, the body, or a comment."""

    visible: VisibleText
    stretches: tuple[Stretch, ...]


def read_issue(
    ticket: IncomingTicket, templates: Sequence[IssueTemplate], labels: Sequence[str]
) -> IssueDocument:
    """The issue as a document, by rules.

    Args:
        ticket: title, body and the comments that belong to it.
        templates: of the repository at the commit of the run.
        labels: of the issue; they say of which kind it is.
    """
    title = visible_text(ticket.title[:MOST_CHARACTERS])
    body = visible_text(ticket.body[:MOST_CHARACTERS], start=len(ticket.title) + 2)
    blocks = markdown_blocks(body.text)
    template = template_of(ticket.title, body.text, blocks, templates)
    templates_by_fit = sorted(templates, key=lambda template_: template_ is not template)
    sources = [
        _Source(title, (Stretch("", SectionRole.TITLE, 0, len(title.text)),)),
        _Source(body, cut(body.text, blocks, templates_by_fit, has_template=template is not None)),
        *_comments(ticket, templates_by_fit),
    ]
    citations = unique_citations(
        chain.from_iterable(
            find_citations(source.visible, source.stretches, ticket.repository) for source in sources
        )
    )
    stretches = [stretch for source in sources for stretch in source.stretches]
    kind, kind_reason = kind_of(title.text, labels, template, stretches, citations)
    sections, script = tuple(_sections(sources)), script_of(f"{title.text}\n{body.text}")
    criteria = chain.from_iterable(
        find_acceptance(source.visible.text, source.stretches) for source in sources
    )
    whole = len(ticket.body)
    cut_off = f"The issue is read up to character {MOST_CHARACTERS:,}; it has {whole:,}."
    prose = "\n".join(section.text for section in sections if section.role not in QUIET_ROLES)
    return IssueDocument(
        kind=kind,
        kind_reason=kind_reason,
        sections=sections,
        citations=citations,
        acceptance=tuple(islice(dict.fromkeys(criteria), MOST_CRITERIA)),
        hidden_pieces=sum(source.visible.hidden_pieces for source in sources),
        script=script,
        is_english=is_english(prose, script),
        has_topic_in_title=has_topic(title.text),
        notes=(cut_off,) if whole > MOST_CHARACTERS else (),
    )


def template_of(
    title: str, body: str, blocks: Sequence[MarkdownBlock], templates: Sequence[IssueTemplate]
) -> IssueTemplate | None:
    """The template that an issue was made with: most of its headings, or most of its lines, stand in the issue."""
    headings = headings_of(body, blocks)
    lines = frozenset(line_key(line) for line in body.split("\n"))

    def fit(template: IssueTemplate) -> tuple[float, int]:
        common_parts = headings & template.roles.keys() if template.roles else lines & template.lines
        whole = len(template.roles) or len(template.lines)
        begins = bool(template.title.strip()) and title.startswith(template.title.strip())
        return (len(common_parts) / whole if whole else 0.0) + (0.5 if begins else 0.0), len(common_parts)

    fits = [(fit(template), -at, template) for at, template in enumerate(templates)]
    best = max(fits, key=lambda fit_row: fit_row[:2], default=None)
    return best[2] if best is not None and best[0][0] >= 0.5 else None


def _comments(ticket: IncomingTicket, templates: Sequence[IssueTemplate]) -> Iterator[_Source]:
    for comment in ticket.comments:
        visible = visible_text(comment.body[:MOST_CHARACTERS], comment=comment.id)
        yield _Source(
            visible, cut(visible.text, markdown_blocks(visible.text), templates, role=SectionRole.OTHER)
        )


def _sections(sources: Sequence[_Source]) -> Iterator[Section]:
    for source in sources:
        for stretch in source.stretches:
            section = section_of(stretch, source.visible)
            if section.text or section.role is SectionRole.TITLE:
                yield section
