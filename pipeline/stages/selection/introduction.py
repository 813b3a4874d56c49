"""Names that an issue introduces (“an optional `x`”, “add `x`”, “rename `a` to `x`”): they are to come, and cite nothing."""

import re

from pipeline.domain.words import STOP_WORDS, prose_stems, stem
from pipeline.stages.selection.language_weights import ADDITION_WORDS, EVERYWHERE, PARTS_OF_REQUESTS, stems_of

_TOKEN = re.compile(r"[\w'’-]+|[.,;:!?()]|\n")
_ARTICLES = frozenset({"a", "an", "another", "new"})
_BEING = frozenset({"is", "are", "was", "were", "has", "had"})
"""Words before an article where a sentence says that a thing exists: “there is a `x`”."""

_PREPOSITIONS = frozenset(
    "about after as at before between by for from if in into like of on over than that through to under via when where with without".split()
)
_RENAMING = re.compile(r"\b(?:call(?:ed)? (?:it|them|this)|rename\b.*\bto)\s*$", re.IGNORECASE)
_FOLLOWING = re.compile(r"\s*([A-Za-z]+)")
_KINDS = (
    EVERYWHERE
    | PARTS_OF_REQUESTS
    | stems_of("setting command function method class column environment variable")
)
_REACH = 4
"""So many words may stand between an article and the name: “an optional boolean query parameter `x`”."""

_FAR = 100
"""Characters before a name that can hold all of them."""


def by_article(before: str) -> bool:
    """Whether an indefinite article governs the name that stands behind these words of its sentence."""
    plain = before[-_FAR:].rstrip(" `'\"“*(")
    return _RENAMING.search(plain) is not None or _governor(plain) in _ARTICLES


def by_adding(before: str, after: str = "") -> bool:
    """Whether a word for adding governs the name between these words, and no noun behind it: “add `x` logging” adds no `x`."""
    following = _FOLLOWING.match(after.lstrip("`'\"”*"))
    is_head = following is None or following[1].lower() in STOP_WORDS or stem(following[1]) in _KINDS
    return is_head and _is_adding(_governor(before[-_FAR:].rstrip(" `'\"“*("), adding=True))


def _governor(before: str, *, adding: bool = False) -> str:
    """The article, or the word for adding, that is nearest to the end, unless a preposition or the end of a clause parts them."""
    tokens = [token.lower() for token in _TOKEN.findall(before)[-_REACH - 2 :]]
    for index in range(len(tokens) - 1, -1, -1):
        word = tokens[index]
        if _is_adding(word) if adding else word in _ARTICLES:
            return "" if index and tokens[index - 1] in _BEING else word
        if word in _PREPOSITIONS or not (word[0].isalnum() or word[0] == "_"):
            return ""
    return ""


def _is_adding(word: str) -> bool:
    return any(ADDITION_WORDS.get(each, 0) > 0 for each in prose_stems(word) | {word})
