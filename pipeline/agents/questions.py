"""The questions that an agent's run ends with: a call that waits for approval, its own question, a budget that is spent."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from pipeline.agents.budget import Exhausted
from pipeline.agents.common_questions import offered_answers
from pipeline.agents.gate import Decision
from pipeline.agents.task import Task
from pipeline.agents.tools import Clarify
from pipeline.agents.transcript import Conversation, step
from pipeline.contract.answers import Answer, Answers
from pipeline.contract.clarification import Candidate, Option
from pipeline.domain.errors import StoppedByPerson
from pipeline.domain.stops import Ask, Blocked, ClarificationNeeded, ConfirmationNeeded

STOP = "stop"
MORE = "more_budget"


@dataclass(frozen=True)
class Escalation:
    """The five lines with which an agent that is stuck tells a person what to decide."""

    blocked: str
    tried: str
    believes: str
    question: str
    default: str

    @property
    def lines(self) -> str:
        """As a person reads them."""
        return (
            f"BLOCKED: {self.blocked}\nTried: {self.tried}\nBelieves: {self.believes}\n"
            f"Question: {self.question}\nDefault: {self.default}"
        )


def escalation(task: Task, over: Exhausted, conversation: Conversation) -> Escalation:
    """What to tell a person where the next call would go over a limit."""
    failed = [f"{_short(step(one.call))}: {_short(one.result.content)}" for one in conversation.failed]
    who = f"subagent '{task.within}'" if task.within else f"agent `{task.agent.name}`"
    return Escalation(
        blocked=f"{who} of stage `{task.stage}`: {over.sentence}",
        tried="; ".join(failed[-3:]) or "no step failed; the work is longer than the budget",
        believes=_short(conversation.last_words) or "it has not said anything",
        question="Shall it go on with the same budget once more, or stop here?",
        default="stop, and leave the repository as it is",
    )


def blocked(stage: str, attempt: int, escalation: Escalation) -> Blocked:
    """The stop of a stage whose budget is spent. `attempt` counts the budgets it was given, from 1."""
    return Blocked(
        Ask(
            stage=stage,
            slot="budget",
            reason=escalation.lines,
            text=escalation.question,
            suggestion="Say what it should do differently with /answer, or reply 1 or 2.",
            options=(
                Option(id=STOP, label="Stop here; nothing is changed in the repository"),
                Option(id=MORE, label="Go on with the same budget once more"),
            ),
            default=STOP,
            default_reason=escalation.default,
            subject={"stage": stage, "attempt": attempt},
        )
    )


def unless_stopped(stop: Blocked, answers: Answers) -> Blocked | StoppedByPerson:
    """The stop, or the end of the run where a person was asked this very question and did not grant another budget."""
    answer = answers.to(stop.question_id)
    if answer is None:
        return stop
    return StoppedByPerson(
        f"{answer.answered_by or 'Somebody'} was asked whether to go on, and said no.",
        why=stop.ask.reason,
        what_to_do="Change the ticket and set the label again, or take it over by hand.",
    )


def confirmation(
    stage: str,
    tool: str,
    arguments: Mapping[str, JsonValue],
    occurrence: int,
    decision: Decision,
    *,
    child: str = "",
) -> ConfirmationNeeded:
    """The stop of a call that waits. `occurrence` counts the same call within one agent's run, from 1.

    `child` is the path of ids of an agent that another one started: an approval of what it does holds for no other agent.
    """
    subject: dict[str, JsonValue] = {
        "tool": tool,
        "arguments": dict(arguments),
        "occurrence": occurrence,
        **({"child": child} if child else {}),
    }
    who = f"subagent '{child}'" if child else "agent"
    target = arguments.get("path", arguments.get("command", ""))
    what = f"`{tool}` on `{target}`" if target else f"`{tool}`"
    return ConfirmationNeeded(
        Ask(
            stage=stage,
            slot="confirmation",
            reason=f"The {who} of stage `{stage}` wants to call {what}. Rule `{decision.rule}`: {decision.why}.",
            text=f"May the {who} call {what}?",
            suggestion="Approve or decline this one call. Nothing else is approved by it.",
            candidates=(_choice("approve", "Approve this one call"), _choice("decline", "Decline it")),
            default="decline",
            default_reason="without an approval the call is not made",
            subject=subject,
        )
    )


def clarification(task: Task, round_: int, asked: Clarify) -> ClarificationNeeded:
    """The stop of an agent that asks. `round_` counts its questions in this run, from 1.

    The question of an agent that another one started is bound to the task that it was given.
    """
    agent = task.agent.name
    subject: dict[str, JsonValue] = {"agent": agent, "round": round_, "text": asked.question}
    reason = asked.why
    if task.within:
        subject["task_sha256"] = hashlib.sha256(task.prompt.encode("utf-8", "surrogatepass")).hexdigest()
        reason = f"❓ subagent '{task.within}' needs clarification: {asked.why}"
    wordings = sorted(offered_answers(asked)[:4], key=lambda wording: wording != asked.default)
    options = tuple(
        Option(id=f"option-{number}", label=wording) for number, wording in enumerate(wordings, start=1)
    )
    default = options[0].id if asked.default in wordings else None
    return ClarificationNeeded(
        Ask(
            stage=task.stage,
            slot=f"agent:{agent}",
            reason=reason,
            text=asked.question,
            suggestion="Reply with a number, or write /answer and your own words.",
            options=options or None,
            default=default,
            default_reason="the agent would do this without an answer" if default else None,
            subject=subject,
        )
    )


def answer_in_words(stop: ClarificationNeeded, answer: Answer) -> str:
    """What a person answered, in the words of the option where they chose one."""
    chosen = next((option.label for option in stop.ask.options or () if option.id == answer.choice), None)
    return chosen or answer.text or answer.choice or ""


def _short(text: str) -> str:
    """One line of at most 160 characters."""
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:159] + "…"


def _choice(id_: str, label: str) -> Candidate:
    return Candidate(handler_symbol=f"<{id_}>", body_field_count=None, id=id_, label=label)


def budgets_granted(stage: str, answers: Answers) -> int:
    """How many budgets a stage has by now: the first, and one for each time that a person granted another."""
    granted = 1
    nothing = Escalation("", "", "", "?", "")
    while True:
        answer = answers.to(blocked(stage, granted, nothing).question_id)
        if answer is None or (answer.choice != MORE and not answer.text):
            return granted
        granted += 1


def guidance(stage: str, answers: Answers) -> tuple[str, ...]:
    """What people said in their own words when the budget of this stage was spent, the oldest first."""
    nothing = Escalation("", "", "", "?", "")
    given = (
        answers.to(blocked(stage, attempt, nothing).question_id)
        for attempt in range(1, budgets_granted(stage, answers))
    )
    return tuple(answer.text for answer in given if answer is not None and answer.text)
