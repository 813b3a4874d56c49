"""The words about answers that hold for later tickets: how to keep one, what became of that, and how to undo it."""

import re

from github_app.conversation.message import Block, Code, Line, Paragraph, Strong, Text, TickBox
from github_app.conversation.record import PendingAnswer
from pipeline.contract.clarification import Clarification, StopKind
from pipeline.contract.decisions import DECISIONS_PATH, QuestionSignature

_KEEP = "keep this answer for later tickets"
_BOX = re.compile(rf"^ {{0,3}}- \[([ xX])\] {_KEEP}", re.MULTILINE)


def can_be_kept(clarification: Clarification) -> bool:
    """Whether the answer could hold for later tickets."""
    signature = QuestionSignature(
        clarification.question.slot, frozenset(candidate.id for candidate in clarification.candidates)
    )
    is_about_code = clarification.kind is StopKind.CLARIFICATION_NEEDED and not clarification.question.options
    return is_about_code and signature.is_decidable


def keep_box(clarification: Clarification, wished_by: str | None) -> tuple[TickBox, ...]:
    """The box that keeps the answer, where one can be kept; `wished_by` is who has ticked it."""
    if not can_be_kept(clarification):
        return ()
    hint: Line = (Text(" (or `/decide`)"),) if wished_by is None else (Text(", wished by "), Code(wished_by))
    return (TickBox((Text(_KEEP), *hint), is_ticked=wished_by is not None),)


def is_kept_box_ticked(comment: str) -> bool | None:
    """Whether the box of a question's comment is ticked, as the comment stands; None without one box."""
    boxes: list[str] = _BOX.findall(comment)
    return boxes[0] != " " if len(boxes) == 1 else None


def of_kind(wish: str | None) -> Line:
    """For which tickets alone a decision holds."""
    return () if wish is None else (Text(" (only those of the kind "), Code(wish), Text(")"))


def decision_outcome(clarification: Clarification, pending_answer: PendingAnswer) -> list[Block]:
    """A line for the answered question, where somebody said `/decide`."""
    match pending_answer.keep:
        case None:
            return []
        case "kept":
            line: Line = (
                Strong((Text("Kept for later tickets"),)), *of_kind(clarification.question.wish), Text(" by "),
                Code(pending_answer.kept_by or pending_answer.login), Text(": proposed in "), Code(DECISIONS_PATH),
                Text(" with this ticket's pull request, and in force once it is merged. To undo it, remove the entry."),
            )  # fmt: skip
        case "no_role":
            line = (
                Text("**Not kept for later tickets:** `/decide` takes write access. The answer holds here."),
            )
        case "not_about_code":
            line = (
                Text(
                    "**Not kept for later tickets:** only a choice of one thing of the code can be. "
                    "The answer holds here."
                ),
            )
    return [Paragraph((line,))]
