"""From an issue to queries: weighted terms of its title, its wish, its names of code, its messages, and all of it."""

from enum import StrEnum

from pipeline.domain.issue import Citation, CitationKind, IssueDocument
from pipeline.domain.terms import WORD, TermTable, joined_terms, term_counts

MOST_TERMS = 260
"""Terms of an issue that are looked up: a long log must not cost minutes."""
_LONGEST_TEXT = 60_000
_CODE = frozenset(
    {
        CitationKind.NAME,
        CitationKind.FILE,
        CitationKind.LINE,
        CitationKind.ROUTE,
        CitationKind.OPTION,
        CitationKind.ENVIRONMENT,
        CitationKind.LOGGER,
        CitationKind.COMMAND,
    }
)


class Query(StrEnum):
    """A part of the issue that is searched for by itself."""

    TITLE = "title"
    WISH = "wish"
    ALL = "all"
    CODE = "code"
    MESSAGE = "message"


Weights = dict[Query, float]
"""What a term weighs in each query that has it."""


def _one_name(citation: Citation) -> str:
    """An option as code writes it: `--no-ignore-vcs` is `no_ignore_vcs`. Other citations have one name already."""
    return "_".join(WORD.findall(citation.text)) if citation.kind is CitationKind.OPTION else ""


def query_terms(document: IssueDocument) -> dict[str, Weights]:
    """The terms of an issue, those of the title first, and what each weighs in each query: 1, and a little more if repeated."""
    table = TermTable()
    citations = document.citations
    texts = {
        Query.TITLE: document.title,
        Query.WISH: document.wish,
        Query.CODE: "\n".join(
            f"{citation.text} {citation.function or _one_name(citation)}"
            for citation in citations
            if citation.kind in _CODE
        ),
        Query.MESSAGE: "\n".join(
            citation.text for citation in citations if citation.kind is CitationKind.MESSAGE
        ),
        Query.ALL: document.prose,
    }
    terms: dict[str, Weights] = {}
    for query, text in texts.items():
        counts = term_counts(text[:_LONGEST_TEXT], table)
        if query in {Query.TITLE, Query.WISH}:
            for term, _ in joined_terms(text[:_LONGEST_TEXT], table):
                counts.setdefault(term, 1)
        for term, count in counts.items():
            if term in terms or len(terms) < MOST_TERMS:
                terms.setdefault(term, {})[query] = 1 + 0.3 * min(count - 1, 4)
    return terms
