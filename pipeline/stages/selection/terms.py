"""The words of an issue as weights: words of the title weigh most, words behind a negation speak against."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pipeline.domain.issue import CitationKind, IssueDocument
from pipeline.domain.words import name_parts, prose_stems, stem
from pipeline.stages.selection.language_weights import EVERYWHERE, NEGATIONS

_NAMES = (
    CitationKind.NAME,
    CitationKind.FILE,
    CitationKind.OPTION,
    CitationKind.ENVIRONMENT,
    CitationKind.LINE,
)
_TITLE, _WISH = 2.0, 1.0
_BEHIND = 5
"""How many words behind a negation it may rule out."""

_CLAUSE = re.compile(r"[.!?;:,()]+|\n\s*\n")
_WORD = re.compile(r"[^\W\d_][\w-]*")


@dataclass(frozen=True)
class Terms:
    """The stems of an issue's own words.

    Attributes:
        weights: by stem; a word of the title weighs 2, any other 1. Parts of cited names are left out: a name is
            compared as a name.
        excluded_stems: those that stand behind a negation and nowhere else.
        words_by_stem: the words of the issue, unchanged, by stem, for quoting.
    """

    weights: Mapping[str, float]
    excluded_stems: frozenset[str]
    words_by_stem: Mapping[str, str]

    @property
    def stems(self) -> frozenset[str]:
        """All that speak for something."""
        return frozenset(self.weights)

    def is_in_title(self, stem: str) -> bool:
        """Whether the title has a word of this stem."""
        return self.weights.get(stem) == _TITLE

    def quote(self, stems: frozenset[str]) -> tuple[str, ...]:
        """The words behind some stems, each once, as written and in their order.

        Two stems may stand for one word of the issue: its own, and that of a synonym which a reader gave.
        """
        words = (word for word_stem, word in self.words_by_stem.items() if word_stem in stems)
        return tuple(dict.fromkeys(words))


def quotation(words: Sequence[str], document: IssueDocument) -> str:
    """Words of an issue as one quotation. Between words that do not stand side by side there it has an ellipsis."""
    text = f"{document.title}\n{document.wish}"
    parts = list(words[:1])
    for left, right in pairwise(words):
        neighbours = rf"(?<!\w){re.escape(left)}[\s`*_/-]{{1,3}}{re.escape(right)}(?!\w)"
        is_phrase = re.search(neighbours, text, re.IGNORECASE) is not None
        parts += [" " if is_phrase else " … ", right]
    return "".join(parts)


def terms_of(document: IssueDocument) -> Terms:
    """The terms of an issue's title and of what its author says is wanted."""
    title, wish = _without_names(document.title, document), _without_names(document.wish, document)
    synonyms = " ".join(word for synonym in document.synonyms for word in synonym.means)
    in_title = prose_stems(title)
    stems = (in_title | prose_stems(wish) | prose_stems(synonyms)) - EVERYWHERE
    excluded_stems = _behind_negations(wish)
    return Terms(
        weights={
            word_stem: _TITLE if word_stem in in_title else _WISH
            for word_stem in sorted(stems - excluded_stems)
        },
        excluded_stems=excluded_stems,
        words_by_stem=_words_by_stem(document),
    )


def _without_names(text: str, document: IssueDocument) -> str:
    """The text without the names that it cites. A plain word in back-ticks stays, and so do the segments of paths."""
    names = {
        citation.text
        for citation in document.citations
        if citation.kind in _NAMES and not _is_word(citation.text)
    }
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, " ")
    return text


def _is_word(name: str) -> bool:
    return name.isalpha() and name.islower()


def _behind_negations(text: str) -> frozenset[str]:
    """The stems that only stand within a few words behind a negation, in the same clause: "not the streaming one"."""
    behind: set[str] = set()
    elsewhere: set[str] = set()
    for clause in _CLAUSE.split(text):
        left = 0
        for word in _WORD.findall(clause):
            left = _BEHIND if word.lower() in NEGATIONS else left - 1
            (behind if 0 < left < _BEHIND else elsewhere).update(prose_stems(word))
    return frozenset(behind - elsewhere)


def _words_by_stem(document: IssueDocument) -> Mapping[str, str]:
    words: dict[str, str] = {}
    for word in f"{document.title}\n{document.wish}".replace("`", " ").replace("/", " ").split():
        plain = word.strip(".,:;!?()[]{}\"'*“”")
        for part in name_parts(plain):
            words.setdefault(stem(part), plain)
    for synonym in document.synonyms:
        for meaning in prose_stems(" ".join(synonym.means)):
            words.setdefault(meaning, synonym.text)
    return words
