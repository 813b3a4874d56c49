"""Questions that agents may answer among themselves, and those that only a person may. Pure, and on the safe side.

A question of an agent that another one started is answered without a person only where a review can take back what the
answer changes (`stakes`): nothing public, no data, no secret, nothing that waits for an approval.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pipeline.agents.agent import Agent
from pipeline.agents.common_questions import decided_by, is_undecided_by
from pipeline.agents.stakes import Stakes, may_write
from pipeline.agents.tools import Clarify
from pipeline.agents.transcript import AnsweredBy, AnsweredQuestion
from pipeline.contract.decisions import DECIDABLE_SLOTS, UNDO, Decision, QuestionSignature, consult
from pipeline.run_record.events import BY


@dataclass(frozen=True)
class SelfAnswer:
    """An answer that no person gave: by what, and on what it rests."""

    text: str
    by: AnsweredBy
    because: str


def at_stake(
    question: Clarify,
    *,
    task: str,
    agent: Agent,
    changed_files: Iterable[str],
    decisions: Sequence[Decision],
    stakes: Stakes,
) -> str | None:
    """Why only a person may answer a question; None where the matter can be taken back.

    `task` is what the `agent` that asks was given, `changed_files` are those that it has changed so far. These two count
    only for an agent that can change something: the report of one that only reads is its parent's to use. What a
    decision on file decides between is no longer open, so it is not weighed; the rest of the question is.
    """
    is_decided = len({decision.choice for decision in _decisions_on(question, decisions)}) == 1
    options = {*question.options, question.default or ""} - {*(question.options if is_decided else ())}
    texts = (question.question, question.why, *sorted(options))
    why = stakes.of_tools(agent) or stakes.of_question(*texts)
    if why is not None or not may_write(agent):
        return why
    return stakes.of_task(task) or stakes.of_files(changed_files)


def by_rule(
    question: Clarify,
    question_id: str,
    *,
    earlier_answers: Iterable[AnsweredQuestion],
    decisions: Sequence[Decision],
    texts: Sequence[tuple[str, str]],
) -> SelfAnswer | None:
    """The answer that follows without a model: earlier answers, decisions on file, then common questions.

    `earlier_answers` are those given in this run. `texts` are what may decide a common question, the closest first, each
    with how it is cited.
    """
    before = next((answer for answer in earlier_answers if answer.question_id == question_id), None)
    if before is not None:
        return SelfAnswer(
            before.answer, "rule", f"the same was asked before, and answered by {BY[before.answered_by]}"
        )
    by_choice = {decision.choice: decision for decision in _decisions_on(question, decisions)}
    if len(by_choice) == 1:
        choice, decision = next(iter(by_choice.items()))
        return SelfAnswer(choice, "rule", f"as {decision.citation}. {UNDO}")
    for source, text in texts:
        named_answer = decided_by(question, text)
        if named_answer is not None:
            return SelfAnswer(
                named_answer.answer,
                "template",
                f"{named_answer.ambiguity.value}: {source} “{named_answer.quote}”",
            )
        if is_undecided_by(question, text):
            return None
    return None


def in_words(within: str, answered_question: AnsweredQuestion) -> str:
    """An answer that no person gave, as an assumption that a person reads."""
    question = " ".join(answered_question.question.split())
    return (
        f"Subagent '{within}' asked “{question}” and no person was asked. "
        f"Answered by {BY[answered_question.answered_by]}: “{answered_question.answer}” ({answered_question.because})."
    )


def _decisions_on(question: Clarify, decisions: Sequence[Decision]) -> Iterator[Decision]:
    """Decisions about exactly what is offered, by the ids of the code; what it is about is not said by an agent."""
    for slot in sorted(DECIDABLE_SLOTS):
        signature = QuestionSignature(slot, frozenset(question.options))
        answer = consult(decisions, signature, in_code=lambda _id: True).answer
        if answer is not None:
            yield answer
