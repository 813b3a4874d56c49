"""Why a pull request that an earlier run has made is changed again: words of others, never instructions."""

from pipeline.contract.wire import CommitSha
from pipeline.domain.models import FrozenModel

_MOST_WISHES = 20
_LONGEST_WISH = 300


class Remark(FrozenModel):
    """A reviewer's comment on one place of the change. `line` is None where GitHub no longer knows it."""

    path: str
    line: int | None
    text: str


class FailedCheck(FrozenModel):
    """A check that fails on the pull request and passes on its base. `log` is the part of its job's log that tells why."""

    name: str
    log: str


class WantedChanges(FrozenModel):
    """A review or a comment that asks for another change, or checks that the change broke.

    `base_commit` is the commit that the pull request was made from: the ticket, the configuration and the rules are read
    there, and nothing but the files to change is taken from the head of the pull request. `asked_by` is None where no
    person asks: then there are `failed_checks`.
    """

    pull_request: int
    base_commit: CommitSha
    asked_by: str | None = None
    text: str = ""
    remarks: tuple[Remark, ...] = ()
    failed_checks: tuple[FailedCheck, ...] = ()

    @property
    def in_words(self) -> str:
        """All of it as one text, each remark with its place and each log with its check."""
        places = [f"{_place(remark)}: {remark.text.strip()}" for remark in self.remarks]
        logs = [f"check {check.name}:\n{check.log.strip()}" for check in self.failed_checks]
        return "\n\n".join(part for part in (self.text.strip(), *places, *logs) if part)

    @property
    def reason(self) -> str:
        """Why the pull request is changed again, as the end of a sentence."""
        if self.asked_by is not None:
            return f"as {self.asked_by} asked"
        return "because " + ", ".join(check.name for check in self.failed_checks) + " failed"

    @property
    def wishes(self) -> tuple[str, ...]:
        """What a reviewer judges this revision by: each thing that is asked for, in the words of the person."""
        if self.asked_by is None:
            names = ", ".join(check.name for check in self.failed_checks)
            return (f"The cause of these failing checks of the pull request is fixed: {names}",)
        remarks = self.remarks[:_MOST_WISHES]
        wishes = [
            *([_wish(self.text)] if self.text.strip() else []),
            *(f"{_place(remark)}: {_wish(remark.text)}" for remark in remarks if remark.text.strip()),
        ]
        if len(self.remarks) > len(remarks):
            wishes.append(f"The other {len(self.remarks) - len(remarks)} remarks of the review are answered.")
        return tuple(dict.fromkeys(wishes))


def _place(remark: Remark) -> str:
    return remark.path if remark.line is None else f"{remark.path}:{remark.line}"


def _wish(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_WISH else f"{line[: _LONGEST_WISH - 1]}…"
