"""From a change of a run to a commit and a draft pull request: checked again, made once, refused with the reason.

The run executed code of the repository, so nothing that it uploaded is believed: the artifact must be the one that was
there when the run ended, the change must pass the contract's own check, and what takes a person's approval must have it
in our record.
"""

import hashlib
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace

from github_app.app import App
from github_app.conversation.answering import exchanges_of
from github_app.conversation.effects import Publish
from github_app.conversation.publication import (
    ChangePublished,
    PublishRefused,
    branch_name,
    decisions_to_propose,
    follows_pushes,
    why_not_published,
)
from github_app.conversation.record import Conversation, PullRequestRecord, RunReference
from github_app.conversation.wording.published import commit_message, decisions_message, pull_request_text
from github_app.ports.github import (
    ArtifactRefused,
    GitHubRefused,
    MadeCommit,
    Place,
    PullRequestNow,
    UnpublishableChange,
    WantedCommit,
)
from pipeline.contract.change import Change, FileChange
from pipeline.contract.decision_text import DecisionsUnreadable, with_decision
from pipeline.contract.decisions import DECISIONS_PATH, Decision
from pipeline.contract.install_hooks import executed_files
from pipeline.contract.ticket import Ticket


class _PullRequestRefused(Exception):
    """The commit is on its branch, and GitHub opens no pull request from there."""

    def __init__(self, branch: str, answer: GitHubRefused) -> None:
        super().__init__(branch)
        self.branch, self.answer = branch, answer


def publish(
    app: App, place: Place, conversation: Conversation, effect: Publish
) -> ChangePublished | PublishRefused:
    """Publish the change of a run, or say why not. Called again, it finds what an earlier attempt has made."""
    run = RunReference(run_id=effect.run_id, attempt=effect.attempt)
    try:
        ticket, change = _load_change(app, place, conversation, effect)
        app.checkpoint("looked for Publish")
        pull_request = _publish_change(app, place, conversation, run, ticket, change)
    except (UnpublishableChange, ArtifactRefused) as refusal:
        return PublishRefused(run, str(refusal))
    except _PullRequestRefused as refused:
        why = f"GitHub opened no pull request and answered {refused.answer.status}, {refused.answer.message}"
        return PublishRefused(run, why, refused.branch)
    except GitHubRefused as refusal:
        return PublishRefused(run, f"GitHub answered {refusal.status}, {refusal.message}")
    return ChangePublished(run, pull_request, change.work)


def _load_change(
    app: App, place: Place, conversation: Conversation, effect: Publish
) -> tuple[Ticket, Change]:
    ending = app.artifacts.ending(place.repository, effect.run_id, effect.attempt)
    if ending is None:
        raise UnpublishableChange("its artifact is gone")
    if ending.digest != effect.digest:
        raise UnpublishableChange("its artifact was altered after the run had ended")
    ticket, change = ending.document, ending.change
    if not isinstance(ticket, Ticket) or change is None:
        raise UnpublishableChange("its artifact holds no ticket with a change")
    if change.run != ticket.run:
        raise UnpublishableChange("the change is of another run than the ticket")
    if why := why_not_published(change, conversation, lambda path: _before(app, place, change, path)):
        raise UnpublishableChange(why)
    return ticket, change


def _before(app: App, place: Place, change: Change, path: str) -> bytes | None:
    text = app.publisher.text_of(place.repository, change.base_commit, path)
    return None if text is None else text.encode()


def _publish_change(
    app: App, place: Place, conversation: Conversation, run: RunReference, ticket: Ticket, change: Change
) -> PullRequestRecord:
    pull_request = conversation.pull_request
    subject = app.surface.one_line(change.message.strip().partition("\n")[0])
    commit = WantedCommit(
        base=change.base_commit,
        files=change.files,
        message=commit_message(
            subject, place.issue, run.run_id, run.attempt, change.work.replies if change.work else None
        ),
        branch=pull_request.branch if pull_request else branch_name(place.issue, ticket.title),
        follows_pushes=follows_pushes(conversation),
    )
    marker = app.markers.line(f"pull-request:{run.run_id}.{run.attempt}", conversation, with_record=False)

    def describe(pull_request: PullRequestRecord, decisions: Sequence[Decision]) -> str:
        waits = app.checks_wait and not pull_request.number
        text = pull_request_text(
            conversation,
            ticket,
            change.work,
            run.run_id,
            place.repository.full_name,
            decisions,
            app.pull_requests.checks(place.repository, pull_request.head) if waits else None,
            pull_request=pull_request,
        )
        return f"{app.surface.render(text)}\n\n{marker}"

    files = executed_files(change)
    if pull_request is not None:
        now = app.pull_requests.now(place.repository, pull_request.number)
        if now is None or not now.is_open:
            raise UnpublishableChange(f"pull request {pull_request.number} is closed")
        first = app.publisher.continue_branch(place.repository, commit)
        tip, decisions = _with_decisions(app, place, first, conversation)
        pushed = pull_request.after_push(
            first.sha, tip.sha, executed_files=files, over_a_push=not pull_request.is_ours(first.base)
        )
        return _describe_again(app, place, now, pushed, describe(pushed, decisions))
    first = app.publisher.start_branch(place.repository, commit)
    tip, decisions = _with_decisions(app, place, first, conversation)
    app.checkpoint("looked for Publish")
    record = PullRequestRecord(
        number=0,
        branch=tip.branch,
        head=tip.sha,
        base_commit=tip.base,
        executed_files=files,
        earlier=(first.sha,),
    )
    body = describe(record, decisions)
    number = app.pull_requests.find(place.repository, tip)
    if number is None:
        title = app.surface.one_line(ticket.title)
        title = subject if subject.casefold().endswith(f": {title.casefold()}") else title
        try:
            number = app.pull_requests.open(place.repository, tip.branch, title, body)
        except GitHubRefused as refusal:
            raise _PullRequestRefused(tip.branch, refusal) from refusal
    return record.model_copy(update={"number": number, "body_sha256": _body_sha256(body)})


def _describe_again(
    app: App, place: Place, now: PullRequestNow, pushed: PullRequestRecord, body: str
) -> PullRequestRecord:
    """The pull request with an up-to-date description. A description that a person has edited does not change."""
    if _body_sha256(now.body) not in (pushed.body_sha256, _body_sha256(body)):
        return pushed.model_copy(update={"body_sha256": None})
    app.pull_requests.describe(place.repository, pushed.number, body)
    return pushed.model_copy(update={"body_sha256": _body_sha256(body)})


def _with_decisions(
    app: App, place: Place, tip: MadeCommit, conversation: Conversation
) -> tuple[MadeCommit, Sequence[Decision]]:
    """The branch with what was decided in a commit of its own on top, and the decisions that are on it now.

    It is an offer: where the file cannot be read or written, the change is published without it.
    """
    decisions = [exchange.decision for exchange in exchanges_of(conversation) if exchange.decision]
    if not decisions:
        return tip, ()
    try:
        before = app.publisher.text_of(place.repository, tip.sha, DECISIONS_PATH) or ""
        after = before
        for decision in decisions_to_propose(conversation):
            after = with_decision(after, decision)
        known_decisions = [decision for decision in decisions if with_decision(after, decision) == after]
        if after == before:
            return tip, known_decisions
        commit = WantedCommit(
            base=tip.sha,
            files=(FileChange(path=DECISIONS_PATH, content=b64encode(after.encode())),),
            message=decisions_message(place.issue),
            branch=tip.branch,
        )
        on_top = app.publisher.continue_branch(place.repository, commit)
    except (UnpublishableChange, DecisionsUnreadable, GitHubRefused):
        return tip, ()
    return replace(tip, sha=on_top.sha), known_decisions


def _body_sha256(body: str) -> str:
    """A digest of a description, whatever its line ends: GitHub's editor writes others than we do."""
    return hashlib.sha256(" ".join(body.split()).encode()).hexdigest()[:32]
