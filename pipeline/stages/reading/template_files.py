"""Read the issue templates of a checkout: a bounded number of small files, and nothing outside it."""

from collections.abc import Iterator
from pathlib import Path

from pipeline.reading.templates import MAX_CHARACTERS, TemplateFile

MOST_TEMPLATES = 40
_MOST_ENTRIES = 2_000
_FOLDERS = (".github", "", "docs")
_NAME = "issue_template"
_SUFFIXES = (".md", ".yml", ".yaml", ".txt", "")


def read_template_files(root: Path) -> tuple[TemplateFile, ...]:
    """The templates where GitHub looks for them: in `.github`, the root and `docs`, in any letter case.

    Symbolic links are left out. Of a file that is too large so much is read that the parser refuses it.
    """
    files: list[TemplateFile] = []
    for path in sorted(_paths(root))[:MOST_TEMPLATES]:
        try:
            with path.open(encoding="utf-8", errors="replace") as file:
                text = file.read(MAX_CHARACTERS + 1)
        except OSError:
            continue
        files.append(TemplateFile(path.relative_to(root).as_posix(), text))
    return tuple(files)


def _paths(root: Path) -> Iterator[Path]:
    for folder in _FOLDERS:
        for parent in _entries(root, folder) if folder else (root,):
            for path in _children(parent):
                if path.name.lower() == _NAME and path.is_dir():
                    yield from (file for file in _children(path) if _is_template(file) and file.suffix)
                elif path.stem.lower() == _NAME and _is_template(path):
                    yield path


def _entries(root: Path, name: str) -> list[Path]:
    return [path for path in _children(root) if path.name.lower() == name and path.is_dir()]


def _is_template(path: Path) -> bool:
    return path.suffix.lower() in _SUFFIXES and path.is_file()


def _children(folder: Path) -> list[Path]:
    """The entries of a folder, without links. An unreadable folder is an empty one."""
    try:
        return [
            path
            for path, _ in zip(folder.iterdir(), range(_MOST_ENTRIES), strict=False)
            if not path.is_symlink()
        ]
    except OSError:
        return []
