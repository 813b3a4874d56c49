"""Answer an open question by a decision of the repository, or say why the decision that is nearest does not answer it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pipeline.code_registry.registry import Registry
from pipeline.contract.decisions import UNDO, Decision, QuestionSignature, WhyNot, consult
from pipeline.stages.decomposition.evidence_table import EvidenceRow
from pipeline.stages.decomposition.outcome import OpenChoice, Outcome, Selection
from pipeline.stages.selection.settings import find_keys

_MOST_CHARACTERS = 120
"""Characters of an id that the file names and the code no longer has."""


@dataclass(frozen=True)
class DecidedBefore:
    """What became of an open question. `sentence` is the decision in a sentence where one answered it."""

    outcome: Outcome
    sentence: str | None = None
    row: EvidenceRow | None = None


def answer_by_decision(
    outcome: Outcome, decisions: Sequence[Decision], registry: Registry, wish: str
) -> DecidedBefore:
    """Let decisions answer what the words of the ticket left open; what these selected, no decision changes.

    `wish` is the kind of wish that the ticket is.
    """
    if not isinstance(outcome, OpenChoice):
        return DecidedBefore(outcome)
    signature = QuestionSignature(outcome.slot.id, frozenset(choice.id for choice in outcome.choices), wish)
    consultation = consult(decisions, signature, in_code=lambda id_: _is_in_code(id_, registry))
    labels = tuple(choice.label for choice in outcome.choices)
    about = f"`{outcome.leaf or (outcome.quotes[0] if outcome.quotes else outcome.slot.id)}`"
    if consultation.answer is not None:
        choice_ = next(choice for choice in outcome.choices if choice.id == consultation.answer.choice)
        sentence = f"{choice_.label}, as {consultation.answer.citation}."
        row = EvidenceRow(about=about, candidates=labels, concluded=f"Decided before: {sentence}")
        return DecidedBefore(
            Selection((choice_.code_place(),), sentence, choice_.chain), f"{sentence} {UNDO}", row
        )
    if consultation.decision is None or consultation.why_not is None:
        return DecidedBefore(outcome)
    note = _not_honoured(consultation.decision, consultation.why_not)
    row = EvidenceRow(about=about, candidates=labels, concluded=note)
    return DecidedBefore(replace(outcome, remark=note), row=row)


def _not_honoured(decision: Decision, why: WhyNot) -> str:
    choice = (
        decision.choice
        if len(decision.choice) <= _MOST_CHARACTERS
        else f"{decision.choice[:_MOST_CHARACTERS]}…"
    )
    return f"{choice} was {decision.citation}, which does not answer this: {why.value}."


def _is_in_code(id_: str, registry: Registry) -> bool:
    """Whether an id of a candidate still stands for something; a setting of several places has ids of its own."""
    return registry.get(id_) is not None or any(key.id == id_ for key in find_keys(registry))
