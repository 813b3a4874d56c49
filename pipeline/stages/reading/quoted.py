"""From a filled-in form to a document: what rests on words of the issue is kept, the rest is discarded and noted.

Pure. A model may read an issue well or badly, or be talked into something by it. What it states reaches later stages only
where the issue says it. Criteria, conditions and the kind must rest on what the author writes, so words of a log, of code
and of a template do not carry them.
"""

import re
from collections.abc import Callable, Iterable
from typing import TypeVar

from pipeline.domain.issue import (
    Citation,
    IssueDocument,
    IssueKind,
    Quotation,
    Reader,
    SectionRole,
    Span,
    Synonym,
)
from pipeline.domain.printable import printable
from pipeline.domain.ticket import IncomingTicket
from pipeline.reading.citations import name_citation
from pipeline.reading.for_models import issue_for_model, sections_as_written
from pipeline.stages.reading.form import NamedThingForm, ReadingForm, StatementForm, WordForm

MOST_VALUES = 40
"""Of each kind; an issue that has more is read by its first ones."""

_LONGEST = 300
_CODE_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]{2,29}")
_NO_STATEMENTS = frozenset({SectionRole.LOG, SectionRole.CODE, SectionRole.ENVIRONMENT})

_FormPart = TypeVar("_FormPart")
_Value = TypeVar("_Value")


def completed_document(form: ReadingForm, ticket: IncomingTicket, document: IssueDocument) -> IssueDocument:
    """The document with what the form adds to it; `document` is the same ticket read by rules."""
    return _Check(form, ticket, document).document()


class _Check:
    """One form held against one issue."""

    def __init__(self, form: ReadingForm, ticket: IncomingTicket, document: IssueDocument) -> None:
        self._form = form
        self._ticket = ticket
        self._rules = document
        self._all_text = _in_one_line(issue_for_model(ticket, document))
        self._statements = _in_one_line(
            "\n\n".join(
                text
                for section, text in sections_as_written(ticket, document)
                if section.role not in _NO_STATEMENTS
            )
        )
        self._discarded: list[str] = []

    def document(self) -> IssueDocument:
        form, rules = self._form, self._rules
        kind, reason = rules.kind, rules.kind_reason
        if kind is IssueKind.UNSURE and self._rests_on("kind", form.kind, form.kind_quote, self._statements):
            kind, reason = (
                IssueKind(form.kind),
                f"The issue says “{_in_one_line(form.kind_quote)[:_LONGEST]}”.",
            )
        names = self._values(form.things_named, self._citation)
        criteria = self._values(form.acceptance, self._quotation("acceptance"))
        return rules.model_copy(
            update={
                "reader": Reader.MODEL,
                "kind": kind,
                "kind_reason": reason,
                "citations": (*rules.citations, *self._new(names)),
                "acceptance": tuple(dict.fromkeys([*rules.acceptance, *self._further(criteria)]))[
                    :MOST_VALUES
                ],
                "conditions": self._values(form.conditions, self._quotation("condition")),
                "synonyms": self._values(form.synonyms, self._synonym),
                "discarded": tuple(self._discarded),
            }
        )

    def _values(
        self, parts: Iterable[_FormPart], read: Callable[[_FormPart], _Value | None]
    ) -> tuple[_Value, ...]:
        values = (read(part) for part in list(parts)[:MOST_VALUES])
        return tuple(dict.fromkeys(value for value in values if value is not None))

    def _rests_on(self, subject: str, value: str, quote: str, text: str) -> bool:
        """Whether the text has these words; noted if not."""
        words = _in_one_line(quote)
        if words and words in text:
            return True
        quotation = f"“{words[:_LONGEST]}”"
        is_elsewhere = words and words in self._all_text
        self._discard(
            subject,
            value,
            f"{quotation} stands in code, a log or a list of versions, which wish nothing"
            if is_elsewhere
            else f"the issue does not say {quotation}",
        )
        return False

    def _discard(self, subject: str, value: str, why: str) -> None:
        self._discarded.append(printable(f"{subject} “{_in_one_line(value)[:_LONGEST]}”: {why}"))

    def _citation(self, form: NamedThingForm) -> Citation | None:
        """A name that stands in its quote, of the kind that its shape says, at its place in the issue."""
        if not self._rests_on("name", form.name, form.quote, self._all_text):
            return None
        name = form.name.strip().strip("`")
        if not name or name not in form.quote:
            self._discard("name", form.name, f"it does not stand in “{_in_one_line(form.quote)[:_LONGEST]}”")
            return None
        span = self._place_of(name, form.quote)
        if span is None:
            self._discard("name", form.name, "its place in the issue cannot be told")
            return None
        citation = name_citation(name, span, self._role_at(span))
        if citation is None:
            self._discard("name", form.name, "it has no shape of a name in code, and counts as plain words")
        return citation

    def _place_of(self, name: str, quote: str) -> Span | None:
        """Where the name stands: in its quote, where the issue holds that unchanged, else its first place."""
        sources = [
            (self._ticket.prose, None),
            *((comment.body, comment.id) for comment in self._ticket.comments),
        ]
        for words in (quote, name):
            for source, comment_id in sources:
                at = source.find(words)
                if at >= 0:
                    start = at + words.index(name)
                    return Span(start=start, end=start + len(name), comment=comment_id)
        return None

    def _role_at(self, span: Span) -> SectionRole:
        for section in self._rules.sections:
            around = section.span
            if around.comment == span.comment and around.start <= span.start < around.end:
                return section.role
        return SectionRole.OTHER

    def _new(self, citations: tuple[Citation, ...]) -> list[Citation]:
        """What the rules have not read already."""
        rule_citations = {(citation.kind, citation.text) for citation in self._rules.citations}
        return [citation for citation in citations if (citation.kind, citation.text) not in rule_citations]

    def _further(self, criteria: tuple[Quotation, ...]) -> list[Quotation]:
        """Criteria whose words are not those of a section that says so."""
        sections = [_in_one_line(quotation.quote) for quotation in self._rules.acceptance]
        return [
            criterion
            for criterion in criteria
            if not any(_in_one_line(criterion.quote) in text for text in sections)
        ]

    def _synonym(self, form: WordForm) -> Synonym | None:
        if not self._rests_on("synonym", form.word, form.quote, self._all_text):
            return None
        means = tuple(word for word in form.code_words[:8] if _CODE_WORD.fullmatch(word))
        if not form.word.strip() or form.word.casefold() not in form.quote.casefold():
            self._discard("synonym", form.word, "it is no word of its quote")
            return None
        if not means:
            self._discard("synonym", form.word, "nothing that it stands for is a single plain word")
            return None
        return Synonym(text=form.word, means=means, quote=form.quote)

    def _quotation(self, subject: str) -> Callable[[StatementForm], Quotation | None]:
        def read(form: StatementForm) -> Quotation | None:
            if not self._rests_on(subject, form.text, form.quote, self._statements):
                return None
            return Quotation(text=_in_one_line(form.text)[:_LONGEST] or form.quote, quote=form.quote)

        return read


def _in_one_line(text: str) -> str:
    return " ".join(text.split())
