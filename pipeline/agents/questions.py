"""The questions that an agent's run ends with: its own question, and a budget that is spent."""

import hashlib
from collections.abc import Sequence

from pydantic import JsonValue

from pipeline.agents.budget import BudgetExhausted
from pipeline.agents.common_questions import offered_answers
from pipeline.agents.escalation import Escalation, LastWord, last_word_request, one_line
from pipeline.agents.task import Task
from pipeline.agents.tools import Clarify
from pipeline.agents.transcript import AgentConversation, Entry, ModelReplyReceived, ToolFinished, step
from pipeline.contract.answers import Answer, Answers
from pipeline.contract.clarification import Option
from pipeline.domain.material import material
from pipeline.domain.stops import Ask, Blocked, ClarificationNeeded
from pipeline.llm.port import Request

MORE_BUDGET = "more_budget"
"""The option that `go` takes: do what the agent would do, within a fresh budget."""

_OTHERWISE = "otherwise-"
_SHORT = 160


def escalation(
    task: Task, over: BudgetExhausted, conversation: AgentConversation, word: LastWord | None
) -> Escalation:
    """What to tell a person where the next call would go over a limit. `word` is what the agent said when it was asked."""
    actor = f"subagent '{task.within}'" if task.within else f"agent `{task.agent.name}`"
    errors = [one_line(line.result.content, _SHORT) for line in conversation.failed[-1:]]
    facts = Escalation(
        blocker=f"{actor} of stage `{task.stage}`: {over.sentence}",
        attempts=_failed_steps(conversation.failed) or "no step failed; the work is longer than the budget",
        word=untold(f"it does not say; its last error was: {errors[0]}" if errors else "it does not say"),
    )
    return facts.with_last_word(word)


def last_word(task: Task, prompt: str, entries: Sequence[Entry], over: BudgetExhausted) -> Request:
    """The request that asks an agent for its last word. `prompt` is what it began with, `entries` its transcript."""
    results = [entry for entry in entries if isinstance(entry, ToolFinished)]
    texts = [
        entry.reply.text for entry in entries if isinstance(entry, ModelReplyReceived) and entry.reply.text
    ]
    return last_word_request(
        purpose=task.purpose,
        model=task.model,
        system=task.agent.prompt,
        task=prompt,
        steps=[f"{step(entry.call)}: {entry.result.content}" for entry in results],
        last_words=texts[-1] if texts else "",
        why=over.sentence,
    )


def _failed_steps(results: Sequence[ToolFinished]) -> str:
    """The last three steps that failed, each once, with how often and its last error."""
    errors: dict[str, list[str]] = {}
    for line in results:
        errors.setdefault(one_line(step(line.call), _SHORT), []).append(one_line(line.result.content, _SHORT))
    times = {name: f" ({len(texts)} times)" if len(texts) > 1 else "" for name, texts in errors.items()}
    return "; ".join(f"{name}{times[name]}: {errors[name][-1]}" for name in list(errors)[-3:])


def budget_stop(stage: str, attempt: int, escalation: Escalation) -> Blocked:
    """The stop of a stage whose budget is spent. `attempt` counts the budgets it was given, from 1."""
    alternatives = (
        Option(id=f"{_OTHERWISE}{number}", label=label)
        for number, label in enumerate(escalation.word.otherwise, start=1)
    )
    return Blocked(
        Ask(
            stage=stage,
            slot="budget",
            reason=escalation.lines,
            text=escalation.word.question,
            suggestion="Reply `go` to have the default done within a fresh budget, or say something else with /answer.",
            options=(Option(id=MORE_BUDGET, label=escalation.word.go), *alternatives),
            default=MORE_BUDGET,
            default_reason="the agent would do this next, within a fresh budget",
            subject={"stage": stage, "attempt": attempt},
        )
    )


def clarification(task: Task, round_: int, question: Clarify) -> ClarificationNeeded:
    """The stop of an agent that asks. `round_` counts its questions in this run, from 1.

    The question of an agent that another one started is bound to the task that it was given.
    """
    agent = task.agent.name
    subject: dict[str, JsonValue] = {"agent": agent, "round": round_, "text": question.question}
    reason = question.why
    if task.within:
        subject["task_sha256"] = hashlib.sha256(task.prompt.encode("utf-8", "surrogatepass")).hexdigest()
        reason = f"❓ subagent '{task.within}' needs clarification: {question.why}"
    wordings = sorted(offered_answers(question)[:4], key=lambda wording: wording != question.default)
    options = tuple(
        Option(id=f"option-{number}", label=wording) for number, wording in enumerate(wordings, start=1)
    )
    default = options[0].id if question.default in wordings else None
    return ClarificationNeeded(
        Ask(
            stage=task.stage,
            slot=f"agent:{agent}",
            reason=reason,
            text=question.question,
            suggestion="Reply with a number, or write /answer and your own words.",
            options=options or None,
            default=default,
            default_reason="the agent would do this without an answer" if default else None,
            subject=subject,
        )
    )


def answer_in_words(stop: ClarificationNeeded, answer: Answer) -> str:
    """What a person answered, in the words of the option where they chose one."""
    label = next((option.label for option in stop.ask.options or () if option.id == answer.choice), None)
    return label or answer.text or answer.choice or ""


def budgets_granted(stage: str, answers: Answers) -> int:
    """How many budgets a stage has by now: the first, and one for each time that a person let it go on."""
    count = 1
    while _decision_on(stage, count, answers) is not None:
        count += 1
    return count


def guidance(stage: str, answers: Answers, *, before: int) -> tuple[str, ...]:
    """What people decided when the budgets of this stage before number `before` were spent, the oldest first."""
    decisions = (_decision_on(stage, attempt, answers) for attempt in range(1, before))
    return tuple(words for answer in decisions if answer is not None and (words := _in_words(answer)))


def go_ahead(stage: str, attempt: int, answers: Answers, word: LastWord | None) -> str | None:
    """What an agent is told that was stuck and may go on; None where no person has let it. `word` is what it said then."""
    answer = _decision_on(stage, attempt, answers)
    if answer is None:
        return None
    escalation = Escalation("", "", untold()).with_last_word(word)
    options = budget_stop(stage, attempt, escalation).ask.options or ()
    labels = {option.id: option.label for option in options}
    return decision_in_words(_in_words(answer) or labels.get(answer.choice or "", ""))


def decision_in_words(decision: str) -> str:
    """A person's decision, in words for the agent."""
    words = material("what a person decided when you were stuck", decision or untold().go)
    return f"{words}\nDo that next. Your budget is fresh, and every call passes the gate as before."


def untold(
    believes: str = "",
    question: str = "Shall it go on with a fresh budget?",
    go: str = "go on from there with a fresh budget",
) -> LastWord:
    """What a person decides on where the agent says nothing."""
    return LastWord(believes=believes, question=question, go=go, otherwise=())


def _decision_on(stage: str, attempt: int, answers: Answers) -> Answer | None:
    """The answer that gave a stage its next budget; what offers no way on, or is none of the options, gives none."""
    answer = answers.to(budget_stop(stage, attempt, Escalation("", "", untold())).question_id)
    if answer is None:
        return None
    is_offered = answer.choice == MORE_BUDGET or (answer.choice or "").startswith(_OTHERWISE)
    return answer if answer.text or is_offered else None


def _in_words(answer: Answer) -> str:
    return answer.text or answer.label or ""
