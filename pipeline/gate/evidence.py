"""Reads what the gate and people decided in a run, and in which conversation, from its directory."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from pipeline.contract.artifact import RUN_FILE
from pipeline.contract.run import RunRecord
from pipeline.gate.decision_log import LOG_FILE, GateLogEntry, conversation_of
from pipeline.gate.report import ObservedDecision
from pipeline.run_record.line_file import LineFile
from pipeline.run_record.redaction import Redactor


def decisions_in(directory: Path) -> Iterator[ObservedDecision]:
    """The decisions of one run; none where no agent called anything.

    Raises:
        RunDirectoryUnusable: a line of `gate.jsonl` is no decision.
    """
    lines = LineFile(directory / LOG_FILE, TypeAdapter(GateLogEntry), Redactor.from_environment({}))
    conversation = _conversation(directory)
    return (ObservedDecision(decision.conversation or conversation, decision) for decision in lines.read())


def _conversation(directory: Path) -> str:
    """One name for all runs about a ticket; the directory's own where the run did not get to know its ticket."""
    try:
        identity = RunRecord.model_validate_json((directory / RUN_FILE).read_bytes()).identity
    except (OSError, ValidationError):
        identity = None
    if identity is None:
        return str(directory.resolve())
    return conversation_of(identity)
