"""Words of English that weigh: none selects, asks or refuses alone, and a ticket without any of them is read all the same."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from pipeline.domain.words import stem


def _weights(weights: Mapping[str, float]) -> Mapping[str, float]:
    return MappingProxyType(
        {stem(word): weight for words, weight in weights.items() for word in words.split()}
    )


REQUEST_WORDS = _weights(
    {
        "flag parameter param query header payload filter switch toggle argument": 2.0,
        "field boolean checkbox option attribute property column optional sort pagination": 1.5,
        "request response send pass accept submit return take carry caller client post": 1.2,
        "route endpoint api call give choose select specify state say set limit only": 0.7,
    }
)
"""How much a word speaks for a wish that changes what a caller sends or gets."""

INTERNAL_WORDS = _weights(
    {
        "refactor rename test docstring readme typo unchanged": -3.0,
        "log logging logger metric performance slow fast faster cache retry timeout crash error exception": -2.0,
        "bug broken fail fix wrong leak race deadlock document documentation": -1.5,
    }
)
"""How much a word speaks for a change that no caller sees: then every route that leads to it gets the same."""

POSSIBILITY = re.compile(
    r"\b(?:(?:able|possible) to|let (?!us\b)\w+|allow\w*|(?:can|could|may)(?: \w+){0,6} be \w+)\b",
    re.IGNORECASE,
)
"""Words that give somebody a possibility: "it should be possible to say why", "let them choose", "a day may be named".

Who may say more than before sends more than before. Words that oblige ("must", "never") speak of what happens inside.
"""

NEGATIONS = frozenset("no not nothing nobody except without excluding unlike never but neither nor".split())
"""Words that may rule out what stands right behind them."""

EVERYWHERE = frozenset(
    stem(word)
    for word in "api route endpoint handler view server request response call src lib internal".split()
)
"""Words that fit every route, and so tell none apart."""

METHOD_WORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        method: frozenset(stem(word) for word in words.split())
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

COMMAND_WORDS = _weights({"command cli script cron console terminal": 1.0})
"""Words for what a person starts from a command line."""

ADDITION_WORDS = _weights(
    {
        "add introduce implement support provide expose create accept offer new enable allow": 1.0,
        "make change rename require mandatory validate remove deprecate move improve increase reduce replace": -2.0,
        "update fix wrong broken instead default sort type format return should must stop": -2.0,
    }
)
"""How much a word of a title speaks for a wish that something exist which does not exist yet."""
