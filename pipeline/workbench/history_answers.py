"""What the history says to an agent: the newest commits of a file or about some words, and what changed together.

Only names of files are read, never old contents: in a clone without blobs those would be fetched from the server.
"""

from collections.abc import Callable

from pipeline.agents.tools import LookIntoHistory
from pipeline.gate.plain_call import NotPlain, plain_path
from pipeline.workspace.paths import CallRefused

_MOST_COMMITS = 15
_MOST_FILES = 12
_LONGEST = 160
_FORMAT = "--format=%x00%h %as %s"


def look_into_history(git: Callable[..., bytes], commit: str, query: LookIntoHistory) -> str:
    """The commits, the newest first, each with the files that it changed. `git` runs a git command on the worktree.

    Raises:
        CallRefused: nothing is asked, or the file cannot be named like this.
    """
    if query.file is None and query.text is None:
        raise CallRefused("Name a `file` or a `text` of commit messages.")
    arguments = ["--no-renames", "--name-only", f"--max-count={_MOST_COMMITS}", _FORMAT]
    if query.text is not None:
        arguments += ["--fixed-strings", "--regexp-ignore-case", f"--grep={query.text}"]
    # With a path, git would list no other file of the commit unless it is told to.
    arguments += ["--full-diff", commit, "--"]
    if query.file is not None:
        try:
            arguments.append(f":(literal){plain_path(query.file)}")
        except NotPlain as error:
            raise CallRefused(str(error)) from error
    log = git("log", *arguments).decode("utf-8", "replace")
    commits = [_commit(entry) for entry in log.split("\0") if entry.strip()]
    return "\n".join(commits) or "(No commit of the checkout.)"


def _commit(entry: str) -> str:
    head, *files = [line for line in entry.splitlines() if line.strip()]
    rest = f", and {len(files) - _MOST_FILES} more" if len(files) > _MOST_FILES else ""
    return f"{head[:_LONGEST]}\n  {', '.join(files[:_MOST_FILES])}{rest}"
