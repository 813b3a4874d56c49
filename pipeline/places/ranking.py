"""Rank the files of a repository for an issue: candidates, features, the model, and reasons in words."""

from pipeline.domain.history import CommitHistory
from pipeline.domain.issue import IssueDocument
from pipeline.domain.places import RankedFile, Ranking
from pipeline.places.features import Candidates, RankedRepository, find_candidates, open_repository
from pipeline.places.model import PlaceModel, shipped_model
from pipeline.places.reasons import ReasonWriter
from pipeline.places.text_scores import TextSource, best

MOST_FILES = 50


def rank(document: IssueDocument, index: TextSource, history: CommitHistory) -> Ranking:
    """The files that an issue is probably about, the most probable first."""
    repository, document = open_repository(index, history), document.about
    return rank_candidates(find_candidates(document, repository), document, repository, shipped_model())


def rank_candidates(
    candidates: Candidates, document: IssueDocument, repository: RankedRepository, model: PlaceModel
) -> Ranking:
    """The candidates of an issue in the order of their probability."""
    scores = model.scores(candidates.rows)
    order = best(scores, MOST_FILES)
    probabilities = model.probabilities([scores[number] for number in order])
    writer = ReasonWriter(document.prose, candidates, repository)
    files = tuple(
        RankedFile(
            path=repository.index.paths[number],
            probability=round(probability, 4),
            reasons=writer.reasons(number),
            features={name: round(value, 4) for name, value in candidates.rows[number].items() if value},
        )
        for number, probability in zip(order, probabilities, strict=True)
    )
    return Ranking(
        files=files,
        cited=tuple(citation for _, citation in candidates.citations),
        searched=len(repository.index.paths),
        commits=repository.history.count,
        is_shallow=repository.history.is_shallow,
        notes=(*repository.index.notes, *_notes(repository)),
    )


def _notes(repository: RankedRepository) -> list[str]:
    history = repository.history
    notes = []
    if not repository.index.paths:
        notes.append("The repository has no text file that can be searched.")
    if history.count == 0:
        notes.append("There is no commit history, so past changes say nothing about this issue.")
    elif history.is_shallow:
        commits = "1 commit" if history.count == 1 else f"{history.count} commits"
        notes.append(
            f"The checkout is shallow: its history holds {commits}. Fetch more with `git fetch --deepen=2000`."
        )
    return notes
