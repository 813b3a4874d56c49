"""The base of every contract model, which tolerates fields that a later version adds, and the hashes on which both programs agree."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

CommitSha = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]
"""A full git commit id. Forty zeros mean: the directory is not under version control (local runs only)."""

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 in lower-case hexadecimal."""

NonEmpty = Annotated[str, StringConstraints(min_length=1)]

NO_COMMIT: CommitSha = "0" * 40


class WireModel(BaseModel):
    """A value that crosses the border between the two programs."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)


class Location(WireModel):
    """Lines of a file in the repository. Lines count from 1; both ends belong to it."""

    path: NonEmpty
    start_line: int
    end_line: int


class RunIdentity(WireModel):
    """Which run speaks, about which ticket, on which commit.

    `repository` (`owner/name`) and `issue` are null for a run from a file; `nonce` is null unless the App dispatched
    the run. The App never takes identity from here: it compares this with its own record.
    """

    repository: str | None
    issue: int | None
    commit: CommitSha
    run_id: NonEmpty
    attempt: int = 1
    nonce: str | None = None
    ticket_sha256: Sha256


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
