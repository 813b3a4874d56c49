"""Words: how names in code and words in prose are brought to the same form, so that they can be compared."""

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from Stemmer import Stemmer

STOP_WORDS = frozenset(
    """
    a about after all also an and any are as at be because been before being but by can cannot could did do does
    doing done each else etc ever every for from get gets give given had has have having he her his how i if in into
    is it its itself just let lets like make makes many may me might more most much must my need needs new no nor not
    now of off on once one only or other our out over own per please same see shall she should so some such than that
    the their them then there these they this those through to too under until up upon us use used uses using very
    want wants was we were what when where which while who why will with within without would yes yet you your
    add adding added support allow optional default true false value null none way ways able want like able currently
    thing things ask kind sort lot bit today people user's
    """.split()
)
"""Words that say nothing about which code is meant. Verbs of wishing belong to them; verbs of doing do not."""

_NAME_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_PROSE_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:['’][a-z]+)?")


@cache
def _stemmer() -> Stemmer:
    return Stemmer("english")


_IRREGULAR = {
    form: verb
    for verb, forms in {
        "begin": "began begun",
        "bind": "bound",
        "break": "broke broken",
        "build": "built",
        "buy": "bought",
        "choose": "chose chosen",
        "draw": "drew drawn",
        "feed": "fed",
        "freeze": "froze frozen",
        "give": "gave given",
        "hide": "hid hidden",
        "hold": "held",
        "keep": "kept",
        "lend": "lent",
        "lose": "lost",
        "make": "made",
        "pay": "paid",
        "run": "ran",
        "sell": "sold",
        "send": "sent",
        "show": "shown",
        "spend": "spent",
        "take": "took taken",
        "tell": "told",
        "throw": "threw thrown",
        "withdraw": "withdrew withdrawn",
        "write": "wrote written",
    }.items()
    for form in forms.split()
}
"""Forms of verbs that no stemmer knows: people write in the passive what code names in the present."""
_SPELLINGS = {"email": "mail", "emails": "mail"}
"""Words with two spellings."""


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of one English word, lower case (Snowball; irregular verbs by their infinitive, spellings as one)."""
    plain = word.lower()
    stem_: str = _stemmer().stemWord(_IRREGULAR.get(plain) or _SPELLINGS.get(plain, plain))
    return stem_


@lru_cache(maxsize=65_536)
def name_parts(name: str) -> tuple[str, ...]:
    """The words of an identifier, path or file name in any case style: `bulkApply_v2` gives bulk, apply, v, 2."""
    return tuple(part.lower() for part in _NAME_PART.findall(name))


@lru_cache(maxsize=65_536)
def name_stems(name: str) -> frozenset[str]:
    """The stems of a name's words that say something."""
    return frozenset(stem(part) for part in name_parts(name) if _says_something(part))


def prose_stems(text: str) -> frozenset[str]:
    """The stems of a text's words that say something."""
    return frozenset(stem(word) for word in prose_words(text) if _says_something(word))


def prose_words(text: str) -> tuple[str, ...]:
    """The plain words of a text in their order, lower case, without possessive endings."""
    return tuple(re.split(r"['’]", word)[0].lower() for word in _PROSE_WORD.findall(text))


def same_name(left: str, right: str) -> bool:
    """Whether two names are one name in two case styles: `dryRun`, `dry_run` and `dry-run` are."""
    return name_parts(left) == name_parts(right)


def stems_of_all(names: Iterable[str]) -> frozenset[str]:
    """The stems of several names together."""
    return frozenset[str]().union(*(name_stems(name) for name in names))


def _says_something(word: str) -> bool:
    return len(word) > 2 and word.lower() not in STOP_WORDS
