"""Carry effects out, at most once: look first whether it is done, do it, write down that it is done.

The record holds what was decided and is not done yet (its outbox). Whoever crashes between any two lines of this module
leaves a record from which the next one goes on; and what the crash hid, because it came between the deed and the note,
is found on GitHub by its marker or its nonce.
"""

import dataclasses
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from github_app.conversation import effects
from github_app.conversation.answering import given_answer
from github_app.conversation.decide import decide
from github_app.conversation.events import MentionNotStarted, RevisionRefused, StartRefused
from github_app.conversation.marker import run_nonce
from github_app.conversation.message import Message
from github_app.conversation.record import Conversation
from github_app.conversation.transcript import Comment
from github_app.conversation.wording.ended import question_comment
from github_app.conversation.wording.notices import notice_comment
from github_app.ports import (
    Artifacts,
    Clock,
    Conversations,
    GitHubRefused,
    GitHubUnavailable,
    Issues,
    Markers,
    Permissions,
    Place,
    Publisher,
    PullRequests,
    Surface,
    Timers,
    Workflows,
)
from github_app.publishing import Publishing
from pipeline.contract.answers import Answers
from pipeline.contract.revision import Revision

_log = logging.getLogger(__name__)

EFFECTS = tuple(effect.__name__ for effect in effects.Effect.__args__)
BOUNDARIES = tuple(
    f"{when} {name}" for name in EFFECTS for when in ("decided", "looked for", "done", "noted")
)
"""Every point at which a crash may come: after an effect was decided, after looking whether it is done, after doing it,
and after writing down that it is done. `App.checkpoint` is called with each of these names when it is passed."""

MAX_INPUTS = 65_000
"""GitHub takes 65,535 characters of `workflow_dispatch` inputs in all."""

_RECOVERY_WAIT = 3.0
_LOOKS = 3


@dataclass(frozen=True)
class App:
    """All that the App needs: its ports, and the secret of which it makes its nonces."""

    issues: Issues
    permissions: Permissions
    workflows: Workflows
    artifacts: Artifacts
    publisher: Publisher
    pull_requests: PullRequests
    conversations: Conversations
    timers: Timers
    clock: Clock
    surface: Surface
    markers: Markers
    secret: bytes
    checks_wait: bool = False
    bot_name: str = "askfirst"
    workflow_path: str = ".github/workflows/askfirst.yml"
    checkpoint: Callable[[str], None] = lambda _name: None


class SomebodyWasFaster(GitHubUnavailable):
    """Another worker changed the record meanwhile: do the whole delivery again."""


def store(app: App, conversation: Conversation) -> Conversation:
    """Store a record that was just decided.

    Raises:
        SomebodyWasFaster: the record was changed meanwhile.
    """
    if not app.conversations.put(conversation):
        raise SomebodyWasFaster("the conversation was changed meanwhile", retry_after=1.0)
    return conversation


def settle(app: App, place: Place, conversation: Conversation, *, recovering: bool = False) -> Conversation:
    """Carry out all effects in the outbox, oldest first, and return the record without them.

    `recovering` says that an earlier attempt may have crashed: GitHub may need some seconds to show what it did.
    """
    while conversation.outbox:
        effect = conversation.outbox[0]
        app.checkpoint(f"decided {effect.does}")
        done = _Performance(app, place, conversation, recovering).do(effect)
        app.checkpoint(f"done {effect.does}")
        left = done.model_copy(update={"outbox": done.outbox[1:], "version": conversation.version + 1})
        if isinstance(effect, effects.StartRun) and left.given is None:
            left = left.model_copy(update={"outbox": _without_start(left.outbox)})
        if isinstance(effect, effects.StartRevision) and left.revision is None:
            left = left.model_copy(update={"outbox": _without_start(left.outbox)})
        if isinstance(effect, effects.StartMentioned) and left.state is not conversation.state:
            left = left.model_copy(update={"outbox": _without_start(left.outbox)})
        conversation = store(app, left)
        app.checkpoint(f"noted {effect.does}")
        recovering = False
    return conversation


def _without_start(outbox: tuple[effects.Effect, ...]) -> tuple[effects.Effect, ...]:
    """What is left to do when a run could not be started: not its rocket, and nobody is told that it was."""
    return tuple(effect for effect in outbox if not _tells_of_a_start(effect))


def _tells_of_a_start(effect: effects.Effect) -> bool:
    match effect:
        case effects.React():
            return effect.reaction is effects.Reaction.ROCKET
        case effects.PostNotice():
            notice = effect.notice
            is_mention = isinstance(notice, effects.MentionAnswered) and notice.how == "started"
            return is_mention or isinstance(notice, effects.RevisionStarted)
        case _:
            return False


def _revision(record: Conversation) -> str:
    """The input `revise`: empty unless a pull request is to be changed again."""
    if record.revision is None or record.pull_request is None:
        return ""
    pull_request = record.pull_request
    return Revision(
        pull_request=pull_request.number,
        base_commit=pull_request.base_commit,
        asked=record.revision.asked,
    ).model_dump_json(exclude_none=True)


@dataclass(frozen=True)
class _Performance:
    """One effect on one conversation."""

    app: App
    place: Place
    conversation: Conversation
    recovering: bool

    def do(self, effect: effects.Effect) -> Conversation:
        """Do it unless it is done, and return what the record knows then."""
        match effect:
            case effects.PostQuestion():
                return self._post_question(effect)
            case effects.EditQuestion():
                return self._edit_question(effect)
            case effects.PostNotice():
                return self._post_notice(effect)
            case effects.StartRun():
                return self._start_run(effect)
            case effects.StartRevision():
                return self._start_revision(effect)
            case effects.StartMentioned():
                return self._start_mentioned(effect)
            case effects.Publish():
                return self._publish(effect)
            case _:
                self._do_again_safely(effect)
                return self.conversation

    def _do_again_safely(
        self,
        effect: effects.React
        | effects.CancelRun
        | effects.Label
        | effects.Unlabel
        | effects.SetTimer
        | effects.CancelTimer,
    ) -> None:
        """Effects that are the same twice as once: nothing has to be looked for."""
        app, place = self.app, self.place
        app.checkpoint(f"looked for {effect.does}")
        try:
            match effect:
                case effects.React():
                    app.issues.react(place, effect.comment_id, effect.reaction)
                case effects.CancelRun():
                    app.workflows.cancel(place.repository, effect.run_id)
                case effects.Label():
                    app.issues.add_label(place, effect.label)
                case effects.Unlabel():
                    app.issues.remove_label(place, effect.label)
                case effects.SetTimer():
                    app.timers.set(place, effect.name, effect.question_id, effect.at)
                case effects.CancelTimer():
                    app.timers.cancel(place, effect.name, effect.question_id)
                case _:
                    assert_never(effect)
        except GitHubRefused as refusal:
            # The comment is gone, the issue is locked: a receipt or a label is not worth the conversation.
            _log.warning(
                "left out %s on %s#%s: %s", effect.does, place.repository.full_name, place.issue, refusal
            )

    def _post_question(self, effect: effects.PostQuestion) -> Conversation:
        asked = self.conversation.question
        message = question_comment(self.conversation)
        if asked is None or message is None or asked.question.id != effect.question_id:
            return self.conversation
        comment_id = self._post_once(self._question_key(), message, self.conversation.question_on)
        return self.conversation.model_copy(update={"question_comment_id": comment_id})

    def _post_notice(self, effect: effects.PostNotice) -> Conversation:
        message = notice_comment(self.conversation, effect.notice, self.place.repository.full_name)
        pull_request = self.conversation.pull_request
        self._post_once(
            effect.key, message, pull_request.number if pull_request and effect.on_pull_request else None
        )
        return self.conversation

    def _publish(self, effect: effects.Publish) -> Conversation:
        """Make commit and pull request once, and decide what follows from how that went."""
        app = self.app
        publishing = Publishing(
            app.artifacts, app.publisher, app.pull_requests, app.surface, app.markers,
            lambda: app.checkpoint(f"looked for {effect.does}"), app.checks_wait,
        )  # fmt: skip
        if self.recovering:
            app.clock.sleep(_RECOVERY_WAIT)
        return decide(self.conversation, publishing.publish(self.place, self.conversation, effect))

    def _post_once(self, key: str, message: Message, number: int | None = None) -> int | None:
        """Post a comment unless one of ours with the same key is there; its id, or None where GitHub forbids it.

        `number` is the pull request to post it on; None stands for the issue.
        """
        place = Place(self.place.repository, number or self.place.issue)
        message = dataclasses.replace(message, issue=place.issue)
        there = self._find_comment(key, place)
        self.app.checkpoint(f"looked for {self.conversation.outbox[0].does}")
        if there is not None:
            return there.id
        try:
            return self.app.issues.post(place, self._with_marker(key, message))
        except GitHubRefused as refusal:
            _log.warning("could not comment on %s#%s: %s", place.repository.full_name, place.issue, refusal)
            return None

    def _edit_question(self, effect: effects.EditQuestion) -> Conversation:
        message = question_comment(self.conversation)
        comment_id = self.conversation.question_comment_id
        self.app.checkpoint(f"looked for {effect.does}")
        if message is None or comment_id is None:
            return self.conversation
        message = dataclasses.replace(message, issue=self.conversation.question_on or self.place.issue)
        try:
            self.app.issues.edit(self.place, comment_id, self._with_marker(self._question_key(), message))
        except GitHubRefused as refusal:
            _log.warning("could not edit comment %s: %s", comment_id, refusal)
        return self.conversation

    def _start_run(self, effect: effects.StartRun) -> Conversation:
        """Dispatch the workflow once for one reply, and note the run's id, the most trusted link there is."""
        given = self.conversation.given
        if given is None or given.answer.comment_id != effect.comment_id:
            return self.conversation
        place = self.place
        nonce = run_nonce(
            self.app.secret, place.repository.id, place.issue, effect.question_id, effect.comment_id
        )
        try:
            run_id = self._run_once(nonce, effect)
        except GitHubRefused as refusal:
            return self._refused(effect, refusal)
        return self.conversation.model_copy(
            update={
                "given": given.model_copy(update={"run_id": run_id, "nonce": nonce}),
                "runs": (*self.conversation.runs, *([run_id] if run_id is not None else [])),
                "starts": self.conversation.starts + 1,
            }
        )

    def _start_revision(self, effect: effects.StartRevision) -> Conversation:
        """Dispatch the workflow once for one review or comment that asks for changes."""
        revision = self.conversation.revision
        if revision is None or revision.source != effect.source:
            return self.conversation
        source_id = revision.asked.review_id or revision.asked.comment_id or 0
        nonce = run_nonce(
            self.app.secret, self.place.repository.id, self.place.issue, effect.source, source_id
        )
        try:
            run_id = self._run_once(nonce, effect)
        except GitHubRefused as refusal:
            return decide(self.conversation, RevisionRefused(effect.source, refusal.status, refusal.message))
        return self.conversation.model_copy(
            update={
                "revision": revision.model_copy(update={"run_id": run_id, "nonce": nonce}),
                "runs": (*self.conversation.runs, *([run_id] if run_id is not None else [])),
            }
        )

    def _start_mentioned(self, effect: effects.StartMentioned) -> Conversation:
        """Dispatch the workflow once for one comment that starts a conversation."""
        mention = self.conversation.mention
        if mention is None or mention.comment_id != effect.comment_id:
            return self.conversation
        nonce = run_nonce(
            self.app.secret, self.place.repository.id, self.place.issue, "mention", effect.comment_id
        )
        try:
            run_id = self._run_once(nonce, effect)
        except GitHubRefused as refusal:
            refused = MentionNotStarted(effect.comment_id, refusal.status, refusal.message)
            return decide(self.conversation, refused)
        return self.conversation.model_copy(
            update={
                "mention": mention.model_copy(update={"run_id": run_id, "nonce": nonce}),
                "runs": (*self.conversation.runs, *([run_id] if run_id is not None else [])),
            }
        )

    def _run_once(
        self, nonce: str, effect: effects.StartRun | effects.StartRevision | effects.StartMentioned
    ) -> int | None:
        """The run that carries a nonce, started unless it is there; None where GitHub does not tell its id.

        Raises:
            GitHubRefused: GitHub starts none.
        """
        run_name = f"askfirst #{self.place.issue} {nonce}"
        run_id = self._find_run(run_name, looks=_LOOKS if self.recovering else 1)
        self.app.checkpoint(f"looked for {effect.does}")
        if run_id is None:
            run_id = self.app.workflows.dispatch(self.place.repository, self._inputs(nonce))
            run_id = run_id or self._find_run(run_name, looks=_LOOKS)
        return run_id

    def _refused(self, effect: effects.StartRun, refusal: GitHubRefused) -> Conversation:
        """GitHub starts no run: the conversation goes back to its question, and says so."""
        event = StartRefused(
            effect.question_id, effect.comment_id, refusal.status, refusal.message, self.app.clock.now()
        )
        return decide(self.conversation, event)

    def _find_run(self, run_name: str, *, looks: int) -> int | None:
        for look in range(looks):
            if look:
                self.app.clock.sleep(_RECOVERY_WAIT)
            found = self.app.workflows.find(self.place.repository, run_name)
            if found is not None:
                return found.id
        return None

    def _inputs(self, nonce: str) -> dict[str, str]:
        """The inputs of the workflow: ids, hashes and a nonce; free text stays on GitHub, to be fetched by the run."""
        record = self.conversation
        answers = Answers(answers=(*record.answers, *given_answer(record)))
        inputs = {
            "issue": str(record.issue),
            "nonce": nonce,
            "ticket_sha256": record.ticket_sha256 or "",
            "commit": record.commit or "",
            "answers": json.dumps(answers.model_dump(mode="json", exclude_none=True), separators=(",", ":")),
            "memo_run_id": str(record.memo.run_id) if record.memo else "",
            "memo_sha256": record.memo.sha256 if record.memo else "",
            "revise": _revision(record),
        }
        if sum(len(key) + len(value) for key, value in inputs.items()) > MAX_INPUTS:
            raise GitHubRefused(422, "the answers of this conversation are too long for one run")
        return inputs

    def _find_comment(self, key: str, place: Place) -> Comment | None:
        """Our comment with this key, about this very issue."""
        if self.recovering:
            self.app.clock.sleep(_RECOVERY_WAIT)
        ours = self.app.markers.ours(
            self.app.issues.comments(place), repository_id=self.place.repository.id, issue=self.place.issue
        )
        return next((comment for comment, said in ours if said.key == key), None)

    def _question_key(self) -> str:
        asked, run = self.conversation.question, self.conversation.asked_in
        question_id = asked.question.id if asked else "none"
        return f"question:{question_id}:{run.run_id}.{run.attempt}" if run else f"question:{question_id}"

    def _with_marker(self, key: str, message: Message) -> str:
        marker = self.app.markers.line(key, self.conversation, with_record=True)
        return f"{self.app.surface.render(message)}\n\n{marker}"
