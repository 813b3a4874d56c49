"""What the repository's issues say to an agent: which hold some words, and what one says, with its comments."""

from pipeline.agents.tools import ReadIssue, SearchIssues, ToolOutcome
from pipeline.domain.errors import GitHubRefused
from pipeline.github_read.reader import FoundIssue, GitHubReader, WholeIssue

_BODY_CHARACTERS = 8_000
_COMMENT_CHARACTERS = 2_000

NO_REPOSITORY = "issues cannot be read here: there is no GITHUB_TOKEN, or no repository on GitHub"


def look_at_issues(issues: GitHubReader | None, asked: SearchIssues | ReadIssue) -> ToolOutcome:
    """Search or read. Without a repository, or where GitHub refuses, that is said: nothing found is another result."""
    if issues is None:
        return ToolOutcome(ok=False, text=NO_REPOSITORY)
    try:
        if isinstance(asked, SearchIssues):
            return ToolOutcome(ok=True, text=_found(issues.search_issues(asked.text)))
        return ToolOutcome(ok=True, text=_whole(issues.whole_issue(asked.number)))
    except GitHubRefused as refusal:
        return ToolOutcome(ok=False, text=refusal.message)


def _found(issues: tuple[FoundIssue, ...]) -> str:
    return "\n".join(f"#{one.number} ({one.state}) {one.title}" for one in issues) or "(No issue holds this.)"


def _whole(issue: WholeIssue) -> str:
    head = f"#{issue.number} ({issue.state}) {issue.title}"
    parts = [head, _cut(issue.body, _BODY_CHARACTERS) or "(It has no text.)"]
    parts += [f"Comment of {one.author}:\n{_cut(one.body, _COMMENT_CHARACTERS)}" for one in issue.comments]
    if issue.more_comments:
        parts.append(f"(and {issue.more_comments} more comments)")
    return "\n\n".join(parts)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}\n[{len(text) - most} characters left out]"
