"""What an agent may ask for: read, search, list, create, edit, run a command, run the tests. Each call is typed.

Nothing here decides whether a call is allowed (that is the gate's work, before it comes here); here a call is carried
out inside the tree, or refused with a sentence for the caller.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.confinement.confinement import Confinement
from pipeline.domain.command_line import CommandRefused, words_of
from pipeline.workspace import looking
from pipeline.workspace.editing import changed_lines, replace_text
from pipeline.workspace.looking import SearchResult
from pipeline.workspace.paths import CallRefused, Content, WorkspaceTree
from pipeline.workspace.processes import Processes, ProcessLimits, ProcessResult
from pipeline.workspace.suite import Suite
from pipeline.workspace.worktree import Worktree

_MOST_LINES = 1_000
_LINE_LENGTH = 2_000
_INTERPRETERS = {"python": ("python3", "-c"), "node": ("node", "-e")}
_CODE_SECONDS = 60.0


@dataclass(frozen=True)
class Excerpt:
    """Lines of a file: the first one's number, and how many the whole file has."""

    path: str
    start: int
    lines: tuple[str, ...]
    total: int

    def for_model(self) -> str:
        """The lines with their numbers."""
        numbered_lines = [
            f"{self.start + offset}: {line[:_LINE_LENGTH]}" for offset, line in enumerate(self.lines)
        ]
        head = f"{self.path}, lines {self.start} to {self.start + len(self.lines) - 1} of {self.total}"
        return "\n".join([head if numbered_lines else f"{self.path} is empty", *numbered_lines])


@dataclass(frozen=True)
class FileEdit:
    """A file that was made or changed, and its lines that are new; `end` is before `start` where lines only went."""

    path: str
    start: int
    end: int

    def for_model(self) -> str:
        """One sentence."""
        if self.end < self.start:
            return f"{self.path} is written; lines before line {self.start} are gone."
        if self.end == self.start:
            return f"{self.path} is written; the change is on line {self.start}."
        return f"{self.path} is written; the change is on lines {self.start} to {self.end}."


class Tools:
    """The tools of one worktree. Every method raises `CallRefused` with a sentence for the caller."""

    def __init__(
        self,
        worktree: Worktree,
        *,
        ours: Mapping[str, str] = os.environ,
        limits: ProcessLimits | None = None,
        confinement: Confinement | None = None,
    ) -> None:
        """Tools whose processes run in this worktree, confined as well as this machine can where nothing else is said.

        `ours` is our environment, which they do not see.
        """
        self._root, self._temporary = worktree.tree, worktree.temporary
        self._tree = WorkspaceTree(worktree.tree)
        self._processes = Processes(
            worktree,
            ours=ours,
            limits=limits or ProcessLimits(),
            confinement=confinement or Confinement.of_this_machine(),
        )

    def read_file(self, path: str, start: int = 1, lines: int = 400) -> Excerpt:
        """Lines of a text file, from `start` (counted from 1), at most 1,000 at once."""
        content = self._text(path).splitlines()
        if start < 1 or lines < 1:
            raise CallRefused("Lines count from 1, and at least one is read.")
        if content and start > len(content):
            raise CallRefused(f"{path} has {len(content)} lines.")
        excerpt_lines = tuple(content[start - 1 : start - 1 + min(lines, _MOST_LINES)])
        return Excerpt(path, start, excerpt_lines, len(content))

    def search(self, pattern: str, glob: str | None = None) -> SearchResult:
        """Lines that match a regular expression, in files whose path fits the glob; at most 200."""
        return looking.search(self._root, pattern, glob)

    def list_files(self, glob: str | None = None) -> SearchResult:
        """Files whose path fits the glob; at most 2,000."""
        return looking.list_files(self._root, glob)

    def create_file(self, path: str, content: str) -> FileEdit:
        """A new file with its folders. A file that is there is not replaced."""
        self._tree.write(path, self.created(path, content))
        return FileEdit(path, 1, len(content.splitlines()))

    def created(self, path: str, content: str) -> Content:
        """What `create_file` would write."""
        if self._tree.exists(path):
            raise CallRefused(f"{path} exists. edit_file changes it.")
        return Content(_encode(content), executable=False)

    def edit_file(self, path: str, replacements: Sequence[tuple[str, str]]) -> FileEdit:
        """Replace texts one after the other, each of which is exactly once in the file then: all of them, or none.

        The file's mode and line ends stay.
        """
        before, content = self._text(path), self.edited(path, replacements)
        self._tree.write(path, content)
        return FileEdit(path, *changed_lines(before, content.data.decode()))

    def edited(self, path: str, replacements: Sequence[tuple[str, str]]) -> Content:
        """What `edit_file` would write."""
        before = self._tree.read(path)
        text = _decode(path, before.data)
        for number, (old, new) in enumerate(replacements, start=1):
            try:
                text = replace_text(path, text, old, new)
            except CallRefused as refusal:
                if len(replacements) == 1:
                    raise
                raise CallRefused(
                    f"Nothing is written: replacement {number} of {len(replacements)} cannot be made. {refusal}"
                ) from refusal
        return Content(_encode(text), before.executable)

    def run_code(self, language: str, code: str) -> ProcessResult:
        """Run a few lines of `python` or `node` in the root of the tree, which they can read and not write; without a network."""
        words = _INTERPRETERS[language]
        result = self._processes.run((*words, code), seconds=_CODE_SECONDS, read_only=True)
        return replace(result, command=words)

    def run_command(
        self, command: str, seconds: float | None = None, *, network: bool = False
    ) -> ProcessResult:
        """Run one program without a shell, in the root of the tree; `network` gives it that of the machine."""
        try:
            words = words_of(command)
        except CommandRefused as error:
            raise CallRefused(str(error)) from error
        return self._processes.run(words, seconds=seconds, network=network)

    def suite(self, *, network: bool = False) -> Suite:
        """The repository's tests; `network` gives them that of the machine."""
        return Suite(self._root, self._temporary, self._processes, network)

    def _text(self, path: str) -> str:
        return _decode(path, self._tree.read(path).data)


def _decode(path: str, data: bytes) -> str:
    if b"\0" in data:
        raise CallRefused(f"{path} is a binary file, so it is neither shown nor edited.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CallRefused(
            f"{path} is no text in UTF-8 (byte 0x{data[error.start]:02x} on line {line}), "
            "so it is neither shown nor edited."
        ) from error


def _encode(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise CallRefused(
            "The text holds half a character (a lone surrogate), which no file can hold."
        ) from error
