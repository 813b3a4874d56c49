"""The features of each candidate: numbers between about 0 and 1 that mean the same in every repository."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.domain.history import CommitHistory
from pipeline.domain.issue import CitationKind, IssueDocument
from pipeline.domain.places import CitedFile
from pipeline.places.cited_files import FileNames, cited_files
from pipeline.places.file_kinds import FileKind, file_kind
from pipeline.places.past_scores import PastIndex, PastScores, index_past, score_past
from pipeline.places.queries import Query, Weights, query_terms
from pipeline.places.text_scores import Scores, TextField, TextScores, TextSource, best, score_texts

_OF_EACH_CHANNEL = 25
"""How many of the best files of each channel become candidates."""
_SEEDS = 8
"""How many of the best files speak for their neighbours."""
_FIELD_WEIGHTS = {
    TextField.NAMES: 1.2,
    TextField.STRINGS: 0.5,
    TextField.COMMENTS: 0.3,
    TextField.BODY: 1.0,
    TextField.PATH: 1.0,
}
_OF_PROSE = frozenset({TextField.NAMES, TextField.STRINGS, TextField.BODY, TextField.PATH})
_FIELDS_OF: Mapping[Query, frozenset[TextField]] = {
    Query.TITLE: _OF_PROSE,
    Query.WISH: _OF_PROSE,
    Query.ALL: _OF_PROSE,
    Query.CODE: frozenset({TextField.NAMES, TextField.BODY, TextField.PATH}),
    Query.MESSAGE: frozenset({TextField.STRINGS, TextField.BODY}),
}
"""The fields that are weighed apart for each query; measured, no other pair adds anything."""
_FRAME_DEPTHS = 6

Row = dict[str, float]


@dataclass(frozen=True)
class RankedRepository:
    """A tree and its past, ready for many issues."""

    index: TextSource
    history: CommitHistory
    past: PastIndex
    names: FileNames
    importers: Sequence[Sequence[int]]
    folders: Mapping[str, Sequence[int]]


@dataclass(frozen=True)
class Candidates:
    """The candidates of an issue with their features, and what the reasons are made from.

    `rows` is by number of file, in the order of the numbers.
    """

    rows: dict[int, Row]
    terms: Mapping[str, Weights]
    text: TextScores
    past: PastScores
    citations: Sequence[tuple[int, CitedFile]]
    mentions: Mapping[int, Sequence[int]]


@dataclass(frozen=True)
class _Channel:
    """Scores of files, and what a file would get that has every term once; None where channels are added up."""

    scores: Scores
    total: float | None = None


# From thousands of files to a row of features for some hundreds, in three steps:
#
# 1. Channels: every pair of a query and a field ("title names", "wish body", …), and the like commits, give each file a score.
#    The best 25 of each channel are candidates, and so is every file that the issue cites.
# 2. Seeds: the eight best by text and by like commits speak for their neighbours. What they import, and what imports them,
#    become candidates, too: an issue names the page, and the work is in the module behind it.
# 3. Rows: a score stands twice in a row, held against the best file of this issue ("wish body"), and against a file that had
#    every term once ("wish body share"). The first tells the best file from the second, the second a good match from a poor one,
#    and neither depends on the size of the repository. That is why one trained model fits all repositories.


def open_repository(index: TextSource, past: CommitHistory) -> RankedRepository:
    """Whatever of a tree and its past does not depend on an issue."""
    numbers = {path: number for number, path in enumerate(index.paths)}
    importers: list[list[int]] = [[] for _ in index.paths]
    for number, targets in enumerate(index.edges):
        for target in targets:
            importers[target].append(number)
    folders: dict[str, list[int]] = {}
    for number, path in enumerate(index.paths):
        folders.setdefault(path.rpartition("/")[0], []).append(number)
    return RankedRepository(
        index=index,
        history=past,
        past=index_past(past, numbers),
        names=FileNames(index.paths),
        importers=importers,
        folders=folders,
    )


def find_candidates(document: IssueDocument, repository: RankedRepository) -> Candidates:
    """The union of the best of each channel and of everything cited, each with its features."""
    index = repository.index
    terms = query_terms(document)
    text = score_texts(terms, index)
    past = score_past(terms, repository.past)
    citations = list(cited_files(document.citations, repository.names, index.paths, text.names))
    mentions = _mentions(document, repository.past)
    channels = {
        f"{query} {field}": _Channel(scores, text.totals.get(query) or 1.0)
        for (query, field), scores in text.scores.items()
        if field in _FIELDS_OF[query]
    }
    channels |= {
        f"{query} like": _Channel(scores, past.totals.get(query) or 1.0)
        for query, scores in past.like.items()
    }
    channels["fields"] = _Channel(_fields_together(text))
    seeds = _seeds(channels)
    numbers = {number for number, _ in citations} | set(mentions) | set(seeds)
    for channel in channels.values():
        numbers.update(best(channel.scores, _OF_EACH_CHANNEL))
    for seed in seeds:
        numbers.update(index.edges[seed][:_OF_EACH_CHANNEL])
        numbers.update(repository.importers[seed][:_OF_EACH_CHANNEL])
    table = _Table(document, repository, channels, seeds)
    rows = {number: table.row(number) for number in sorted(numbers)}
    _add_citations(rows, citations, mentions)
    return Candidates(rows, terms, text, past, citations, mentions)


def _fields_together(text: TextScores) -> Scores:
    sums: Scores = {}
    for query, share in ((Query.TITLE, 1.0), (Query.WISH, 1.0), (Query.ALL, 0.3)):
        total = text.totals.get(query) or 1.0
        for field, weight in _FIELD_WEIGHTS.items():
            for number, score in text.scores.get((query, field), {}).items():
                sums[number] = sums.get(number, 0.0) + score * weight * share / total
    return sums


def _seeds(channels: Mapping[str, _Channel]) -> dict[int, float]:
    """The best files by text and by like commits, with weights that fall with their rank."""
    seeds: dict[int, float] = {}
    for name in ("fields", "wish like"):
        scores = channels[name].scores if name in channels else {}
        for rank, number in enumerate(best(scores, _SEEDS)):
            seeds[number] = max(seeds.get(number, 0.0), 1 / (1 + rank))
    return seeds


def _mentions(document: IssueDocument, past: PastIndex) -> dict[int, list[int]]:
    """Files of commits that name an issue or a commit which this issue names, with the places of those commits."""
    files: dict[int, list[int]] = {}
    for citation in document.citations:
        places: Sequence[int] = ()
        if citation.kind is CitationKind.ISSUE:
            digits = "".join(char for char in citation.text if char.isdigit())
            places = past.issues.get(int(digits), ()) if digits.isascii() and 0 < len(digits) < 8 else ()
        elif citation.kind is CitationKind.COMMIT:
            places = [
                place
                for place, identity in enumerate(past.identities)
                if citation.text.startswith(identity[:7])
            ]
        for place in places:
            for number in past.commits[place]:
                files.setdefault(number, []).append(place)
    return files


class _Table:
    """Makes the rows of candidates; what all rows share is worked out once."""

    def __init__(
        self,
        document: IssueDocument,
        repository: RankedRepository,
        channels: Mapping[str, _Channel],
        seeds: Mapping[int, float],
    ) -> None:
        self._repository = repository
        self._channels = channels
        self._tops = {
            name: max(channel.scores.values(), default=0.0) or 1.0 for name, channel in channels.items()
        }
        self._seeds = seeds
        self._title_words = {word.lower() for word in document.title.replace("/", " ").split()}
        self._issue = {
            "title words": min(1.0, len(self._title_words) / 15),
            "prose words": min(1.0, math.log1p(len(document.prose.split())) / 8),
            "files": math.log1p(len(repository.index.paths)) / 10,
        }

    def row(self, number: int) -> Row:
        """The features of a file."""
        row = dict(self._issue)
        for name, channel in self._channels.items():
            score = channel.scores.get(number, 0.0)
            row[name] = score / self._tops[name]
            if channel.total is not None:
                row[f"{name} share"] = score / channel.total
        row |= self._of_file(number)
        row |= self._of_neighbours(number)
        return row

    def _of_file(self, number: int) -> Row:
        repository = self._repository
        past, index = repository.past, repository.index
        path = index.paths[number]
        stem = path.rsplit("/", 1)[-1].split(".", 1)[0].lower()
        kind = file_kind(path)
        return {
            "often": math.log1p(len(past.of_file.get(number, ()))) / 6,
            "lately": math.log1p(past.frequency.get(number, 0.0)) / 4,
            "last": 1 / (1 + past.recency.get(number, 5000) / 50),
            "length": math.log1p(index.lengths[4 * number + 3]) / 10,
            "depth": min(1.0, path.count("/") / 8),
            "importers": math.log1p(len(repository.importers[number])) / 6,
            "stem in title": float(len(stem) > 2 and stem in self._title_words),
            **{f"kind {file_kind_.name.lower()}": float(kind is file_kind_) for file_kind_ in FileKind},
        }

    def _of_neighbours(self, number: int) -> Row:
        repository = self._repository
        scores, top = self._channels["fields"].scores, self._tops["fields"]
        folder = repository.index.paths[number].rpartition("/")[0]
        edges, importers = repository.index.edges[number], repository.importers[number]
        beside = [neighbour for neighbour in repository.folders[folder][:60] if neighbour != number]

        def highest(numbers: Sequence[int]) -> float:
            return max((scores.get(neighbour, 0.0) for neighbour in numbers), default=0.0) / top

        return {
            "imports": highest(edges),
            "imported by": highest(importers[:60]),
            "folder": highest(beside),
            "seeds imported": min(1.0, sum(self._seeds.get(neighbour, 0.0) for neighbour in edges)),
            "importing seeds": min(1.0, sum(self._seeds.get(neighbour, 0.0) for neighbour in importers)),
        }


def _add_citations(
    rows: dict[int, Row], citations: Sequence[tuple[int, CitedFile]], mentions: Mapping[int, Sequence[int]]
) -> None:
    for row in rows.values():
        row |= {"frame": 0.0, "line": 0.0, "file": 0.0, "name": 0.0, "only name": 0.0, "mentioned": 0.0}
    for number, citation_ in citations:
        row = rows[number]
        kind = citation_.citation.kind
        if kind is CitationKind.FRAME:
            depth = citation_.citation.depth or 0
            row["frame"] = max(row["frame"], 1 / (1 + min(depth, _FRAME_DEPTHS)))
        elif kind is CitationKind.LINE:
            row["line"] = 1.0
        elif kind is CitationKind.FILE:
            row["file"] = max(row["file"], 1.0 if citation_.is_only else 0.5)
        else:
            row["name"] = min(2.0, row["name"] + (1.0 if citation_.is_only else 0.3))
            row["only name"] = max(row["only name"], float(citation_.is_only))
    for number, places in mentions.items():
        rows[number]["mentioned"] = min(1.0, len(places) / 2)
