"""`change.json`: the files that a coder wrote, whole, against one commit. Data to be checked, never trusted."""

from typing import Literal, Self

from pydantic import Base64Bytes, model_validator

from pipeline.contract.wire import CommitSha, NonEmpty, RunIdentity, WireModel

FileMode = Literal["100644", "100755"]
"""Git's modes for a plain and an executable file. Links and submodules are not changes that askfirst makes."""


class FileChange(WireModel):
    """One file as it shall be; `content` null deletes it."""

    path: NonEmpty
    mode: FileMode = "100644"
    content: Base64Bytes | None

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


class Change(WireModel):
    """A whole change. Paths are unique."""

    version: Literal[1] = 1
    run: RunIdentity
    base_commit: CommitSha
    message: NonEmpty
    files: tuple[FileChange, ...]

    @model_validator(mode="after")
    def _names_each_file_once(self) -> Self:
        paths = [file.path for file in self.files]
        if len(paths) != len(set(paths)):
            raise ValueError("a file is named twice")
        return self
