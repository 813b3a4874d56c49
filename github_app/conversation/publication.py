"""A change on its way to the pull request: what of it may become a commit, on which branch, and what came of it. Pure."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from github_app.conversation.answering import approval_of, exchanges_of, question_over
from github_app.conversation.event import ConversationEvent, KeyedNotice
from github_app.conversation.message import (
    Block,
    Bullets,
    Code,
    Line,
    Prose,
    PullRequestLink,
    RunLink,
    Strong,
    Text,
    paragraph,
)
from github_app.conversation.record import Conversation, PullRequestRecord, RunReference
from github_app.conversation.states import Trigger
from github_app.conversation.wording.phrases import LABEL_AGAIN, LONGEST_NAME
from github_app.conversation.wording.published import (
    criterion_line,
    results_of_tests,
    whose_words,
    work_in_figures,
)
from pipeline.contract.change import Change, Work
from pipeline.contract.change_check import ChangeVerdict, check_change
from pipeline.contract.decisions import Decision
from pipeline.contract.install_hooks import check_install_hooks

_LONGEST_SLUG = 40
_MOST_WISHES = 20


@dataclass(frozen=True)
class ChangePublished(ConversationEvent):
    """The change of the newest run stands on GitHub. `work` is None where the artifact does not tell how it came about."""

    run: RunReference
    pull_request: PullRequestRecord
    work: Work | None

    def trigger(self, conversation: Conversation) -> Trigger | None:
        return Trigger.CHANGE_PUBLISHED if self.run == conversation.last_run else None

    def remember(self, conversation: Conversation, _trigger: Trigger) -> Conversation:
        exchange_count = {"offered": len(exchanges_of(conversation))}
        return conversation.model_copy(
            update={
                "pull_request": self.pull_request.model_copy(update=exchange_count),
                "work": work_in_figures(self.work) if self.work is not None else None,
                "checks": (),
                **question_over(conversation),
            }
        )

    def notice(self, before: Conversation, _after: Conversation, _trigger: Trigger) -> KeyedNotice:
        blocks = self._opening() if before.pull_request is None else self._revision(before.pull_request)
        return f"change:{self.run.run_id}.{self.run.attempt}", list(blocks)

    def _opening(self) -> Iterator[Block]:
        line: Line = (
            Strong((Text("The change is there: "), PullRequestLink(self.pull_request.number))),
            Text(". It is a draft: read it, and mark it ready. To have it changed, request changes in a review there, or "
                 "comment `/revise` and a sentence."),
        )  # fmt: skip
        yield paragraph(*line)
        yield from whose_words(self.work.replies if self.work else None)

    def _revision(self, before: PullRequestRecord) -> Iterator[Block]:
        is_edited = before.body_sha256 is not None and self.pull_request.body_sha256 is None
        line: Line = (
            Strong((Text("I have changed it again:"),)), Text(f" {self.pull_request.head[:7]}, run "),
            RunLink(str(self.run.run_id)), Text("."),
            *([Text(" You have edited the description, so I leave it as it is.")] if is_edited else []),
        )  # fmt: skip
        yield paragraph(*line)
        if self.work is not None:
            wishes = [criterion for criterion in self.work.criteria if criterion.is_wish][:_MOST_WISHES]
            head = self.pull_request.head
            yield from [Bullets(tuple(criterion_line(wish, head) for wish in wishes))] if wishes else []
            short = {"command": self.work.tests.command[:LONGEST_NAME]}
            yield from results_of_tests(self.work.tests.model_copy(update=short))
        yield from whose_words(self.work.replies if self.work else None)


@dataclass(frozen=True)
class PublishRefused(ConversationEvent):
    """The change of the newest run does not become a pull request. `branch` is there, if its commit was made."""

    run: RunReference
    why: str
    branch: str | None = None

    def trigger(self, conversation: Conversation) -> Trigger:
        is_first = conversation.pull_request is None
        return Trigger.PUBLISH_REFUSED if is_first else Trigger.REVISED_CHANGE_REFUSED

    def notice(self, _before: Conversation, after: Conversation, _trigger: Trigger) -> KeyedNotice:
        key = f"change:{self.run.run_id}.{self.run.attempt}"
        return key, [not_published(self.why, self.run.run_id, after, self.branch)]


def not_published(why: str, run_id: int, conversation: Conversation, branch: str | None = None) -> Block:
    """That a run made a change, or should have, which does not become a pull request. `why` is a clause."""
    again = LABEL_AGAIN if conversation.pull_request is None else "ask for the changes once more"
    what_is_there: Line = (Text("Nothing was changed."),)
    if branch:
        what_is_there = (
            Text("Its commit is on the branch "), Code(branch),
            Text(": open a pull request from there yourself, or delete the branch."),
        )  # fmt: skip
    line: Line = (
        Strong((Text("I have not published the change:"),)), Text(" "), Prose(why), Text(". "), *what_is_there,
        Text(" See run "), RunLink(str(run_id)), Text(f". To try again, {again}."),
    )  # fmt: skip
    return paragraph(*line)


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

    With an open pull request, only those that are new: a person may have taken an earlier one off the branch.
    """
    first = conversation.pull_request.offered if conversation.pull_request is not None else 0
    return [
        exchange.decision for exchange in exchanges_of(conversation)[first:] if exchange.decision is not None
    ]


def follows_pushes(conversation: Conversation) -> bool:
    """Whether a commit may stand on what others pushed meanwhile: not where it only mends failed checks."""
    return conversation.revision is None or conversation.revision.asked is not None
