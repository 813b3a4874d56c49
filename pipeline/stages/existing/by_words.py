"""Find what an issue describes in words and the code has: a field of a request, or an option of a command. Pure.

Words prove nothing, so this never stops a run. What is found counts only if

- every word of its name stands in one clause of the wish, and few others have that name;
- the issue speaks of the route or command that has it, by the words of its path or name, or the name has three words of its own;
- the clause wishes for something, and the name and what is written at the route or command account for at least half of it; in
  a title, which is a subject and no sentence, they account for all of it;
- the clause speaks of no change, removal, fix or test of what is there;
- the issue cites no other route or command, and no name that this one lacks;
- it is no attribute of a thing, which an update takes, too: a wish names those in passing.

Example: "Could the list of orders be asked for those in one status only?" says list, orders and status. `GET /orders` takes
`status`, and its words are order and list: the clause is about nothing else. "Only orders since a day" has no word of that name.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.code_registry.entries import CommandLineOption, Field, FieldKind, Route
from pipeline.code_registry.paths import PARAMETER, segments
from pipeline.code_registry.registry import Registry
from pipeline.domain.issue import Citation, CitationKind, IssueDocument, IssueKind
from pipeline.domain.words import name_parts, name_stems, same_name
from pipeline.stages.existing.clauses import Clause, clauses_of
from pipeline.stages.existing.examine import Point, names_and_containers
from pipeline.stages.selection.anchors import WISH_ROLES, Anchors, routes_cited
from pipeline.stages.selection.commands import find_commands
from pipeline.stages.selection.language_weights import (
    ADDITION_WORDS,
    COMMAND_WORDS,
    EVERYWHERE,
    REQUEST_WORDS,
)
from pipeline.stages.selection.vocabulary import path_stems, route_vocabulary, symbol_vocabulary

_REQUEST = frozenset({FieldKind.BODY, FieldKind.QUERY, FieldKind.HEADER, FieldKind.COOKIE})
_HALF = 0.5
_OWN_ADDRESS = 3
"""A name with so many words of its own is found without the route or command that has it."""

_FEW, _FEW_OF = 5, 10
"""A name is rare if so many routes and commands have it, or one in so many of them: `page` is everywhere."""

_FRAME = (
    frozenset(word for word, weight in ADDITION_WORDS.items() if weight > 0)
    | frozenset(REQUEST_WORDS)
    | frozenset(COMMAND_WORDS)
    | EVERYWHERE
)
"""Words that say that something is wished for, and of which kind: not what."""


@dataclass(frozen=True)
class _Holder:
    """A route or a command. `address` are the words by which people call it, `words` all that is written at it."""

    id: str
    label: str
    address: frozenset[str]
    words: frozenset[str]
    members: tuple[Field | CommandLineOption, ...]

    def has(self, name: str) -> bool:
        """Whether one of its members has a name, or its own words are the name's."""
        is_member = any(same_name(member.name, name) for member in self.members)
        return is_member or name_stems(name) <= self.words


@dataclass(frozen=True)
class _Match:
    """A member whose name a clause has. `share` is the part of the clause that the member and its holder account for."""

    member: Field | CommandLineOption
    holder: _Holder
    clause: Clause
    share: float


def find_described(document: IssueDocument, anchors: Anchors, registry: Registry) -> Point | None:
    """The field or option that accounts for most of a clause, if one does for enough of it."""
    if document.kind not in (IssueKind.FEATURE, IssueKind.UNSURE) or not document.is_english:
        return None
    holders = tuple(_holders(registry))
    matches = _matches(document, _meant(holders, document, anchors, registry), _Tree(holders, registry))
    best = max(
        matches,
        key=lambda match: (match.share, len(match.holder.address), match.holder.id, match.member.id),
        default=None,
    )
    if best is None:
        return None
    member, label = best.member, f"{best.member.name} of {best.holder.label}"
    label = f"{member.kind.value} field {label}" if isinstance(member, Field) else label
    return Point(best.clause.text, (best.clause.text,), member.id, label, member.place)


def _matches(document: IssueDocument, holders: Sequence[_Holder], tree: "_Tree") -> Iterator[_Match]:
    clauses = clauses_of(document)
    wish = frozenset[str]().union(*(clause.stems for clause in clauses))
    title = frozenset[str]().union(*(clause.stems for clause in clauses if clause.is_title))
    for holder in holders:
        address = holder.address - tree.prefixes
        for member in holder.members:
            name = name_stems(member.name)
            own_words = name - _FRAME - address
            if not own_words or not name <= wish or not tree.is_rare(member.name):
                continue
            for clause in clauses:
                if not name <= clause.stems or clause.speaks_of_change(name | holder.address):
                    continue
                content = (clause.stems - tree.frame) | name
                covered = (content & holder.words) - name
                specific = covered - tree.everywhere
                share = (len(name) + len(covered)) / len(content)
                is_told_whole = clause.is_title and share == 1.0 and bool(specific)
                is_wished = clause.is_wish and share >= _HALF
                is_led_to = address <= wish and bool(specific or address & (clause.stems | title))
                has_own_address = len(own_words) >= _OWN_ADDRESS
                if (is_told_whole and (is_led_to or has_own_address)) or (
                    is_wished and (has_own_address or (is_led_to and not clause.is_title))
                ):
                    yield _Match(member, holder, clause, share)


class _Tree:
    """What is common in a code base and so tells nothing apart.

    Attributes:
        everywhere: the words of more than half of the routes and commands.
        prefixes: those of more than half of their paths and names.
        frame: the words that wish, without those of which paths are made: in a shop for requests, a request is a thing.
    """

    def __init__(self, holders: Sequence[_Holder], registry: Registry) -> None:
        self.everywhere = _in_most([holder.words for holder in holders])
        self.prefixes = _in_most([holder.address for holder in holders])
        self.frame = _FRAME - frozenset[str]().union(*(path_stems(route.path) for route in registry.routes))
        self._names = Counter(
            name for holder in holders for name in {name_parts(member.name) for member in holder.members}
        )
        self._most_namesakes = max(_FEW, len(holders) / _FEW_OF)

    def is_rare(self, name: str) -> bool:
        """Whether few routes and commands have a field or an option of this name."""
        return self._names[name_parts(name)] <= self._most_namesakes


def _in_most(groups: Sequence[frozenset[str]]) -> frozenset[str]:
    counts = Counter(word for words in groups for word in words)
    return frozenset(word for word, count in counts.items() if count > max(_FEW, len(groups) / 2))


def _holders(registry: Registry) -> Iterator[_Holder]:
    attributes = {
        (_resource(route), name_parts(field.name))
        for route in registry.routes
        if route.method in ("PUT", "PATCH")
        for field in registry.fields_of(route.id)
        if field.kind is FieldKind.BODY
    }
    for route in registry.routes:
        fields = tuple(
            field
            for field in registry.fields_of(route.id)
            if field.kind in _REQUEST
            and (
                field.kind is not FieldKind.BODY
                or (_resource(route), name_parts(field.name)) not in attributes
            )
        )
        address = path_stems(route.path)
        words = route_vocabulary(registry, route).all | address
        yield _Holder(route.id, route.label, address - EVERYWHERE, words, fields)
    for command in find_commands(registry):
        address = name_stems(command.name) - EVERYWHERE - frozenset(COMMAND_WORDS) - {"cmd"}
        words = symbol_vocabulary(command.symbol).all | address
        yield _Holder(command.symbol.id, command.name, address, words, command.options)


def _resource(route: Route) -> tuple[str, ...]:
    """The path without a parameter at its end: a thing and all things of its kind have the same."""
    path = segments(route.path)
    return path[:-1] if path and path[-1] == PARAMETER else path


def _meant(
    holders: Sequence[_Holder], document: IssueDocument, anchors: Anchors, registry: Registry
) -> list[_Holder]:
    """The routes and commands that the issue may mean: those that it cites, if it cites any, with every name that it cites."""
    names, containers = names_and_containers(anchors, registry)
    cited_ids = {route.id for anchor in containers for route in anchor.routes}
    cited_ids |= {command.symbol.id for anchor in containers for command in anchor.commands}
    if any(_is_missing_route(citation, registry) for citation in document.citations):
        return []
    return [
        holder
        for holder in holders
        if (not cited_ids or holder.id in cited_ids) and all(holder.has(name.text) for name in names)
    ]


def _is_missing_route(citation: Citation, registry: Registry) -> bool:
    is_wished = citation.kind is CitationKind.ROUTE and citation.role in WISH_ROLES
    return is_wished and citation.method is not None and not routes_cited(citation, registry)
