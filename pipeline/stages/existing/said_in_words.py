"""Wishes in words for what is there: an input that a request or a command takes, or a whole route.

The words differ from the code's, so each look-up wants two proofs: the ticket speaks of the place (the route's resource, the
command), and it says the whole name of the input, or nearly everything that the route's name and docs say.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.code_registry.entries import FieldKind, Place, Route
from pipeline.code_registry.registry import Registry
from pipeline.domain.intent import Intent
from pipeline.domain.words import name_stems, prose_stems, stem
from pipeline.stages.existing.wish_phrases import method_fits
from pipeline.stages.selection.actions import OWNED, Action, Actions, Sentence, alone
from pipeline.stages.selection.audience import audience_of, fitting, who_speaks
from pipeline.stages.selection.commands import Command, commands_named, find_commands
from pipeline.stages.selection.described import described_by
from pipeline.stages.selection.evidence import ticket_stems
from pipeline.stages.selection.ranking import Ranking
from pipeline.stages.selection.vocabulary import EVERYWHERE, METHOD_WORDS, path_stems, route_vocabulary

_INPUTS = (FieldKind.BODY, FieldKind.QUERY, FieldKind.HEADER)
_TELLS_NOTHING = frozenset({"id", "ids", "is", "has", "on", "by", "only", "at", "of", "the", "name", "value"})

_COMMAND = frozenset({"command", "cmd"})
_NARROWS = re.compile(
    r"\b(?:only|single|one|limit(?:ed)?\s+to|narrow\w*|filter\w*|restrict\w*|asked\s+for)\b", re.IGNORECASE
)
"""Words that ask to narrow a list or a piece of work down."""

_GIVES = re.compile(
    r"\b(?:way\s+to\s+(?:say|tell|give|pass|set)|(?:able|possible|like)\s+to\s+(?:say|tell|give|pass|set|choose|select|specify)"
    r"|let\s+(?:me|us|people)\s+\w+"
    r"|(?:can|could|may)\s+(?:we|one|people|they|(?:an?|the)\s+\w+)\s+(?:send|pass|give|say|set|tell|choose|state|specify))\b",
    re.IGNORECASE,
)
"""Words that ask to be able to say something."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n\s*\n|\n(?=\s*[-*])")
_EXPLAINED, _LEAST = 0.75, 3

_ASKED = re.compile(
    r"(?:\b(?:able|possible|want|wants|like|need|needs|have|has|allow\w*|way|us|users|people|\w+s)\s+to"
    r"|\b(?:call|endpoint|route|request|command|button|one)\s+(?:that|which|to|for)"
    r"|\b(?:let|lets)\s+(?:\w+|(?:an?|the)\s+\w+)"
    r"|\b(?:we|i|they|people|users?|admins?|somebody|someone|everybody|anybody)\s+(?:must|should|can|could))\s+(?:be\s+able\s+to\s+)?"
    r"(?P<asked>[a-z][^.;:!?\n]*?)(?=[.;:!?\n]|,|$|\s+(?:so\s+that|because|instead\s+of|without|when|while|before|after|until|through|via|again|at\s+once|in\s+one\s+go)\b)",
    re.IGNORECASE,
)
"""What a wish asks to be able to do, up to where it says why, how or when."""

_MANY = re.compile(r"\b(?:all|every|several|multiple|many|bulk|lists?\s+of)\b", re.IGNORECASE)
_FURTHER = 1
"""Words of what is asked that neither the route nor any other has, which may be left over."""


@dataclass(frozen=True)
class Said:
    """What a wish says in words and the code has: an input of a route or a command, or a route itself."""

    id: str
    name: str
    label: str
    place: Place
    symbol: str | None
    route: Route | None


def input_said(intent: Intent, registry: Registry) -> Said | None:
    """The input that the wish describes, of the one place that it speaks of."""
    sentences = _SENTENCE.split(intent.prose)
    given = prose_stems("\n".join(one for one in sentences if _GIVES.search(one)))
    narrowed = prose_stems("\n".join(one for one in sentences if _NARROWS.search(one)))
    if not given | narrowed:
        return None
    return (
        next(_of_command(intent, registry, given | narrowed), None)
        or next(_of_list(intent, registry, given | narrowed), None)
        or next(_of_change(intent, registry, given), None)
    )


def _of_command(intent: Intent, registry: Registry, said: frozenset[str]) -> Iterator[Said]:
    commands = find_commands(registry)
    named = commands_named(intent, commands)
    if not named:
        words = ticket_stems(intent)
        spoken = [
            one for one in commands if one.vocabulary.strong and one.vocabulary.strong - _COMMAND <= words
        ]
        named = tuple(spoken) if len(spoken) == 1 else ()
    for command in named:
        for id_, name, place in _inputs(command):
            if _says(name, said - name_stems(command.symbol.name)):
                label = f"{name} of {command.symbol.name}"
                yield Said(id_, name, label, place, command.symbol.id, None)


def _inputs(command: Command) -> Iterator[tuple[str, str, Place]]:
    """Declared options; and parameters, by which some libraries declare them."""
    for option in command.options:
        yield option.id, option.name, option.place
    for parameter in command.symbol.parameters:
        yield f"{command.symbol.id}({parameter.name})", parameter.name, command.symbol.place


def _of_list(intent: Intent, registry: Registry, said: frozenset[str]) -> Iterator[Said]:
    """Inputs of routes that list: a path that ends in a resource and is only read."""
    words = ticket_stems(intent)
    routes = [
        one for one in registry.routes if one.method == "GET" and not _ends_in_one(one) and _named(one, words)
    ]
    yield from _of_routes(routes, intent, registry, said)


def _of_change(intent: Intent, registry: Registry, said: frozenset[str]) -> Iterator[Said]:
    """Inputs of routes that do something, whose verb the ticket says."""
    words = ticket_stems(intent)
    acting = {action.route.id for action in Actions(registry).said(Sentence(intent.wish))}
    routes = [
        one
        for one in registry.routes
        if one.method != "GET"
        and (one.id in acting or (_named(one, words) and method_fits(one.method, intent)))
    ]
    yield from _of_routes(routes, intent, registry, said)


def _of_routes(
    routes: Sequence[Route], intent: Intent, registry: Registry, said: frozenset[str]
) -> Iterator[Said]:
    """What is said of the best of some routes; where words fit two alike and one lacks it, nothing is.

    A resource by which a list is narrowed ("appointments of one practitioner") is not the list.
    """
    found = {route.id: _said_of(route, registry, said) for route in routes}
    conditions = [name_stems(one.name) for one in found.values() if one is not None]
    listed = [route for route in routes if not any(_resource(route) <= words for words in conditions)]
    speaker = who_speaks(intent)
    if speaker is not None:
        audiences = [audience_of((route.path, route.handler_name)) for route in listed]
        listed = [listed[place] for place in fitting(speaker, audiences)] or listed
    words = ticket_stems(intent)
    ranking = Ranking(words, [route_vocabulary(registry, route) for route in listed])
    fit = [
        (-len(path_stems(route.path) - words), ranking.weight(place)) for place, route in enumerate(listed)
    ]
    best = [found[route.id] for route, one in zip(listed, fit, strict=True) if one == max(fit)]
    if best and best[0] is not None and all(one is not None for one in best):
        yield best[0]


def _said_of(route: Route, registry: Registry, said: frozenset[str]) -> Said | None:
    for field in registry.fields_of(route.id):
        if field.kind in _INPUTS and _says(field.name, said - path_stems(route.path)):
            label = f"{field.kind.value} field {field.name} of {route.label}"
            return Said(field.id, field.name, label, field.place, route.handler, route)
    return None


def _named(route: Route, words: frozenset[str]) -> bool:
    """Whether the ticket names the route's resource."""
    return bool(_resource(route)) and _resource(route) <= words


def _resource(route: Route) -> frozenset[str]:
    """The words of the last fixed segment of a path."""
    fixed = [part for part in route.path.split("/") if part and not _is_parameter(part)]
    return name_stems(fixed[-1]) if fixed else frozenset()


def _ends_in_one(route: Route) -> bool:
    return _is_parameter(route.path.rstrip("/").rpartition("/")[2])


def _is_parameter(segment: str) -> bool:
    return segment.startswith((":", "{", "<", "["))


def _says(name: str, said: frozenset[str]) -> bool:
    """Whether every telling word of a name is said."""
    telling = {word for word in name_stems(name) if word not in _TELLS_NOTHING}
    return bool(telling) and telling <= said


def route_said(intent: Intent, registry: Registry) -> Said | None:
    """The one route that a sentence of the wish describes nearly in full; None where there is none or more than one."""
    asking = {stem(word) for word in "possible need able call someone people user api".split()}
    found: list[tuple[int, Route]] = []
    for sentence in dict.fromkeys(_SENTENCE.split(intent.wish.replace("\n", "\n\n"))):
        words = prose_stems(sentence) - EVERYWHERE - asking
        if len(words) < _LEAST:
            continue
        for route in registry.routes:
            vocabulary = route_vocabulary(registry, route)
            explained = words & vocabulary.all
            if len(explained) < max(_LEAST, _EXPLAINED * len(words)):
                continue
            if _is_it(route, registry, sentence, words):
                found.append((len(explained), route))
    found.sort(key=lambda one: (-one[0], one[1].id))
    if not found or (len(found) > 1 and found[0][0] == found[1][0] and found[0][1] != found[1][1]):
        return None
    return _whole(found[0][1])


def action_asked(intent: Intent, registry: Registry) -> Said | None:
    """The one route that does just what the wish asks for: its verb, its resource, whose it is, and nothing else."""
    actions = Actions(registry)
    for asked in _ASKED.findall(intent.wish) or [intent.wish.partition("\n")[0]]:
        said = Sentence(asked)
        meant = [action for action in actions.meant(said) if _does_just(action, said, actions)]
        if (action := alone(meant)) is not None:
            return _whole(action.route)
    return None


def _does_just(action: Action, said: Sentence, actions: Actions) -> bool:
    """Whether an action leaves nothing of what is asked for unsaid, and does it for one or for all as asked."""
    if actions.unexplained(action, said) or action.unsaid(said) or action.is_of_another(said):
        return False
    if action.of_one and _MANY.search(said.text):
        return False
    told = (
        prose_stems(said.text) - EVERYWHERE - OWNED
        if said.of_oneself
        else prose_stems(said.text) - EVERYWHERE
    )
    return len(told - action.words) <= _FURTHER


def _whole(route: Route) -> Said:
    return Said(route.id, route.label, route.label, route.place, route.handler, route)


def _is_it(route: Route, registry: Registry, sentence: str, words: frozenset[str]) -> bool:
    """By its docs, or by its method's verb together with every fixed segment of its path."""
    handler = registry.symbol(route.handler) if route.handler else None
    if handler is not None and described_by(sentence, handler.docstring or ""):
        return True
    verb = METHOD_WORDS.get(route.method, frozenset()) & words
    return bool(verb) and path_stems(route.path) - EVERYWHERE <= words
