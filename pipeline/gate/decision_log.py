"""`gate.jsonl` of a run: each decision of the gate, with its time, its conversation and the commit it was taken on."""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from pydantic import JsonValue, TypeAdapter

from pipeline.contract.wire import RunIdentity, Sha256
from pipeline.domain.models import ClosedModel
from pipeline.run_record.line_file import LineFile
from pipeline.run_record.redaction import Redactor

LOG_FILE = "gate.jsonl"
"""Its name in a run directory."""

LONGEST_TARGET = 200
"""Characters of a call's path or command that the log keeps."""


class GateLogEntry(ClosedModel):
    """What the gate decided about a call, whose arguments stand there as a hash: a file's content is no business of a log.

    `verdict` is that of `decided_by`, where a person was needed. `result` is what a call that writes makes of its file: an approval holds for this content.
    """

    stage: str
    agent: str
    tool: str
    arguments_sha256: Sha256
    target: str
    tier: str
    rule: str | None
    why: str
    verdict: str | None = None
    decided_by: str | None = None
    result: str | None = None


class LoggedDecision(GateLogEntry):
    """A decision as a line of the file has it. All runs about one issue are one conversation."""

    time: datetime
    conversation: str
    commit: str


def canonical_call(tool: str, arguments: Mapping[str, JsonValue]) -> str:
    """A call as text, equal for equal calls."""
    return f"{tool} {json.dumps(dict(arguments), sort_keys=True, separators=(',', ':'))}"


def call_sha256(tool: str, arguments: Mapping[str, JsonValue]) -> str:
    """Hash of a call."""
    return hashlib.sha256(canonical_call(tool, arguments).encode("utf-8", "surrogatepass")).hexdigest()


class GateLog(LineFile[GateLogEntry]):
    """The decisions of one run."""

    def __init__(self, directory: Path, redactor: Redactor, identity: RunIdentity) -> None:
        """Name the run's directory, and the run whose decisions are added."""
        super().__init__(directory / LOG_FILE, TypeAdapter(LoggedDecision), redactor)
        self._about = {"conversation": conversation_of(identity), "commit": identity.commit}

    def append(self, line: GateLogEntry) -> None:
        """Write a decision at once, with when and about what it was taken.

        Raises:
            RunDirectoryUnusable: the disk refuses.
        """
        fields = line.model_dump() | {"time": datetime.now(UTC)} | self._about
        super().append(LoggedDecision.model_validate(fields))


def decisions_in(directory: Path) -> tuple[LoggedDecision, ...]:
    """The decisions of one run; none where no agent called anything.

    Raises:
        RunDirectoryUnusable: a line is no decision.
    """
    return LineFile(directory / LOG_FILE, TypeAdapter(LoggedDecision), Redactor.from_environment({})).read()


def conversation_of(identity: RunIdentity) -> str:
    """One name for all runs about an issue; about the same text where it is no issue of GitHub."""
    if identity.repository is None or identity.issue is None:
        return f"ticket {identity.ticket_sha256[:12]}"
    return f"{identity.repository}#{identity.issue}"
