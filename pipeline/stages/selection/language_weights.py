"""Words of English that weigh: none selects, asks or refuses alone, and a ticket without any of them is read all the same."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from pipeline.domain.words import stem


def stems_of(words: str) -> frozenset[str]:
    """The stems of words in one line."""
    return frozenset(stem(word) for word in words.split())


PARTS_OF_REQUESTS = stems_of(
    "flag parameter param query header payload filter switch toggle argument field boolean checkbox option attribute property"
)
SENDING = stems_of("request send accept submit caller client post carry")
TELLING = stems_of(
    "take pass give name state mention enter tell say specify supply provide hand fill pick choose select decide restrict"
    " narrow limit indicate set put"
)
REQUEST_WORDS = PARTS_OF_REQUESTS | SENDING | TELLING
"""Words that speak of any request, and so tell no routes apart."""

INTERNAL_WORDS = stems_of(
    "refactor rename test docstring readme typo unchanged log logging logger metric performance slow fast faster cache retry"
    " timeout crash error exception bug broken fail fix wrong leak race deadlock document documentation"
)
"""Words for a change of what is there, which no caller sees."""

INNER_WORDS = stems_of(
    "refactor rename test docs docstring readme documentation document describe ci changelog"
)
"""Words for a change of what surrounds a thing: its users see no difference."""

POSSIBILITY = re.compile(
    r"\b(?:(?:able|possible) to|let (?!us\b)\w+|allow\w*|(?:can|could|may)(?: \w+){0,6} be \w+)\b",
    re.IGNORECASE,
)
"""Words that give somebody a possibility: "it should be possible to say why", "let them choose", "a day may be named"."""

NEGATIONS = frozenset("no not nothing nobody except without excluding unlike never but neither nor".split())
"""Words that may rule out what stands right behind them."""

EVERYWHERE = stems_of("api route endpoint handler view server request response call src lib internal")
"""Words that fit every route, and so tell none apart."""

METHOD_WORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        method: stems_of(words)
        for method, words in {
            "GET": "list show read get fetch filter search see sort page return download view export find",
            "POST": "create add submit post place start send trigger import upload invite register",
            "PUT": "update replace edit set modify save change",
            "PATCH": "update edit set modify change patch",
            "DELETE": "delete remove wipe erase clear purge",
        }.items()
    }
)
"""What people say for an HTTP method. It tells routes apart whose paths are the same, and proves nothing alone."""

COMMAND_WORDS = stems_of("command cli script cron console terminal")
"""Words for what a person starts from a command line."""

ADDITION_WORDS: Mapping[str, float] = MappingProxyType(
    {
        stem_: weight
        for words, weight in {
            "add introduce implement support provide expose create accept offer new enable allow": 1.0,
            "make change rename require mandatory validate remove deprecate move improve increase reduce replace": -2.0,
            "update fix wrong broken instead default sort type format return should must stop": -2.0,
        }.items()
        for stem_ in stems_of(words)
    }
)
"""How much a word of a title speaks for a wish that something exist which does not exist yet."""
