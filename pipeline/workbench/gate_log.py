"""`gate.jsonl` of a run: each decision with its time, its conversation and the commit it was taken on."""

from datetime import UTC, datetime
from pathlib import Path

from pydantic import TypeAdapter

from pipeline.agents.transcript import GateLogEntry
from pipeline.contract.wire import RunIdentity
from pipeline.run_record.line_file import LineFile
from pipeline.run_record.redaction import Redactor


class GateLog(LineFile[GateLogEntry]):
    """The decisions of one run. All runs about an issue are one conversation."""

    def __init__(self, path: Path, redactor: Redactor, identity: RunIdentity) -> None:
        """Name the file, and the run whose decisions are added to it."""
        super().__init__(path, TypeAdapter(GateLogEntry), redactor)
        self._identity = identity

    def append(self, line: GateLogEntry) -> None:
        """Write a decision at once, with when and about what it was taken.

        Raises:
            RunDirectoryUnusable: the disk refuses.
        """
        about = {"conversation": conversation_of(self._identity), "commit": self._identity.commit}
        super().append(line.model_copy(update={"time": datetime.now(UTC), **about}))


def conversation_of(identity: RunIdentity) -> str:
    """One name for all runs about an issue; about the same text where it is no issue of GitHub."""
    if identity.repository is None or identity.issue is None:
        return f"ticket {identity.ticket_sha256[:12]}"
    return f"{identity.repository}#{identity.issue}"
