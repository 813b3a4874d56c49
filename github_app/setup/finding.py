"""What a check has found: one line for people, one document for machines."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class SetupVerdict(StrEnum):
    """What a finding means. `NO_ANSWER`: GitHub or a surface could not say, which is no reason not to start."""

    FINE = "fine"
    WRONG = "wrong"
    NO_ANSWER = "unknown"


@dataclass(frozen=True)
class SetupFinding:
    """One thing that was looked at. `what_to_do` is said where something is wrong."""

    verdict: SetupVerdict
    subject: str
    what_to_do: str = ""

    def __str__(self) -> str:
        advice = f"\n         {self.what_to_do}" if self.what_to_do else ""
        return f"{self.verdict.value:8} {self.subject}{advice}"


def as_document(finding: SetupFinding) -> dict[str, Any]:
    """A finding for a machine."""
    return {"verdict": finding.verdict.value, "what": finding.subject, "what_to_do": finding.what_to_do}
