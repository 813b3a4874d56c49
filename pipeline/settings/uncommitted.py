"""Which settings of a checkout are not those of its commit."""

from pathlib import Path

from pipeline.settings.file_names import AGENTS, SETTINGS_FOLDER
from pipeline.text_index.git_objects import GitObjects

_READ = (f":(glob){SETTINGS_FOLDER}/*.yml", f":(glob){SETTINGS_FOLDER}/{AGENTS}/*.md")
"""The files that are read, as pathspecs of git."""


def uncommitted_settings(repository: Path) -> tuple[str, ...]:
    """The files of settings that git does not track, ignored ones too, and those that differ from the commit.

    Raises:
        RepositoryUnreadable: git cannot read the checkout.
    """
    # Each row is `XY path`: two letters for the state, a space, and the path.
    options = ("--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignored")
    rows = GitObjects(repository).output("status", *options, "--", *_READ).split(b"\0")
    return tuple(sorted(row[3:].decode("utf-8", "replace") for row in rows if row))
