"""From a change of a run to a commit and a draft pull request: checked again, made once, refused with the reason.

The run executed code of the repository, so nothing that it uploaded is believed: the artifact must be the one that was
there when the run ended, the change must pass the contract's own check, and what takes a person's approval must have it
in our record.
"""

import re
import unicodedata
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from github_app.conversation.absorbing import exchanges_of
from github_app.conversation.answering import approval_of
from github_app.conversation.effects import Publish
from github_app.conversation.events import Published, PublishRefused
from github_app.conversation.message import Message
from github_app.conversation.record import Conversation, Exchange, PullRequest, RunReference
from github_app.conversation.wording.published import commit_message, decisions_message, pull_request_text
from github_app.ports import (
    ArtifactRefused,
    Artifacts,
    ChangeRefused,
    GitHubRefused,
    MadeCommit,
    Markers,
    Place,
    Publisher,
    PullRequests,
    Surface,
    WantedCommit,
)
from pipeline.contract.change import Change, FileChange
from pipeline.contract.change_check import Verdict, check_change
from pipeline.contract.decision_text import DecisionsUnreadable, with_decision
from pipeline.contract.decisions import DECISIONS_PATH, Decision
from pipeline.contract.ticket import Ticket

_LONGEST_SLUG = 40


@dataclass(frozen=True)
class Publishing:
    """One change to be published, with what that takes. `looked` is called before anything is made.

    `checks_wait` is true where a job's own token opens the pull request: GitHub then starts no check unasked.
    """

    artifacts: Artifacts
    publisher: Publisher
    pull_requests: PullRequests
    surface: Surface
    markers: Markers
    looked: Callable[[], None]
    checks_wait: bool = False

    def publish(
        self, place: Place, conversation: Conversation, effect: Publish
    ) -> Published | PublishRefused:
        """Publish the change of a run, or say why not. Called again, it finds what an earlier attempt has made."""
        run = RunReference(run_id=effect.run_id, attempt=effect.attempt)
        try:
            ticket, change = self._checked(place, conversation, effect)
            self.looked()
            pull_request = self._made(place, conversation, run, ticket, change)
        except (ChangeRefused, ArtifactRefused) as refusal:
            return PublishRefused(run, str(refusal))
        except GitHubRefused as refusal:
            return PublishRefused(run, f"GitHub answered {refusal.status}, {refusal.message}")
        return Published(run, pull_request, change.work)

    def _checked(self, place: Place, conversation: Conversation, effect: Publish) -> tuple[Ticket, Change]:
        ending = self.artifacts.ending(place.repository, effect.run_id, effect.attempt)
        if ending is None:
            raise ChangeRefused("its artifact is gone")
        if ending.digest != effect.digest:
            raise ChangeRefused("its artifact was altered after the run had ended")
        ticket, change = ending.document, ending.change
        if not isinstance(ticket, Ticket) or change is None:
            raise ChangeRefused("its artifact holds no ticket with a change")
        if change.run != ticket.run:
            raise ChangeRefused("the change is of another run than the ticket")
        if why := why_not_published(change, conversation):
            raise ChangeRefused(why)
        return ticket, change

    def _made(
        self, place: Place, conversation: Conversation, run: RunReference, ticket: Ticket, change: Change
    ) -> PullRequest:
        known = conversation.pull_request
        subject = self.surface.one_line(change.message.strip().partition("\n")[0])
        wanted = WantedCommit(
            base=change.base_commit,
            files=change.files,
            message=commit_message(
                subject, place.issue, run.run_id, run.attempt, change.work.replies if change.work else None
            ),
            branch=known.branch if known else branch_name(place.issue, ticket.title),
        )
        if known is not None:
            now = self.pull_requests.now(place.repository, known.number)
            if now is None or not now.is_open:
                raise ChangeRefused(f"pull request {known.number} is closed")
            made = self.publisher.continue_branch(place.repository, wanted)
            # Only what was answered since: a person may have taken an earlier decision off the branch.
            since = exchanges_of(conversation)[known.offered :]
            made, _ = self._with_decisions(place, made, _decisions(since))
            return known.model_copy(update={"head": made.sha})
        made = self.publisher.start_branch(place.repository, wanted)
        made, kept = self._with_decisions(place, made, _decisions(exchanges_of(conversation)))
        self.looked()
        number = self.pull_requests.find(place.repository, made)
        if number is None:
            title = self.surface.one_line(ticket.title)
            waiting = self.pull_requests.checks(place.repository, made.sha) if self.checks_wait else ()
            text = pull_request_text(
                conversation, ticket, change.work, run.run_id, place.repository.full_name, kept, waiting
            )
            body = self._body(text, conversation, run)
            number = self.pull_requests.open(place.repository, made.branch, title, body)
        return PullRequest(number=number, branch=made.branch, head=made.sha, base_commit=made.base)

    def _with_decisions(
        self, place: Place, made: MadeCommit, decisions: Sequence[Decision]
    ) -> tuple[MadeCommit, Sequence[Decision]]:
        """The branch with what was decided in a commit of its own on top, and the decisions that are on it now.

        It is an offer: where the file cannot be read or written, the change is published without it.
        """
        if not decisions:
            return made, ()
        try:
            before = self.publisher.text_of(place.repository, made.sha, DECISIONS_PATH) or ""
            after = before
            for decision in decisions:
                after = with_decision(after, decision)
            if after == before:
                return made, decisions
            wanted = WantedCommit(
                base=made.sha,
                files=(FileChange(path=DECISIONS_PATH, content=b64encode(after.encode())),),
                message=decisions_message(place.issue),
                branch=made.branch,
            )
            on_top = self.publisher.continue_branch(place.repository, wanted)
        except (ChangeRefused, DecisionsUnreadable, GitHubRefused):
            return made, ()
        return replace(made, sha=on_top.sha), decisions

    def _body(self, text: Message, conversation: Conversation, run: RunReference) -> str:
        key = f"pull-request:{run.run_id}.{run.attempt}"
        marker = self.markers.line(key, conversation, with_record=False)
        return f"{self.surface.render(text)}\n\n{marker}"


def _decisions(exchanges: Sequence[Exchange]) -> list[Decision]:
    return [one.decision for one in exchanges if one.decision is not None]


def why_not_published(change: Change, conversation: Conversation) -> str | None:
    """Why a change must not become a commit, as a clause; None when it may.

    A path that takes an approval has it when somebody approved a call about exactly this path in this conversation.
    """
    approved = {one for exchange in exchanges_of(conversation) for one in exchange.approved}
    reasons = [
        f"{problem.path}: {problem.why}" if problem.path else problem.why
        for problem in check_change(change)
        if problem.verdict is Verdict.REFUSED or approval_of(problem.path or "") not in approved
    ]
    if not reasons:
        return None
    more = f", and {len(reasons) - 1} more" if len(reasons) > 1 else ""
    return reasons[0] + more


def branch_name(issue: int, title: str) -> str:
    """`askfirst/<issue>-<slug>`: plain letters and digits of the title, so that no title makes a strange branch."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().casefold()
    slug = re.sub(r"[^a-z0-9]+", "-", plain)[:_LONGEST_SLUG].strip("-")
    return f"askfirst/{issue}-{slug or 'change'}"
