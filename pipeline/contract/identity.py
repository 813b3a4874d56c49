"""The hashes on which both programs must agree: of a ticket's text, of a question and of a review."""

import hashlib
import json
from collections.abc import Iterable, Mapping

from pipeline.contract.wire import Sha256


def ticket_sha256(title: str, body: str | None) -> Sha256:
    """Hash of a ticket's text: SHA-256 of UTF-8 `title + NUL + body`, a missing body counting as empty."""
    return hashlib.sha256(f"{title}\0{body or ''}".encode()).hexdigest()


def question_id(
    kind: str, slot: str, candidate_ids: Iterable[str], subject: Mapping[str, object] | None
) -> str:
    """Id of a question: equal for equal kind, slot, set of candidates and subject, whatever the order of candidates.

    The same ticket, commit and answers therefore give the same id, and no id is ever asked twice.
    """
    canonical = json.dumps(
        [kind, slot, sorted(candidate_ids), subject], sort_keys=True, separators=(",", ":")
    )
    return "q-" + hashlib.sha256(canonical.encode()).hexdigest()[:16]


def review_sha256(body: str | None, remarks: Iterable[tuple[int, str, str]]) -> Sha256:
    """Hash of all that a review says: its text and its remarks on lines, each as comment id, path and text."""
    canonical = json.dumps([body or "", sorted(remarks)], separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
