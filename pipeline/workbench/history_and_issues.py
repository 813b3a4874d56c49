"""What git's history and the repository's issues say to an agent.

Of the history only names of files are read, never old contents: in a clone without blobs those would be fetched from the server.
"""

from collections.abc import Callable

from pipeline.agents.tools import LookIntoHistory, ReadIssue, SearchIssues
from pipeline.domain.errors import GitHubUnreadable
from pipeline.gate.plain_call import NotPlain, plain_path
from pipeline.github_read.reader import GitHubReader
from pipeline.github_read.records import FoundIssue, WholeIssue
from pipeline.workspace.paths import CallRefused

_MOST_COMMITS = 15
_MOST_FILES = 12
_LONGEST = 160
_FORMAT = "--format=%x00%h %as %s"
_BODY_CHARACTERS = 8_000
_COMMENT_CHARACTERS = 2_000

NO_REPOSITORY = "issues cannot be read here: there is no GITHUB_TOKEN, or no repository on GitHub"


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


def look_at_issues(issues: GitHubReader | None, call: SearchIssues | ReadIssue) -> str:
    """Search or read. Nothing found is a result.

    Raises:
        CallRefused: there is no repository, or GitHub refuses.
    """
    if issues is None:
        raise CallRefused(NO_REPOSITORY)
    try:
        if isinstance(call, SearchIssues):
            return _list_of_issues(issues.search_issues(call.text))
        return _whole(issues.whole_issue(call.number))
    except GitHubUnreadable as refusal:
        raise CallRefused(refusal.message) from refusal


def _list_of_issues(issues: tuple[FoundIssue, ...]) -> str:
    return (
        "\n".join(f"#{issue.number} ({issue.state}) {issue.title}" for issue in issues)
        or "(No issue holds this.)"
    )


def _whole(issue: WholeIssue) -> str:
    head = f"#{issue.number} ({issue.state}) {issue.title}"
    parts = [head, _cut(issue.body, _BODY_CHARACTERS) or "(It has no text.)"]
    parts += [
        f"Comment of {comment.author}:\n{_cut(comment.body, _COMMENT_CHARACTERS)}"
        for comment in issue.comments
    ]
    if issue.more_comments:
        parts.append(f"(and {issue.more_comments} more comments)")
    return "\n\n".join(parts)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}\n[{len(text) - limit} characters left out]"
