"""The store of conversations, counting what it sees change: questions, answers, runs."""

import threading
from collections import OrderedDict
from datetime import UTC, datetime, timedelta

from github_app.conversation.record import Conversation
from github_app.conversation.states import EXPIRY_DAYS
from github_app.counting import ANSWER_SECONDS, QUESTIONS, RUNS, Counts
from github_app.storage.conversations import StoredConversations

_MOST_RECORDS = 1000


class ObservedConversations(StoredConversations):
    """`StoredConversations` of a process that counts."""

    def __init__(self, database_url: str, counts: Counts) -> None:
        super().__init__(database_url)
        self._counts = counts
        self._lock = threading.Lock()
        self._seen: OrderedDict[tuple[int, int], Conversation] = OrderedDict()

    def get(self, repository_id: int, issue: int) -> Conversation | None:
        """The record of one conversation, or None."""
        record = super().get(repository_id, issue)
        if record is not None:
            self._keep(record)
        return record

    def put(self, conversation: Conversation) -> bool:
        """Store a record if the stored one has exactly the version before; False when somebody else was faster."""
        is_stored = super().put(conversation)
        if is_stored:
            before = self._keep(conversation)
            # Of a record that was never read nobody knows what is new in it: it may have been built again.
            if before is not None:
                count_changes(self._counts, before, conversation, datetime.now(UTC))
        return is_stored

    def _keep(self, conversation: Conversation) -> Conversation | None:
        """Keep a record as the newest, and return the one before."""
        key = (conversation.repository_id, conversation.issue)
        with self._lock:
            before = self._seen.pop(key, None)
            self._seen[key] = conversation
            if len(self._seen) > _MOST_RECORDS:
                self._seen.popitem(last=False)
        return before


def count_changes(counts: Counts, old: Conversation, after: Conversation, now: datetime) -> None:
    """Count what lies between two versions of a record."""
    if after.rounds > old.rounds:
        counts.add(QUESTIONS, became="asked")
    was_answered = old.given.answer.comment_id if old.given else None
    if after.given is not None and after.given.answer.comment_id != was_answered:
        counts.add(QUESTIONS, became="defaulted" if after.given.by_default else "answered")
        if after.expires_at is not None:
            asked_at = after.expires_at - timedelta(days=EXPIRY_DAYS)
            counts.observe(ANSWER_SECONDS, max(0.0, (now - asked_at).total_seconds()))
    if after.ended is not None and after.ended.how == "expired" and old.ended != after.ended:
        counts.add(QUESTIONS, became="expired")
    if len(after.runs) > len(old.runs):
        counts.add(RUNS, float(len(after.runs) - len(old.runs)), what="started")
    if after.last_run is not None and after.last_run != old.last_run:
        counts.add(RUNS, what="ended")
