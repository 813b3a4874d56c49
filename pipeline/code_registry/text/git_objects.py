"""Read commits, trees and contents from a repository without running anything of it and without fetching anything.

Works on a checkout, on a bare directory and in a partial clone: missing objects are left out, never fetched.
"""

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pipeline.code_registry.text.exclusions import name_reason
from pipeline.code_registry.tree import blob_id, walk
from pipeline.domain.errors import RepositoryUnreadable
from pipeline.git import GIT, git_environment, run_git

_OPTIONS = (
    "-c", "safe.directory=*",
    "-c", "core.attributesFile=/dev/null",
    "-c", "log.showSignature=false",
    "-c", "protocol.allow=never",
)  # fmt: skip
_VARIABLES = {"GIT_CONFIG_NOSYSTEM": "1"}
_REGULAR_FILE = "100"


class GitTreeEntry(NamedTuple):
    """A regular file of a tree: its path, git's id of its content and how many bytes it has."""

    path: str
    blob: str
    size: int


class GitObjects:
    """A repository to read from. Hooks, file monitors and settings of the environment have no say."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def is_repository(self) -> bool:
        """Whether git reads the directory."""
        return self._run("rev-parse", "--git-dir").returncode == 0

    def prefix(self) -> str:
        """Where the directory is inside its repository, with a slash at its end; empty at the top and in a bare one."""
        process = self._run("rev-parse", "--show-prefix")
        return (
            process.stdout.decode("utf-8", "surrogateescape").strip("\n") if process.returncode == 0 else ""
        )

    def is_bare(self) -> bool:
        """Whether there is no working tree."""
        return self._run("rev-parse", "--is-bare-repository").stdout.strip() == b"true"

    def resolve(self, revision: str) -> str | None:
        """The id of a commit, None where there is none of that name."""
        process = self._run("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        return process.stdout.decode().strip() if process.returncode == 0 else None

    def tree_of(self, commit: str) -> str | None:
        """The id of the directory's tree in a commit, None where the commit does not have the directory."""
        prefix = self.prefix().rstrip("/")
        tree = f"{commit}:{prefix}" if prefix else f"{commit}^{{tree}}"
        process = self._run("rev-parse", "--verify", "--quiet", tree)
        return process.stdout.decode().strip() if process.returncode == 0 else None

    def is_shallow(self) -> bool:
        """Whether older commits are missing."""
        return self._run("rev-parse", "--is-shallow-repository").stdout.strip() == b"true"

    def is_partial(self) -> bool:
        """Whether it was cloned without some contents, which git would fetch later and nothing here fetches."""
        settings = r"^(remote\..*\.promisor|extensions\.partialclone)$"
        return self._run("config", "--get-regexp", settings).returncode == 0

    def entries(self, tree: str, *folders: Path) -> list[GitTreeEntry]:
        """The regular files of a tree or of some folders in it, by path. Links and submodules are left out."""
        listing = self.output("ls-tree", "-r", "-l", "-z", "--full-tree", tree, *map(str, folders))
        entries = []
        for row in listing.split(b"\0"):
            head, _, path = row.partition(b"\t")
            parts = head.split()
            if len(parts) == len(("mode", "type", "id", "size")) and parts[0].decode().startswith(
                _REGULAR_FILE
            ):
                size = int(parts[3]) if parts[3].isdigit() else 0
                entries.append(GitTreeEntry(path.decode("utf-8", "surrogateescape"), parts[2].decode(), size))
        return sorted(entries)

    def contents(self, blobs: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """The contents of some blobs, in their order; those that are not there are left out."""
        with tempfile.TemporaryFile() as blob_list:
            # A file, not a pipe: no thread has to write while another reads.
            blob_list.write("".join(f"{blob}\n" for blob in blobs).encode())
            blob_list.seek(0)
            command = [*GIT, *_OPTIONS, "cat-file", "--batch", "--buffer"]
            with subprocess.Popen(
                command, cwd=self.directory, env=git_environment() | _VARIABLES, stdin=blob_list, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            ) as process:  # fmt: skip
                if process.stdout is None:
                    return
                for blob in blobs:
                    head = process.stdout.readline().split()
                    if len(head) == len(("id", "type", "size")):
                        yield blob, process.stdout.read(int(head[2]))
                        process.stdout.read(1)

    def log(self, *options: str, of: str) -> str:
        """What `git log` prints of the commits up to `of` that changed something below the directory, paths relative to it."""
        below = ("--relative", of, "--", ".") if self.prefix() else (of, "--")
        return self.output(
            "log", "--no-merges", "--no-renames", "--no-mailmap", "-z", *options, *below
        ).decode("utf-8", "replace")

    def output(self, *arguments: str) -> bytes:
        """What git prints.

        Raises:
            RepositoryUnreadable: git cannot do it.
        """
        process = self._run(*arguments)
        if process.returncode != 0:
            message = process.stderr.decode("utf-8", "replace").strip()
            if self.is_partial():
                raise RepositoryUnreadable(
                    f"The clone in {str(self.directory)!r} lacks contents that are needed.",
                    why=f"It was made with a filter, and `git {arguments[0]}` failed: {message}",
                    what_to_do="Check the commit out, which fetches its contents, or clone without --filter.",
                )
            raise RepositoryUnreadable(
                f"git cannot read the repository in {str(self.directory)!r}.",
                why=f"`git {' '.join(arguments)}` failed: {message or f'exit code {process.returncode}'}",
                what_to_do="The checkout needs at least one commit and read access. Try: git -C <directory> log -1",
            )
        return process.stdout

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return run_git(self.directory, *_OPTIONS, *arguments, variables=_VARIABLES)


def write_tree(directory: Path, commit: str, folder: Path) -> None:
    """Write the regular files of a commit into a folder, as they were. Nothing of the repository is touched.

    Raises:
        RepositoryUnreadable: git cannot read the commit.
    """
    repository = GitObjects(directory)
    tree = repository.tree_of(commit)
    entries = repository.entries(tree) if tree is not None else []
    paths: dict[str, list[str]] = {}
    for entry in entries:
        paths.setdefault(entry.blob, []).append(entry.path)
    for blob, content in repository.contents(list(paths)):
        for path in paths[blob]:
            file = folder / path
            if not file.resolve().is_relative_to(folder.resolve()):
                continue  # git refuses such names; a hostile object store need not
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)


class Folder:
    """The files below a folder; none where `is_empty` says that what lies there is git's own. Links are not followed."""

    def __init__(self, directory: Path, *, is_empty: bool = False) -> None:
        self.directory = directory
        self._is_empty = is_empty
        self._files: dict[str, str] = {}

    def entries(self, _commit: str) -> list[GitTreeEntry]:
        """The files that may be read, by path."""
        entries: list[GitTreeEntry] = []
        if self._is_empty:
            return entries
        for path in walk(self.directory):
            file = self.directory / path
            size = file.lstat().st_size
            if not file.is_symlink() and file.is_file() and name_reason(path, size, manifests=()) is None:
                blob = blob_id(file.read_bytes())
                self._files[blob] = path
                entries.append(GitTreeEntry(path, blob, size))
        return sorted(entries)

    def contents(self, blobs: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """The contents of some files, by their ids."""
        for blob in blobs:
            yield blob, (self.directory / self._files[blob]).read_bytes()
