"""Which settings of a checkout are not those of its commit."""

import os
from pathlib import Path

from pipeline.contract.yaml_source import MAX_BYTES
from pipeline.domain.plain_file import read_plain_file
from pipeline.settings.file_names import AGENTS, SETTINGS_FOLDER
from pipeline.text_index.git_objects import GitObjects

_READ = (SETTINGS_FOLDER / "*.yml", SETTINGS_FOLDER / AGENTS / "*.md")
"""The files that are read, as patterns of paths."""

_LIMIT = MAX_BYTES + 1


def uncommitted_settings(repository: Path) -> tuple[str, ...]:
    """The files of settings that the commit lacks or has with other bytes, and those that are missing on disk.

    It reads both sides itself. `git status` passes over what lies behind a link or in a repository of its own, and over what the
    index or the settings of git hide. Ends of lines do not count, because git may write them in another way.

    Raises:
        RepositoryUnreadable: git cannot read the checkout.
    """
    objects = GitObjects(repository)
    tree = objects.tree_of("HEAD")
    entries = objects.entries(tree, SETTINGS_FOLDER) if tree is not None else []
    blobs = {Path(entry.path): entry.blob for entry in entries}
    texts = {
        blob: _with_plain_lines(content[:_LIMIT]) for blob, content in objects.contents([*blobs.values()])
    }
    paths = {path.relative_to(repository) for pattern in _READ for path in repository.glob(str(pattern))}
    paths.update(path for path in blobs if any(path.match(str(pattern)) for pattern in _READ))
    different_paths = (path for path in paths if _text(repository / path) != texts.get(blobs.get(path, "")))
    return tuple(sorted(os.fsencode(path).decode("utf-8", "replace") for path in different_paths))


def _text(path: Path) -> bytes | None:
    try:
        return _with_plain_lines(read_plain_file(path, _LIMIT))
    except OSError:
        return None


def _with_plain_lines(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n")
