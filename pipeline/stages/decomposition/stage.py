"""The stage's declaration: the decision becomes targets, or a stop."""

from typing import assert_never

from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer
from pipeline.contract.decisions import Decision
from pipeline.contract.ticket import CodePlace
from pipeline.domain.intent import Intent
from pipeline.domain.stops import Ask, ClarificationNeeded
from pipeline.stages.decomposition.candidates import as_candidates
from pipeline.stages.decomposition.decide import Decider
from pipeline.stages.decomposition.decided_before import answer_by_decision
from pipeline.stages.decomposition.evidence_table import EvidenceRow
from pipeline.stages.decomposition.outcome import Selected, Undecided, Unknown
from pipeline.stages.decomposition.questions import SLOTS, question_text, reason, suggestion
from pipeline.stages.registry import RegistryReady
from pipeline.stages.snapshot.stage import Snapshot
from pipeline.stages.stage import RunInput, StageKind, StageValue

STAGE = "decomposition"


class DecompositionInput(StageValue):
    """What is matched with what."""

    snapshot: Snapshot
    registry: RegistryReady
    intent: Intent


class Decomposition(StageValue):
    """What the ticket means in the code. No targets: unknown. `decisions` are those of the repository that were used."""

    targets: tuple[CodePlace, ...]
    selected_because: str
    chain: tuple[CodePlace, ...]
    tests: tuple[CodePlace, ...]
    evidence: tuple[EvidenceRow, ...]
    decisions: tuple[str, ...] = ()


KIND = StageKind(
    name=STAGE,
    input=DecompositionInput,
    output=Decomposition,
    version="5",
    reads=frozenset({RunInput.ANSWERS, RunInput.DECISIONS}),
    slots=SLOTS,
)


def decompose(
    intent: Intent, registry: Registry, answers: tuple[Answer, ...], decisions: tuple[Decision, ...] = ()
) -> Decomposition:
    """Find the targets.

    Raises:
        ClarificationNeeded: two or more candidates stand and nothing selects one.
    """
    decided, _ = decide(intent, registry, answers, decisions)
    if isinstance(decided, ClarificationNeeded):
        raise decided
    return decided


def decide(
    intent: Intent, registry: Registry, answers: tuple[Answer, ...], decisions: tuple[Decision, ...] = ()
) -> tuple[Decomposition | ClarificationNeeded, tuple[EvidenceRow, ...]]:
    """What the stage comes to, and the evidence for it, also where it asks."""
    decider = Decider(intent, registry, answers)
    before = answer_by_decision(decider.decide(), decisions, registry)
    outcome = before.outcome
    rows = (*decider.rows, *([before.row] if before.row else []))
    used = () if before.used is None else (before.used,)
    match outcome:
        case Selected(targets, because, chain):
            places, tests = _places(chain, registry), _tests(chain, registry)
            found = Decomposition(
                targets=targets,
                selected_because=because,
                chain=places,
                tests=tests,
                evidence=rows,
                decisions=used,
            )
            return found, rows
        case Unknown(because):
            none = Decomposition(targets=(), selected_because=because, chain=(), tests=(), evidence=rows)
            return none, rows
        case Undecided():
            return ClarificationNeeded(_ask(intent, outcome)), rows
        case _:
            assert_never(outcome)


def _ask(intent: Intent, open_: Undecided) -> Ask:
    quote = open_.quotes[0] if open_.quotes else ""
    return Ask(
        stage=STAGE,
        slot=open_.slot.value,
        reason=f"{reason(open_.slot, open_.choices, open_.leaf, quote)} {open_.remark}".rstrip(),
        text=question_text(open_.slot, intent),
        suggestion=suggestion(open_.slot),
        candidates=as_candidates(open_.choices),
        quotes=open_.quotes,
        default=open_.choices[0].id,
        default_reason=open_.default_reason,
    )


def _places(chain: tuple[str, ...], registry: Registry) -> tuple[CodePlace, ...]:
    symbols = (registry.symbol(one) for one in chain)
    return tuple(
        CodePlace(id=symbol.id, label=symbol.qualified_name, location=symbol.place.location())
        for symbol in symbols
        if symbol is not None
    )


def _tests(chain: tuple[str, ...], registry: Registry) -> tuple[CodePlace, ...]:
    if not chain:
        return ()
    return _places(tuple(sorted(set(registry.tests_reaching(chain[0])))), registry)
