"""The question that an open choice puts to a person: its words and the reason."""

from collections.abc import Sequence

from pipeline.contract.code_slots import CodeSlot
from pipeline.contract.plain_reason import WHAT_IS_OPEN
from pipeline.domain.issue import Citation, operation_of
from pipeline.domain.stops import Ask
from pipeline.stages.decomposition.candidates import CodeChoice, as_candidates
from pipeline.stages.decomposition.elsewhere import named_elsewhere
from pipeline.stages.decomposition.outcome import OpenChoice
from pipeline.stages.decomposition.subject import Subject


def ask_between(subject: Subject, question: OpenChoice, *, stage: str) -> Ask:
    """The question that an open choice puts to a person."""
    quote = question.quotes[0] if question.quotes else ""
    return Ask(
        stage=stage,
        slot=question.slot.id,
        reason=f"{reason(question.slot, question.choices, question.leaf, quote)} {question.remark}".rstrip(),
        text=question_text(question.slot, subject.anchors.new_names, question.new_thing),
        suggestion=question.slot.suggestion,
        candidates=as_candidates(question.choices),
        quotes=question.quotes,
        default=None if question.default_reason is None else question.choices[0].id,
        default_reason=question.default_reason,
        elsewhere=named_elsewhere(question.choices, subject.registry),
        wish=operation_of(subject.document.kind).value,
        multiple=question.slot.is_for_each,
    )


def question_text(slot: CodeSlot, new_names: Sequence[Citation], new_thing: str) -> str:
    """The question itself, as a plain sentence: each surface marks names in its own way."""
    subject = new_thing or (new_names[0].text if new_names else "the change")
    return f"Which {slot.noun} should get {subject}?"


def reason(slot: CodeSlot, choices: Sequence[CodeChoice], leaf: str | None, quote: str) -> str:
    """Why nothing was selected, with the facts of every candidate, for people and programs that read the JSON."""
    head = slot.begin_reason(count=len(choices), quote=quote, leaf=leaf, alike=_matching(choices))
    choice_list = ", ".join(f"{choice.label} ({choice.detail})" for choice in choices)
    return f"{head}: {choice_list}. {WHAT_IS_OPEN}"


def _matching(choices: Sequence[CodeChoice]) -> str:
    counts = {choice.body_field_count for choice in choices}
    return " with matching body schemas" if len(counts) == 1 and None not in counts else ""
