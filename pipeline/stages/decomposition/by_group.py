"""Groups by name: things of the code whose names share a phrase that the issue has, word for word.

“Bulk actions” names `/bulk-actions/close` and `/bulk-actions/merge`; “custom event” names `create_custom_event` of two routers.
Names are compared as rows of stems, so no list of English words decides. A phrase of two words names a group by itself, and
so does a word with a hyphen (`toggle-all`). A single word does if it stands in the title: it is a segment of routes, the last
one of routes that act going first; or it is in the names of settings or commands alone, and their file leads the ranking by far.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pipeline.code_registry.entries import Route, Symbol
from pipeline.code_registry.registry import Registry
from pipeline.contract.code_slots import CodeSlot, Slot
from pipeline.domain.words import name_parts, name_stems, prose_stems, prose_words, stem, stems_of_all
from pipeline.stages.decomposition.candidates import (
    CodeChoice,
    choices_above,
    handlers_apart,
    key_choice,
    route_choice,
    symbol_choice,
)
from pipeline.stages.decomposition.choosing import Chooser, words_that_fit
from pipeline.stages.decomposition.from_ranking import is_beside, leads
from pipeline.stages.decomposition.outcome import Outcome, Suggestion
from pipeline.stages.decomposition.shared_work import LEAST_CHANGE, RouteSearch
from pipeline.stages.decomposition.subject import Subject
from pipeline.stages.selection.commands import Command, find_commands
from pipeline.stages.selection.language_weights import EVERYWHERE
from pipeline.stages.selection.question_weights import REQUEST_BIAS
from pipeline.stages.selection.settings import Key, find_keys
from pipeline.stages.selection.vocabulary import fixed_segments

_LONGEST = 6
_HYPHENS = re.compile(r"(?<![\w/-])\w+(?:-\w+)+(?![\w/-])")
_MOST_MEMBERS = 12
"""More things of one name than this are no list that a person can choose from."""

_READING = frozenset({"GET", "HEAD"})
_ACTING = frozenset({"POST", "PUT", "PATCH"})

Phrase = tuple[str, ...]


@dataclass(frozen=True)
class _Group:
    """The things of one kind whose names have a phrase; `words` are the phrase as the issue writes it."""

    slot: CodeSlot
    phrase: Phrase
    words: str
    choices: tuple[CodeChoice, ...]
    is_in_title: bool = False
    is_name: bool = False

    @property
    def paths(self) -> frozenset[str]:
        """The files of its members."""
        return frozenset(choice.place.path for choice in self.choices)


def by_group(subject: Subject) -> Outcome | None:
    """A question between the members of the group that the issue names, or the one of them that its other words select."""
    for group in _groups(subject):
        if len(group.choices) == 1 and len(group.phrase) > 1 and group.is_in_title:
            return None
        if 1 < len(group.choices) <= _MOST_MEMBERS and _is_meant(group, subject):
            subject.note(group.words, group.choices, concluded="All of them have that name.")
            choices, leaf = _with_shared_work(group, subject)
            return Chooser(subject).choose(
                group.slot,
                choices,
                group.words,
                leaf=leaf.name if leaf else None,
                quotes=(group.words,),
                leading_words=frozenset(group.phrase),
            )
    return None


def _with_shared_work(group: _Group, subject: Subject) -> tuple[Sequence[CodeChoice], Symbol | None]:
    """The members of a group, routes with the calls that lead to the function which they share, and that function."""
    routes = [
        route for choice in group.choices if isinstance(route := subject.registry.get(choice.id), Route)
    ]
    handlers = frozenset(route.handler for route in routes if route.handler)
    search = RouteSearch(subject.terms, subject.registry)
    leaf = subject.registry.symbol(search.deepest_function(handlers) or "") if len(handlers) > 1 else None
    return (group.choices if leaf is None else choices_above(leaf, routes, subject.registry)), leaf


def by_name(subject: Subject) -> Suggestion | None:
    """The one route that has a phrase of the issue in its name, if it is no unlikely place."""
    for group in _groups(subject):
        is_route = group.slot is Slot.ENTRY_ROUTE.value
        if is_route and len(group.choices) == 1 and not is_beside(group.choices, subject):
            choice = group.choices[0]
            because = f"{words_that_fit(group.words.split())} {choice.label}, and that alone says too little."
            subject.note(group.words, [choice], words=[group.words], concluded=because)
            return Suggestion(choice, because)
    return None


def _is_meant(group: _Group, subject: Subject) -> bool:
    """Whether a wish is for the members of a group: a request may change, or the ranking leads to one of them.

    Whatever shall change, a title that writes their name with its hyphens means them. One that has a segment of theirs, and no
    other segment, means them where their file is the likeliest and anything speaks for a request: an answer counts too.
    """
    is_phrase, change = len(group.phrase) > 1, subject.request_change
    if group.slot is not Slot.ENTRY_ROUTE.value:
        return leads(subject.ranking, group.paths)
    if group.is_in_title and (group.is_name or _is_only_segment(group, subject)):
        return True
    if not (is_phrase and group.is_in_title) and is_beside(group.choices, subject):
        return False
    if is_phrase:
        return change.log_odds >= (LEAST_CHANGE if change.has_against else REQUEST_BIAS)
    return change.is_likely


def _is_only_segment(group: _Group, subject: Subject) -> bool:
    """Whether a word names the group whose file is the likeliest, and no other word of the title is a segment of a route."""
    other_words = prose_stems(subject.document.title) - set(group.phrase) - EVERYWHERE
    segments = {
        _stems(segment) for route in subject.registry.routes for segment in fixed_segments(route.path)
    }
    return (
        len(group.phrase) == 1
        and any(file.path in group.paths for file in subject.ranking.files[:1])
        and subject.request_change.log_odds > REQUEST_BIAS
        and segments.isdisjoint((word,) for word in other_words)
    )


def _groups(subject: Subject) -> Iterator[_Group]:
    """The groups that the issue names: those of the title first, then those of longer phrases."""
    document = subject.document
    names = _Names(subject.registry, prose_stems(document.wish))
    for text in dict.fromkeys((document.title, *document.wish_sentences)):
        tokens, compounds = prose_words(text), set(map(_stems, _HYPHENS.findall(text)))
        for length in range(min(_LONGEST, len(tokens)), 0 if text == document.title else 1, -1):
            for start in range(len(tokens) - length + 1):
                words = " ".join(tokens[start : start + length])
                phrase = tuple(map(stem, words.split()))
                is_name = phrase in compounds
                for group in names.groups(phrase, words, is_name=is_name):
                    yield replace(group, is_in_title=text == document.title, is_name=is_name)


class _Names:
    """The things of a code base by the phrases in their names. `wish` are the stems of the issue."""

    def __init__(self, registry: Registry, wish: frozenset[str]) -> None:
        self._registry, self._wish = registry, wish
        self._routes: dict[Phrase, list[Route]] = defaultdict(list)
        self._actions: dict[Phrase, list[Route]] = defaultdict(list)
        self._segments: dict[Phrase, list[Route]] = defaultdict(list)
        self._keys = {key: _stems(_last_name(key.name)) for key in find_keys(registry)}
        self._commands: dict[Phrase, list[Command]] = defaultdict(list)
        self._methods: dict[Phrase, set[str]] = defaultdict(set)
        for route in registry.routes:
            self._methods[fixed_segments(route.path)].add(route.method)
        for route in handlers_apart(registry.routes):
            segments = fixed_segments(route.path)
            for phrase in {
                row for name in (*segments, _last_name(route.handler_name)) for row in _rows(name)
            }:
                self._routes[phrase].append(route)
            for phrase in set(map(_stems, segments)):
                self._segments[phrase].append(route)
            if segments and route.method in _ACTING:
                self._actions[_stems(segments[-1])].append(route)
        for command in find_commands(registry):
            names = [command.name, *(option.name for option in command.options)]
            for phrase in set(map(_stems, names)):
                self._commands[phrase].append(command)
        key_ids = {key.id for key in self._keys}
        names = [symbol.name for symbol in registry.symbols if symbol.id not in key_ids]
        names += [field.name for field in registry.fields if field.id not in key_ids]
        self._elsewhere = stems_of_all([*names, *(route.path for route in registry.routes)])

    def groups(self, phrase: Phrase, words: str, *, is_name: bool) -> Iterator[_Group]:
        """The groups of one phrase. Words that stand in every name, and those that say nothing, make none."""
        topic_stems = prose_stems(words) - EVERYWHERE
        is_phrase = len(topic_stems) > 1 or is_name
        if not topic_stems or (len(phrase) > 1 and not is_phrase and phrase not in self._actions):
            return
        of_word = self._actions.get(phrase) or self._segments.get(phrase) or ()
        if routes := self._alternatives(self._routes.get(phrase, ()) if len(phrase) > 1 else of_word):
            choices = tuple(route_choice(self._registry, route) for route in routes)
            yield _Group(Slot.ENTRY_ROUTE.value, phrase, words, choices)
        if is_phrase or (len(phrase) == 1 and not topic_stems & self._elsewhere):
            keys, commands = self._keys_of(phrase), self._commands.get(phrase, ())
            if keys and not commands:
                yield _Group(Slot.SETTING.value, phrase, words, tuple(map(key_choice, keys)))
            if commands and not keys:
                choices = tuple(symbol_choice(self._registry, command.symbol) for command in commands)
                yield _Group(Slot.COMMAND.value, phrase, words, choices)

    def _keys_of(self, phrase: Phrase) -> list[Key]:
        """The settings whose names end with a word (`case_cost` is a cost, and no case), or have all words of a phrase."""
        if len(phrase) == 1:
            return [key for key, name in self._keys.items() if name[-1:] == phrase]
        return [key for key, name in self._keys.items() if set(phrase) <= set(name)]

    def _alternatives(self, routes: Sequence[Route]) -> tuple[Route, ...]:
        """Those of a group that one wish may be meant for alike: all write or all read, each with a path of its own.

        Routes that list a resource, show it and change it are no alternatives, unless a word of their names says which.
        """
        writing = [route for route in routes if route.method not in _READING]
        reading = [route for route in routes if route.method in _READING]
        same_effect = writing if len(writing) >= len(reading) else reading
        if not self._is_resource(same_effect):
            return tuple(same_effect)
        by_method = [
            [route for route in same_effect if route.method == method]
            for method in sorted({route.method for route in same_effect})
        ]
        meant_groups = [
            group
            for group in by_method
            if self._wish & self._verbs(group, same_effect) and not self._has_twins(group)
        ]
        return tuple(meant_groups[0]) if len(meant_groups) == 1 and len(meant_groups[0]) > 1 else ()

    def _is_resource(self, routes: Sequence[Route]) -> bool:
        """Whether several methods write at one place, or two of the routes differ by parameters: the path names a thing."""
        methods = (self._methods[fixed_segments(route.path)] - _READING - {"OPTIONS"} for route in routes)
        return self._has_twins(routes) or any(len(writers) > 1 for writers in methods)

    def _has_twins(self, routes: Sequence[Route]) -> bool:
        return len({fixed_segments(route.path) for route in routes}) < len(routes)

    def _verbs(self, group: Sequence[Route], routes: Sequence[Route]) -> frozenset[str]:
        """The words in the names of all handlers of a group, and of no other of the routes."""
        common = frozenset.intersection(*(name_stems(_last_name(route.handler_name)) for route in group))
        sibling_names = (_last_name(route.handler_name) for route in routes if route not in group)
        return common - stems_of_all(sibling_names)


def _last_name(name: str) -> str:
    return name.rpartition(".")[2]


def _stems(name: str) -> Phrase:
    return tuple(map(stem, name_parts(name)))


def _rows(name: str) -> Iterator[Phrase]:
    """The words of a name that stand together, one and more."""
    stems = _stems(name)
    yield from (stems[i:j] for i in range(len(stems)) for j in range(i + 1, len(stems) + 1))
