"""Explain one ticket over one index: everything that a run would decide by, without running it."""

from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answers
from pipeline.contract.clarification import Candidate, StopKind
from pipeline.contract.code_slots import CODE_SLOTS
from pipeline.contract.decisions import Decision
from pipeline.contract.ticket import CodePlace, Finding, LikelyPlace, TargetConfidence
from pipeline.domain.issue import IssueDocument
from pipeline.domain.models import FrozenModel
from pipeline.domain.places import Ranking
from pipeline.domain.stops import Stop
from pipeline.stages.decomposition.outcome import EvidenceRow
from pipeline.stages.decomposition.stage import Decomposition, decide
from pipeline.stages.existing.stage import look
from pipeline.stages.places import find_places


class Explanation(FrozenModel):
    """Everything that `explain` knows, as one document.

    `asks` is None where a run would go on; `confidence` is None where it would ask. `ranking` has the features of each
    file, `places` what its first files hold. `hint` says what may exist already. `refusal` says why a run would not start at
    all, and what to do about it.
    """

    document: IssueDocument
    confidence: TargetConfidence | None
    ranking: Ranking
    places: tuple[LikelyPlace, ...]
    existing: tuple[Finding, ...]
    hint: str | None
    evidence: tuple[EvidenceRow, ...]
    asks: StopKind | None
    question: str | None
    reason: str
    candidates: tuple[Candidate, ...]
    default: str | None
    default_reason: str | None
    targets: tuple[CodePlace, ...]
    refusal: str | None = None


def explain(
    document: IssueDocument,
    ranking: Ranking,
    registry: Registry,
    answers: Answers,
    decisions: tuple[Decision, ...],
    *,
    refusal: str | None = None,
) -> Explanation:
    """The explanation of one ticket over one index. `refusal` is what a run would end with before it looks."""
    findings, hint, exists = look(document, registry)
    decision, rows = decide(document, ranking, registry, answers.for_slots(frozenset(CODE_SLOTS)), decisions)
    asks = exists or (decision if isinstance(decision, Stop) else None)
    result = decision if isinstance(decision, Decomposition) and asks is None else None
    return Explanation(
        document=document,
        confidence=result.confidence if result else None,
        ranking=ranking,
        places=find_places(document, ranking, registry).places,
        existing=findings,
        hint=None if exists else hint,
        evidence=rows,
        asks=asks.kind if asks else None,
        question=asks.ask.text if asks else None,
        reason=asks.plain_reason if asks else (result.selected_because if result else ""),
        candidates=asks.ask.candidates if asks else (),
        default=asks.ask.default if asks else None,
        default_reason=asks.ask.default_reason if asks else None,
        targets=result.targets if result else (),
        refusal=refusal,
    )
