"""Carry effects out, at most once: look first whether it is done, do it, write down that it is done.

The record holds what was decided and is not done yet (its outbox). A process that crashes between any two lines of this module
leaves a record from which the next one goes on; and what the crash hid, because it came between the deed and the note,
is found on GitHub by its marker or its nonce.
"""

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar, assert_never

from github_app.app import App
from github_app.conversation import effects
from github_app.conversation.decide import decide
from github_app.conversation.event import ConversationEvent
from github_app.conversation.marker import run_nonce
from github_app.conversation.own_comments import comment_of
from github_app.conversation.record import Conversation, RunReference
from github_app.conversation.starting import StartPostponed, StartRefused, rerun_refused
from github_app.ports.github import AccessWithheld, GitHubRefused, GitHubUnavailable, NotYet, Place
from github_app.publishing import publish
from pipeline.contract.answers import Answers
from pipeline.contract.revision import Revision

_log = logging.getLogger(__name__)

EFFECTS = tuple(effect.model_fields["does"].default for effect in effects.Effect.__args__)
BOUNDARIES = tuple(
    f"{when} {name}" for name in EFFECTS for when in ("decided", "looked for", "done", "noted")
)
"""Every point at which a crash may come: after an effect was decided, after looking whether it is done, after doing it,
and after writing down that it is done. `App.checkpoint` is called with each of these names when it is passed."""

_LOOK_EVERY = 5.0
MAX_INPUTS = 65_000
"""GitHub takes 65,535 characters of `workflow_dispatch` inputs in all."""

Sending = TypeVar("Sending")


class VersionConflict(GitHubUnavailable):
    """Another worker changed the record meanwhile: do the whole delivery again."""


def store(app: App, conversation: Conversation, before: Conversation | None = None) -> Conversation:
    """Store a record that was just decided, and tell what lies between it and the one before, if anything does.

    Raises:
        VersionConflict: the record was changed meanwhile.
    """
    if not app.conversations.put(conversation):
        raise VersionConflict("the conversation was changed meanwhile", retry_after=1.0)
    if before is not None and app.on_change is not None:
        app.on_change(before, conversation)
    return conversation


# A crash, by example. The outbox is [PostQuestion, AddLabel], and GitHub's list of comments may lag by `lags.comment` seconds.
#
#   1  the record is stored with `sent`                a crash here: nothing is on GitHub
#   2  the comment is posted                           a crash here: it is there, and no record says so
#   3  the record is stored with the comment's id, without PostQuestion and without `sent`
#
# Who comes next after a crash finds `sent` and cannot know whether it was 1 or 2. So it waits until GitHub must show the comment,
# looks for its marker, and posts only if none is there. Adding a label twice is the same as once: it takes none of this.


def apply_event(app: App, place: Place, record: Conversation, event: ConversationEvent) -> Conversation:
    """Decide, store the decision with its effects, then carry them out."""
    after = _after(record, event)
    return record if after is record else run_outbox(app, place, store(app, after, record))


def run_outbox(app: App, place: Place, conversation: Conversation) -> Conversation:
    """Carry out all effects in the outbox, oldest first, and return the record without them.

    An effect that must be looked for is noted as sent before it is: who finds such a note does not know whether GitHub
    has it, gives GitHub some seconds to show it, and only then looks and sends. What an effect brings about is an event like
    every other, and is stored together with the effect being done.
    """
    while conversation.outbox:
        effect = conversation.outbox[0]
        app.checkpoint(f"decided {effect.does}")
        performance = _Performance(app, place, conversation)
        outcome = performance.do(effect)
        app.checkpoint(f"done {effect.does}")
        after = _after(performance.conversation, outcome)
        outbox = after.outbox[1:]
        if isinstance(outcome, ConversationEvent) and outcome.refuses_start:
            outbox = tuple(later for later in outbox if not _tells_of_a_start(later))
        version = performance.conversation.version + 1
        remaining = after.model_copy(update={"outbox": outbox, "version": version, "sent": None})
        conversation = store(app, remaining, performance.conversation)
        app.checkpoint(f"noted {effect.does}")
    return conversation


def _after(conversation: Conversation, outcome: Conversation | ConversationEvent) -> Conversation:
    """The record after what an effect brought about, or after an event from outside."""
    return decide(conversation, outcome) if isinstance(outcome, ConversationEvent) else outcome


def _tells_of_a_start(effect: effects.Effect) -> bool:
    """Whether an effect makes sense only behind a run that was started."""
    match effect:
        case effects.React():
            return effect.reaction is effects.ReactionName.ROCKET
        case effects.PostNotice():
            return effect.announces_run
        case _:
            return False


@dataclass
class _Performance:
    """One effect on one conversation. `conversation` is the stored record, which sending changes."""

    app: App
    place: Place
    conversation: Conversation

    def do(self, effect: effects.Effect) -> Conversation | ConversationEvent:
        """Do it unless it is done, and return what the record knows then, or what has happened."""
        match effect:
            case (
                effects.PostQuestion()
                | effects.EditQuestion()
                | effects.PostNotice()
                | effects.ShowProgress()
            ):
                return self._comment(effect)
            case effects.StartRun():
                return self._start_run(effect)
            case effects.Publish():
                return self._publish(effect)
            case effects.RerunRun():
                return self._rerun(effect)
            case _:
                self._do_again_safely(effect)
                return self.conversation

    def _do_again_safely(
        self,
        effect: effects.React
        | effects.CancelRun
        | effects.AddLabel
        | effects.RemoveLabel
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
                case effects.AddLabel():
                    app.issues.add_label(place, effect.label)
                case effects.RemoveLabel():
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

    def _comment(
        self, effect: effects.PostQuestion | effects.EditQuestion | effects.PostNotice | effects.ShowProgress
    ) -> Conversation:
        """Post a comment once, or edit the one that is there. One that somebody has deleted is not posted again."""
        app, comment = self.app, comment_of(self.conversation, effect, self.place.repository.full_name)
        is_edit = isinstance(effect, effects.EditQuestion)
        if comment is None or (is_edit and comment.id is None):
            return self.conversation
        place = Place(self.place.repository, comment.number)
        comment_id = comment.id if comment.id is not None else self._find_comment(comment.key, place)
        app.checkpoint(f"looked for {effect.does}")
        marker = app.markers.line(comment.key, self.conversation, with_record=True)
        body = f"{app.surface.render(comment.message)}\n\n{marker}"
        try:
            if comment_id is None:
                comment_id = self._send(lambda: app.issues.post(place, body))
            elif is_edit or isinstance(effect, effects.ShowProgress):
                app.issues.edit(place, comment_id, body)
        except GitHubRefused as refusal:
            _log.warning("could not comment on %s#%s: %s", place.repository.full_name, place.issue, refusal)
        match effect:
            case effects.ShowProgress():
                return self.conversation.model_copy(update={"progress_comment_id": comment_id})
            case effects.PostNotice():
                return self.conversation
            case _:
                return self._announce(
                    self.conversation.model_copy(update={"question_comment_id": comment_id})
                )

    def post_once(self, key: str, body: str) -> int:
        """Post a comment unless one of ours with the same key is there; its id.

        Raises:
            GitHubRefused: GitHub forbids it.
        """
        comment_id = self._find_comment(key, self.place)
        return (
            self._send(lambda: self.app.issues.post(self.place, body)) if comment_id is None else comment_id
        )

    def _publish(self, effect: effects.Publish) -> ConversationEvent:
        """Make commit and pull request once, and say how that went."""
        self._let_github_show(self.app.lags.comment)
        self._note(self.app.clock.now())
        return publish(self.app, self.place, self.conversation, effect)

    def _send(self, send: Callable[[], Sending]) -> Sending:
        """Note that GitHub may have the effect from now on, and send it. Where GitHub says no, the note is taken back."""
        self._note(self.app.clock.now())
        try:
            return send()
        except (NotYet, AccessWithheld):
            self._note(None)
            raise

    def _note(self, sent_at: datetime | None) -> None:
        update = {"sent": sent_at, "version": self.conversation.version + 1}
        self.conversation = store(self.app, self.conversation.model_copy(update=update))

    def _let_github_show(self, lag: float) -> None:
        """Wait until GitHub shows what an earlier attempt may have sent; at once where nothing was."""
        if (seconds_left := self._seconds_to_show(lag)) > 0:
            self.app.clock.sleep(seconds_left)

    def _seconds_to_show(self, lag: float) -> float:
        if (sent_at := self.conversation.sent) is None:
            return 0.0
        # The distance, not the difference: a clock that was put back must not make us wait for hours.
        return lag - abs((self.app.clock.now() - sent_at).total_seconds())

    def _announce(self, conversation: Conversation) -> Conversation:
        """The same record, when every surface is about to be told what its question says now."""
        if self.app.announcements is not None:
            self.app.announcements.question_changed(self.place, conversation)
        return conversation

    def _start_run(self, effect: effects.StartRun) -> Conversation | ConversationEvent:
        """Dispatch the workflow once for one cause, and note the run's id, the most trusted link there is."""
        cause = self.conversation.cause_of(effect)
        if cause is None:
            return self.conversation
        place = self.place
        nonce = run_nonce(self.app.secret, place.repository.id, place.issue, effect.about, effect.id)
        run_name = f"askfirst #{place.issue} {nonce}"
        try:
            run_id = self._sent_run(run_name)
            self.app.checkpoint(f"looked for {effect.does}")
            if run_id is None:
                if self.app.budget is not None and (day := self.app.budget.spent_day(place.repository)):
                    return StartPostponed(day)
                run_id = self._dispatch_run(run_name, nonce)
        except GitHubRefused as refusal:
            return StartRefused(effect, refusal.status, refusal.message, self.app.clock.now())
        return self.conversation.with_run(cause, run_id, nonce)

    def _dispatch_run(self, run_name: str, nonce: str) -> int | None:
        """The run that GitHub starts; None where it does not tell its id.

        Raises:
            GitHubRefused: GitHub starts none.
        """
        inputs = inputs_of(self.conversation, nonce)
        run_id = self._send(lambda: self.app.workflows.dispatch(self.place.repository, inputs))
        return run_id or self._find_run(run_name)

    def _rerun(self, effect: effects.RerunRun) -> Conversation | ConversationEvent:
        """Run a run again. Where GitHub refuses, it has ended without a result."""
        self.app.checkpoint(f"looked for {effect.does}")
        try:
            self.app.workflows.rerun(self.place.repository, effect.run_id, effect.attempt)
        except GitHubRefused as refusal:
            run = RunReference(run_id=effect.run_id, attempt=effect.attempt)
            why = f"GitHub does not run it again: {refusal.message}"
            return rerun_refused(self.conversation, run, why, self.app.clock.now())
        return self.conversation

    def _find_run(self, run_name: str) -> int | None:
        run = self.app.workflows.find(self.place.repository, run_name)
        return None if run is None else run.id

    def _sent_run(self, run_name: str) -> int | None:
        """The run that an earlier attempt has started, looked for until GitHub's list must show it."""
        while (run_id := self._find_run(run_name)) is None:
            if (seconds_left := self._seconds_to_show(self.app.lags.run)) <= 0:
                return None
            self.app.clock.sleep(min(seconds_left, _LOOK_EVERY))
        return run_id

    def _find_comment(self, key: str, place: Place) -> int | None:
        """The id of our comment with this key, about this very issue."""
        self._let_github_show(self.app.lags.comment)
        ours = self.app.markers.ours(
            self.app.issues.comments(place),
            repository_id=self.place.repository.id,
            issue=self.conversation.issue,
        )
        return next((comment.id for comment, pointer in ours if pointer.key == key), None)


def post_once(
    app: App, place: Place, conversation: Conversation, key: str, body: str
) -> tuple[Conversation, int]:
    """Post a comment that is no effect, unless one of ours with the same key is there: the stored record and the comment's id.

    Raises:
        GitHubRefused: GitHub forbids it.
    """
    performance = _Performance(app, place, conversation)
    comment_id = performance.post_once(key, body)
    return performance.conversation, comment_id


def inputs_of(record: Conversation, nonce: str) -> dict[str, str]:
    """The inputs of the workflow: ids, hashes and a nonce; free text stays on GitHub, to be fetched by the run.

    Raises:
        GitHubRefused: they are more than GitHub takes.
    """
    answers = Answers(answers=record.every_answer)
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


def _revision(record: Conversation) -> str:
    """The input `revise`: empty unless a pull request is to be changed again."""
    if record.revision is None or record.pull_request is None:
        return ""
    pull_request = record.pull_request
    return Revision(
        pull_request=pull_request.number,
        base_commit=pull_request.base_commit,
        asked=record.revision.asked,
        failed=record.revision.failed,
    ).model_dump_json(exclude_none=True)
