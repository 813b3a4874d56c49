"""Counts of what happens, kept in the process and written to the store now and then; and their text for Prometheus."""

import threading
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from github_app.conversation.record import Conversation
from github_app.conversation.states import EXPIRY_DAYS

DELIVERIES = "askfirst_deliveries_total"
ACCEPTED_DELIVERIES = "askfirst_deliveries_accepted_total"
REJECTED_SIGNATURES = "askfirst_signatures_rejected_total"
QUESTIONS = "askfirst_questions_total"
ANSWER_SECONDS = "askfirst_answer_seconds"
RUNS = "askfirst_runs_total"
DOLLARS = "askfirst_dollars_total"

_HELP = {
    ACCEPTED_DELIVERIES: ("counter", "Deliveries that were stored, by event."),
    DELIVERIES: ("counter", "Tries of deliveries that have ended, by event and outcome."),
    REJECTED_SIGNATURES: ("counter", "Requests whose signature was missing or wrong."),
    QUESTIONS: ("counter", "Questions, by what became of them: asked, answered, defaulted, expired."),
    ANSWER_SECONDS: ("histogram", "Seconds from a question to its answer."),
    RUNS: ("counter", "Runs of the pipeline: started by the App, and ended."),
    DOLLARS: ("counter", "Dollars that runs have cost, as they told when they ended."),
    "askfirst_conversations": ("gauge", "Conversations by state."),
    "askfirst_deliveries": ("gauge", "Rows of deliveries in the store, by status."),
    "askfirst_queue_age_seconds": ("gauge", "Seconds for which the oldest delivery has been due."),
    "askfirst_worker_age_seconds": ("gauge", "Seconds since the worker's last sign of life."),
    "askfirst_github_age_seconds": ("gauge", "Seconds since the last answer of GitHub."),
    "askfirst_ready": ("gauge", "1 if /readyz answers 200."),
}

_HOUR = 3600.0
_BUCKETS = (60.0, 600.0, _HOUR, 4 * _HOUR, 24 * _HOUR, 72 * _HOUR, 336 * _HOUR)
_FLUSH_SECONDS = 5.0


def series_name(name: str, **labels: str) -> str:
    """A series: `name{event="issues"}`. Labels are words of our own or GitHub's names, never what people write."""
    if not labels:
        return name
    pairs = (
        f'{key}="{"".join(c for c in value if c.isalnum() or c in "_.-")}"' for key, value in labels.items()
    )
    return f"{name}{{{','.join(pairs)}}}"


class Counts:
    """Counts since the last time they were drained. May be used by several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: dict[str, float] = {}

    def add(self, name: str, value: float = 1.0, /, **labels: str) -> None:
        """Count something."""
        series = series_name(name, **labels)
        with self._lock:
            self._values[series] = self._values.get(series, 0.0) + value

    def observe(self, name: str, value: float) -> None:
        """Count a value of a histogram."""
        for bucket in (*_BUCKETS, float("inf")):
            if value <= bucket:
                bound = "+Inf" if bucket == float("inf") else f"{bucket:g}"
                with self._lock:
                    series = f'{name}_bucket{{le="{bound}"}}'
                    self._values[series] = self._values.get(series, 0.0) + 1
        self.add(f"{name}_sum", value)
        self.add(f"{name}_count")

    def drain(self) -> dict[str, float]:
        """Return the counts, and begin anew."""
        with self._lock:
            values, self._values = self._values, {}
        return values

    def write(self, store: Callable[[Mapping[str, float]], None]) -> None:
        """Hand what was counted to a store; what it does not take is counted again."""
        values = self.drain()
        if not values:
            return
        is_written = False
        try:
            store(values)
            is_written = True
        finally:
            if not is_written:
                with self._lock:
                    for series, value in values.items():
                        self._values[series] = self._values.get(series, 0.0) + value


class Flusher:
    """A thread that calls something every few seconds, from the first thing on that happens in a process.

    It begins after the fork of a web server, because threads do not survive one.
    """

    def __init__(self, flush: Callable[[], None]) -> None:
        self._flush = flush
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Begin, unless it has."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="flush", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            time.sleep(_FLUSH_SECONDS)
            self._flush()


def exposition(series: Mapping[str, float]) -> str:
    """The text that Prometheus reads, each family under its HELP and TYPE."""
    families: dict[str, list[str]] = {}
    for name, value in series.items():
        base = name.partition("{")[0]
        family = next(
            (f for f in _HELP if base == f or base in {f"{f}_bucket", f"{f}_sum", f"{f}_count"}), base
        )
        families.setdefault(family, []).append(f"{name} {value:g}" if value < 1e6 else f"{name} {value:.3f}")
    lines = []
    for family, (kind, text) in _HELP.items():
        if family in families:
            lines += [f"# HELP {family} {text}", f"# TYPE {family} {kind}", *families[family]]
    return "\n".join(lines) + "\n"


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
