"""What of a change may become a commit, on which branch, and which answers are proposed beside it. Pure."""

import re
import unicodedata
from collections.abc import Callable

from github_app.conversation.answering import approval_of
from github_app.conversation.record import Conversation
from github_app.conversation.record_update import exchanges_of
from pipeline.contract.change import Change
from pipeline.contract.change_check import ChangeVerdict, check_change
from pipeline.contract.decisions import Decision
from pipeline.contract.install_hooks import check_install_hooks

_LONGEST_SLUG = 40


def why_not_published(
    change: Change, conversation: Conversation, before: Callable[[str], bytes | None]
) -> str | None:
    """Why a change must not become a commit, as a clause; None when it may.

    A path that takes an approval has it when somebody approved, in this conversation, a call that makes exactly this
    content of exactly this file. `before` gives a file of the commit that the change was made from.
    """
    files = {file.path: approval_of(file.path, file.blob) for file in change.files}
    approvals = {approval for exchange in exchanges_of(conversation) for approval in exchange.approved}
    reasons = [
        f"{problem.path}: {problem.why}" if problem.path else problem.why
        for problem in (*check_change(change), *check_install_hooks(change, before))
        if problem.verdict is ChangeVerdict.REFUSE or files.get(problem.path or "") not in approvals
    ]
    if not reasons:
        return None
    remainder = f", and {len(reasons) - 1} more" if len(reasons) > 1 else ""
    return reasons[0] + remainder


def branch_name(issue: int, title: str) -> str:
    """`askfirst/<issue>-<slug>`: plain letters and digits of the title, so that no title makes a strange branch."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().casefold()
    slug = re.sub(r"[^a-z0-9]+", "-", plain)[:_LONGEST_SLUG].strip("-")
    return f"askfirst/{issue}-{slug or 'change'}"


def decisions_to_propose(conversation: Conversation) -> list[Decision]:
    """The answers that a commit of its own proposes to keep.

    Beside an open pull request only those that are new: a person may have taken an earlier one off the branch.
    """
    first = conversation.pull_request.offered if conversation.pull_request is not None else 0
    return [
        exchange.decision for exchange in exchanges_of(conversation)[first:] if exchange.decision is not None
    ]


def follows_pushes(conversation: Conversation) -> bool:
    """Whether a commit may stand on what others pushed meanwhile: not where it only mends failed checks."""
    return conversation.revision is None or conversation.revision.failed is None
