"""How a run ended: the question, the ticket or the failure that its stages came to, and what goes with it. Pure."""

from collections.abc import Mapping
from itertools import chain
from typing import Literal, assert_never

from pydantic import BaseModel

from pipeline.contract.answers import Answers
from pipeline.contract.change import Change
from pipeline.contract.clarification import Clarification
from pipeline.contract.failure import Failure
from pipeline.contract.run import Outcome
from pipeline.contract.ticket import Conclusion, Ticket
from pipeline.contract.wire import RunIdentity
from pipeline.definition.definition import Definition
from pipeline.domain.errors import PipelineError, PreconditionFailed
from pipeline.engine.executor import RunResult
from pipeline.run_inputs.inputs import Start
from pipeline.run_record.run_directory import Ending
from pipeline.stages.agent import SELF_ANSWERED
from pipeline.stages.change.stage import ChangeDraft
from pipeline.stages.places.stage import Places
from pipeline.stages.ticket import TicketDraft


def ending_of(
    result: RunResult,
    start: Start,
    identity: RunIdentity | None,
    definition: Definition | None,
    replies: Literal["model", "recorded", "scripted"],
) -> Ending:
    """What the stages of a run came to. `replies` says where the words of its agents come from."""
    if result.error is not None or identity is None or definition is None:
        error = result.error or PipelineError("The run has no identity.")
        return failure(error, result.failed_stage, identity)
    if result.stops:
        first, *others = result.stops
        places = next((out.places for out in result.outputs.values() if isinstance(out, Places)), ())
        return first.clarification(
            identity, round_=round_of(start.answers), also=tuple(others), places=places
        )
    said = _said_by_agents(result, definition)
    conclusions = _conclusions(said, replies)
    draft = next((out for out in result.outputs.values() if isinstance(out, TicketDraft)), None)
    if draft is None and conclusions:
        draft = TicketDraft.untargeted(start.ticket, definition.name, start.answers.answers)
    if draft is None:
        return failure(_no_ticket(), None, identity)
    assumed = chain.from_iterable(getattr(out, SELF_ANSWERED, ()) for out in said.values())
    return draft.ticket(identity, conclusions, self_answered=tuple(assumed))


def change_of(result: RunResult, ending: Ending) -> Change | None:
    """The change of a run that ended with a ticket, if its stages made one."""
    if not isinstance(ending, Ticket):
        return None
    draft = next((out for out in result.outputs.values() if isinstance(out, ChangeDraft)), None)
    return draft.change(ending.run) if draft is not None else None


def failure(error: PipelineError, stage: str | None, identity: RunIdentity | None) -> Failure:
    """An error as the ending of a run; `stage` is the one that failed, if one did."""
    return Failure(
        kind=error.kind,
        stage=stage,
        message=error.message,
        why=error.why,
        what_to_do=error.what_to_do,
        run=identity,
    )


def round_of(answers: Answers) -> int:
    """Which round of its conversation a run is, from 1."""
    return len({answer.question_id for answer in answers.answers}) + 1


def outcome_of(ending: Ending) -> Outcome:
    """The outcome that goes with an ending."""
    match ending:
        case Clarification():
            return Outcome.CLARIFICATION
        case Failure():
            return Outcome.ERROR
        case Ticket():
            return Outcome.DONE
        case _:
            assert_never(ending)


def _no_ticket() -> PreconditionFailed:
    return PreconditionFailed(
        "The definition ends without a ticket.",
        why="Every run ends with a ticket, a question or a failure; no stage of this one wrote a ticket, and no agent "
        "said anything about the issue.",
        what_to_do="Add a stage that `uses: ticket` or `uses: agent` to the definition.",
    )


def _said_by_agents(result: RunResult, definition: Definition) -> dict[tuple[str, str], BaseModel]:
    """The outputs of the stages whose agents the definition chose, by stage and agent."""
    return {
        (stage.id, stage.agent.name): result.outputs[stage.id]
        for stage in definition.every_stage
        if stage.agent is not None and stage.id in result.outputs
    }


def _conclusions(
    said: Mapping[tuple[str, str], BaseModel], replies: Literal["model", "recorded", "scripted"]
) -> tuple[Conclusion, ...]:
    """What the agents that the definition chose have completed with, in the order of its stages."""
    return tuple(
        Conclusion(
            stage=stage,
            agent=agent,
            replies=replies,
            output=output.model_dump(mode="json", exclude={SELF_ANSWERED}),
        )
        for (stage, agent), output in said.items()
    )
