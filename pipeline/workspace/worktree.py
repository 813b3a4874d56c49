"""Make a worktree of one commit in a folder of its own, and take it away at the end.

`git worktree add` would write into the user's `.git`, run hooks and filters that the user has set up, and leave a `.git`
file in the tree through which any test could change the user's configuration. So the folder has a git directory of its
own, which borrows the objects of the user's and lies outside of the tree. Before the first process runs, the tree gets
a `.git` with this one commit: tests and build tools ask git for the version or for the files. It is a copy without remote,
hooks and credentials, and we never read it.

    FOLDER/complete     empty; made last, so that a half-made worktree is known
    FOLDER/git/         ours, never given to a process
    FOLDER/commit.git/  the commit alone, what the tree's `.git` is copied from
    FOLDER/tree/        the files, and links to installed packages
    FOLDER/home/ tmp/   for processes
    FOLDER/root/        empty; where the root of a process is put together
"""

import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NoReturn, Self

from pipeline.contract.wire import NO_COMMIT, CommitSha
from pipeline.domain.errors import RepositoryUnreadable, WorkspaceUnusable
from pipeline.workspace.installed import InstalledPackages

_MARK = "complete"
_SECONDS = 300
_GIT = ("git", "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")

# The tree holds the very bytes of the commit: no attribute of the repository may convert them or start a filter.
_ATTRIBUTES = "* -text -eol -ident -filter -working-tree-encoding\n"


@dataclass(frozen=True)
class Worktree:
    """The files of one commit, to be changed. Everything lies below `folder`; the user's checkout is never touched."""

    folder: Path
    repository: Path
    commit: CommitSha
    packages_of: Path | None = None

    @classmethod
    def create(
        cls, repository: Path, commit: CommitSha, folder: Path, *, packages_of: Path | None = None
    ) -> Self:
        """Make one. A folder of the same name that a crash left half-made is made anew.

        `packages_of` is a checkout whose installed packages it gets; else it has the files of the commit only.

        Raises:
            RepositoryUnreadable: git cannot read the commit.
            WorkspaceUnusable: the folder holds a worktree already, or cannot be written.
        """
        worktree = cls(folder, repository.resolve(), commit, packages_of)
        if (folder / _MARK).exists():
            _unusable(folder, "it holds a worktree of another run already")
        if commit == NO_COMMIT:
            raise RepositoryUnreadable(
                f"{str(repository)!r} is not under version control.",
                why="A change is made against a commit.",
                what_to_do="Commit the files first: git init && git add --all && git commit",
            )
        try:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True, mode=0o700)
            for place in (worktree.tree, worktree.home, worktree.temporary, worktree.root):
                place.mkdir()
            worktree._fill()
            worktree._leave_out_packages()
            worktree.packages.link_into(worktree.tree)
            (folder / _MARK).touch()
        except OSError as error:
            _unusable(folder, error.strerror or str(error), error)
        return worktree

    @staticmethod
    def list_files(repository: Path, commit: CommitSha) -> list[bytes]:
        """The files of a commit as `git ls-tree` lists them: mode, type, id, a tab, and the path.

        Raises:
            RepositoryUnreadable: git cannot read the commit.
        """
        listing = _run("ls-tree", "-r", "-z", "--full-tree", commit, cwd=repository)
        return [line for line in listing.split(b"\0") if line]

    @property
    def tree(self) -> Path:
        """The files."""
        return self.folder / "tree"

    @property
    def home(self) -> Path:
        """The folder that processes take for the home of their user."""
        return self.folder / "home"

    @property
    def temporary(self) -> Path:
        """The folder that processes take for temporary files."""
        return self.folder / "tmp"

    @property
    def root(self) -> Path:
        """An empty folder. A process with files of its own sees its own root in its place."""
        return self.folder / "root"

    @cached_property
    def packages(self) -> InstalledPackages:
        """The installed packages next to the files."""
        if self.packages_of is None:
            return InstalledPackages.empty()
        paths = [line.partition(b"\t")[2] for line in self.list_files(self.repository, self.commit)]
        return InstalledPackages.of(self.packages_of, [os.fsdecode(path) for path in paths])

    def remove(self) -> None:
        """Take everything away. What a process left unreadable for us is made writable first."""
        (self.folder / _MARK).unlink(missing_ok=True)
        _make_removable(self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)

    def reset(self) -> None:
        """Make the tree what the commit says again, with installed packages; whatever else is in it goes.

        Raises:
            RepositoryUnreadable: git cannot read the commit any more.
            WorkspaceUnusable: the tree cannot be replaced.
        """
        try:
            _make_removable(self.tree)
            shutil.rmtree(self.tree)
            self.tree.mkdir()
            self.git("read-tree", "--empty")
            self.git("read-tree", "-m", "-u", self.commit)
            self.packages.link_into(self.tree)
        except OSError as error:
            _unusable(self.folder, error.strerror or str(error), error)

    def add_git(self) -> None:
        """Give the tree a git directory that holds the commit and nothing else, if it has none.

        Raises:
            RepositoryUnreadable: git cannot read the commit any more.
            WorkspaceUnusable: it cannot be written.
        """
        place, original = self.tree / ".git", self.folder / "commit.git"
        if place.is_symlink() or place.exists():
            return
        try:
            if not original.exists():
                self._fetch_commit(original)
            shutil.copytree(original, place)
        except OSError as error:
            _unusable(self.folder, error.strerror or str(error), error)

    def _fetch_commit(self, original: Path) -> None:
        half = original.with_suffix(".half")
        shutil.rmtree(half, ignore_errors=True)
        _run("init", "--quiet", "--template=", str(half), cwd=self.folder)
        half_git = ("--git-dir", str(half / ".git"))
        self.git("config", "uploadpack.allowAnySHA1InWant", "true")
        fetch = ("fetch", "--quiet", "--no-tags", "--depth=1", str(self._git_directory), self.commit)
        _run(*half_git, *fetch, cwd=self.folder)
        _run(*half_git, "update-ref", "--no-deref", "HEAD", self.commit, cwd=self.folder)
        _run(*half_git, "read-tree", "HEAD", cwd=self.folder)
        (half / ".git" / "FETCH_HEAD").unlink(missing_ok=True)
        (half / ".git").rename(original)
        half.rmdir()

    def git(self, *arguments: str) -> bytes:
        """What a git command on our own git directory and the tree says.

        Raises:
            RepositoryUnreadable: it failed.
        """
        return _run(
            "--git-dir", str(self._git_directory), "--work-tree", str(self.tree), *arguments, cwd=self.tree
        )

    @property
    def _git_directory(self) -> Path:
        return self.folder / "git"

    def _leave_out_packages(self) -> None:
        """Have git leave the folders of packages out whatever `.gitignore` says, now or after a change."""
        lines = "".join(f"/{folder}/\n" for folder in self.packages.folders)
        (self._git_directory / "info" / "exclude").write_text(lines, encoding="utf-8")

    def _fill(self) -> None:
        commit_line = _run(
            *("rev-parse", "--path-format=absolute", "--verify", f"{self.commit}^{{commit}}"),
            cwd=self.repository,
        )
        if commit_line.decode().strip() != self.commit:
            _unreadable(f"{self.commit} is not a commit")
        paths = _run(
            *("rev-parse", "--path-format=absolute", "--git-path", "objects", "--git-path", "shallow"),
            cwd=self.repository,
        )
        objects, shallow = os.fsdecode(paths).splitlines()
        ours = self._git_directory
        _run("init", "--quiet", "--bare", "--template=", str(ours), cwd=self.folder)
        (ours / "objects" / "info").mkdir(exist_ok=True)
        (ours / "objects" / "info" / "alternates").write_text(f"{objects}\n")
        (ours / "info").mkdir(exist_ok=True)
        (ours / "info" / "attributes").write_text(_ATTRIBUTES)
        if Path(shallow).is_file():
            shutil.copyfile(shallow, ours / "shallow")
        self.git("read-tree", "-m", "-u", self.commit)


def _make_removable(folder: Path) -> None:
    """Give ourselves the rights to every folder: a test may leave some without."""
    for place, folders, _ in os.walk(folder):
        for name in folders:
            inner = Path(place) / name
            if not inner.is_symlink():
                inner.chmod(0o700)


def _run(*arguments: str, cwd: Path) -> bytes:
    """Run git without the user's own settings: none of them may start a program or change a byte."""
    environment = {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1"}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1"}
    try:
        process = subprocess.run(
            [*_GIT, *arguments],
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RepositoryUnreadable(
            f"git cannot be run in {str(cwd)!r}.",
            why=str(error),
            what_to_do="Install git, and give read access to the checkout.",
        ) from error
    if process.returncode != 0:
        message = process.stderr.decode("utf-8", "replace").strip()
        _unreadable(f"`git {' '.join(arguments)}` said: {message or f'exit code {process.returncode}'}")
    return process.stdout


def _unreadable(why: str) -> NoReturn:
    raise RepositoryUnreadable(
        "git cannot read the commit to work on.",
        why=why,
        what_to_do="Check out the commit with all its files: git fetch origin <commit> && git checkout <commit>",
    )


def _unusable(folder: Path, why: str, cause: OSError | None = None) -> NoReturn:
    raise WorkspaceUnusable(
        f"{folder} cannot be used for a worktree.",
        why=why,
        what_to_do="Free the place, or choose another one with the variable TMPDIR.",
    ) from cause
