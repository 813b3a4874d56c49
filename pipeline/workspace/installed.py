"""Give a worktree the packages that a checkout has installed, without letting commands write to them.

A test suite of JavaScript, and most of Python, runs nothing without them; git holds none of them. A folder of packages is
made anew in the tree, of links to what the checkout has, so that

- the checkout is only read: a process may write into the folder (caches, a package of its own), never through a link;
- a link to the repository's own code (a package of a workspace, an editable installation) leads into the tree. Else the
  tests would run on the code of the checkout, and pass whatever was changed.

    packages/api/node_modules/
        express      -> CHECKOUT/packages/api/node_modules/express
        @shop/money  -> TREE/packages/money                  the repository's own
        .bin/vitest  -> ../vitest/vitest.mjs                  as it was
"""

import os
import shutil
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

_FOLDERS: Mapping[str, tuple[str, ...]] = {
    "package.json": ("node_modules",),
    "pyproject.toml": (".venv", "venv"),
    "requirements.txt": (".venv", "venv"),
    "setup.py": (".venv", "venv"),
    "setup.cfg": (".venv", "venv"),
    "requirements-dev.txt": (".venv", "venv"),
    "Pipfile": (".venv", "venv"),
    "composer.json": ("vendor",),
    "go.mod": ("vendor",),
    "Gemfile": ("vendor/bundle",),
}
"""Where installers put what a file asks for, from the folder of that file on."""

_CACHES = frozenset({".cache", ".vite", ".vite-temp", ".vitest", "__pycache__"})
"""Files that tools keep in a folder of packages and make anew."""

_MARK_OF_ENVIRONMENT = "pyvenv.cfg"
_OWN_CODE = ("*.pth", "__editable__*.py", "*.egg-link")
"""Files of a Python environment that say where the repository's own code lies."""
_SCRIPT_BYTES = 1 << 16
_DEPTH_OF_SCOPE = 1


@dataclass(frozen=True)
class InstalledPackages:
    """Folders of packages of a checkout, by their paths in it. `empty` is a worktree that gets none."""

    checkout: Path
    folders: tuple[str, ...]

    @classmethod
    def of(cls, checkout: Path, tracked_paths: Collection[str]) -> "InstalledPackages":
        """Those next to a tracked file that asks for them. What git holds itself is in the tree already."""
        root = checkout.resolve()
        tracked_folders = {str(parent) for path in tracked_paths for parent in PurePosixPath(path).parents}
        package_folders = {
            str(PurePosixPath(path).parent / folder)
            for path in tracked_paths
            for folder in _FOLDERS.get(PurePosixPath(path).name, ())
        }
        there = sorted(folder for folder in package_folders - tracked_folders if (root / folder).is_dir())
        return cls(root, tuple(there))

    @classmethod
    def empty(cls) -> "InstalledPackages":
        """No packages."""
        return cls(Path(os.devnull), ())

    @property
    def readable(self) -> tuple[str, ...]:
        """What a process must be able to read, so that the links lead somewhere."""
        return tuple(str((self.checkout / folder).resolve()) for folder in self.folders)

    @property
    def programs(self) -> str | None:
        """The folder of programs of the Python environment at the root, which go before those on `PATH`."""
        return next((f"{folder}/bin" for folder in self.folders if folder in (".venv", "venv")), None)

    def link_into(self, tree: Path) -> None:
        """Make the folders in a tree that holds none of them.

        Raises:
            OSError: the tree cannot be written.
        """
        for folder in self.folders:
            copy = _LinkedCopy(self.checkout, tree.resolve(), self.folders)
            source, target = self.checkout / folder, tree / folder
            if (source / _MARK_OF_ENVIRONMENT).is_file():
                copy.environment(source, target)
            else:
                copy.packages(source, target, _DEPTH_OF_SCOPE)


@dataclass(frozen=True)
class _LinkedCopy:
    """Makes folders of links from `checkout` in `tree`."""

    checkout: Path
    tree: Path
    folders: tuple[str, ...]

    def packages(self, source: Path, target: Path, depth: int) -> None:
        """One link for each package; `depth` is how many levels of folders with packages are below: those of a scope."""
        target.mkdir(parents=True, exist_ok=True)
        for entry in os.scandir(source):
            if entry.name in _CACHES:
                continue
            is_folder = entry.is_dir(follow_symlinks=False)
            if is_folder and (entry.name == ".bin" or (depth and entry.name.startswith("@"))):
                self.packages(Path(entry.path), target / entry.name, depth - 1)
            else:
                self._link(entry, target / entry.name)

    def environment(self, source: Path, target: Path) -> None:
        """A virtual environment of Python whose programs and paths lead into the tree."""
        target.mkdir(parents=True)
        for entry in os.scandir(source):
            place = target / entry.name
            if entry.name == "bin":
                self._programs(Path(entry.path), place)
            elif entry.name == _MARK_OF_ENVIRONMENT:
                shutil.copyfile(entry.path, place)
            elif entry.name == "lib64":
                place.symlink_to("lib")
            elif entry.name != "lib":
                place.symlink_to(entry.path)
        for library in (source / "lib").glob("python*/site-packages"):
            self._library(library, target / library.relative_to(source))

    def _programs(self, source: Path, target: Path) -> None:
        """Scripts begin with the path of their environment's interpreter, so they are written anew."""
        target.mkdir()
        for entry in os.scandir(source):
            place = target / entry.name
            if entry.is_symlink():
                place.symlink_to(Path(entry.path).readlink())
            elif (text := _text_of(Path(entry.path))) is not None:
                place.write_text(self._move_paths(text), encoding="utf-8")
                place.chmod(0o755)
            else:
                place.symlink_to(entry.path)

    def _library(self, source: Path, target: Path) -> None:
        target.mkdir(parents=True)
        for entry in os.scandir(source):
            place = target / entry.name
            if any(PurePosixPath(entry.name).match(glob) for glob in _OWN_CODE):
                text = Path(entry.path).read_text(encoding="utf-8", errors="surrogateescape")
                place.write_text(self._move_paths(text), encoding="utf-8", errors="surrogateescape")
            elif entry.name not in _CACHES:
                place.symlink_to(entry.path)

    def _move_paths(self, text: str) -> str:
        """Paths of the checkout as paths of the tree."""
        return text.replace(str(self.checkout), str(self.tree))

    def _link(self, entry: "os.DirEntry[str]", place: Path) -> None:
        if entry.is_symlink():
            target = self._own_code(Path(entry.path))
            if target is not None:
                place.symlink_to(target)
                return
            if place.parent.name == ".bin":
                place.symlink_to(Path(entry.path).readlink())
                return
        place.symlink_to(entry.path)

    def _own_code(self, link: Path) -> Path | None:
        """Where a link leads in the tree, if it leads to the repository's own code."""
        leads_to = link.resolve()
        if not leads_to.is_relative_to(self.checkout):
            return None
        if any(leads_to.is_relative_to((self.checkout / folder).resolve()) for folder in self.folders):
            return None
        return self.tree / leads_to.relative_to(self.checkout)


def _text_of(program: Path) -> str | None:
    """A script's text; None for a program that a compiler has made."""
    try:
        if program.stat().st_size > _SCRIPT_BYTES:
            return None
        text = program.read_bytes()
        return text.decode("utf-8") if text.startswith(b"#!") else None
    except (OSError, UnicodeDecodeError):
        return None
