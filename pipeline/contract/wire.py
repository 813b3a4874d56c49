"""The base of every contract model: immutable, tolerant of fields that a later version adds."""

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
