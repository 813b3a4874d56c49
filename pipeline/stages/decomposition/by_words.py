"""Tickets that name nothing: what their words find among commands, settings, routes and described functions.

Each search runs only where the ticket speaks of such a thing; otherwise words alone would invent a target.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from pipeline.code_registry.entries import SymbolKind
from pipeline.domain.intent import Operation
from pipeline.stages.decomposition.candidates import Choice, key_choice, route_choice, symbol_choice
from pipeline.stages.decomposition.choosing import Chooser, listed
from pipeline.stages.decomposition.outcome import Outcome, Selected
from pipeline.stages.decomposition.prose_search import search_by_words
from pipeline.stages.decomposition.questions import Slot
from pipeline.stages.selection.commands import commands_named, find_commands
from pipeline.stages.selection.described import described_best
from pipeline.stages.selection.evidence import ticket_stems, words_as_written
from pipeline.stages.selection.ranking import Ranking
from pipeline.stages.selection.settings import find_keys
from pipeline.stages.selection.vocabulary import Vocabulary

_MANY = 6
"""More things than this that words fit alike were not meant by the words."""

_SAID_BY_DOCS = 2
"""Words of its docs that stand for a name: one is an accident."""

_SPEAKING_OF_COMMANDS = frozenset({"command", "script", "line", "job", "option", "cli"})


def by_command(chooser: Chooser) -> Outcome | None:
    """The command that the ticket names, or the commands that its words fit, where it speaks of a command line."""
    intent, quote = chooser.intent, chooser.intent.command_quote
    if quote is None:
        return None
    commands = find_commands(chooser.registry)
    named = commands_named(intent, commands)
    if len(named) == 1:
        choice = symbol_choice(chooser.registry, named[0].symbol)
        chooser.note(f"“{quote}”", [choice], concluded="The ticket names this command.")
        return chooser.select(choice, f"The ticket names the command {choice.label}.")
    offered = named or commands
    vocabularies = [command.vocabulary for command in offered]

    def choice_of(index: int) -> Choice:
        return replace(symbol_choice(chooser.registry, offered[index].symbol), vocabulary=vocabularies[index])

    words = ticket_stems(intent) - _SPEAKING_OF_COMMANDS
    return _among(chooser, Slot.COMMAND, vocabularies, choice_of, words, f"“{quote}”")


def by_setting(chooser: Chooser) -> Outcome | None:
    """The settings that the ticket's words fit, where it wants another value of something."""
    quote = chooser.intent.value_quote
    if quote is None or chooser.intent.new_names:
        return None
    keys = find_keys(chooser.registry)
    return _among(
        chooser,
        Slot.SETTING,
        [key.vocabulary for key in keys],
        lambda index: key_choice(keys[index]),
        ticket_stems(chooser.intent),
        f"“{quote}”",
    )


def _among(
    chooser: Chooser,
    slot: Slot,
    vocabularies: Sequence[Vocabulary],
    choice_of: Callable[[int], Choice],
    words: frozenset[str],
    about: str,
) -> Outcome | None:
    """Those of many that words fit best, by a name or by two words of docs; the usual choice if they are several."""
    ranking = Ranking(words, vocabularies)
    places = [
        index
        for index in ranking.best()
        if ranking.fits[index] & vocabularies[index].strong or len(ranking.fits[index]) >= _SAID_BY_DOCS
    ]
    if not places or len(places) > _MANY:
        chooser.note(
            about,
            concluded=f"The words of the ticket fit {len(places)} of {len(vocabularies)}: not one of few.",
        )
        return None
    best = [choice_of(index) for index in places]
    fitting = words_as_written(chooser.intent, words & best[0].vocabulary.all)
    if len(best) == 1:
        chooser.note(about, best, words=fitting, concluded="These words fit it best: selected.")
        return chooser.select(best[0], f"{listed(fitting)} {best[0].label} best.")
    return chooser.choose(slot, best, about, leaf=None, quotes=fitting[:1] or (about,))


def by_route(chooser: Chooser, from_leaf: Callable[..., Outcome]) -> Outcome | None:
    """Routes by words, only for wishes that change a request."""
    if not chooser.intent.changes_surface:
        chooser.note(
            "the words of the ticket", concluded="It names nothing, and asks for no change of a request."
        )
        return None
    found = search_by_words(chooser.intent, chooser.registry)
    if found is None and (described := _described_route(chooser)) is not None:
        return described
    if found is None:
        chooser.note("the words of the ticket", concluded="They fit no route better than others.")
        return None
    choices = chooser.route_choices(found.routes)
    words = words_as_written(chooser.intent, found.words)
    leaf = chooser.registry.symbol(found.leaf) if found.leaf else None
    if leaf is not None:
        chooser.note(
            "the words of the ticket", choices, words=words, concluded=f"Their routes share `{leaf.name}`."
        )
        return from_leaf(leaf, " ".join(words), found.words)
    if len(choices) > 1:
        return chooser.choose(
            Slot.ENTRY_ROUTE, choices, "the words of the ticket", leaf=None, quotes=(" ".join(words),)
        )
    chooser.note("the words of the ticket", choices, words=words, concluded="They fit one route best.")
    return chooser.select(choices[0], f"{listed(words)} {choices[0].label} and no other route.")


def _described_route(chooser: Chooser) -> Outcome | None:
    """The route whose handler's docs the ticket repeats, where the words of names lead nowhere."""
    handled = [(route, chooser.registry.symbol(route.handler or "")) for route in chooser.registry.routes]
    documented = [(route, one.docstring) for route, one in handled if one is not None and one.docstring]
    found = described_best(chooser.intent.prose, [docs for _, docs in documented])
    if found is None:
        return None
    index, words = found
    choice = route_choice(chooser.registry, documented[index][0])
    shown = words_as_written(chooser.intent, words)
    chooser.note(
        "what the ticket describes", [choice], words=shown, concluded="Its docs say the same: selected."
    )
    return chooser.select(choice, f"{listed(shown)} the docs of {choice.label}.")


def by_description(chooser: Chooser) -> Outcome | None:
    """A function whose own docs the ticket repeats, whatever it is called."""
    if chooser.intent.operation in (Operation.TEST, Operation.DOCUMENT) or chooser.intent.changes_surface:
        return None
    kinds = (SymbolKind.FUNCTION, SymbolKind.METHOD)
    symbols = [
        one for one in chooser.registry.symbols if one.kind in kinds and one.docstring and not one.is_test
    ]
    found = described_best(chooser.intent.prose, [symbol.docstring or "" for symbol in symbols])
    if found is None:
        return None
    index, words = found
    choice = symbol_choice(chooser.registry, symbols[index])
    shown = words_as_written(chooser.intent, words)
    chooser.note(
        "what the ticket describes", [choice], words=shown, concluded="Its docs say the same: selected."
    )
    outcome: Selected = chooser.select(choice, f"{listed(shown)} the docs of {choice.label}.")
    return outcome
