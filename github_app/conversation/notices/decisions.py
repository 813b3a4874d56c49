"""The notice that says how to keep answers for later tickets where no pull request proposes them."""

import hashlib

from github_app.conversation.effects import DecisionsToAdd
from github_app.conversation.message import Block, Code, Line, Paragraph, Strong, Text
from github_app.conversation.record import Conversation
from github_app.conversation.record_update import exchanges_of
from pipeline.contract.decisions import DECISIONS_PATH

_LONGEST_ENTRY = 2_000


def notice_of_decisions(conversation: Conversation) -> tuple[str, DecisionsToAdd] | None:
    """The key of the notice and the notice itself; None where nobody wants an answer kept."""
    entries = tuple(
        exchange.decision.model_dump_json(exclude_none=True)
        for exchange in exchanges_of(conversation)
        if exchange.decision
    )
    digest = hashlib.sha256(" ".join(entries).encode()).hexdigest()[:16]
    return (f"decisions:{digest}", DecisionsToAdd(entries=entries)) if entries else None


def decisions_to_add(notice: DecisionsToAdd) -> list[Block]:
    """The entries themselves, where no pull request proposes them."""
    head: Line = (
        Strong((Text("To keep the answer for later tickets,"),)), Text(" add this below "), Code("decisions:"),
        Text(" in "), Code(DECISIONS_PATH), Text(" (a new file begins with "), Code("version: 1"),
        Text("). There is no pull request to propose it in."),
    )  # fmt: skip
    lines = tuple((Code(f"- {entry}", limit=_LONGEST_ENTRY),) for entry in notice.entries)
    return [Paragraph((head,)), *(Paragraph((line,)) for line in lines)]
