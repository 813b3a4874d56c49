"""Find, by rule, under which conditions a ticket's wish holds, and what the ticket lists as signs that it is done."""

import re
from collections.abc import Iterable

from pipeline.domain.intent import Said

_LIST_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>\S.*)$", re.MULTILINE)
_CONDITION = re.compile(
    r"\b(?:only\s+(?:if|when|for|while|where)|if|when|unless|as\s+long\s+as|provided\s+that)\s+[^.;\n]{3,200}",
    re.IGNORECASE,
)


def find_acceptance(body: str) -> tuple[Said, ...]:
    """The items of the ticket's lists, as they are written."""
    items = (match["text"].strip() for match in _LIST_ITEM.finditer(body))
    return tuple(Said(text=item, quote=item) for item in items)


def find_conditions(wishes: Iterable[str]) -> tuple[Said, ...]:
    """The clauses of wishes that begin with a word such as `when`, `unless` or `only for`."""
    clauses = (match.group().strip() for wish in wishes for match in _CONDITION.finditer(wish))
    return tuple(Said(text=clause, quote=clause) for clause in dict.fromkeys(clauses))
