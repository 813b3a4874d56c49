"""What the repository's issues say to an agent: which hold some words, and what one says, with its comments."""

from pipeline.agents.tools import ReadIssue, SearchIssues, ToolOutcome
from pipeline.domain.errors import GitHubRefused
from pipeline.github_read.reader import GitHubReader
from pipeline.github_read.records import FoundIssue, WholeIssue

_BODY_CHARACTERS = 8_000
_COMMENT_CHARACTERS = 2_000

NO_REPOSITORY = "issues cannot be read here: there is no GITHUB_TOKEN, or no repository on GitHub"


def look_at_issues(issues: GitHubReader | None, call: SearchIssues | ReadIssue) -> ToolOutcome:
    """Search or read. Without a repository, or where GitHub refuses, that is said: nothing found is another result."""
    if issues is None:
        return ToolOutcome(ok=False, text=NO_REPOSITORY)
    try:
        if isinstance(call, SearchIssues):
            return ToolOutcome(ok=True, text=_list_of_issues(issues.search_issues(call.text)))
        return ToolOutcome(ok=True, text=_whole(issues.whole_issue(call.number)))
    except GitHubRefused as refusal:
        return ToolOutcome(ok=False, text=refusal.message)


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
