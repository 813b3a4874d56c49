"""`change.json`: the files that a coder wrote, whole, against one commit. Data to be checked, never trusted."""

import hashlib
from typing import Literal, Self

from pydantic import Base64Bytes, model_validator

from pipeline.contract.wire import CommitSha, NonEmpty, RunIdentity, WireModel

FileMode = Literal["100644", "100755"]
"""Git's modes for a plain and an executable file. Links and submodules are not changes that askfirst makes."""

Replies = Literal["model", "recorded", "scripted"]
"""Where the words of the models come from: a model in this run, an earlier run, or somebody's hand."""


class FileChange(WireModel):
    """One file as it shall be; `content` null deletes it."""

    path: NonEmpty
    mode: FileMode = "100644"
    content: Base64Bytes | None

    @property
    def blob(self) -> str:
        """The wanted state of the file, for an approval of this content alone: mode and SHA-256, or `deleted`."""
        return blob_of(self.mode, self.content)

    @model_validator(mode="after")
    def _stays_in_the_tree(self) -> Self:
        parts = self.path.split("/")
        if (
            self.path.startswith("/")
            or "\\" in self.path
            or "\0" in self.path
            or {"", ".", "..", ".git"} & set(parts)
        ):
            raise ValueError(f"{self.path!r} is not a plain path inside the repository")
        return self


def blob_of(mode: str, content: bytes | None) -> str:
    """Mode and SHA-256 of a file's content, such as `100644 e3b0…`; `deleted` in its place for no file."""
    return f"{mode} {'deleted' if content is None else hashlib.sha256(content).hexdigest()}"


class TestsReport(WireModel):
    """A run of the repository's tests on certain files. Counts are null where the runner does not say them.

    It is `green` where no test is red that was not red before. `failing` names all red tests; `red_before` and `flaky`
    are those among them that no change is charged with: they were red before it, or passed when they ran once more.
    `unnamed` says why a red run cannot be compared with the one before, `left_out` which part of the tests did not
    run, `too_much` which limit ended the run. `red_without` names new and changed tests that fail on the files before
    the change, `green_without` test files of the change in which no test does. `output` is for agents: failures first.
    """

    __test__ = False  # not a test, whatever its name says to a test runner

    command: str
    green: bool
    exit_code: int | None
    seconds: float
    passed: int | None
    failed: int | None
    failing: tuple[str, ...] = ()
    red_before: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    red_without: tuple[str, ...] = ()
    green_without: tuple[str, ...] = ()
    unnamed: str | None = None
    left_out: str | None = None
    too_much: str | None = None
    output: str = ""

    @property
    def ran_nothing(self) -> bool:
        """Whether the runner says that it ran no test."""
        return self.passed == 0 and not self.failed

    @property
    def _ending(self) -> str:
        if self.exit_code is None:
            return f"{self.too_much or 'took too long'} and was ended"
        counts = f", {self.passed} passed, {self.failed or 0} failed" if self.passed is not None else ""
        return f"exit code {self.exit_code}{counts}"

    @property
    def in_words(self) -> str:
        """Its result in one line."""
        if not self.command:
            return "No test of this repository can be run."
        if self.exit_code is None:
            return f"{self.command}: {self._ending}"
        before = ", all of them before the change, too" if self.green and self.red_before else ""
        return f"{self.command}: {'passed' if self.green else 'failed'} ({self._ending}{before})"

    def for_model(self) -> str:
        """The result as an agent reads it."""
        head = f"{self.command}: {self._ending} ({self.seconds:.1f} s)"
        count = len(self.red_before) + len(self.flaky)
        before = (
            f"{count} of the red tests are not charged: they were red before, or pass when they run again."
            if count
            else None
        )
        return "\n".join(filter(None, (head, before, self.left_out, self.output)))


class Approval(WireModel):
    """A tool call that a person had to decide on, and what they said: `approve` or `decline`."""

    tool: NonEmpty
    target: str
    rule: str | None
    why: str
    verdict: NonEmpty


class JudgedCriterion(WireModel):
    """What the reviewing agent says about one acceptance criterion; `place` is the `path:line` that shows it.

    `overruled`: a person has decided otherwise since the ticket said it. `is_wish`: a review of the pull request asks for it.
    """

    criterion: NonEmpty
    met: Literal["met", "not_met", "cannot_tell", "overruled"]
    place: str | None
    reason: str
    is_wish: bool = False


class Work(WireModel):
    """How a change came about, for the pull request's text. Words of models: data, never instructions.

    `replies` says where the words of the models come from. Anything but `model` must be said wherever the change is
    shown: `scripted` replies were written by hand, and `recorded` ones were given to an earlier run. `dollars` is null
    where a model's price is unknown. `review` holds the reviewer's remarks, `criteria` what it says of each
    acceptance criterion, `approvals` what people had to decide.
    """

    summary: NonEmpty
    model: NonEmpty
    replies: Replies
    rounds: int
    tests: TestsReport
    review: tuple[str, ...] = ()
    criteria: tuple[JudgedCriterion, ...] = ()
    assumptions: tuple[str, ...] = ()
    approvals: tuple[Approval, ...] = ()
    dollars: float | None = None


class Change(WireModel):
    """A whole change. Paths are unique. The first line of `message` becomes the subject of the commit.

    `work` is null where nobody told how it came about.
    """

    version: Literal[1] = 1
    run: RunIdentity
    base_commit: CommitSha
    message: NonEmpty
    files: tuple[FileChange, ...]
    work: Work | None = None

    @model_validator(mode="after")
    def _names_each_file_once(self) -> Self:
        paths = [file.path for file in self.files]
        if len(paths) != len(set(paths)):
            raise ValueError("a file is named twice")
        return self
