"""The stage's declaration: a ranking of files becomes places with entries and reasons."""

from pipeline.code_registry.registry import Registry
from pipeline.contract.ticket import LikelyPlace
from pipeline.domain.issue import IssueDocument
from pipeline.domain.places import Ranking
from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.places.entries import entries_of
from pipeline.stages.registry import RegistryReady
from pipeline.stages.selection.terms import terms_of
from pipeline.stages.snapshot.stage import Snapshot
from pipeline.stages.stage import StageKind, StageValue

STAGE = "places"
_MOST_FILES = 10
_MOST_REASONS = 3


class PlacesInput(StageValue):
    """What is ranked, and for which issue."""

    snapshot: Snapshot
    registry: RegistryReady
    reading: IssueDocument


class Places(StageValue):
    """Where the issue probably is. `ranking` is whole, `places` are its first ten with what they hold."""

    ranking: Ranking
    places: tuple[LikelyPlace, ...]


def _run(inputs: PlacesInput, context: StageContext) -> Places:
    return find_places(inputs.reading, context.rank(inputs.reading), context.registry())


KIND = StageKind(
    name=STAGE,
    input=PlacesInput,
    output=Places,
    run=_run,
    reads=frozenset({RunInput.INDEX}),
    finds_ticket=True,
)


def find_places(document: IssueDocument, ranking: Ranking, registry: Registry) -> Places:
    """The first files of a ranking, each with the entries in it that the issue's words fit."""
    files = ranking.files[:_MOST_FILES]
    entries = entries_of([file.path for file in files], terms_of(document), registry)
    return Places(
        ranking=ranking,
        places=tuple(
            LikelyPlace(
                path=file.path,
                probability=file.probability,
                entries=entries.get(file.path, ()),
                because=tuple(reason.sentence for reason in file.reasons[:_MOST_REASONS]),
            )
            for file in files
        ),
    )
