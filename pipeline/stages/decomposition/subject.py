"""What a decision is about: the issue as it was read, its anchors and terms, the code, and the answers so far."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer
from pipeline.domain.issue import CitationKind, IssueDocument
from pipeline.domain.places import Ranking
from pipeline.places.file_kinds import FileKind, file_kind
from pipeline.stages.decomposition.candidates import CodeChoice
from pipeline.stages.decomposition.outcome import EvidenceRow
from pipeline.stages.selection.anchors import Anchors, find_anchors
from pipeline.stages.selection.request_change import RequestChange, request_change
from pipeline.stages.selection.terms import Terms, terms_of

if TYPE_CHECKING:
    from pipeline.stages.decomposition.ask_for_routes import RoutesForm


@dataclass
class Subject:
    """One issue over one registry. `rows` collects the evidence of every step of the decision.

    `read_routes` has a model read a list of routes with the issue; it gives None where there is no reply.
    """

    document: IssueDocument
    registry: Registry
    ranking: Ranking
    answers: tuple[Answer, ...] = ()
    read_routes: "Callable[[Sequence[str]], RoutesForm | None] | None" = None
    rows: list[EvidenceRow] = field(default_factory=list)

    @cached_property
    def anchors(self) -> Anchors:
        """What the issue cites, as entries of the registry. A name that source in another language defines is not new."""
        anchors = find_anchors(self.document, self.registry)
        read_paths = {symbol.place.path for symbol in self.registry.symbols}
        defined_names = {
            file.citation.text
            for file in self.ranking.cited
            if file.path not in read_paths and file_kind(file.path) is FileKind.SOURCE
        }
        new_names = tuple(name for name in anchors.new_names if name.text not in defined_names)
        return replace(anchors, new_names=new_names)

    @cached_property
    def terms(self) -> Terms:
        """The issue's own words, weighed."""
        return terms_of(self.document)

    @cached_property
    def request_change(self) -> RequestChange:
        """Whether the wish changes what a caller sends or gets."""
        names = (name.text for name in self.anchors.new_names if name.kind is CitationKind.NAME)
        is_new = any("." not in name and not name[:1].isupper() for name in names)
        return request_change(self.document, has_new_name=is_new)

    def note(
        self, about: str, choices: Sequence[CodeChoice] = (), *, words: Sequence[str] = (), concluded: str
    ) -> None:
        """Add a row of evidence."""
        labels = tuple(choice.label for choice in choices)
        self.rows.append(EvidenceRow(about=about, candidates=labels, words=tuple(words), concluded=concluded))
