"""Groups by name: things of the code whose names share a phrase that the issue has.

“Bulk actions” names `/bulk-actions/close` and `/bulk-actions/merge`; “adding a participant” names `add_participant_to_case` and
`add_participant_to_incident`; “dry run” names the commands that have `--dry-run`. Names are compared as stems, in any order.
"""

from collections.abc import Iterator, Sequence

from pipeline.code_registry.entries import Route, Symbol
from pipeline.contract.code_slots import Slot
from pipeline.domain.words import name_parts, prose_stems, stem
from pipeline.stages.decomposition.candidates import CodeChoice, choices_above
from pipeline.stages.decomposition.choosing import Chooser, words_that_fit
from pipeline.stages.decomposition.from_ranking import is_beside, leads
from pipeline.stages.decomposition.named_things import Group, NamedThings, Position, noun_phrases
from pipeline.stages.decomposition.outcome import Outcome, Suggestion
from pipeline.stages.decomposition.shared_work import LEAST_CHANGE, RouteSearch
from pipeline.stages.decomposition.subject import Subject
from pipeline.stages.selection.language_weights import EVERYWHERE, INNER_WORDS, INTERNAL_WORDS
from pipeline.stages.selection.request_change import REQUEST_BIAS
from pipeline.stages.selection.vocabulary import fixed_segments

_MOST_MEMBERS = 12
"""More things of one name than this are no list that a person can choose from."""


def by_group(subject: Subject) -> Outcome | None:
    """A question between the members of the group that the issue names, or the one of them that its other words select."""
    for group in _groups(subject):
        phrase = group.phrase
        if len(group.choices) == 1 and len(phrase.stems) > 1 and phrase.is_in_title:
            return None
        if 1 < len(group.choices) <= _MOST_MEMBERS and _is_meant(group, subject):
            subject.note(phrase.words, group.choices, concluded="All of them have that name.")
            choices, leaf = _with_shared_work(group, subject)
            return Chooser(subject).choose(
                group.slot,
                choices,
                phrase.words,
                leaf=leaf.name if leaf else None,
                quotes=(phrase.words,),
                leading_words=phrase.stems,
            )
    return None


def _with_shared_work(group: Group, subject: Subject) -> tuple[Sequence[CodeChoice], Symbol | None]:
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
            choice, words = group.choices[0], group.phrase.words
            because = f"{words_that_fit(words.split())} {choice.label}, and that alone says too little."
            subject.note(words, [choice], words=[words], concluded=because)
            return Suggestion(choice, because)
    return None


def _is_meant(group: Group, subject: Subject) -> bool:
    """Whether a wish is for the members of a group.

    A reference (“the join endpoint”) is to them. A title that says what is to have something new (“Snooze should …”) means them;
    routes only if nothing says that the wish is for something inside. Elsewhere a phrase counts if the ranking of files agrees.
    """
    phrase, change = group.phrase, subject.request_change
    is_named = phrase.is_in_title and group.is_strong
    title, is_route = subject.document.title, group.slot is Slot.ENTRY_ROUTE.value
    if phrase.refers_to is group.slot:
        return not (INNER_WORDS | INTERNAL_WORDS) & (prose_stems(title) - phrase.stems)
    if not is_route and INNER_WORDS & (prose_stems(title) - phrase.stems):
        return False
    is_beside_point = is_beside(group.choices, subject)
    if not is_route:
        is_called = phrase.is_apart and (is_named or (phrase.has_kind and not is_beside_point))
        return is_called or leads(subject.ranking, group.paths)
    if phrase.is_in_title and phrase.is_name:
        return True
    least = LEAST_CHANGE if change.has_against else REQUEST_BIAS
    if len(phrase.stems) == 1 and not phrase.has_kind and not phrase.small_words:
        is_subject = phrase.position is Position.SUBJECT and change.log_odds >= LEAST_CHANGE
        is_likely = phrase.is_apart and change.is_likely and not is_beside_point
        return (is_named and group.acts and (is_subject or is_likely)) or _is_only_segment(group, subject)
    if is_named and phrase.is_apart:
        return change.log_odds >= least and (change.log_odds > REQUEST_BIAS or not is_beside_point)
    return (is_named and change.is_likely) or (change.log_odds >= least and not is_beside_point)


def _is_only_segment(group: Group, subject: Subject) -> bool:
    """Whether a word of the title begins the paths of a group whose file is the likeliest, and no other word of it is a segment."""
    other_words = prose_stems(subject.document.title) - group.phrase.stems - EVERYWHERE
    segments = {
        _stems(segment) for route in subject.registry.routes for segment in fixed_segments(route.path)
    }
    return (
        group.phrase.is_in_title
        and not group.is_strong
        and any(file.path in group.paths for file in subject.ranking.files[:1])
        and subject.request_change.log_odds > REQUEST_BIAS
        and segments.isdisjoint((word,) for word in other_words)
    )


def _groups(subject: Subject) -> Iterator[Group]:
    """The groups that the issue names: those of the title first, then those of longer phrases."""
    things = NamedThings(subject.registry, prose_stems(subject.document.wish))
    for phrase in noun_phrases(subject.document, things):
        yield from things.groups(phrase)


def _stems(name: str) -> tuple[str, ...]:
    return tuple(map(stem, name_parts(name)))
