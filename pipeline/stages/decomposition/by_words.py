"""Issues that cite nothing: what their words find among the routes, commands and settings of the code.

Words find one right thing well and sets of them badly. So a set of routes is those that share the function where the work
is done. Words lead to a suggestion or a question, never to a target.
"""

from collections import Counter
from collections.abc import Sequence

from pipeline.contract.code_slots import Slot
from pipeline.domain.issue import CitationKind
from pipeline.domain.words import prose_stems
from pipeline.stages.decomposition.by_group import by_group, by_name
from pipeline.stages.decomposition.by_model import by_model
from pipeline.stages.decomposition.candidates import CodeChoice, route_choice
from pipeline.stages.decomposition.choosing import Chooser
from pipeline.stages.decomposition.from_ranking import is_beside, is_unlikely
from pipeline.stages.decomposition.outcome import OpenChoice, Outcome, Selection, Suggestion
from pipeline.stages.decomposition.shared_work import search_shared_work
from pipeline.stages.decomposition.subject import Subject
from pipeline.stages.selection.anchors import WISH_ROLES
from pipeline.stages.selection.language_weights import REQUEST_WORDS
from pipeline.stages.selection.terms import quotation

_PLACES = frozenset({CitationKind.FILE, CitationKind.LINE, CitationKind.FRAME})


def by_words(subject: Subject) -> Outcome | None:
    """Groups by name, and routes where a request may change.

    Where a model replies, what it says of the routes comes first, and no words say anything of them.
    """
    if cited := {item.text for item in subject.document.citations if item.kind is CitationKind.ROUTE}:
        if cited - {anchor.citation.text for anchor in subject.anchors.anchors if anchor.routes}:
            subject.note("the words of the issue", concluded=_unknown_route(subject))
        return None
    if (by_answer := _from_answer(subject)) is not None:
        return by_answer
    by_route = by_model(subject)
    if isinstance(by_route, OpenChoice | Suggestion):
        return by_route
    if _cites_a_place(subject):
        return by_route
    if (group := by_group(subject)) is not None:
        return group
    by_route = by_route or _shared_work(subject) or by_name(subject)
    if by_route is None:
        subject.note("the words of the issue", concluded="They fit nothing better than everything else.")
    return by_route


def _cites_a_place(subject: Subject) -> bool:
    """Whether the author says in which file it is: then no words are to find it."""
    return any(
        file.is_only and file.citation.kind in _PLACES and file.citation.role in WISH_ROLES
        for file in subject.ranking.cited
    )


def _from_answer(subject: Subject) -> Selection | None:
    """What a person chose, also where this run has no model or reads the issue otherwise: from there to the shared function,
    where words find it.
    """
    selection = Chooser(subject).answered_elsewhere(Slot.ENTRY_ROUTE.value)
    if selection is None:
        return None
    by_words = _shared_work(subject)
    return by_words if isinstance(by_words, Selection) else selection


def _unknown_route(subject: Subject) -> str:
    """That a cited route is none of the registry's: the code may have it where not every route could be read."""
    doubt = subject.registry.coverage.doubt
    missing = "the code does not have" if doubt is None else f"the registry did not read: {doubt}"
    return f"It names a route that {missing}."


def _shared_work(subject: Subject) -> Outcome | None:
    """A question between the routes that share a function, where the words along their calls fit these best."""
    match = search_shared_work(subject.terms, subject.registry)
    leaf = subject.registry.symbol(match.leaf) if match else None
    if (
        match is None
        or leaf is None
        or not match.is_worth_a_question(subject.request_change, subject.ranking)
    ):
        return None
    chains = {entry.route.id: entry.chain for entry in subject.registry.entry_routes(leaf.id)}
    choices = [route_choice(subject.registry, route, chains[route.id]) for route in match.routes]
    words = subject.terms.quote(match.words)
    quotes = (quotation(words, subject.document),)
    subject.note(quotes[0], choices, words=words, concluded=f"Their routes alone lead to `{leaf.name}`.")
    outcome = Chooser(subject).choose(
        Slot.ENTRY_ROUTE.value, choices, quotes[0], leaf=leaf.name, quotes=quotes, leading_words=match.words
    )
    # A word of docs in a sentence about something else is an accident.
    near = frozenset[str]().union(
        *(stems for text in subject.document.wish_sentences if (stems := prose_stems(text)) & match.words)
    )
    hints = _unique_words((subject.terms.stems & near) - match.words - REQUEST_WORDS, choices)
    if isinstance(outcome, OpenChoice) and (is_beside(choices, subject) or is_unlikely(choices, subject)):
        subject.note(quotes[0], choices, concluded="Other files are likelier than theirs.")
        return None
    if isinstance(outcome, OpenChoice) and hints:
        conclusion = "Words that fit one of them alone select too weakly, and speak against a question."
        subject.note(quotes[0], choices, words=subject.terms.quote(hints), concluded=conclusion)
        return None
    return outcome


def _unique_words(stems: frozenset[str], choices: Sequence[CodeChoice]) -> frozenset[str]:
    """Those that fit one of several choices and no other."""
    fits = Counter(stem for choice in choices for stem in stems & choice.vocabulary.all)
    return frozenset(stem for stem, count in fits.items() if count == 1)
