"""Find what a ticket rules out: "not for the portal", "the website stays as it is", "customers must not use this"."""

import re

from pipeline.domain.words import name_stems, prose_stems

_CLAUSE = re.compile(r"(?<=[.!?;:])\s+|,\s+|\n\s*\n|\n(?=\s*[-*])|\s+\bbut\b\s+|\(|\)")
_NOT_THERE = re.compile(
    r"\b(?:not|except|excluding|rather\s+than|other\s+than|unlike|apart\s+from)\s+"
    r"(?:(?:for|in|on|at|by|from|via|through)\s+(?:the\s+|any\s+)?|(?:the|any)\s+)(?P<what>(?:[`/\w\-]+\s*){1,4})",
    re.IGNORECASE,
)
_LEFT_ALONE = re.compile(
    r"\bleave\s+(?P<what>.+?)\s+(?:alone|as\b|untouched|unchanged)"
    r"|(?P<subject>.+?)\s+(?:(?:stays?|remains?|keeps?)\s+(?:as\s|unchanged|untouched|the\s+same|like)"
    r"|(?:is|are)\s+(?:fine|good|right|ok|okay)\s+(?:as|the\s+way)\s+(?:it|they)\b)",
    re.IGNORECASE | re.DOTALL,
)
_FORBIDDEN = re.compile(
    r"^(?:(?:and|so|because)\s+)?(?P<who>(?:the\s+)?[a-z][\w\-]*(?:\s+[\w\-]+){0,2}?)\s+"
    r"(?:must|shall|should|may|will|can|do|does|need)\s*(?:not|never|n['’]t)\b",
    re.IGNORECASE,
)
_NOBODY = re.compile(
    r"^(?:(?P<where>(?:at|in|on|for|from|with)\s+.+?)\s+)?(?:nobody|no\s+one|none\s+of)\s+(?:else\s+)?"
    r"(?:should|must|may|can|shall|needs?|wants?|reads?|uses?|sees?|cares?|asks?|has\s+to|is\s+to)\b(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_ALONE = frozenset({"one", "ones", "alone", "route", "endpoint", "version", "variant", "cours", "rout"})


_LONGEST_CLAUSE = 300
"""A clause of more characters than this is no sentence of a person but a log or a table, and rules out nothing."""


def find_excluded(prose: str) -> tuple[str, ...]:
    """The stems that a text rules out, sorted. A word that also stands elsewhere in it is not ruled out."""
    ruled_out: set[str] = set()
    kept: list[str] = []
    for clause in _CLAUSE.split(prose):
        found = _excluding(clause.strip()) if clause and len(clause) <= _LONGEST_CLAUSE else None
        if found is None:
            kept.append(clause or "")
            continue
        rest, what = found
        kept.append(rest)
        ruled_out |= prose_stems(what) | name_stems(what)
    return tuple(sorted(ruled_out - prose_stems("\n".join(kept)) - _ALONE))


def _excluding(clause: str) -> tuple[str, str] | None:
    """What a clause says beside ruling something out, and its words for what it rules out."""
    if match := _LEFT_ALONE.search(clause):
        return "", match["what"] or match["subject"]
    if match := _NOT_THERE.search(clause):
        return clause.replace(match.group(), " "), match["what"]
    if match := _FORBIDDEN.search(clause):
        return "", match["who"]
    if match := _NOBODY.search(clause):
        return "", match["where"] or match["rest"]
    return None
