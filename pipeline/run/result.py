"""How a run ended: the question, the ticket or the failure that its stages came to, and what goes with it. Pure."""

from typing import Literal, assert_never

from pipeline.contract.change import Change
from pipeline.contract.clarification import Clarification
from pipeline.contract.failure import Failure
from pipeline.contract.run import Outcome
from pipeline.contract.ticket import Conclusion, Ticket
from pipeline.contract.wire import RunIdentity
from pipeline.definition.definition import Definition, StageDeclaration
from pipeline.domain.errors import NothingToBuild, PipelineError, PreconditionFailed, StageFailed, unlabelled
from pipeline.domain.stops import Stop
from pipeline.engine.executor import RunResult
from pipeline.run_inputs.inputs import Start
from pipeline.run_record.run_directory import Ending
from pipeline.stages.change.draft import ChangeDraft
from pipeline.stages.command import CommandOptions
from pipeline.stages.places import Places
from pipeline.stages.stage import DelegatingOutput, facts_of
from pipeline.stages.ticket import TicketDraft


def ending_of(
    result: RunResult,
    start: Start,
    identity: RunIdentity,
    definition: Definition,
    replies: Literal["model", "recorded", "scripted"],
) -> Ending:
    """What the stages of a run came to. `replies` says where the words of its agents come from."""
    if isinstance(result.error, NothingToBuild):
        because = " ".join(str(result.error).splitlines())
        return TicketDraft.without_targets(start.ticket, because, start.answers.answers).ticket(identity)
    if result.error is not None:
        return failure(result.error, result.failed_stage, identity)
    if result.stops:
        first, *later_stops = result.stops
        if start.answers.to(first.question_id) is not None:
            return failure(_asked_again(first), first.ask.stage, identity)
        places = next((out.places for out in result.outputs.values() if isinstance(out, Places)), ())
        return first.clarification(
            identity, round_=start.answers.round, also=tuple(later_stops), places=places
        )
    conclusions = _conclusions(result, definition, replies)
    draft = next((out for out in result.outputs.values() if isinstance(out, TicketDraft)), None)
    facts = facts_of(result.outputs.values())
    if draft is None and (conclusions or facts):
        because = f"No stage of `{definition.name}` looks for targets: it ends with what its agents say."
        draft = TicketDraft.without_targets(start.ticket, because, start.answers.answers)
    if draft is None:
        return failure(_no_ticket(), None, identity)
    delegating_outputs = (out for out in result.outputs.values() if isinstance(out, DelegatingOutput))
    self_answered = tuple(sentence for out in delegating_outputs for sentence in out.self_answered)
    return draft.ticket(identity, conclusions, self_answered=self_answered, facts=facts)


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


def without_labels(ending: Ending) -> Ending:
    """The same ending, where it says how to start again: the label is for issues on GitHub."""
    match ending:
        case Ticket():
            notes = tuple(map(unlabelled, ending.notes))
            because = unlabelled(ending.selected_because)
            return ending.model_copy(update={"notes": notes, "selected_because": because})
        case Failure():
            return ending.model_copy(update={"what_to_do": unlabelled(ending.what_to_do)})
        case Clarification():
            return ending


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


def _asked_again(stop: Stop) -> StageFailed:
    return StageFailed(
        f"stage '{stop.ask.stage}' asks again what was answered: {stop.ask.text}",
        why=f"No answer with the slot `{stop.ask.slot}` decides it, and no question is asked twice.",
        what_to_do="Put the answer into the issue's text in your own words, and start again.",
    )


def _no_ticket() -> PreconditionFailed:
    return PreconditionFailed(
        "The run ended without a ticket.",
        why="Every stage of the definition that writes one, or says something about the issue, was skipped by its condition.",
        what_to_do="Give the definition one such stage without a condition, or conditions of which one always holds.",
    )


def _conclusions(
    result: RunResult, definition: Definition, replies: Literal["model", "recorded", "scripted"]
) -> tuple[Conclusion, ...]:
    """The results of the agents that the definition chose, and of its commands, in the order of its stages."""
    return tuple(
        Conclusion(
            stage=stage.id,
            agent=said_by,
            replies="command" if stage.agent is None else replies,
            output=result.outputs[stage.id].model_dump(mode="json", exclude={"self_answered"}),
        )
        for stage in definition.every_stage
        if stage.id in result.outputs and (said_by := _speaker(stage)) is not None
    )


def _speaker(stage: StageDeclaration) -> str | None:
    """The agent or the command whose output is a conclusion of the run; None for the other kinds of stages."""
    if isinstance(stage.options, CommandOptions):
        return " ".join(stage.options.command)
    return None if stage.agent is None else stage.agent.name
