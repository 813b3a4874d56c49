"""The question that an open choice puts to a person: its words, the reason, and whether several candidates may be chosen."""

import re
from collections.abc import Sequence

from pipeline.contract.code_slots import CodeSlot
from pipeline.contract.plain_reason import WHAT_IS_OPEN
from pipeline.domain.issue import Citation, operation_of
from pipeline.domain.stops import Ask
from pipeline.domain.words import prose_stems
from pipeline.stages.decomposition.candidates import CodeChoice, as_candidates
from pipeline.stages.decomposition.elsewhere import named_elsewhere
from pipeline.stages.decomposition.outcome import OpenChoice
from pipeline.stages.decomposition.subject import Subject

_MAX_CANDIDATES = 4
"""More candidates than this were not meant together by one noun."""

_BETWEEN = 4


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
        # A model has read that the same may be wished of each.
        multiple=question.is_read
        or speaks_of_all(
            question.slot,
            len(question.choices),
            question.quotes,
            f"{subject.document.title}\n{subject.document.wish}",
        ),
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


def speaks_of_all(slot: CodeSlot, candidates: int, quotes: tuple[str, ...], text: str) -> bool:
    """Whether the text has a plural noun for the slot, behind a word of the quotes or behind "both", and picks none of them.

    Only then may an answer choose several candidates. "Add a dry_run flag to the bulk action endpoints" wishes the same of
    each route that "bulk action" fits, so "both" is an answer. "The bulk action" is one of them, and "one of the bulk action
    endpoints" is, too: "both" stays a conflict there.

    `quotes` are the words that led to the candidates, `text` is what the issue wishes.
    """
    if not slot.plurals or not 2 <= candidates <= _MAX_CANDIDATES:
        return False
    quoted_stems = prose_stems(" ".join(quotes))
    phrase = re.compile(
        rf"(?P<out>\b(?:one|any|either|some|each|which|none)\s+of\s+)?\b(?P<which>the|both|all|these|those|our)\b"
        rf"(?P<words>(?:\s+[\w`/-]+){{0,{_BETWEEN}}}?)\s+(?:{slot.plurals})\b",
        re.IGNORECASE,
    )
    return any(
        match.group("out") is None
        and (bool(quoted_stems & prose_stems(match.group("words"))) or _is_all(match.group("which", "words")))
        for match in phrase.finditer(text)
    )


def _is_all(which_and_words: tuple[str, ...]) -> bool:
    """Whether a noun stands for every candidate without a word more: "both routes", and not "the routes"."""
    determiner, words = which_and_words
    return determiner.lower() in {"both", "all"} and not words.strip()
