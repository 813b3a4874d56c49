"""The prompt of an explorer: the ticket, where to start, the findings, and what people have said about a plan."""

from collections.abc import Iterator, Sequence

from pipeline.contract.answers import Answer
from pipeline.contract.code_slots import CODE_SLOTS
from pipeline.contract.wire import Location
from pipeline.domain.material import material
from pipeline.domain.printable import printable_line
from pipeline.stages.decomposition.stage import Decomposition
from pipeline.stages.existing.stage import SLOT as EXISTING_SLOT
from pipeline.stages.existing.stage import Existing
from pipeline.stages.places import Places

_MOST_PLACES = 10
_ABOUT_CODE = frozenset(CODE_SLOTS) | {EXISTING_SLOT}
_ANSWER_TITLE = "what a person answered when they were asked about an earlier plan; it decides"
_CODE_ANSWER_TITLE = "what a person answered when they were asked about the code that is meant; it decides"
_DECIDED_TITLE = (
    "what a person decided about an earlier plan of this ticket; it holds and is no open point any more"
)
_EARLIER_PLAN_TITLE = "the earlier plan that the next answer is about, as the person saw it"


_REVISION = (
    "Plan what is asked for now, on top of the pull request, and nothing that it has already. Read only what the diff does not "
    "show: a correction of lines that stand in it needs no reading."
)


def prompt_for(
    prose: str,
    revision: str | None,
    places: Places,
    decision: Decomposition,
    existing: Existing,
    answers: Sequence[Answer],
    house_rules: Sequence[str],
    turns: int,
    lines_read_before: Sequence[Location] = (),
) -> str:
    """The prompt, which begins the same for every explorer of a ticket, so that the second one reads it from the provider's cache.

    `revision` says what is asked of a pull request that the ticket has already. `lines_read_before` is what another
    explorer of the ticket has read; what that one plans is not told.
    """
    parts = [
        material("ticket", prose),
        *([revision, _REVISION] if revision is not None else []),
        material("where to start", "\n".join(_start(places, decision))),
    ]
    hints = [text for text in (existing.hint, decision.hint, existing.answer) if text]
    if existing.findings or hints:
        lines = [
            f"- asked: {finding.asked}; found: {finding.found or 'nothing'}" for finding in existing.findings
        ]
        parts.append(material("what the code may have already", "\n".join([*lines, *hints])))
    for answer in answers:
        parts += _answer_parts(answer)
    return "\n\n".join(
        [
            *parts,
            *house_rules,
            f"You have {turns} turns. Plan for half of them, and end before they are over.",
            *_lines_read(lines_read_before),
        ]
    )


def _lines_read(places: Sequence[Location]) -> Iterator[str]:
    if places:
        lines = (f"- {place.path}:{place.start_line}-{place.end_line}" for place in places)
        name = "what another planner of this ticket has read; read it first"
        yield material(name, "\n".join(map(printable_line, lines)))


def _answer_parts(answer: Answer) -> Iterator[str]:
    """An answer in the words of the person, with what it is about."""
    if answer.decision is not None:
        yield material(_DECIDED_TITLE, answer.decision)
        return
    if answer.label is not None:
        yield material(_EARLIER_PLAN_TITLE, answer.label)
    words = answer.text or answer.choice
    if words:
        yield material(_CODE_ANSWER_TITLE if answer.slot in _ABOUT_CODE else _ANSWER_TITLE, words)


def _start(places: Places, decision: Decomposition) -> list[str]:
    lines = []
    if decision.targets:
        lines.append(f"Targets so far. {decision.selected_because}")
        lines += [printable_line(f"- {target.in_words}") for target in decision.targets]
    elif decision.suggested is not None:
        lines.append(f"Suggested, and no target. {decision.selected_because}")
        lines.append(printable_line(f"- {decision.suggested.in_words}"))
    if places.places:
        lines.append("Ranked by words and history, with probabilities. The right place may be missing:")
    for place in places.places[:_MOST_PLACES]:
        lines.append(printable_line(f"- {place.path} {place.probability:.2f}: {'; '.join(place.because)}"))
        lines += [f"  {printable_line(f'- {entry.in_words}')}" for entry in place.entries]
    return lines or ["Nothing in the code shares a rare word with the ticket. Search for it."]
