"""Whether the words of a wish describe a route: its method by a verb, its path by every fixed segment."""

from collections.abc import Sequence

from pipeline.domain.intent import Intent
from pipeline.domain.words import name_parts, stem
from pipeline.stages.selection.vocabulary import path_stems

_VERBS = {
    method: frozenset(stem(word) for word in words.split())
    for method, words in {
        "GET": "list show read get fetch filter search see view export download find",
        "POST": "create creates add submit place start trigger import upload send invite register",
        "PUT": "update change edit set replace rename",
        "PATCH": "update change edit set rename",
        "DELETE": "delete remove wipe erase clear purge",
    }.items()
}
_PREFIXES = frozenset({"api", "rest", "internal", "public"})


def method_fits(method: str, intent: Intent) -> bool:
    """Whether some verb of the wish says what the method does."""
    said = {stem(word) for word in name_parts(intent.wish)}
    return bool(_VERBS.get(method, frozenset()) & said)


def names_all_segments(path: str, words: Sequence[str]) -> bool:
    """Whether the words name every fixed segment of a path, prefixes such as `/api` apart, and there is one."""
    segments = path_stems(path) - {stem(prefix) for prefix in _PREFIXES}
    return bool(segments) and segments <= set(words)
