"""The comment on a ticket: its targets, what it rests on, and the next step."""

from collections.abc import Sequence

from github_app.conversation.message import (
    Block,
    Bullets,
    Code,
    Details,
    Line,
    Prose,
    RunLink,
    SourceLink,
    Strong,
    Table,
    Text,
    joined,
    paragraph,
)
from github_app.conversation.wording.asked import SHOWN_CHOICES, permalink
from github_app.conversation.wording.choice_table import lines_of
from github_app.conversation.wording.planned import plan_changes
from pipeline.contract.ticket import CodePlace, LikelyPlace, TargetConfidence, Ticket, TicketPlan

_WORDS_OF = {"model": "a model's words", "recorded": "recorded replies", "scripted": "scripted replies"}
_NEAREST = 3
"""Likely places that a comment shows; the others stand in its details."""
_MOST_FACTS = 10
_NEXT = Text(
    "Next: a coding agent, or a person, can start from here. The issue is labelled `askfirst:ready`."
)


def ticket_ready(ticket: Ticket, run_id: int) -> list[Block]:
    """The ticket; where no target is known, the nearest places or what the agents concluded."""
    commit = ticket.run.commit
    targets = () if isinstance(ticket.targets, str) else ticket.targets
    blocks: list[Block] = []
    if ticket.operation == "unknown" and (ticket.conclusions or ticket.facts):
        return [*_conclusions(ticket), _ticket_details(ticket, run_id, ())]
    if ticket.ready:
        blocks.append(paragraph(Strong((Text("The ticket is ready: "), Prose(ticket.title))), Text(".")))
    else:
        blocks += _not_ready(ticket)
    plan = ticket.plan if ticket.ready else None
    # With a plan, its sentence says what and its changes say where; what has lines is shown all the same.
    shown_targets = [target for target in targets if plan is None or target.location is not None][
        :SHOWN_CHOICES
    ]
    if ticket.ready and ticket.selected_because and plan is None:
        words = (Text("What: "), Code(ticket.operation), Text(". "), Prose(ticket.selected_because))
        blocks.append(paragraph(*words))
    for target in shown_targets:
        place: Line = (Text(" · "), *lines_of(target.location)) if target.location else ()
        blocks.append(paragraph(Text("Target: "), Code(target.label), *place))
        blocks += permalink(target.location, commit)
    if plan is not None:
        blocks += _plan(plan, ticket.assumptions)
    if ticket.ready:
        blocks.append(paragraph(_NEXT))
    hidden_targets = [target for target in targets if target not in shown_targets]
    return [*blocks, _ticket_details(ticket, run_id, hidden_targets)]


def _plan(plan: TicketPlan, assumptions: tuple[str, ...]) -> list[Block]:
    """What would be built, what users see of it, and what was decided without asking anybody."""
    blocks = plan_changes(plan)
    for head, sentences in (
        ("What users see of it:", plan.effects),
        ("Assumed, because nobody was asked:", assumptions),
    ):
        if sentences:
            blocks += [
                paragraph(Text(head)),
                Bullets(tuple((Prose(sentence),) for sentence in sentences)),
            ]
    return blocks


def _not_ready(ticket: Ticket) -> list[Block]:
    """The nearest places with the reasons for them, why the ticket is not ready, and the next step."""
    head = {
        TargetConfidence.LIKELY: "The issue does not say which code it means. It is probably here:",
        TargetConfidence.UNKNOWN: "I do not know which code this is about.",
        TargetConfidence.NAMED: "I have read the issue; it is not complete.",
        TargetConfidence.PLANNED: "I have read the issue; it is not complete.",
    }[ticket.confidence]
    blocks: list[Block] = [paragraph(Strong((Text(head),)))]
    if ticket.places:
        blocks.append(_likely_places(ticket.places[:_NEAREST], ticket.run.commit))
    return blocks + [paragraph(Prose(note)) for note in ticket.notes]


def _likely_places(places: tuple[LikelyPlace, ...], commit: str) -> Table:
    rows = (
        (
            (SourceLink(place.path, commit),),
            (Text(f"{place.probability:.0%}"),),
            (Prose(place.because[0]),) if place.because else (),
        )
        for place in places
    )
    return Table(((Text("File"),), (Text("Probability"),), (Text("Why"),)), tuple(rows))


def _conclusions(ticket: Ticket) -> list[Block]:
    """What the last agent says, which has what the others found; theirs and the facts stand in the fold below.

    Where no agent says anything, the facts are all there is.
    """
    head = paragraph(Strong((Text("I have looked at the issue, and changed nothing."),)))
    if not ticket.conclusions:
        return [head, Bullets(_facts(ticket))]
    last = ticket.conclusions[-1]
    lines: tuple[Line, ...] = tuple(
        (Prose(name), Text(": "), Prose(words)) for name, words in last.in_words()
    )
    ending = paragraph(Text(f"These are {_WORDS_OF[last.replies]}. Next: a person decides."))
    return [head, Bullets(lines), ending]


def _facts(ticket: Ticket) -> tuple[Line, ...]:
    """The stages' remarks for every reader. Name and value may come from a file of the repository."""
    return tuple((Prose(fact.name), Text(": "), Prose(fact.value)) for fact in ticket.facts[:_MOST_FACTS])


def _ticket_details(ticket: Ticket, run_id: int, other_targets: Sequence[CodePlace]) -> Details:
    items: list[Line] = []
    for conclusion in ticket.conclusions:
        words = "; ".join(f"{name}: {value}" for name, value in conclusion.in_words())
        items.append((Code(conclusion.stage), Text(": "), Prose(words)))
    items += [(Text("Target: "), Code(place.label)) for place in other_targets]
    first = 0 if ticket.ready else _NEAREST
    for likely in ticket.places[first:]:
        because: Line = (Text(": "), Prose(likely.because[0])) if likely.because else ()
        items.append(
            (Text("Likely place: "), Code(likely.path), Text(f", {likely.probability:.0%}"), *because)
        )
    if ticket.chain:
        names = joined(((Code(place.label),) for place in ticket.chain), " → ")
        items.append((Text("Chain: "), *names))
    items += [(Text("Test that reaches it: "), Code(place.label)) for place in ticket.tests[:8]]
    items += _facts(ticket)
    for finding in ticket.existing:
        evidence: Line = (Prose(finding.found),) if finding.found else (Text("**missing**"),)
        items.append((Prose(finding.asked), Text(": "), *evidence))
    items += [(Text("Done when: "), Prose(criterion)) for criterion in ticket.acceptance_criteria]
    if ticket.plan is None or not ticket.ready:
        items += [(Text("Assumed: "), Prose(assumption)) for assumption in ticket.assumptions]
    items += [(Text("Decided earlier: "), Prose(decision)) for decision in ticket.decisions]
    for decision in ticket.plan.decisions if ticket.plan is not None else ():
        by: Line = (Text(", by "), Code(decision.decided_by)) if decision.decided_by is not None else ()
        items.append((Text("Decided: "), Prose(decision.text), Text(" "), Prose(decision.label), *by))
    for answer in ticket.answers:
        if answer.points is not None:
            continue
        picks = answer.choices or ((answer.choice,) if answer.choice else ())
        answer_line: Line = (Code(" + ".join(picks)),) if picks else (Prose(answer.text or "free text"),)
        items.append((Text("Asked and answered: "), Code(answer.slot), Text(" = "), *answer_line))
    items.append(
        (Text("Commit "), Code(ticket.run.commit[:7]), Text(", run "), RunLink(str(run_id)), Text("."))
    )
    return Details("Chain, tests, assumptions", (Bullets(tuple(items)),))
