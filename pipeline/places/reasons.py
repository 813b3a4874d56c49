"""Why a file is on the list, in words that a person can check: the words it shares and where, the frame, the commits."""

from collections.abc import Iterator, Mapping

from pipeline.domain.issue import CitationKind
from pipeline.domain.places import Channel, CitedFile, Reason
from pipeline.domain.terms import WORD, TermTable, joined_terms
from pipeline.domain.words import STOP_WORDS, stem
from pipeline.places.features import Candidates, RankedRepository
from pipeline.places.queries import Query
from pipeline.places.text_scores import TextSource

_MOST_WORDS = 4
_MOST_COMMITS = 3
_LIKE_ENOUGH = 0.25
"""Share of the most similar commit's score from which commits are named as a reason."""
_NEAR_ENOUGH = 0.6
_COUNTED_PLACES = ("names defined here", "literals of this file", "comments of this file", "this file")
"""What the four counts of a posting are of, in their order."""
_WORDS_OF_WISHES = frozenset(map(stem, STOP_WORDS))
"""“Add” and “allow” say what an issue wants, and not which code it is about, though the ranking counts them."""
_SAYS_LESS = frozenset(_COUNTED_PLACES[2:])


class ReasonWriter:
    """Writes the reasons of the files of one issue."""

    def __init__(self, text: str, candidates: Candidates, repository: RankedRepository) -> None:
        self._candidates = candidates
        self._repository = repository
        self._spellings = _spellings(text)
        index = repository.index
        rarity = candidates.text.rarity
        terms = [
            term
            for term, weights in candidates.terms.items()
            if term in rarity
            and term not in _WORDS_OF_WISHES
            and (Query.TITLE in weights or Query.WISH in weights)
        ]
        self._by_rarity = sorted(terms, key=lambda term: (-rarity[term], term))[:40]
        self._postings = {term: _counts(index, term) for term in self._by_rarity}
        self._citations_by_file: dict[int, list[CitedFile]] = {}
        for number, citation in candidates.citations:
            self._citations_by_file.setdefault(number, []).append(citation)

    def reasons(self, number: int) -> tuple[Reason, ...]:
        """The reasons of a file, the strongest first; never none."""
        reasons_ = [
            *self._citations(number),
            *self._words(number),
            *self._commits(number),
            *self._neighbours(number),
        ]
        return tuple(reasons_) or (Reason(channel=Channel.TEXT, sentence="shares words with the issue"),)

    def _citations(self, number: int) -> Iterator[Reason]:
        sentences: dict[str, str] = {}
        for cited_file in self._citations_by_file.get(number, ()):
            citation = cited_file.citation
            if citation.kind is CitationKind.FRAME:
                line = f":{cited_file.line}" if cited_file.line else ""
                sentences[f"the frame {cited_file.path}{line} points here"] = cited_file.path
            elif citation.kind in {CitationKind.LINE, CitationKind.FILE}:
                sentences[f"the issue names “{citation.text}”"] = citation.text
            elif cited_file.is_only:
                sentences[f"“{citation.text}” is defined here and nowhere else"] = citation.text
            else:
                sentences[f"“{citation.text}” is defined here"] = citation.text
        for sentence, word in list(sentences.items())[:_MOST_WORDS]:
            yield Reason(channel=Channel.CITED, sentence=sentence, words=(word,))
        places = self._candidates.mentions.get(number)
        if places:
            identities = dict.fromkeys(self._repository.past.identities[place] for place in places)
            ids = ", ".join(list(identities)[:_MOST_COMMITS])
            yield Reason(
                channel=Channel.HISTORY, sentence=f"changed by commits that the issue leads to: {ids}"
            )

    def _words(self, number: int) -> Iterator[Reason]:
        in_path = [term for term in self._by_rarity if number in self._repository.index.path_postings(term)]
        groups = [("the path", in_path)]
        for at, place in enumerate(_COUNTED_PLACES):
            groups.append(
                (place, [t for t in self._by_rarity if self._postings[t].get(number, 0) >> 8 * at & 0xFF])
            )
        terms_so_far: set[str] = set()
        fresh_by_place: dict[str, list[str]] = {}
        for place, terms in groups:
            fresh = [term for term in terms if term not in terms_so_far][:_MOST_WORDS]
            if fresh and len(terms_so_far) < 2 * _MOST_WORDS:
                terms_so_far.update(terms)
                fresh_by_place[place] = fresh
        # Of path, names and literals the one with the rarest words stands first: often it is the only one that people see.
        rarity = self._candidates.text.rarity
        for place in sorted(
            fresh_by_place,
            key=lambda place_: (
                place_ in _SAYS_LESS,
                -sum(rarity[term] for term in fresh_by_place[place_]),
            ),
        ):
            words = tuple(dict.fromkeys(self._spellings.get(term, term) for term in fresh_by_place[place]))
            quotations = ", ".join(f"“{word}”" for word in words)
            yield Reason(channel=Channel.TEXT, sentence=f"shares {quotations} with {place}", words=words)

    def _commits(self, number: int) -> Iterator[Reason]:
        row = self._candidates.rows[number]
        places = self._candidates.past.commits.get(number, ())
        if places and row.get(f"{Query.WISH} like", 0.0) >= _LIKE_ENOUGH:
            identities = self._repository.past.identities
            ids = ", ".join(identities[place] for place in places[:_MOST_COMMITS])
            noun = "commit" if len(places) == 1 else "commits"
            yield Reason(channel=Channel.HISTORY, sentence=f"{len(places)} similar {noun}: {ids}")

    def _neighbours(self, number: int) -> Iterator[Reason]:
        row = self._candidates.rows[number]
        verb = next((name for name in ("imports", "imported by") if row[name] >= _NEAR_ENOUGH), None)
        if verb is not None:
            sentence = f"{verb} one of the files that share the most words"
            yield Reason(channel=Channel.NEIGHBOUR, sentence=sentence)


def _counts(index: TextSource, term: str) -> Mapping[int, int]:
    postings = index.postings(term)
    return dict(zip(postings.files, postings.counts, strict=True))


def _spellings(text: str) -> dict[str, str]:
    """Each term as the issue writes it first."""
    table = TermTable()
    spellings: dict[str, str] = {}
    for word in WORD.findall(text):
        for term in table[word.encode()]:
            spellings.setdefault(term, word)
    for term, words in joined_terms(text, table):
        spellings.setdefault(term, words)
    return spellings
