"""Make one signed commit of a change, through the Git data API: `github_app.ports.github.Publisher`.

No author and no committer are sent, so GitHub makes the App's bot the author and signs the commit. Everything before
the ref is invisible content; moving the ref is the one step that counts, and it goes forward only.
"""

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

from pydantic import Base64Bytes

from github_app.gateway.app_auth import TokenScope
from github_app.gateway.connections import Connections
from github_app.gateway.rest import Rest, RestAnswer
from github_app.ports.github import (
    GitHubRefused,
    GitHubUnavailable,
    MadeCommit,
    Repository,
    UnpublishableChange,
    WantedCommit,
)
from pipeline.contract.change import FileChange

_NOT_FOUND, _UNPROCESSABLE = 404, 422
_FILES = frozenset({"100644", "100755"})
_LINK, _SUBMODULE = "120000", "160000"


class _Object(RestAnswer):
    sha: str


class _Ref(RestAnswer):
    ref: str
    object: _Object


class _Commit(RestAnswer):
    sha: str
    tree: _Object
    parents: tuple[_Object, ...] = ()
    message: str = ""


class _Entry(RestAnswer):
    path: str
    mode: str
    type: str
    sha: str


class _Tree(RestAnswer):
    sha: str
    tree: tuple[_Entry, ...] = ()
    truncated: bool = False


class _File(RestAnswer):
    type: Literal["file"]
    encoding: Literal["base64"]
    content: Base64Bytes


class GitHubPublisher:
    """`github_app.ports.github.Publisher`."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def start_branch(self, repository: Repository, wanted_commit: WantedCommit) -> MadeCommit:
        """A new branch with one commit, or the one that an earlier attempt has made.

        Raises:
            ChangeRefused: a file differs on the newest default branch, a path leads through a link or is none.
        """
        with self._connections.lent(repository, TokenScope.WRITE_CONTENTS) as rest:
            objects = _GitObjects(rest, f"/repos/{repository.full_name}/git")
            heads = objects.branches(wanted_commit.branch)
            for branch, head in heads.items():
                if (parent_sha := objects.parent_of_made(head, wanted_commit)) is not None:
                    return MadeCommit(branch, head, parent_sha)
            newest = objects.head(repository.default_branch)
            if newest is None:
                raise UnpublishableChange(f"there is no branch {repository.default_branch}")
            parent = objects.follow(wanted_commit, newest, repository.default_branch)
            sha = objects.commit(wanted_commit, parent)
            name = next(name for name in _names(wanted_commit.branch) if name not in heads)
            objects.make_branch(name, sha)
            return MadeCommit(name, sha, parent.sha)

    def continue_branch(self, repository: Repository, wanted_commit: WantedCommit) -> MadeCommit:
        """One more commit on a branch, fast-forward, or the one that an earlier attempt has made.

        Raises:
            ChangeRefused: as above; the branch is gone, others changed the same files on it, or pushed at all where
                the commit follows no pushes.
        """
        with self._connections.lent(repository, TokenScope.WRITE_CONTENTS) as rest:
            objects = _GitObjects(rest, f"/repos/{repository.full_name}/git")
            head = objects.head(wanted_commit.branch)
            if head is None:
                raise UnpublishableChange(f"the branch {wanted_commit.branch} is gone")
            if (parent_sha := objects.parent_of_made(head, wanted_commit)) is not None:
                return MadeCommit(wanted_commit.branch, head, parent_sha)
            if head != wanted_commit.base and not wanted_commit.follows_pushes:
                raise UnpublishableChange(
                    f"somebody has pushed onto {wanted_commit.branch} since the run read it"
                )
            parent = objects.follow(wanted_commit, head, wanted_commit.branch)
            sha = objects.commit(wanted_commit, parent)
            objects.move_branch(wanted_commit.branch, sha)
            return MadeCommit(wanted_commit.branch, sha, parent.sha)

    def text_of(self, repository: Repository, commit: str, path: str) -> str | None:
        """A file of a commit as text; None where there is no such file.

        Raises:
            ChangeRefused: the path holds no file of UTF-8 text.
        """
        with self._connections.lent(repository, TokenScope.WRITE_CONTENTS) as rest:
            try:
                document = rest.request(
                    "GET", f"/repos/{repository.full_name}/contents/{quote(path)}", parameters={"ref": commit}
                )[1]
                return _File.model_validate(document).content.decode()
            except GitHubRefused as refusal:
                if refusal.status == _NOT_FOUND:
                    return None
                raise
            except ValueError as error:
                raise UnpublishableChange(f"{path} is no file of UTF-8 text") from error


def _names(name: str) -> Iterator[str]:
    """The name, and the names to be had when it is taken."""
    yield name
    yield from (f"{name}-{number}" for number in range(2, 100))


@dataclass(frozen=True)
class _GitObjects:
    """Commits, trees, blobs and refs of one repository. `path` is where they live in the API."""

    rest: Rest
    path: str

    def head(self, branch: str) -> str | None:
        """The commit at the head of a branch."""
        ref = self.rest.find(_Ref, f"{self.path}/ref/heads/{quote(branch)}")
        return None if ref is None else ref.object.sha

    def branches(self, prefix: str) -> Mapping[str, str]:
        """The heads of all branches whose names begin so. GitHub gives this list whole."""
        refs = self.rest.whole_list(_Ref, f"{self.path}/matching-refs/heads/{quote(prefix)}")
        return {ref.ref.removeprefix("refs/heads/"): ref.object.sha for ref in refs}

    def parent_of_made(self, head: str, wanted_commit: WantedCommit) -> str | None:
        """The parent of the wanted commit, if an earlier attempt made it: at the head of a branch or right below."""
        at_head = self._commit(head)
        if len(at_head.parents) != 1:
            return None
        for commit in (at_head, self._commit(at_head.parents[0].sha)):
            if self._is(commit, wanted_commit):
                return commit.parents[0].sha
        return None

    def _is(self, commit: _Commit, wanted_commit: WantedCommit) -> bool:
        """Whether a commit is the wanted one: its message, and every file with its wanted content."""
        if commit.message.strip() != wanted_commit.message.strip() or len(commit.parents) != 1:
            return False
        there = self._entries(commit.tree.sha, wanted_commit.files)
        return there == {file.path: self._target_entry(file) for file in wanted_commit.files}

    def follow(self, wanted_commit: WantedCommit, newest: str, branch: str) -> _Commit:
        """The commit to build on: the newest one, if none of the files differ between it and the base.

        Raises:
            ChangeRefused: one differs, or the base has no such file.
        """
        base = self._commit(wanted_commit.base)
        before = self._entries(base.tree.sha, wanted_commit.files)
        for file in wanted_commit.files:
            if file.content is None and before[file.path] is None:
                raise UnpublishableChange(f"it deletes {file.path}, which does not exist")
        if newest == wanted_commit.base:
            return base
        head = self._commit(newest)
        after = self._entries(head.tree.sha, wanted_commit.files)
        for path, entry in before.items():
            if after[path] != entry:
                raise UnpublishableChange(
                    f"{path} was changed on {branch} since the run read it ({wanted_commit.base[:7]}, now {newest[:7]})"
                )
        return head

    def commit(self, wanted_commit: WantedCommit, parent: _Commit) -> str:
        """Make the commit, which no ref points to yet. GitHub signs what comes without an author."""
        items = [
            {
                "path": file.path,
                "mode": file.mode,
                "type": "blob",
                "sha": None if file.content is None else self._blob(file.content),
            }
            for file in wanted_commit.files
        ]
        tree = self.rest.send(
            "POST", f"{self.path}/trees", {"base_tree": parent.tree.sha, "tree": items}, _Tree
        )
        if tree.sha == parent.tree.sha:
            raise UnpublishableChange("it changes nothing")
        body = {"message": wanted_commit.message, "tree": tree.sha, "parents": [parent.sha]}
        return self.rest.send("POST", f"{self.path}/commits", body, _Object).sha

    def make_branch(self, name: str, sha: str) -> None:
        """Make a branch."""
        try:
            self.rest.send("POST", f"{self.path}/refs", {"ref": f"refs/heads/{name}", "sha": sha}, RestAnswer)
        except GitHubRefused as refusal:
            if refusal.status == _UNPROCESSABLE and "already exists" in refusal.message:
                raise GitHubUnavailable(f"{name} was made meanwhile") from refusal
            raise

    def move_branch(self, name: str, sha: str) -> None:
        """Move a branch forward, and never otherwise."""
        body = {"sha": sha, "force": False}
        try:
            self.rest.send("PATCH", f"{self.path}/refs/heads/{quote(name)}", body, RestAnswer)
        except GitHubRefused as refusal:
            if refusal.status == _UNPROCESSABLE and "fast forward" in refusal.message:
                raise GitHubUnavailable(f"{name} was moved meanwhile") from refusal
            raise

    def _commit(self, sha: str) -> _Commit:
        return self.rest.get(_Commit, f"{self.path}/commits/{sha}")

    def _blob(self, content: bytes) -> str:
        body = {"content": base64.b64encode(content).decode(), "encoding": "base64"}
        return self.rest.send("POST", f"{self.path}/blobs", body, _Object).sha

    def _entries(self, tree: str, files: Sequence[FileChange]) -> dict[str, tuple[str, str] | None]:
        """Mode and id of the files in a tree; None where there is none. Every folder is read once.

        Raises:
            ChangeRefused: a path leads through a link, a submodule or a file, or names no plain file.
        """
        folders: dict[str, Mapping[str, _Entry]] = {}
        return {file.path: self._entry(tree, file.path, folders) for file in files}

    def _entry(
        self, tree: str, path: str, folders: dict[str, Mapping[str, _Entry]]
    ) -> tuple[str, str] | None:
        sha = tree
        *parents, name = path.split("/")
        for parent in parents:
            entry = self._folder(sha, folders).get(parent)
            if entry is None:
                return None
            if entry.type != "tree":
                raise UnpublishableChange(
                    f"{path} leads through {parent}, which is {_entry_kind(entry.mode)}"
                )
            sha = entry.sha
        entry = self._folder(sha, folders).get(name)
        if entry is None:
            return None
        if entry.mode not in _FILES:
            raise UnpublishableChange(
                f"{path} is {_entry_kind(entry.mode)}, and only plain files are changed"
            )
        return entry.mode, entry.sha

    def _folder(self, sha: str, folders: dict[str, Mapping[str, _Entry]]) -> Mapping[str, _Entry]:
        if sha not in folders:
            tree = self.rest.get(_Tree, f"{self.path}/trees/{sha}")
            if tree.truncated:
                raise UnpublishableChange("a folder has more entries than GitHub shows")
            folders[sha] = {entry.path: entry for entry in tree.tree}
        return folders[sha]

    @staticmethod
    def _target_entry(file: FileChange) -> tuple[str, str] | None:
        return None if file.content is None else (file.mode, _blob_id(file.content))


def _blob_id(content: bytes) -> str:
    """Git's id of a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _entry_kind(mode: str) -> str:
    return {_LINK: "a link", _SUBMODULE: "a submodule", "040000": "a folder"}.get(mode, "a file")
