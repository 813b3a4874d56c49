"""The issue as a model reads it. Pure."""

from collections.abc import Iterator

from pipeline.domain.issue import IssueDocument, Section
from pipeline.domain.ticket import IncomingTicket
from pipeline.reading.hidden_text import remove_hidden

_MOST_CHARACTERS = 100_000


def issue_for_model(ticket: IncomingTicket, document: IssueDocument) -> str:
    """The sections of an issue under their headings, without hidden text, check boxes and words of templates."""
    parts, heading = [], ""
    for section, text in sections_as_written(ticket, document):
        # Text, code and logs under one heading are sections of their own.
        is_new = section.heading and section.heading != heading
        parts.append(f"## {section.heading}\n\n{text}" if is_new else text)
        heading = section.heading
    return "\n\n".join(part for part in parts if part)[:_MOST_CHARACTERS]


def sections_as_written(ticket: IncomingTicket, document: IssueDocument) -> Iterator[tuple[Section, str]]:
    """Each section with its visible text. A section's own text, which is searched for words, has lost its links."""
    comments = {comment.id: comment.body for comment in ticket.comments}
    for section in document.sections:
        of_comment = section.span.comment
        source = ticket.prose if of_comment is None else comments[of_comment]
        yield section, remove_hidden(source[section.span.start : section.span.end]).strip()
