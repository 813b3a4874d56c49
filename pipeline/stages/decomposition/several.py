"""Whether an issue speaks of all candidates together: only then may an answer choose several of them.

"Add a dry_run flag to the bulk action endpoints" wishes the same of each route that "bulk action" fits, so "both" is an
answer. "The bulk action" is one of them, and "one of the bulk action endpoints" is, too: "both" stays a conflict there.
"""

import re

from pipeline.contract.code_slots import CodeSlot
from pipeline.domain.words import prose_stems

_MAX_CANDIDATES = 4
"""More candidates than this were not meant together by one noun."""

_BETWEEN = 4


def speaks_of_all(slot: CodeSlot, candidates: int, quotes: tuple[str, ...], text: str) -> bool:
    """Whether the text has a plural noun for the slot, behind a word of the quotes or behind "both", and picks none of them.

    `quotes` are the words that led to the candidates, `text` is what the issue wishes.
    """
    if not slot.plurals or not 2 <= candidates <= _MAX_CANDIDATES:
        return False
    quoted_stems = prose_stems(" ".join(quotes))
    phrase = re.compile(
        rf"(?P<out>\b(?:one|any|either|some|each|which|none)\s+of\s+)?\b(?P<which>the|both|all|these|those|our)\b"
        rf"(?P<words>(?:\s+[\w`/-]+){{0,{_BETWEEN}}}?)\s+(?:{slot.plurals})\b",
        re.IGNORECASE,
    )
    return any(
        match.group("out") is None
        and (bool(quoted_stems & prose_stems(match.group("words"))) or _is_all(match.group("which", "words")))
        for match in phrase.finditer(text)
    )


def _is_all(which_and_words: tuple[str, ...]) -> bool:
    """Whether a noun stands for every candidate without a word more: "both routes", and not "the routes"."""
    determiner, words = which_and_words
    return determiner.lower() in {"both", "all"} and not words.strip()
