"""Several points in one comment, of a plan or of a question: each with its options, what a plan changes where, and how to reply."""

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
    UserMention,
)
from github_app.conversation.record import PendingAnswer
from pipeline.contract.clarification import Option, Question, QuestionPoint
from pipeline.contract.point_reply import (
    LETTERS,
    changes_in_short,
    decision_label,
    example_of,
    example_of_several,
    reply_to,
)
from pipeline.contract.ticket import PlannedChange, TicketPlan

_SHOWN_CHANGES = 6
"""So many places are shown; the others are folded."""


def plan_blocks(question: Question) -> list[Block]:
    """What the plan changes and leaves out, and its open points."""
    return [*([] if question.plan is None else plan_changes(question.plan)), *point_blocks(question)]


def point_blocks(question: Question, other_addressee: str | None = None) -> list[Block]:
    """The points, each below its letter with its options; without the question itself, which stands above them.

    `other_addressee` is the person whom those points concern that do not concern the addressee of the question.
    """
    blocks: list[Block] = []
    for letter, point in zip(LETTERS, question.every_point, strict=False):
        if point not in question.points:
            continue
        is_for_other = other_addressee is not None and point.asked_of not in (None, question.asked_of)
        person: Line = (UserMention(other_addressee), Text(": ")) if is_for_other and other_addressee else ()
        quotes = tuple(part for quote in point.quotes[:2] for part in (Text(" “"), Prose(quote), Text("”")))
        says: Line = (Text(" The ticket says"), *quotes, Text(".")) if quotes else ()
        blocks.append(
            Paragraph(((Strong((Text(f"{letter}."),)), Text(" "), *person, Prose(point.text), *says),))
        )
        options = [_option_line(question, point, option) for option in point.options]
        reason: list[Line] = [(Text("Why the default: "), Prose(point.reason))] if point.reason else []
        blocks.append(Bullets((*options, *reason)))
    return blocks


def plan_beside(question: Question) -> list[Block]:
    """The plan that a single point belongs to, folded; empty where none is asked about, or the plan itself is."""
    if question.plan is None or question.is_about_plan:
        return []
    effects = effects_of_plan(question)
    blocks = [*plan_changes(question.plan), *([Bullets(tuple(effects))] if effects else [])]
    return [Details("The plan that this belongs to", tuple(blocks))]


def effects_of_plan(question: Question) -> list[Line]:
    """The effects on callers, users or stored data, a line each."""
    effects = question.plan.effects if question.plan is not None else ()
    return [(Text("What is seen of it: "), Prose(effect)) for effect in effects]


def how_to_reply_to_plan(question: Question) -> Line:
    """How to answer, in one line."""
    alone = "A number alone means nothing. " if question.is_about_plan else ""
    return (*_short_replies(question), Text(" For anything else: `/answer` and one sentence, and the plan is made again. "
                                            f"{alone}To stop: `/cancel`."))  # fmt: skip


def short_replies_to_plan(question: Question) -> Line:
    """The same for a reply that was not understood, or that comes late."""
    return (*_short_replies(question), Text(" In your own words: `/answer` and one sentence."))


def answer_to_plan(question: Question, pending_answer: PendingAnswer) -> Line | None:
    """What a person chose; None for words of their own."""
    answer = pending_answer.answer
    return (
        None if answer.points is None else (Prose(changes_in_short(question, answer.points, answer.words)),)
    )


def plan_as_it_was(question: Question) -> list[Line]:
    """The plan and its points in short, for the fold of a question that is over."""
    lines: list[Line] = [] if question.plan is None else [(Prose(question.plan.summary),)]
    default = Text(" As planned: " if question.is_about_plan else " Default: ")
    for letter, point in zip(LETTERS, question.every_point, strict=False):
        if point in question.points:
            label = decision_label(point, {}, None)
            lines.append((Text(f"**{letter}.** "), Prose(point.text), default, Prose(label)))
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


def _option_line(question: Question, point: QuestionPoint, option: Option) -> Line:
    words = " as planned" if question.is_about_plan else " default"
    plan_mark: Line = (Text(words),) if option.id == point.taken else ()
    effect: Line = (Text(" — "), Prose(option.effect)) if option.effect else ()
    return (
        Strong((Text(f"`{reply_to(question, point, option)}`"),)),
        *plan_mark,
        Text(": "),
        Prose(option.label),
        *effect,
    )


def _short_replies(question: Question) -> Line:
    example, example_of_two = example_of(question), example_of_several(question)
    if not question.is_about_plan:
        return (Text(f"Reply **`go`** for all defaults, or what you want instead, such as **`{example_of_two}`**, or **`b:`** and "
                     "your own words."),)  # fmt: skip
    change = f", or **`{example}`** to change a point" if example else ""
    change += f" (several: `{example_of_two}`)" if example_of_two else ""
    return (Text(f"Reply **`go`** for the plan as it stands{change}."),)
