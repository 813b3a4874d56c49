"""Who calls: people say "customers", "on the website" or "the back office", and code says `/public`, `/me` or `/admin`.

Two routes for one thing are most often there for two kinds of callers: those whom a service is made for, and those who
work there. A ticket that says who wants something thereby says which of the two it means.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from pipeline.domain.intent import Intent
from pipeline.domain.words import name_parts, prose_stems


class Audience(Enum):
    """For whom something is there."""

    OUTSIDE = "those whom the service is for"
    INSIDE = "those who work there"


@dataclass(frozen=True)
class Speaker:
    """The audience that a ticket speaks for, and the words that say so."""

    audience: Audience
    words: tuple[str, ...]


_CODE = {
    Audience.OUTSIDE: frozenset(
        "public portal website storefront guest guests visitor visitors customer customers me my mine self own"
        " account selfservice widget embed anonymous".split()
    ),
    Audience.INSIDE: frozenset(
        "admin admins administration backoffice office staff desk dashboard management operator operators console"
        " backend moderator moderators employee employees".split()
    ),
}
"""Words of paths and names by which code tells callers apart."""

_PLACES = {
    Audience.OUTSIDE: r"web\s?site|web\s?shop|portal|storefront|self[\s-]?service|online|at\s+home|the\s+public|anonymous(?:ly)?"
    r"|without\s+(?:an?\s+)?(?:login|logging\s+in|signing\s+in|account)",
    Audience.INSIDE: r"back[\s-]?office|(?:at|from|behind)\s+the\s+(?:desk|counter|reception)|front\s+desk|reception"
    r"|admin(?:istration)?\s+(?:api|ui|area|panel|pages?|side|interface|routes?|endpoints?)|dashboard",
}
_PERSONS = {
    Audience.OUTSIDE: "customer|client|visitor|guest|shopper|patient|reader|member|subscriber|recipient|passenger|tenant"
    "|student|applicant|player|donor|citizen",
    Audience.INSIDE: "admin|administrator|staff|employee|colleague|operator|moderator|clerk|receptionist|librarian|manager"
    "|dispatcher|agent",
}
_THEMSELVES = r"themselves|himself|herself|myself|yourself|(?:their|his|her|my|your|one['’]s|the)\s+own"
"""Words that say that somebody acts for nobody else."""

_ACTS = (
    r"(?:^|[.!?;:,]\s+|\b(?:when|whenever|where|if|that|so|let|lets|as|because|while|once|by|only|and|for|like)\s+)"
    r"(?:(?:an?|the|our|all|some|any|every|each|one|other|signed-in)\s+)*\b(?:{persons})s?\b(?!['’]|\s+(?:of|id|name|mail)\b)"
    r"|\b(?:{persons})s?\s+(?:should|can|could|must|may|want|needs?|who|themselves)\b"
)
"""A person acts where a clause begins with one; somebody to whom something is sent is no caller."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n\s*\n|\n(?=\s*[-*])")


def who_speaks(intent: Intent) -> Speaker | None:
    """For whom the ticket wants something: by the sentence of the wish, else by the places that it speaks of.

    None where it says nothing, or speaks of both. What it rules out is no wish, and speaks for the others.
    """
    title, *sentences = _SENTENCE.split(intent.prose)
    names = [new.text for new in intent.new_names]
    if intent.surface_quote is not None and not names:
        names = [intent.surface_quote]
    marked = [one for one in sentences if any(f"`{name}`" in one for name in names)]
    wishes = marked or [one for one in sentences if any(name in one for name in names)] or sentences[:1]
    ruled_out = frozenset(intent.excluded)
    return (
        _speaker("\n".join([title, *wishes]), _ALL_PATTERNS, ruled_out=ruled_out)
        or _speaker(intent.prose, _PLACE_PATTERNS, ruled_out=ruled_out)
        or _left(intent.prose, ruled_out)
    )


def fitting(speaker: Speaker, audiences: Sequence[Audience | None]) -> tuple[int, ...]:
    """Which of several are for those who speak: what says so, else what is for nobody else. Empty where all are alike."""
    meant = tuple(place for place, one in enumerate(audiences) if one is speaker.audience)
    open_to_all = tuple(place for place, one in enumerate(audiences) if one is None)
    chosen = meant or open_to_all
    return chosen if len(chosen) < len(audiences) else ()


def audience_of(names: Iterable[str]) -> Audience | None:
    """For whom something is there, by its path and names; None where they say nothing, or both."""
    parts = {part for name in names for part in name_parts(name)}
    found = [audience for audience, words in _CODE.items() if words & parts]
    return found[0] if len(found) == 1 else None


def _left(text: str, ruled_out: frozenset[str]) -> Speaker | None:
    """Who is left where the ticket rules out the place of the others."""
    found = [
        (audience, match.group())
        for audience, pattern in _PLACE_PATTERNS
        for match in pattern.finditer(text)
        if ruled_out & prose_stems(match.group())
    ]
    out = {audience for audience, _ in found}
    if len(out) != 1:
        return None
    (left,) = set(Audience) - out
    return Speaker(left, (f"not {found[0][1]}",))


def _speaker(
    text: str,
    patterns: Sequence[tuple[Audience, re.Pattern[str]]],
    *,
    ruled_out: frozenset[str] = frozenset(),
) -> Speaker | None:
    said: dict[Audience, list[str]] = {}
    for audience, pattern in patterns:
        for match in pattern.finditer(text):
            words = match.group().strip(" ,.;:!?\n")
            if not ruled_out & prose_stems(words):
                said.setdefault(audience, []).append(words)
    if len(said) != 1:
        return None
    ((audience, quotes),) = said.items()
    return Speaker(audience, tuple(dict.fromkeys(quotes)))


def _compiled(words: dict[Audience, str]) -> tuple[tuple[Audience, re.Pattern[str]], ...]:
    return tuple((audience, re.compile(rf"\b(?:{one})\b", re.IGNORECASE)) for audience, one in words.items())


_PLACE_PATTERNS = _compiled(_PLACES)
_SELF_PATTERN = (Audience.OUTSIDE, re.compile(rf"\b(?:{_THEMSELVES})\b", re.IGNORECASE))
_PERSON_PATTERNS = tuple(
    (audience, re.compile(_ACTS.format(persons=persons), re.IGNORECASE | re.MULTILINE))
    for audience, persons in _PERSONS.items()
)
_ALL_PATTERNS = (*_PLACE_PATTERNS, *_PERSON_PATTERNS, _SELF_PATTERN)
