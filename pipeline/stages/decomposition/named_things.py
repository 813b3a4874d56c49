"""The things of a code base by the words in their names, and the phrases of an issue that name groups of them.

English is a language whose noun phrases end with their head: “custom event colours” is about colours, and names no event.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import islice

from pipeline.code_registry.entries import Route
from pipeline.code_registry.registry import Registry
from pipeline.contract.code_slots import CodeSlot, Slot
from pipeline.domain.issue import CitationKind, IssueDocument
from pipeline.domain.words import STOP_WORDS, name_parts, name_stems, stem, stems_of_all
from pipeline.stages.decomposition.candidates import (
    CodeChoice,
    handlers_apart,
    key_choice,
    route_choice,
    symbol_choice,
)
from pipeline.stages.selection.commands import Command, find_commands
from pipeline.stages.selection.language_weights import COMMAND_WORDS, EVERYWHERE, stems_of
from pipeline.stages.selection.settings import Key, find_keys
from pipeline.stages.selection.vocabulary import fixed_segments

_LONGEST = 6
_MOST_PHRASES = 300
_CLAUSE = re.compile(r"[.,;:!?()\[\]—]+(?=\s|$)|\n")
_WORD = re.compile(r"(?<![\w/-])[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*")
_PATHS = frozenset({CitationKind.FILE, CitationKind.LINE, CitationKind.COMMAND, CitationKind.ROUTE})
_ARTICLES = frozenset({"a", "an", "the"})
_SLOTS = {
    stem(word): slot.value
    for word, slot in {
        "endpoint": Slot.ENTRY_ROUTE,
        "route": Slot.ENTRY_ROUTE,
        "command": Slot.COMMAND,
        "setting": Slot.SETTING,
    }.items()
}
"""Kinds whose things have names of their own."""

_KINDS = EVERYWHERE | COMMAND_WORDS | stems_of("setting option flag switch")
"""What people call the kinds of things that the registry holds: “the join endpoint”, “the list command”."""

Phrase = tuple[str, ...]
"""Stems in their order."""

_READING = frozenset({"GET", "HEAD"})
_ACTING = frozenset({"POST", "PUT", "PATCH"})


class Position(Enum):
    """Where in its clause a phrase stands: first, behind a preposition, or as the object of a verb or part of another phrase."""

    SUBJECT = "subject"
    OBLIQUE = "oblique"
    OBJECT = "object"


@dataclass(frozen=True)
class NounPhrase:
    """A phrase of the issue.

    `stems` are its words that say something; `small_words` are its stop words, which tell names apart that have them. `has_kind`: a
    word for a kind of thing stands behind it. `refers_to`: a definite article stands before both (“the join endpoint”), so the
    issue speaks of things of this kind that are there. `is_name`: it is written with hyphens.
    """

    words: str
    phrase: Phrase
    stems: frozenset[str]
    small_words: frozenset[str]
    position: Position
    has_kind: bool
    refers_to: CodeSlot | None
    is_name: bool
    is_in_title: bool

    def words_in(self, name: Phrase) -> frozenset[str]:
        """Its words that stand in a name."""
        return (self.stems | self.small_words) & frozenset(name)

    @property
    def is_apart(self) -> bool:
        """Whether it stands where a sentence names what is to have something new."""
        return self.position is not Position.OBJECT


@dataclass(frozen=True)
class Group:
    """The things of one kind whose names have a phrase.

    `is_strong`: the phrase alone says that they are meant. `acts`: they are routes, and none of them only reads.
    """

    slot: CodeSlot
    phrase: NounPhrase
    choices: tuple[CodeChoice, ...]
    is_strong: bool
    acts: bool = False

    @property
    def paths(self) -> frozenset[str]:
        """The files of its members."""
        return frozenset(choice.place.path for choice in self.choices)


@dataclass(frozen=True)
class NamedThings:
    """The things of a code base by the words in their names. `wish` are the stems of the issue."""

    registry: Registry
    wish: frozenset[str]

    @cached_property
    def _routes(self) -> dict[str, frozenset[str]]:
        """The stems in the path and in the handler's name of each route, by its id."""
        return {
            route.id: _path_stems(route) | frozenset(_stems(_last_name(route.handler_name)))
            for route in self.registry.routes
        }

    @cached_property
    def _segment_words(self) -> frozenset[str]:
        return frozenset[str]().union(*map(_path_stems, self.registry.routes))

    @cached_property
    def _keys(self) -> dict[Key, Phrase]:
        return {key: _stems(_last_name(key.name)) for key in find_keys(self.registry)}

    @cached_property
    def _commands(self) -> dict[Command, tuple[Phrase, frozenset[Phrase]]]:
        """Of each command the words of its name, and the names of its options."""
        return {
            command: (_stems(command.short_name), frozenset(map(_stems, command.option_names)))
            for command in find_commands(self.registry)
        }

    @cached_property
    def _writers(self) -> dict[tuple[str, ...], set[str]]:
        """The methods that change something, by the fixed segments of their paths."""
        writers: dict[tuple[str, ...], set[str]] = defaultdict(set)
        for route in self.registry.routes:
            writers[fixed_segments(route.path)] |= {route.method} - _READING - {"OPTIONS"}
        return writers

    @cached_property
    def _elsewhere(self) -> frozenset[str]:
        """The stems in names of everything that is no setting."""
        key_ids = {key.id for key in self._keys}
        names = [symbol.name for symbol in self.registry.symbols if symbol.id not in key_ids]
        names += [field.name for field in self.registry.fields if field.id not in key_ids]
        return stems_of_all([*names, *(route.path for route in self.registry.routes)])

    @cached_property
    def _all_words(self) -> frozenset[str]:
        of_commands = (row for name, options in self._commands.values() for row in (name, *options))
        rows = [*self._routes.values(), *self._keys.values(), *of_commands]
        return frozenset(part for row in rows for part in row)

    def is_in_path(self, word: str) -> bool:
        """Whether a path has a word (`as` of `/mark-all-as-read`)."""
        return word.lower() in self._segment_words

    def row_of(self, word: str) -> Phrase:
        """The stems of a word as names have them, or nothing: `opt-in` is `optin` where the code writes it so.

        A stop word counts only if a path has it (`/members/add`).
        """
        joined, parts = stem(word.replace("-", "")), tuple(map(stem, word.lower().split("-")))
        if word.lower() in STOP_WORDS:
            return (joined,) if len(word) > 2 and joined in self._segment_words else ()
        if joined in self._all_words:
            return (joined,)
        return parts if all(part in self._all_words for part in parts) else ()

    @cached_property
    def options(self) -> frozenset[Phrase]:
        """The names of options that have several words: such a phrase says what it is before any noun."""
        of_commands = (options for _, options in self._commands.values())
        return frozenset(option for options in of_commands for option in options if len(option) > 1)

    def groups(self, phrase: NounPhrase) -> Iterator[Group]:
        """The groups that a phrase names, one for each kind of thing."""
        is_phrase = len(phrase.stems) > 1 or phrase.is_name
        if routes := self._alternatives(self._routes_of(phrase), phrase):
            choices = tuple(route_choice(self.registry, route) for route in routes)
            is_action = all(phrase.words_in(_last_segment(route)) for route in routes)
            is_strong = is_phrase or phrase.has_kind or is_action
            acts = all(route.method not in _READING for route in routes)
            yield Group(Slot.ENTRY_ROUTE.value, phrase, choices, is_strong, acts)
        commands = self._commands_of(phrase)
        if is_phrase or not phrase.stems & self._elsewhere:
            keys = [] if commands else self._keys_of(phrase)
            is_end = all(self._keys[key][-len(phrase.phrase) :] == phrase.phrase for key in keys)
            if keys:
                yield Group(Slot.SETTING.value, phrase, tuple(map(key_choice, keys)), is_phrase and is_end)
        if commands:
            choices = tuple(symbol_choice(self.registry, command.symbol) for command in commands)
            yield Group(Slot.COMMAND.value, phrase, choices, is_strong=True)

    def _routes_of(self, phrase: NounPhrase) -> Sequence[Route]:
        """The routes that have all words of a phrase in path and handler; of a single word it is a segment, and where possible
        the last one of routes that act.
        """
        having = [route for route in self.registry.routes if phrase.stems <= self._routes[route.id]]
        if small := [route for route in having if phrase.small_words <= self._routes[route.id]]:
            having = small
        segment = phrase.words.lower().replace(" ", "-")
        spelled = [route for route in having if segment in route.path.lower().split("/")]
        if phrase.refers_to and len(spelled) > 1:
            having = spelled
        if len(phrase.stems) == 1 and not (small and phrase.small_words):
            word = next(iter(phrase.stems))
            ending = [route for route in having if _last_segment(route) == (word,)]
            acting = [route for route in having if route.method in _ACTING and word in _last_segment(route)]
            if any(route.method in _ACTING for route in ending):
                is_resource = len({route.path for route in ending}) < len(ending)
                having = acting if len(acting) > 1 or is_resource else ending
            else:
                having = [route for route in having if (word,) in map(_stems, fixed_segments(route.path))]
        fitting = {route.id: len(phrase.stems & _path_stems(route)) for route in having}
        best: dict[str, int] = defaultdict(int)
        for route in having:
            best[route.handler or route.id] = max(best[route.handler or route.id], fitting[route.id])
        return handlers_apart(
            [route for route in having if fitting[route.id] == best[route.handler or route.id]]
        )

    def _commands_of(self, phrase: NounPhrase) -> list[Command]:
        """The commands that are called so in a phrase with a word for their kind, or that have an option of just this name."""
        is_command = phrase.has_kind and not phrase.is_name
        return [
            command
            for command, (name, options) in self._commands.items()
            if (is_command and phrase.stems <= set(name))
            or (len(phrase.phrase) > 1 and phrase.phrase in options)
        ]

    def _keys_of(self, phrase: NounPhrase) -> list[Key]:
        """The settings whose names end with a word (`case_cost` is a cost, and no case), or have all words of a phrase."""
        if len(phrase.phrase) == 1:
            return [key for key, name in self._keys.items() if name[-1:] == phrase.phrase]
        return [key for key, name in self._keys.items() if set(phrase.phrase) <= set(name)]

    def _alternatives(self, routes: Sequence[Route], phrase: NounPhrase) -> tuple[Route, ...]:
        """Those of a group that one wish may be meant for alike: all write or all read, each with a path of its own.

        Routes that list a resource, show it and change it are no alternatives, unless a word of their names says which. The same
        action on one thing and on several is (`/lists/:id/archive`, `/lists/archive`).
        """
        writing = [route for route in routes if route.method not in _READING]
        reading = [route for route in routes if route.method in _READING]
        same_effect = writing if len(writing) >= len(reading) else reading
        is_one_action = len({route.method for route in writing}) == 1 and all(
            phrase.words_in(_last_segment(route)) for route in writing
        )
        if (same_effect is writing and is_one_action) or not self._is_resource(same_effect):
            return tuple(same_effect)
        by_method = [
            [route for route in same_effect if route.method == method]
            for method in sorted({route.method for route in same_effect})
        ]
        meant_groups = [
            group
            for group in by_method
            if self.wish & self._verbs(group, same_effect) and not _has_twins(group)
        ]
        return tuple(meant_groups[0]) if len(meant_groups) == 1 and len(meant_groups[0]) > 1 else ()

    def _is_resource(self, routes: Sequence[Route]) -> bool:
        """Whether several methods write at one place, or two of the routes differ by parameters: the path names a thing."""
        return _has_twins(routes) or any(
            len(self._writers[fixed_segments(route.path)]) > 1 for route in routes
        )

    def _verbs(self, group: Sequence[Route], routes: Sequence[Route]) -> frozenset[str]:
        """The words in the names of all handlers of a group, and of no other of the routes."""
        common = frozenset.intersection(*(name_stems(_last_name(route.handler_name)) for route in group))
        sibling_names = (_last_name(route.handler_name) for route in routes if route not in group)
        return common - stems_of_all(sibling_names)


def _has_twins(routes: Sequence[Route]) -> bool:
    return len({fixed_segments(route.path) for route in routes}) < len(routes)


def _path_stems(route: Route) -> frozenset[str]:
    return frozenset(part for segment in fixed_segments(route.path) for part in _stems(segment))


def _last_segment(route: Route) -> Phrase:
    return _stems(fixed_segments(route.path)[-1]) if fixed_segments(route.path) else ()


def _last_name(name: str) -> str:
    return name.rpartition(".")[2]


def _stems(name: str) -> Phrase:
    return tuple(map(stem, name_parts(name)))


def noun_phrases(document: IssueDocument, names: "NamedThings") -> tuple[NounPhrase, ...]:
    """The phrases, each once: those of the title first, of a sentence the longer ones first."""
    phrases: dict[NounPhrase, None] = {}
    for text in dict.fromkeys((document.title, *document.wish_sentences)):
        is_title = text == document.title
        of_text = (
            phrase
            for clause in _CLAUSE.split(_without_paths(text, document))
            for phrase in _of_clause(clause, names, is_title=is_title)
        )
        longest_first = sorted(
            dict.fromkeys(islice(of_text, _MOST_PHRASES)),
            key=lambda phrase: (-len(phrase.stems), -len(phrase.small_words)),
        )
        phrases |= dict.fromkeys(longest_first)
        if len(phrases) >= _MOST_PHRASES:
            break
    return tuple(phrases)


def _without_paths(text: str, document: IssueDocument) -> str:
    """A text with a full stop in place of each path and command line that it cites: their words are no nouns."""
    quotes = {citation.quote for citation in document.citations if citation.kind in _PATHS}
    for quote in sorted(quotes, key=lambda quote: (-len(quote), quote)):
        text = text.replace(quote, " . ")
    return text


def _of_clause(clause: str, names: "NamedThings", *, is_title: bool) -> Iterator[NounPhrase]:
    with_articles = _WORD.findall(clause)
    words = [word for word in with_articles if word.lower() not in _ARTICLES]
    is_definite = [
        before.lower() == "the"
        for before, word in zip(["", *with_articles], with_articles, strict=False)
        if word.lower() not in _ARTICLES
    ]
    rows = [names.row_of(word) for word in words]
    is_small = [word.lower() in STOP_WORDS for word in words]
    for start in [index for index, row in enumerate(rows) if row]:
        is_behind = start > 1 and is_small[start - 1]
        position = Position.SUBJECT if not start else Position.OBLIQUE if is_behind else Position.OBJECT
        for end in range(start + 1, min(len(words), start + _LONGEST) + 1):
            if not rows[end - 1] and not (
                is_small[end - 1] and (is_title or names.is_in_path(words[end - 1]))
            ):
                break
            parts = [(part, is_small[index]) for index in range(start, end) for part in rows[index]]
            phrase = tuple(part for part, _ in parts)
            stems = frozenset(part for part, small in parts if not small)
            following = stem(words[end]) if end < len(words) else ""
            is_head = not following or following in _KINDS or is_small[end] or phrase in names.options
            if not stems - EVERYWHERE or is_small[end - 1] or not is_head:
                continue
            yield NounPhrase(
                words=" ".join(words[start:end]),
                phrase=phrase,
                stems=stems,
                small_words=frozenset(phrase) - stems,
                position=position,
                has_kind=following in _KINDS,
                refers_to=_SLOTS.get(following) if is_definite[start] else None,
                is_name=any("-" in word for word in words[start:end]),
                is_in_title=is_title,
            )
