"""What agents may answer among themselves, and what only a person may. Pure, and on the safe side.

A question of an agent that another one started is answered without a person only where the matter can be taken back in
review: nothing public, no data, no secret, no approval is at stake. What cannot be read with certainty is at stake.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pipeline.agents.agent import Tool
from pipeline.agents.common_questions import decided_by, is_undecided_by
from pipeline.agents.gate import Gate
from pipeline.agents.gate_rules import Tier
from pipeline.agents.tools import Clarify
from pipeline.agents.transcript import AnsweredBy, Clarified
from pipeline.contract.decisions import DECIDABLE_SLOTS, UNDO, Decision, QuestionSignature, consult
from pipeline.domain.words import name_parts, stem
from pipeline.run_record.events import BY

_LASTING = {
    "data may be lost": """
        delete remove drop truncate purge wipe erase erasure destroy destruction destructive discard overwrite overwritten
        reset irreversible permanent migrate migration rollback backup restore expire retention database production
        clear empty emptied clean cleanup prune archive flush unlink kill alter schema column anonymise anonymize""",
    "it is about secrets or rights": """
        password passphrase secret token credential key certificate auth authentication authorization login session
        permission privilege role access encrypt decrypt signature security vulnerability admin root sudo passwd hash jwt
        oauth oauth2 cookie cors tls ssl cert verify eval apikey""",
}
"""At stake wherever such a word stands, in the question or in the task that the agent was given."""

_OUTWARD = {
    "something public may change": """
        public api endpoint route url path status header request response breaking break compatible compatibility
        deprecate release version publish export interface contract protocol webhook client caller customer user""",
    "it wants an approval": """
        approve approval confirm permit allow forbid bypass skip disable ignore gate policy merge push force commit
        deploy install dependency upgrade package workflow pipeline hook license licence legal privacy personal
        price pay payment invoice billing refund charge rename send notify mail""",
}
"""At stake where such a word stands in the question."""

_ENGLISH = frozenset(
    "the a an and or of to in on is are be it its this that for with not no by as at from which both would could".split()
)
_ASKS_IN_ENGLISH = frozenset("which what should shall how where would could does the".split())
_TOKEN = re.compile(r"[A-Za-z0-9_./-]+")
_SPAN = re.compile(r"`([^`]+)`")


def _is_unseen(sign: str) -> bool:
    """Whether a sign is none that is seen by itself, and may part a word or change the letter before it."""
    return unicodedata.category(sign)[0] in "CM"


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split())


@dataclass(frozen=True)
class SelfAnswer:
    """An answer that no person gave: by what, and on what it rests."""

    text: str
    by: AnsweredBy
    because: str


def at_stake(question: Clarify, task: str, gate: Gate) -> str | None:
    """Why only a person may answer a question; None where the matter can be taken back. `task` is what the agent was given."""
    words = " ".join([question.question, question.why, *question.options, question.default or ""])
    asked_in_english = _ASKS_IN_ENGLISH & set(name_parts(question.question))
    if not asked_in_english or not _ENGLISH & set(name_parts(question.why)):
        return "it is not written so that its words can be weighed"
    stake = stake_in(words, gate)
    return stake or _named(task, _LASTING)


def stake_in(words: str, gate: Gate) -> str | None:
    """What is at stake where these words stand in a question or in an answer; None for nothing."""
    if any(not sign.isascii() and (sign.isalpha() or _is_unseen(sign)) for sign in words):
        return "it is not written so that its words can be weighed"
    named = _named(words, _LASTING | _OUTWARD)
    if named is not None:
        return named
    for path in sorted({token.rstrip("./-") for token in _TOKEN.findall(words)} - {""}):
        decision = gate.decide(Tool.EDIT_FILE, {"path": path})
        if decision.tier is not Tier.ALLOW:
            return f"`{path}` waits for a person or is protected ({decision.rule})"
    for span in _SPAN.findall(words):
        if gate.decide(Tool.RUN_COMMAND, {"command": span}).tier is Tier.CONFIRM:
            return f"`{span}` waits for a person"
    return None


def by_rule(
    question: Clarify,
    question_id: str,
    *,
    given: Iterable[Clarified],
    decisions: Sequence[Decision],
    texts: Sequence[tuple[str, str]],
) -> SelfAnswer | None:
    """The answer that follows without thinking: what was answered before, decisions on file, then common questions.

    `given` is what was answered in this run. `texts` are what may decide a common question, the closest first, each with
    how it is cited.
    """
    before = next((one for one in given if one.question_id == question_id), None)
    if before is not None:
        return SelfAnswer(
            before.answer, "rule", f"the same was asked before, and answered by {BY[before.answered_by]}"
        )
    decided = {one.choice: one for one in _decided(question, decisions)}
    if len(decided) == 1:
        choice, decision = next(iter(decided.items()))
        return SelfAnswer(choice, "rule", f"as {decision.cited}. {UNDO}")
    for cited, text in texts:
        found = decided_by(question, text)
        if found is not None:
            return SelfAnswer(found.answer, "template", f"{found.ambiguity.value}: {cited} “{found.quote}”")
        if is_undecided_by(question, text):
            return None
    return None


def in_words(within: str, answered: Clarified) -> str:
    """An answer that no person gave, as an assumption that a person reads."""
    question = " ".join(answered.question.split())
    return (
        f"Subagent '{within}' asked “{question}” and no person was asked. "
        f"Answered by {BY[answered.answered_by]}: “{answered.answer}” ({answered.because})."
    )


def _decided(question: Clarify, decisions: Sequence[Decision]) -> Iterator[Decision]:
    """Decisions about exactly what is offered, by the ids of the code; what it is about is not said by an agent."""
    for slot in sorted(DECIDABLE_SLOTS):
        signature = QuestionSignature(slot, frozenset(question.options))
        answer = consult(decisions, signature, in_code=lambda _id: True).answer
        if answer is not None:
            yield answer


def _named(text: str, stakes: dict[str, str]) -> str | None:
    said = {stem(part) for part in name_parts(text)}
    return next((why for why, words in stakes.items() if said & _stems(words)), None)
