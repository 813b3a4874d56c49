"""The words about answers that hold for later tickets: how to keep one, what became of that, and how to undo it."""

from github_app.conversation.effects import DecisionsToAdd
from github_app.conversation.message import Block, Code, Line, Paragraph, Strong, Text
from github_app.conversation.record import Given
from pipeline.contract.clarification import Clarification, StopKind
from pipeline.contract.decisions import DECISIONS_PATH, QuestionSignature

_LONGEST_ENTRY = 2_000


HOW_TO_KEEP = "`/decide` keeps it for later tickets."


def can_be_kept(asked: Clarification) -> bool:
    """Whether the answer could hold for later tickets."""
    signature = QuestionSignature(asked.question.slot, frozenset(one.id for one in asked.candidates))
    is_about_code = asked.kind is StopKind.CLARIFICATION_NEEDED and not asked.question.options
    return is_about_code and signature.is_decidable


def of_kind(wish: str | None) -> Line:
    """For which tickets alone a decision holds."""
    return () if wish is None else (Text(" (only those of the kind "), Code(wish), Text(")"))


def what_became_of_it(asked: Clarification, given: Given) -> list[Block]:
    """A line for the answered question, where somebody said `/decide`."""
    match given.keep:
        case None:
            return []
        case "kept":
            line: Line = (
                Strong((Text("Kept for later tickets"),)), *of_kind(asked.question.wish), Text(" by "),
                Code(given.kept_by or given.login), Text(": proposed in "), Code(DECISIONS_PATH),
                Text(" with this ticket's pull request, and in force once it is merged. To undo it, remove the entry."),
            )  # fmt: skip
        case "no_role":
            line = (
                Text("**Not kept for later tickets:** `/decide` takes write access. The answer holds here."),
            )
        case "not_about_code":
            line = (
                Text(
                    "**Not kept for later tickets:** only a choice between things of the code can be. "
                    "The answer holds here."
                ),
            )
    return [Paragraph((line,))]


def decisions_to_add(notice: DecisionsToAdd) -> list[Block]:
    """The entries themselves, where no pull request proposes them."""
    head: Line = (
        Strong((Text("To keep the answer for later tickets,"),)), Text(" add this below "), Code("decisions:"),
        Text(" in "), Code(DECISIONS_PATH), Text(" (a new file begins with "), Code("version: 1"),
        Text("). There is no pull request to propose it in."),
    )  # fmt: skip
    lines = tuple((Code(f"- {entry}", limit=_LONGEST_ENTRY),) for entry in notice.entries)
    return [Paragraph((head,)), *(Paragraph((line,)) for line in lines)]
