"""A repository's git objects: a real bare repository on disk, read and written through git itself."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

_BOT_NAME = "GitHub"
_BOT_EMAIL = "noreply@github.com"


class NoSuchObject(Exception):
    """A ref, path or object that the repository does not have."""


class NotAFastForward(Exception):
    """A ref may not be moved to a commit that does not descend from it."""


@dataclass(frozen=True)
class TreeEntry:
    """One line of a tree. `sha` is None in a request that deletes the path."""

    path: str
    mode: str
    type: str
    sha: str | None
    size: int | None = None


@dataclass(frozen=True)
class Signature:
    """Who wrote or committed, and when."""

    name: str
    email: str
    date: datetime


@dataclass(frozen=True)
class Commit:
    """A commit as git has it."""

    sha: str
    tree_sha: str
    parents: tuple[str, ...]
    message: str
    author: Signature
    committer: Signature


@dataclass(frozen=True)
class ChangedFile:
    """One file between two commits; `patch` is the unified diff without its header, None for binary files."""

    path: str
    previous_path: str | None
    status: str
    sha: str
    additions: int
    deletions: int
    patch: str | None


class GitRepository:
    """A bare repository.

    Every method runs one or a few git processes and is safe to call from several threads: git does its own locking.
    Missing things raise `NoSuchObject`.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._commits: dict[str, Commit] = {}

    @classmethod
    def create(cls, directory: Path, *, files: Path | None, branch: str, author: str) -> "GitRepository":
        """A new repository whose first commit holds the files of a directory.

        A `.git` folder and what `.gitignore` excludes stay out. Without a directory the first commit is empty, so that
        the default branch exists.
        """
        repository = cls(directory)
        directory.mkdir(parents=True)
        repository._git("init", "--quiet", "--bare", f"--initial-branch={branch}")
        staging = directory.parent / (directory.name + ".staging")
        if files is None:
            staging.mkdir()
        else:
            shutil.copytree(files, staging, ignore=shutil.ignore_patterns(".git"), symlinks=True)
        environment = {"GIT_DIR": str(directory), "GIT_WORK_TREE": str(staging)}
        repository._git("-c", "core.bare=false", "add", "--all", environment=environment, cwd=staging)
        tree = repository._git("write-tree", environment=environment, cwd=staging)
        (directory / "index").unlink(missing_ok=True)
        shutil.rmtree(staging)
        commit = repository.create_commit("First commit", tree, (), person(author))
        repository.set_ref(f"refs/heads/{branch}", commit)
        return repository

    def resolve(self, revision: str) -> str:
        """Full commit id of a branch, tag or (abbreviated) id."""
        return self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")

    def refs(self, prefix: str = "refs/") -> dict[str, str]:
        """Every ref with its object id."""
        lines = self._git("for-each-ref", "--format=%(refname) %(objectname)", prefix).splitlines()
        return dict(line.split(" ", 1) for line in lines)

    def set_ref(self, ref: str, sha: str) -> None:
        """Create a ref or move it, wherever it pointed before."""
        self._git("update-ref", ref, sha)

    def move_ref(self, ref: str, sha: str, *, force: bool) -> None:
        """Move a ref as GitHub does: forward only, unless forced."""
        current = self.refs(ref).get(ref)
        if current is None:
            raise NoSuchObject(ref)
        if not force and self._git("merge-base", current, sha) != current:
            raise NotAFastForward(ref)
        self.set_ref(ref, sha)

    def delete_ref(self, ref: str) -> None:
        """Remove a ref."""
        if ref not in self.refs(ref):
            raise NoSuchObject(ref)
        self._git("update-ref", "-d", ref)

    def type_of(self, sha: str) -> str:
        """`commit`, `tree`, `blob` or `tag`."""
        return self._git("cat-file", "-t", sha)

    def commit(self, revision: str) -> Commit:
        """One commit. Those that were read are kept under their ids, since a commit never changes."""
        if revision in self._commits:
            return self._commits[revision]
        layout = "%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B"
        output = self._git("show", "--no-patch", f"--format={layout}", self.resolve(revision))
        sha, tree, parents, *people, message = output.split("\0", 9)
        author = Signature(people[0], people[1], datetime.fromisoformat(people[2]))
        committer = Signature(people[3], people[4], datetime.fromisoformat(people[5]))
        commit = Commit(sha, tree, tuple(parents.split()), message.rstrip("\n"), author, committer)
        self._commits[sha] = commit
        return commit

    def tree(self, treeish: str, *, recursive: bool = False) -> tuple[str, list[TreeEntry]]:
        """Id of a tree (also given as a commit) and its entries."""
        sha = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{treeish}^{{tree}}")
        arguments = ["ls-tree", "-z", "--long", *(["-r", "-t"] if recursive else []), sha]
        entries = []
        for line in self._git(*arguments).split("\0"):
            if line:
                meta, path = line.split("\t", 1)
                mode, kind, entry_sha, size = meta.split()
                entries.append(TreeEntry(path, mode, kind, entry_sha, int(size) if size != "-" else None))
        return sha, entries

    def entry(self, revision: str, path: str) -> TreeEntry:
        """The file or folder at a path of a commit."""
        output = self._git(
            "ls-tree", "-z", "--long", "--end-of-options", self.resolve(revision), path.strip("/")
        )
        if not output:
            raise NoSuchObject(path)
        meta, name = output.rstrip("\0").split("\t", 1)
        mode, kind, sha, size = meta.split()
        return TreeEntry(name, mode, kind, sha, int(size) if size != "-" else None)

    def blob(self, sha: str) -> bytes:
        """Bytes of a file."""
        return self._run("cat-file", "blob", sha)

    def create_blob(self, content: bytes) -> str:
        """Store a file and return its id."""
        return self._run("hash-object", "-w", "--stdin", stdin=content).decode().strip()

    def create_tree(self, entries: list[TreeEntry], base: str | None) -> str:
        """Store a tree: `entries` laid over `base`. Paths may be deep; an entry without `sha` deletes its path."""
        index = self.directory / f"index-{os.urandom(6).hex()}"
        environment = {"GIT_INDEX_FILE": str(index)}
        lines = [f"{e.mode if e.sha else '0'} {e.sha or '0' * 40}\t{e.path}\0" for e in entries]
        try:
            self._git("read-tree", *([base] if base else ["--empty"]), environment=environment)
            self._run(
                "update-index", "-z", "--index-info", stdin="".join(lines).encode(), environment=environment
            )
            return self._git("write-tree", environment=environment)
        finally:
            index.unlink(missing_ok=True)

    def create_commit(self, message: str, tree: str, parents: tuple[str, ...], author: Signature) -> str:
        """Store a commit and return its id; GitHub itself is the committer, as for commits made in its pages."""
        stamp = author.date.isoformat()
        environment = {
            "GIT_AUTHOR_NAME": author.name, "GIT_AUTHOR_EMAIL": author.email, "GIT_AUTHOR_DATE": stamp,
            "GIT_COMMITTER_NAME": _BOT_NAME, "GIT_COMMITTER_EMAIL": _BOT_EMAIL, "GIT_COMMITTER_DATE": stamp,
        }  # fmt: skip
        options = [option for parent in parents for option in ("-p", parent)]
        return (
            self._run("commit-tree", tree, *options, stdin=message.encode(), environment=environment)
            .decode()
            .strip()
        )

    def commit_files(self, parent: str, files: Mapping[str, str | None], message: str, author: str) -> str:
        """A commit on top of `parent` in which these files have this text; None deletes."""
        entries = [
            TreeEntry(path, "100644", "blob", None if text is None else self.create_blob(text.encode()))
            for path, text in files.items()
        ]
        return self.create_commit(message, self.create_tree(entries, parent), (parent,), person(author))

    def merge_base(self, first: str, second: str) -> str:
        """The commit from which two commits part."""
        return self._git("merge-base", first, second)

    def commits_between(self, base: str, head: str) -> list[str]:
        """Ids of the commits that `head` has and `base` has not, oldest first."""
        return self._git("rev-list", "--reverse", f"{base}..{head}").split()

    def changes(self, base: str, head: str) -> list[ChangedFile]:
        """What differs between two commits, file by file."""
        fields = self._git("diff-tree", "-r", "-z", "-M", "--raw", base, head).split("\0")
        changes = []
        position = 0
        while position + 1 < len(fields):
            _, _, _, sha, letter = fields[position].removeprefix(":").split(" ")
            is_renamed = letter[0] in "RC"
            path = fields[position + 2] if is_renamed else fields[position + 1]
            previous = fields[position + 1] if is_renamed else None
            position += 3 if is_renamed else 2
            changes.append(self._change(base, head, path, previous, letter[0], sha))
        return changes

    def checkout(self, commit: str, directory: Path) -> None:
        """A working copy at a commit whose remote leads nowhere: jobs cannot write back."""
        subprocess.run(
            ["git", "clone", "--quiet", "--no-checkout", "--no-hardlinks", str(self.directory), str(directory)],
            check=True, capture_output=True, env=_environment(),
        )  # fmt: skip
        for arguments in (["checkout", "--quiet", "--detach", commit], ["remote", "remove", "origin"]):
            subprocess.run(
                ["git", *arguments], cwd=directory, check=True, capture_output=True, env=_environment()
            )

    def _change(
        self, base: str, head: str, path: str, previous: str | None, letter: str, sha: str
    ) -> ChangedFile:
        paths = [path] if previous is None else [previous, path]
        counts = self._git("diff-tree", "-r", "-M", "--numstat", base, head, "--", *paths).split("\t")
        additions, deletions = counts[0], counts[1]
        binary = additions == "-"
        diff = "" if binary else self._git("diff-tree", "-r", "-p", "-M", base, head, "--", *paths)
        start = diff.find("\n@@")
        status = {"A": "added", "D": "removed", "R": "renamed", "C": "copied"}.get(letter, "modified")
        return ChangedFile(
            path=path,
            previous_path=previous,
            status=status,
            sha=sha,
            additions=0 if binary else int(additions),
            deletions=0 if binary else int(deletions),
            patch=None if binary or start < 0 else diff[start + 1 :],
        )

    def _git(
        self, *arguments: str, environment: dict[str, str] | None = None, cwd: Path | None = None
    ) -> str:
        return self._run(*arguments, environment=environment, cwd=cwd).decode("utf-8", "replace").strip("\n")

    def _run(
        self,
        *arguments: str,
        stdin: bytes = b"",
        environment: dict[str, str] | None = None,
        cwd: Path | None = None,
    ) -> bytes:
        process = subprocess.run(
            ["git", *arguments],
            cwd=cwd or self.directory,
            input=stdin,
            capture_output=True,
            env=_environment() | {"GIT_DIR": str(self.directory)} | (environment or {}),
            check=False,
        )
        if process.returncode != 0:
            raise NoSuchObject(process.stderr.decode("utf-8", "replace").strip() or " ".join(arguments))
        return process.stdout


def person(login: str) -> Signature:
    """The signature of somebody who writes now."""
    return Signature(login, f"{login}@users.noreply.github.com", datetime.now(UTC))


def _environment() -> dict[str, str]:
    """Git without the settings of whoever runs the sandbox."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
