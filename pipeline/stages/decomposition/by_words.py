"""Issues that cite nothing: what their words find among the routes, commands and settings of the code.

Words find one right thing well and sets of them badly, so they only seed the search: of routes, the set is made of those
that share the function where the work is done. Whatever is found is a suggestion or a question, never a target.
"""

import re
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from pipeline.contract.code_slots import CodeSlot, Slot
from pipeline.domain.issue import CitationKind
from pipeline.stages.decomposition.candidates import CodeChoice, key_choice, route_choice, symbol_choice
from pipeline.stages.decomposition.choosing import Chooser, words_that_fit
from pipeline.stages.decomposition.outcome import Outcome, Suggestion
from pipeline.stages.decomposition.route_search import search_routes
from pipeline.stages.decomposition.shared_work import search_shared_work
from pipeline.stages.decomposition.subject import Subject
from pipeline.stages.selection.commands import find_commands
from pipeline.stages.selection.language_weights import COMMAND_WORDS
from pipeline.stages.selection.ranking import TermRanking
from pipeline.stages.selection.settings import find_keys
from pipeline.stages.selection.terms import quotation
from pipeline.stages.selection.vocabulary import Vocabulary

_MOST_CHOICES = 4
"""More things than this that words fit alike were not meant by the words."""

_LEAST_CHOICES = 2
"""Words that lead to a thing whatever else the issue says: one may be an accident."""

_NUMBER = re.compile(r"(?<![\w/.#-])\d+(?![\w/]|\.\w)")
"""A number that stands alone, and is no part of a name, a path or a version."""

_SHORT_TITLE = 3
"""Words of a title beside which one word that fits is most of what it says."""


def by_words(subject: Subject, from_leaf: Callable[..., Outcome]) -> Outcome | None:
    """Commands where the issue has words for them, routes where a request probably changes, else settings for a value."""
    if any(citation.kind is CitationKind.ROUTE for citation in subject.document.citations):
        subject.note("the words of the issue", concluded=_unknown_route(subject))
        return None
    stems = subject.terms.stems
    if not stems.isdisjoint(COMMAND_WORDS) and (by_command := _commands(subject)) is not None:
        return by_command
    if subject.request_change.is_likely:
        return _routes(subject, from_leaf)
    has_value = _NUMBER.search(subject.document.wish) is not None
    by_setting = _settings(subject) if has_value else None
    if by_setting is None and subject.request_change.is_possible:
        by_setting = _shared_work(subject)
    if by_setting is None:
        subject.note(
            "the words of the issue",
            concluded="It cites nothing, and probably asks for no change of a request.",
        )
    return by_setting


def _unknown_route(subject: Subject) -> str:
    """That a cited route is none of the registry's: the code may have it where not every route could be read."""
    doubt = subject.registry.coverage.doubt
    if doubt is None:
        return "It names a route that the code does not have."
    return f"It names a route that the registry did not read: {doubt}."


def _commands(subject: Subject) -> Outcome | None:
    commands = find_commands(subject.registry)
    vocabularies = [command.vocabulary for command in commands]

    def choice_of(index: int) -> CodeChoice:
        return replace(
            symbol_choice(subject.registry, commands[index].symbol), vocabulary=vocabularies[index]
        )

    return _among(subject, Slot.COMMAND.value, vocabularies, choice_of, without=COMMAND_WORDS.keys())


def _settings(subject: Subject) -> Outcome | None:
    keys = find_keys(subject.registry)
    return _among(
        subject, Slot.SETTING.value, [key.vocabulary for key in keys], lambda index: key_choice(keys[index])
    )


def _among(
    subject: Subject,
    slot: CodeSlot,
    vocabularies: Sequence[Vocabulary],
    choice_of: Callable[[int], CodeChoice],
    *,
    without: AbstractSet[str] = frozenset(),
) -> Outcome | None:
    """Those of many that words fit best, by a name or by two words of docs; a question if they are few.

    One word counts only where the title has few others. `without` are words that fit each of the many.
    """
    weights = {stem: weight for stem, weight in subject.terms.weights.items() if stem not in without}
    ranking = TermRanking(weights, vocabularies)
    title = frozenset(stem for stem in weights if subject.terms.is_in_title(stem))
    best = [
        index
        for index in ranking.best()
        if len(ranking.fits[index]) >= _LEAST_CHOICES
        or (ranking.fits[index] & vocabularies[index].strong and len(title) <= _SHORT_TITLE)
    ]
    if not best or len(best) > _MOST_CHOICES:
        return None
    choices = [choice_of(index) for index in best]
    words = subject.terms.quote(ranking.fits[best[0]])
    about = quotation(words, subject.document)
    if len(choices) == 1:
        subject.note(about, choices, words=words, concluded="These words fit it best.")
        return Suggestion(choices[0], f"{words_that_fit(words)} {choices[0].label} best.")
    return Chooser(subject).choose(slot, choices, about, quotes=words[:1])


def _routes(subject: Subject, from_leaf: Callable[..., Outcome]) -> Outcome | None:
    match = search_routes(subject.terms, subject.document, subject.anchors.new_names, subject.registry)
    if match is None:
        subject.note("the words of the issue", concluded="They fit no route better than others.")
        return _shared_work(subject)
    chooser = Chooser(subject)
    choices = chooser.routes(match.routes)
    words = subject.terms.quote(match.words)
    quotes = (quotation(words, subject.document),)
    leaf = subject.registry.symbol(match.leaf) if match.leaf else None
    if leaf is not None:
        subject.note(quotes[0], choices, words=words, concluded=f"Their routes share `{leaf.name}`.")
        return from_leaf(leaf, quotes[0], match.words)
    if len(choices) > 1:
        return chooser.choose(Slot.ENTRY_ROUTE.value, choices, quotes[0], quotes=quotes)
    subject.note(quotes[0], choices, words=words, concluded="They fit one route best.")
    return Suggestion(choices[0], f"{words_that_fit(words)} {choices[0].label} and no other route.")


def _shared_work(subject: Subject) -> Outcome | None:
    """A question between the routes that share a function, where the words along their calls fit these best."""
    match = search_shared_work(subject.terms, subject.registry)
    leaf = subject.registry.symbol(match.leaf) if match and match.leaf else None
    if match is None or leaf is None:
        return None
    chains = {entry.route.id: entry.chain for entry in subject.registry.entry_routes(leaf.id)}
    choices = [route_choice(subject.registry, route, chains[route.id]) for route in match.routes]
    words = subject.terms.quote(match.words)
    quotes = (quotation(words, subject.document),)
    subject.note(quotes[0], choices, words=words, concluded=f"Their routes alone lead to `{leaf.name}`.")
    return Chooser(subject).choose(
        Slot.ENTRY_ROUTE.value, choices, quotes[0], leaf=leaf.name, quotes=quotes, leading_words=match.words
    )
