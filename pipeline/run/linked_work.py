"""Finds work on an issue: in the commits of the checkout, and on GitHub where a token may read it."""

from collections.abc import Callable, Sequence
from pathlib import Path

from pipeline.domain.errors import GitHubUnreadable
from pipeline.domain.linked_work import LinkedWork, WorkState
from pipeline.git import run_git
from pipeline.github_read.reader import GitHubReader
from pipeline.stages.under_way import WorkFinder

_MOST_COMMITS = 20
_OUR_BRANCHES = ("refs/heads/askfirst/*", "refs/remotes/*/askfirst/*")


def finder(root: Path, reader: GitHubReader | None, note: Callable[[str], None]) -> WorkFinder:
    """A finder for both places; `reader` is None without a token, and `note` hears what GitHub refuses."""

    def work_on(number: int) -> Sequence[LinkedWork]:
        work = [*_on_github(reader, number, note), *_in_commits(root, number)]
        return tuple({piece.id: piece for piece in work}.values())

    return WorkFinder(work_on)


def _on_github(reader: GitHubReader | None, number: int, note: Callable[[str], None]) -> Sequence[LinkedWork]:
    if reader is None:
        return ()
    try:
        return reader.linked_work(number)
    except GitHubUnreadable as refusal:
        note(f"Only commits say whether somebody is at work on this: {refusal.message}")
        return ()


def _in_commits(root: Path, number: int) -> Sequence[LinkedWork]:
    """Commits of every branch of the checkout that name the issue; not those of our own branches."""
    pattern = rf"(#|GH-|/issues/){number}([^0-9]|$)"
    exclusions = [f"--exclude={branch}" for branch in _OUR_BRANCHES]
    options = [f"-n{_MOST_COMMITS}", "--no-merges", "-E", f"--grep={pattern}", "--format=%H %s"]
    log = run_git(root, "log", *exclusions, "--all", "HEAD", *options)
    lines = log.stdout.decode("utf-8", "replace").splitlines() if log.returncode == 0 else []
    commits = (line.partition(" ") for line in lines)
    return [
        LinkedWork(id=f"commit:{commit}", title=subject or commit[:7], state=WorkState.COMMITTED)
        for commit, _, subject in commits
    ]
