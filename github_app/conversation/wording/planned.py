"""A whole plan as a question: what changes where, each open point with its options, and how to reply to it."""

from github_app.conversation.message import (
    Block,
    Bullets,
    Code,
    Details,
    Line,
    Paragraph,
    Prose,
    Strong,
    Text,
)
from github_app.conversation.record import PendingAnswer
from pipeline.contract.clarification import PlanPoint, Question
from pipeline.contract.plan_reply import (
    changes_in_short,
    chosen_option,
    example_of,
    example_of_several,
    reply_to,
)
from pipeline.contract.ticket import PlannedChange, TicketPlan

_SHOWN_CHANGES = 6
"""So many places are shown; the others are folded."""


def plan_blocks(question: Question) -> list[Block]:
    """What the plan changes and leaves out, and its open points as numbered lines with their options."""
    blocks: list[Block] = [] if question.plan is None else plan_changes(question.plan)
    for number, point in enumerate(question.points, start=1):
        blocks += [Paragraph(((Strong((Text(f"{number}."),)), Text(" "), Prose(point.text)),))]
        blocks.append(Bullets(tuple(_option_line(point, number, at) for at in range(len(point.options)))))
    return blocks


def plan_beside(question: Question) -> list[Block]:
    """The plan that a single point belongs to, folded; empty where none is asked about, or the plan itself is."""
    if question.plan is None or question.is_about_plan:
        return []
    effects = effects_of_plan(question)
    blocks = [*plan_changes(question.plan), *([Bullets(tuple(effects))] if effects else [])]
    return [Details("The plan that this belongs to", tuple(blocks))]


def effects_of_plan(question: Question) -> list[Line]:
    """What callers, users or stored data would see, a line each."""
    effects = question.plan.effects if question.plan is not None else ()
    return [(Text("What is seen of it: "), Prose(effect)) for effect in effects]


def how_to_reply_to_plan(question: Question) -> Line:
    """How to answer, in one line."""
    return (*_short_replies(question), Text(" For anything else: `/answer` and one sentence, and the plan is made again. "
                                            "A number alone means nothing. To stop: `/cancel`."))  # fmt: skip


def short_replies_to_plan(question: Question) -> Line:
    """The same for a reply that was not understood, or that comes late."""
    return (*_short_replies(question), Text(" In your own words: `/answer` and one sentence."))


def answer_to_plan(question: Question, pending_answer: PendingAnswer) -> Line | None:
    """What a person chose; None for words of their own."""
    choices = pending_answer.answer.points
    return None if choices is None else (Prose(changes_in_short(question.points, choices)),)


def plan_as_it_was(question: Question) -> list[Line]:
    """The plan and its points in short, for the fold of a question that is over."""
    lines: list[Line] = [] if question.plan is None else [(Prose(question.plan.summary),)]
    for number, point in enumerate(question.points, start=1):
        label = chosen_option(point, {}).label
        lines.append((Text(f"**{number}.** "), Prose(point.text), Text(" As planned: "), Prose(label)))
    return lines


def plan_changes(plan: TicketPlan) -> list[Block]:
    """The plan in one sentence, its places with what changes there, and what it does not build."""
    blocks: list[Block] = [
        Paragraph(((Prose(plan.summary),),)),
        Bullets(tuple(_change_line(change) for change in plan.changes[:_SHOWN_CHANGES])),
    ]
    if len(plan.changes) > _SHOWN_CHANGES:
        folded_changes = plan.changes[_SHOWN_CHANGES:]
        lines = Bullets(tuple(_change_line(change) for change in folded_changes))
        blocks.append(Details(f"{len(folded_changes)} more places", (lines,)))
    if plan.left_out:
        wishes = tuple(part for wish in plan.left_out for part in (Text("; "), Prose(wish)))[1:]
        blocks.append(Paragraph(((Text("Not part of it: "), *wishes),)))
    return blocks


def _change_line(change: PlannedChange) -> Line:
    is_new: Line = (Text(" (new)"),) if change.is_new else ()
    return (Code(change.path), *is_new, Text(": "), Prose(change.what))


def _option_line(point: PlanPoint, number: int, at: int) -> Line:
    option = point.options[at]
    plan_mark: Line = (Text(" as planned"),) if option.id == point.taken else ()
    effect: Line = (Text(" — "), Prose(option.effect)) if option.effect else ()
    return (
        Strong((Text(f"`{reply_to(point, number, option)}`"),)),
        *plan_mark,
        Text(": "),
        Prose(option.label),
        *effect,
    )


def _short_replies(question: Question) -> Line:
    example, example_of_two = example_of(question.points), example_of_several(question.points)
    change = f", or **`{example}`** to change a point" if example else ""
    change += f" (several: `{example_of_two}`)" if example_of_two else ""
    return (Text(f"Reply **`go`** for the plan as it stands{change}."),)
