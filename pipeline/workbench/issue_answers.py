"""What the repository's issues say to an agent: which hold some words, and what one says, with its comments."""

from pipeline.agents.tools import ReadIssue, SearchIssues
from pipeline.domain.errors import GitHubRefused
from pipeline.github_read.reader import GitHubReader
from pipeline.github_read.records import FoundIssue, WholeIssue
from pipeline.workspace.paths import CallRefused

_BODY_CHARACTERS = 8_000
_COMMENT_CHARACTERS = 2_000

NO_REPOSITORY = "issues cannot be read here: there is no GITHUB_TOKEN, or no repository on GitHub"


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
    except GitHubRefused as refusal:
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
