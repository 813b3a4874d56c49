"""Explain one ticket over one index: everything that a run would decide by, without running it."""

from pydantic import BaseModel, ConfigDict

from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answers
from pipeline.contract.clarification import Candidate, StopKind
from pipeline.contract.decisions import Decision
from pipeline.contract.ticket import CodePlace, Finding
from pipeline.domain.intent import Intent
from pipeline.domain.stops import Stop
from pipeline.stages.decomposition.evidence_table import EvidenceRow
from pipeline.stages.decomposition.questions import SLOTS
from pipeline.stages.decomposition.stage import Decomposition, decide
from pipeline.stages.existing.stage import look


class Explanation(BaseModel):
    """Everything that `explain` knows, as one document. `asks` is None where a run would go on."""

    model_config = ConfigDict(frozen=True)

    intent: Intent
    existing: tuple[Finding, ...]
    evidence: tuple[EvidenceRow, ...]
    asks: StopKind | None
    question: str | None
    reason: str
    candidates: tuple[Candidate, ...]
    default: str | None
    default_reason: str | None
    targets: tuple[CodePlace, ...]


def explain(
    intent: Intent, registry: Registry, answers: Answers, decisions: tuple[Decision, ...]
) -> Explanation:
    """The explanation of one ticket over one index."""
    findings, exists = look(intent, registry)
    decided, rows = decide(intent, registry, answers.for_slots(SLOTS), decisions)
    asks = exists or (decided if isinstance(decided, Stop) else None)
    found = decided if isinstance(decided, Decomposition) else None
    return Explanation(
        intent=intent,
        existing=findings,
        evidence=rows,
        asks=asks.kind if asks else None,
        question=asks.ask.text if asks else None,
        reason=asks.ask.reason if asks else (found.selected_because if found else ""),
        candidates=asks.ask.candidates if asks else (),
        default=asks.ask.default if asks else None,
        default_reason=asks.ask.default_reason if asks else None,
        targets=found.targets if found and not asks else (),
    )
