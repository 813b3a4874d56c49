"""What is to be done to the code, in one word."""

from enum import StrEnum

from pipeline.domain.issue import IssueKind


class Operation(StrEnum):
    """What is to be done."""

    ADD = "add"
    CHANGE = "change"
    FIX = "fix"


def operation_of(kind: IssueKind) -> Operation:
    """The operation that the kind of an issue implies: a bug is fixed, a feature is added, all else is a change."""
    match kind:
        case IssueKind.BUG:
            return Operation.FIX
        case IssueKind.FEATURE:
            return Operation.ADD
        case IssueKind.OTHER | IssueKind.UNSURE:
            return Operation.CHANGE
