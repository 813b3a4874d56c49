"""From the citations and words of an issue to targets, to a question, or to neither, in this order:

1. What the author cites (`by_citation`): a route, a name in code, a line, a traceback. One thing is the target. Several are
   a question, unless an answer or the words of the issue select one of them.
2. What a person chose among routes, what a model that read the routes finds open (`by_model`), what the words fit
   (`by_words`): a command, a setting, routes that share a function. Readings and words make a question or a suggestion, never
   a target.
3. The ranking of the files doubts both (`from_ranking`): nothing is a target, and nothing is asked, far from likely files.
4. A decision of the repository answers a question that is still open (`decided_before`).
5. Without a target and a question, a file that is cited or nearly certain is the target (`from_ranking`).
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, assert_never

from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer
from pipeline.contract.code_slots import CODE_SLOTS
from pipeline.contract.decisions import Decision
from pipeline.contract.ticket import CodePlace, TargetConfidence
from pipeline.domain.issue import IssueDocument
from pipeline.domain.places import Ranking
from pipeline.domain.stops import ClarificationNeeded
from pipeline.reading.for_models import issue_for_model
from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.decomposition.by_citation import by_citation
from pipeline.stages.decomposition.by_words import by_words
from pipeline.stages.decomposition.decided_before import answer_by_decision
from pipeline.stages.decomposition.from_ranking import by_ranking
from pipeline.stages.decomposition.outcome import EvidenceRow, NoMatch, OpenChoice, Selection, Suggestion
from pipeline.stages.decomposition.questions import ask_between
from pipeline.stages.decomposition.subject import Subject
from pipeline.stages.places import Places
from pipeline.stages.registry import RegistryReady
from pipeline.stages.selection.labels import may_exist_already, name_of
from pipeline.stages.snapshot import Snapshot
from pipeline.stages.stage import StageKind, StageValue

if TYPE_CHECKING:
    from pipeline.llm.port import Model
    from pipeline.stages.decomposition.ask_for_routes import RoutesForm

STAGE = "decomposition"


class DecompositionInput(StageValue):
    """What is matched with what."""

    snapshot: Snapshot
    registry: RegistryReady
    reading: IssueDocument
    places: Places


class Decomposition(StageValue):
    """What the issue means in the code.

    `targets` are empty unless the confidence is `named`. `suggested` is what words, or a model that read them, lead to; `hint` says that it may do
    already what is wished. `decisions` are those of the repository that were used.
    """

    confidence: TargetConfidence
    targets: tuple[CodePlace, ...]
    selected_because: str
    suggested: CodePlace | None = None
    hint: str | None = None
    chain: tuple[CodePlace, ...] = ()
    tests: tuple[CodePlace, ...] = ()
    evidence: tuple[EvidenceRow, ...] = ()
    decisions: tuple[str, ...] = ()


def _run(inputs: DecompositionInput, context: StageContext) -> Decomposition:
    result, _ = decide(
        inputs.reading,
        inputs.places.ranking,
        context.registry(),
        context.answers.answers,
        context.decisions,
        None if context.model is None else partial(_read_routes, context.model, inputs, context),
    )
    if isinstance(result, ClarificationNeeded):
        raise result
    return result


def _read_routes(
    model: "tuple[Model, str]", inputs: DecompositionInput, context: StageContext, listing: Sequence[str]
) -> "RoutesForm | None":
    """Have a model read routes with the issue. Without a usable reply, words decide.

    Raises:
        ModelRequestRejected: the provider does not accept the key, the model's name or the account.
        RepliesUnusable: the file of replies was made for other questions.
    """
    from pipeline.llm.failures import NoUsableReply
    from pipeline.stages.decomposition.ask_for_routes import ask_for_routes

    try:
        return ask_for_routes(model, issue_for_model(inputs.snapshot.ticket, inputs.reading), listing)
    except NoUsableReply as failure:
        context.note(f"No model read the routes, so words decide: {failure.in_words}")
        return None


KIND = StageKind(
    name=STAGE,
    input=DecompositionInput,
    output=Decomposition,
    run=_run,
    reads=frozenset({RunInput.INDEX, RunInput.ANSWERS, RunInput.DECISIONS, RunInput.MODEL}),
    slots=frozenset(CODE_SLOTS),
    finds_ticket=True,
)


def decide(
    document: IssueDocument,
    ranking: Ranking,
    registry: Registry,
    answers: tuple[Answer, ...],
    decisions: tuple[Decision, ...] = (),
    read_routes: "Callable[[Sequence[str]], RoutesForm | None] | None" = None,
) -> tuple[Decomposition | ClarificationNeeded, tuple[EvidenceRow, ...]]:
    """The result of the stage, and the evidence for it, also where it asks."""
    subject = Subject(document, registry, ranking, answers, read_routes)
    outcome = by_citation(subject) or by_words(subject) or NoMatch(_nothing_found(subject))
    outcome, sentence = answer_by_decision(outcome, decisions, subject)
    outcome = by_ranking(outcome, subject)
    rows = tuple(subject.rows)
    match outcome:
        case Selection(targets=targets, because=because, chain=chain):
            result = Decomposition(
                confidence=TargetConfidence.NAMED,
                targets=targets,
                selected_because=because,
                chain=_symbols(chain, registry),
                tests=_tests(chain, registry),
                evidence=rows,
                decisions=() if sentence is None else (sentence,),
            )
            return result, rows
        case Suggestion(choice, because, may_exist):
            result = _without_target(ranking, because, rows, choice.code_place())
            hint = may_exist_already([f"{choice.label} ({choice.place})"]) if may_exist else None
            return result.model_copy(update={"hint": hint}), rows
        case NoMatch(because):
            return _without_target(ranking, because, rows, None), rows
        case OpenChoice() as question:
            return ClarificationNeeded(ask_between(subject, question, stage=STAGE)), rows
        case _:
            assert_never(outcome)


def _nothing_found(subject: Subject) -> str:
    """Why there is no target, where nothing else says it."""
    if subject.anchors.anchors or subject.ranking.cited:
        return "What the issue cites does not say where the change belongs."
    return "The issue names no file, function, route or setting that the code has."


def _without_target(
    ranking: Ranking, because: str, rows: tuple[EvidenceRow, ...], suggested_place: CodePlace | None
) -> Decomposition:
    has_evidence = suggested_place is not None or bool(ranking.files)
    return Decomposition(
        confidence=TargetConfidence.LIKELY if has_evidence else TargetConfidence.UNKNOWN,
        targets=(),
        selected_because=because,
        suggested=suggested_place,
        evidence=rows,
    )


def _symbols(ids: tuple[str, ...], registry: Registry) -> tuple[CodePlace, ...]:
    symbols = (registry.symbol(id_) for id_ in ids)
    return tuple(
        CodePlace(id=symbol.id, label=name_of(symbol), location=symbol.place.location())
        for symbol in symbols
        if symbol is not None
    )


def _tests(chain: tuple[str, ...], registry: Registry) -> tuple[CodePlace, ...]:
    if not chain:
        return ()
    return _symbols(tuple(sorted(set(registry.tests_reaching(chain[0])))), registry)
