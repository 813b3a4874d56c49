"""What a route does, as a person says it: a verb, a resource, and whose it is.

`DELETE /application/:id/message` with the handler `DeleteMessages` deletes the messages of an application. A sentence
means a route if it says the verb and the resource; of several such routes the one is meant that leaves fewest of the
sentence's resources unsaid, and says fewest that the sentence does not.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from pipeline.code_registry.entries import Route
from pipeline.code_registry.registry import Registry
from pipeline.domain.words import name_parts, name_stems, prose_stems, prose_words, stem
from pipeline.stages.selection.vocabulary import EVERYWHERE

_VERBS = {
    method: frozenset(stem(word) for word in words.split())
    for method, words in {
        "GET": "list show read get fetch filter search see view export download find browse",
        "POST": "create submit place start import upload register",
        "PUT": "update change edit set replace rename modify",
        "PATCH": "update change edit set rename modify",
        "DELETE": "delete remove wipe erase clear purge rid",
    }.items()
}
"""What people say for an HTTP method."""

_OF_MANY = frozenset(
    stem(word) for word in "list search browse filter page sort create submit register".split()
)
"""Verbs that are never said of one thing that is there: it is not listed, and not created either."""

SELVES = frozenset({"me", "my", "self", "own", "mine", "current", "myself", "profile"})
"""Segments of paths that stand for whoever calls."""

_OWN = re.compile(
    r"\b(?:their|his|her|my|your|one['’]s|our|the)\s+own\b|\b(?:my|themselves|himself|herself|myself|yourself)\b",
    re.IGNORECASE,
)
OWNED = frozenset(stem(word) for word in "account profile user password data".split())
_ACTORS = re.compile(
    r"\b(?:(?:an?|the|all|some|any|signed-in|logged-in|every|our)\s+)*"
    r"(?:users?|people|persons?|somebody|someone|anybody|anyone|everybody|admins?|administrators?|customers?|clients?|we|one|i)"
    r"(?=\s+(?:to\s+|who\s+|should|can|could|must|may|wants?|needs?|has|have|would|be\s+able|(?:easily\s+)?(?:delete|remove|change|see)))",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Sentence:
    """A sentence as words, without who acts."""

    text: str

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its words, and of neighbours written as one."""
        return self.phrasal | {stem(word) for word in self._words}

    @cached_property
    def telling(self) -> frozenset[str]:
        """The stems of those of its words that say something."""
        return prose_stems(_ACTORS.sub(" ", self.text))

    @cached_property
    def phrasal(self) -> frozenset[str]:
        """Neighbouring words as one: what people write apart and code together (`log in`, `sign up`)."""
        return frozenset(stem(stem(one) + other) for one, other in pairwise(self._words))

    @cached_property
    def _words(self) -> tuple[str, ...]:
        return prose_words(_ACTORS.sub(" ", self.text))

    @cached_property
    def of_oneself(self) -> bool:
        """Whether it speaks of what belongs to whoever acts."""
        return bool(_OWN.search(self.text))


@dataclass(frozen=True)
class Action:
    """What one route does. `parents` are resources below which it stands, `groups` segments that only sort routes."""

    route: Route
    verbs: frozenset[str]
    resource: frozenset[str]
    parents: frozenset[str]
    groups: frozenset[str]
    handler: frozenset[str]
    of_one: bool
    of_given: bool
    of_oneself: bool

    @property
    def words(self) -> frozenset[str]:
        """Everything that it says."""
        return self.verbs | self.resource | self.parents | self.groups | self.handler

    def is_said(self, said: Sentence) -> bool:
        """Whether a sentence says its verb and its resource."""
        named = self.resource <= said.stems or (
            self.of_oneself and said.of_oneself and self.resource - OWNED <= said.stems
        )
        if not named or (self.of_one and _OF_MANY & said.stems & self.verbs):
            return False
        return bool(self.verbs & said.stems or self.resource & said.phrasal)

    def is_of_another(self, said: Sentence) -> bool:
        """Whether one of both is of whoever calls, and the other of somebody who is given."""
        return said.of_oneself != self.of_oneself and (self.of_oneself or self.of_given)

    def unsaid(self, said: Sentence) -> frozenset[str]:
        """The resources below which it stands and of which the sentence does not speak."""
        return self.parents - said.stems - (OWNED if said.of_oneself else frozenset())


class Actions:
    """The actions of all routes of a registry."""

    def __init__(self, registry: Registry) -> None:
        paths = Counter(route.path for route in registry.routes)
        self.all = tuple(
            action
            for route in registry.routes
            if (action := _action(route, alone=paths[route.path] == 1)) is not None
        )
        self._resources = frozenset[str]().union(*(one.resource | one.parents for one in self.all))

    def meant(self, said: Sentence) -> tuple[Action, ...]:
        """The actions that a sentence means, all that it means equally well; none where it says none."""
        ranked = sorted(
            ((self._misfit(action, said), action) for action in self.said(said)), key=lambda one: one[0]
        )
        return tuple(action for misfit, action in ranked if misfit == ranked[0][0])

    def said(self, said: Sentence) -> tuple[Action, ...]:
        """Every action whose verb and resource a sentence says."""
        return tuple(action for action in self.all if action.is_said(said))

    def unexplained(self, action: Action, said: Sentence) -> frozenset[str]:
        """The resources that a sentence speaks of and an action has nothing of."""
        own = OWNED if action.of_oneself and said.of_oneself else frozenset[str]()
        return (said.telling & self._resources) - action.words - own - EVERYWHERE

    def _misfit(self, action: Action, said: Sentence) -> tuple[int, int, int]:
        return (
            len(self.unexplained(action, said)) + action.is_of_another(said),
            len(action.unsaid(said)),
            -len((action.handler | action.groups | action.resource) & said.stems),
        )


def alone(actions: Sequence[Action]) -> Action | None:
    """The one action of several routes, if all have one handler."""
    handlers = {action.route.handler or action.route.id for action in actions}
    return actions[0] if len(handlers) == 1 else None


def _action(route: Route, *, alone: bool) -> Action | None:
    """What a route does; `alone`: its path answers no other method, so that its end may be a verb (`/:id/restore`)."""
    segments = [part for part in route.path.split("/") if part and not _is_version(part)]
    fixed = [part for part in segments if not _is_parameter(part)]
    if not fixed:
        return None
    of_oneself = any(part in SELVES for segment in fixed for part in name_parts(segment))
    parents, groups = set[str](), set[str]()
    for at, segment in enumerate(segments[: segments.index(fixed[-1])]):
        if not _is_parameter(segment):
            below = at + 1 < len(segments) and _is_parameter(segments[at + 1])
            (parents if below else groups).update(_stems(segment))
    of_self = name_parts(fixed[-1])[-1:] and name_parts(fixed[-1])[-1] in SELVES
    resource = frozenset(parents | groups) - EVERYWHERE - {"auth"} if of_self else _stems(fixed[-1])
    method = route.handler_name.rpartition(".")[2]
    handler = name_stems(method)
    first = frozenset(stem(part) for part in name_parts(method)[:1])
    if route.method == "GET":
        first -= _stems(fixed[-1])  # `users()` names what it gives
    verbs = _VERBS.get(route.method, frozenset()) | first
    ends_in_verb = len(fixed) > 1 and segments[-1] == fixed[-1] and not fixed[-1].endswith("s")
    if alone and ends_in_verb and route.method not in ("GET", "DELETE"):
        verbs |= _stems(fixed[-1])
    return Action(
        route=route,
        verbs=verbs,
        resource=frozenset(resource) or frozenset({"account"}),
        parents=frozenset(parents),
        groups=frozenset(groups),
        handler=handler,
        of_one=_is_parameter(segments[-1]),
        of_given=any(_is_parameter(segment) for segment in segments),
        of_oneself=of_oneself,
    )


def _stems(segment: str) -> frozenset[str]:
    """The stems of a segment's words; of one that only has words that say little elsewhere (`/vote/up`), those."""
    telling = name_stems(segment) or frozenset(stem(part) for part in name_parts(segment))
    return telling - SELVES


def _is_parameter(segment: str) -> bool:
    return segment.startswith((":", "{", "<", "[", "*"))


def _is_version(segment: str) -> bool:
    return segment == "api" or (segment[0] == "v" and segment[1:].isdecimal())
