"""Names that are near a name: spelling and word order forgiven, ties kept."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
NEAR = 0.8
"""Likeness from which a name counts as near."""


def words(name: str) -> tuple[str, ...]:
    """The words of an identifier, in lower case and without plural endings: `processItems` is `process item`."""
    return tuple(_singular(word.lower()) for word in _WORD.findall(name))


def _singular(word: str) -> str:
    if len(word) > 3 and word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def nearest(name: str, candidates: Iterable[str]) -> tuple[str, ...]:
    """The known names most like `name`, all that are equally near, sorted; none if none is near."""
    wanted_words = words(name)
    if not wanted_words:
        return ()
    wanted_text = "".join(wanted_words)
    best, best_names = NEAR, set[str]()
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted_text)
    for candidate in candidates:
        if candidate == name:
            likeness = 2.0
        else:
            candidate_words = words(candidate)
            likeness = (
                1.5
                if candidate_words == wanted_words
                else 1.2
                if sorted(candidate_words) == sorted(wanted_words)
                else 0.0
            )
            if not likeness and best <= 1.0:
                matcher.set_seq1("".join(candidate_words))
                if matcher.real_quick_ratio() >= best and matcher.quick_ratio() >= best:
                    likeness = matcher.ratio()
        if likeness > best:
            best, best_names = likeness, {candidate}
        elif likeness == best:
            best_names.add(candidate)
    return tuple(sorted(best_names))
