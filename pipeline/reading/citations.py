"""Everything in an issue that points at code, each with its place. Whether it exists in the tree is decided elsewhere."""

from collections.abc import Iterable, Iterator

from pipeline.domain.issue import Citation, CitationKind, SectionRole, Span
from pipeline.reading import code_names as shapes
from pipeline.reading.hidden_text import VisibleText
from pipeline.reading.scanner import find_matches
from pipeline.reading.sections import Stretch

MOST_CITATIONS = 600


def find_citations(
    visible: VisibleText, stretches: Iterable[Stretch], repository: str | None
) -> Iterator[Citation]:
    """What the stretches of a text cite, in their order. `repository` is `owner/name` of the ticket, None without one."""
    for stretch in stretches:
        for match in find_matches(visible.text[stretch.start : stretch.end], stretch.role, repository):
            start, end = stretch.start + match.start, stretch.start + match.end
            yield Citation(
                kind=match.kind,
                text=match.text,
                quote=visible.text[start:end],
                span=visible.span(start, end),
                role=stretch.role,
                method=match.method,
                line=match.line,
                function=match.function,
                depth=match.depth,
                is_marked=match.is_marked,
            )


def name_citation(name: str, span: Span, role: SectionRole) -> Citation | None:
    """A name that somebody points out in the issue, of the kind that its shape says; None where code has no such names."""
    method, _, path = name.partition(" ")
    if method in shapes.METHODS and path.startswith("/"):
        kind, text = CitationKind.ROUTE, shapes.plain_path(path.strip())
    else:
        method = ""
        read = shapes.kind_of_marked(name)
        if read is None:
            return None
        kind, text = read
    return Citation(
        kind=kind, text=text, quote=name, span=span, role=role, method=method or None, is_marked=True
    )


def unique_citations(citations: Iterable[Citation]) -> tuple[Citation, ...]:
    """Each thing once for each role it stands in; a marked one and an inner frame before others of the same thing."""
    best: dict[tuple[object, ...], Citation] = {}
    for citation in citations:
        key = (citation.kind, citation.text, citation.method, citation.line, citation.function, citation.role)
        earlier = best.get(key)
        if earlier is None:
            if len(best) >= MOST_CITATIONS:
                break
            best[key] = citation
        elif (citation.is_marked, -(citation.depth or 0)) > (earlier.is_marked, -(earlier.depth or 0)):
            best[key] = citation
    return tuple(
        sorted(
            best.values(),
            key=lambda citation_: (citation_.span.comment or 0, citation_.span.start, citation_.span.end),
        )
    )
