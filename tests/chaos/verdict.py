"""What came of it: how many deliveries and conversations were lost, handled twice, or handled at the same time."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

_CLOCK = 0.005
"""Seconds by which the two ends of a try may be off: its length is in whole milliseconds."""


@dataclass(frozen=True)
class Try:
    """One try of a delivery by a worker that lived to its end. Times in seconds of the epoch."""

    conversation: str
    delivery: str
    outcome: str
    began: float
    ended: float


@dataclass(frozen=True)
class ConversationEnd:
    """What GitHub shows of one conversation: how many comments of the App, and its runs as (event, exit code)."""

    conversation: str
    comments: int
    runs: Sequence[tuple[str, int | None]]
    labels: frozenset[str]


@dataclass(frozen=True)
class Verdict:
    """What is wrong, one line each. All empty is what is wished."""

    lost: tuple[str, ...]
    doubled: tuple[str, ...]
    overlapping: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong."""
        return not (self.lost or self.doubled or self.overlapping)


def tries(lines: Iterable[str]) -> list[Try]:
    """The tries that a log of JSON lines tells of. Lines of other kinds, and those that a kill cut off, are passed over."""
    read = []
    for line in lines:
        try:
            document = json.loads(line)
        except ValueError:
            continue
        if not isinstance(document, Mapping) or "ms" not in document:
            continue
        conversation = document["message"].rpartition(": ")[0].rpartition(" of ")[2]
        ended = datetime.fromisoformat(document["time"]).timestamp()
        began = ended - document["ms"] / 1000
        read.append(Try(conversation, document["delivery"], document["outcome"], began, ended))
    return read


def judge(
    ends: Sequence[ConversationEnd],
    expected: ConversationEnd,
    accepted: Mapping[str, str],
    log: Sequence[Try],
) -> Verdict:
    """Compare each conversation with an undisturbed one, and the log with what was accepted.

    Args:
        ends: every conversation at its end.
        expected: one that nothing disturbed.
        accepted: the ids of all deliveries that are the App's to handle, and what each was.
        log: all tries of all machines.
    """
    lost: list[str] = []
    doubled: list[str] = []
    for end in ends:
        for kind, count, wanted in (
            ("comments of the App", end.comments, expected.comments),
            ("runs", len(end.runs), len(expected.runs)),
        ):
            if count != wanted:
                problems = lost if count < wanted else doubled
                problems.append(f"{end.conversation}: {count} {kind}, expected {wanted}")
        if end.labels != expected.labels or set(end.runs) != set(expected.runs):
            lost.append(f"{end.conversation}: ends with {sorted(end.labels)} and runs {list(end.runs)}")
    done = {attempt.delivery for attempt in log if attempt.outcome == "done"}
    lost += [
        f"delivery {guid} ({kind}) was never done" for guid, kind in accepted.items() if guid not in done
    ]
    return Verdict(tuple(lost), tuple(doubled), tuple(_overlaps(log)))


def _overlaps(log: Sequence[Try]) -> Iterable[str]:
    """Tries that began before an earlier one in the same conversation had ended."""
    by_conversation: dict[str, list[Try]] = defaultdict(list)
    for attempt in log:
        by_conversation[attempt.conversation].append(attempt)
    for conversation, its_tries in by_conversation.items():
        its_tries.sort(key=lambda attempt: (attempt.began, attempt.ended))
        latest = its_tries[0]
        for later in its_tries[1:]:
            if (seconds := latest.ended - later.began) > _CLOCK:
                yield f"{conversation}: {later.delivery} began {seconds:.3f} s before {latest.delivery} ended"
            latest = max(latest, later, key=lambda attempt: attempt.ended)
