"""Answer an open question by a decision of the repository, or say why the decision that is nearest does not answer it."""

from collections.abc import Sequence
from dataclasses import replace

from pipeline.code_registry.registry import Registry
from pipeline.contract.decisions import UNDO, Decision, QuestionSignature, WhyNot, consult
from pipeline.domain.issue import operation_of
from pipeline.stages.decomposition.choosing import select
from pipeline.stages.decomposition.outcome import OpenChoice, Outcome
from pipeline.stages.decomposition.subject import Subject
from pipeline.stages.selection.settings import find_keys

_MOST_CHARACTERS = 120
"""Characters of an id that the file names and the code no longer has."""


def answer_by_decision(
    outcome: Outcome, decisions: Sequence[Decision], subject: Subject
) -> tuple[Outcome, str | None]:
    """Let decisions answer what the words of the ticket left open; what these selected, no decision changes.

    The second is the decision in a sentence, where one answered it.
    """
    if not isinstance(outcome, OpenChoice):
        return outcome, None
    wish = operation_of(subject.document.kind).value
    signature = QuestionSignature(outcome.slot.id, frozenset(choice.id for choice in outcome.choices), wish)
    consultation = consult(decisions, signature, in_code=lambda id_: _is_in_code(id_, subject.registry))
    about = f"`{outcome.leaf or (outcome.quotes[0] if outcome.quotes else outcome.slot.id)}`"
    if consultation.answer is not None:
        choice = next(choice for choice in outcome.choices if choice.id == consultation.answer.choice)
        sentence = f"{choice.label}, as {consultation.answer.citation}."
        subject.note(about, outcome.choices, concluded=f"Decided before: {sentence}")
        return select(choice, sentence), f"{sentence} {UNDO}"
    if consultation.decision is None or consultation.why_not is None:
        return outcome, None
    remark = _not_honoured(consultation.decision, consultation.why_not)
    subject.note(about, outcome.choices, concluded=remark)
    return replace(outcome, remark=remark), None


def _not_honoured(decision: Decision, why: WhyNot) -> str:
    id_ = decision.choice
    choice = id_ if len(id_) <= _MOST_CHARACTERS else f"{id_[:_MOST_CHARACTERS]}…"
    return f"{choice} was {decision.citation}, which does not answer this: {why.value}."


def _is_in_code(id_: str, registry: Registry) -> bool:
    """Whether an id of a candidate still stands for something; a setting of several places has ids of its own."""
    return registry.get(id_) is not None or any(key.id == id_ for key in find_keys(registry))
