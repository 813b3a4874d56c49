"""How commits, trees, refs, files and pull requests look as GitHub's JSON."""

import base64

from sandbox.documents.documents import Document, Documents, node_id
from sandbox.world.clock import stamp
from sandbox.world.git_repository import Commit, Signature, TreeEntry
from sandbox.world.refusals import NotFound
from sandbox.world.state import Issue, PullRequest, Repository, Review, ReviewComment

_COMMITTER = "noreply@github.com"


def ref_document(documents: Documents, repository: Repository, ref: str, sha: str) -> Document:
    """A branch or tag."""
    api = documents.at.api_of(repository)
    kind = repository.git.type_of(sha)
    return {
        "ref": ref,
        "node_id": node_id(f"REF:{ref}", repository.id),
        "url": f"{api}/git/{ref}",
        "object": {"type": kind, "sha": sha, "url": f"{api}/git/{kind}s/{sha}"},
    }


def git_commit_document(documents: Documents, repository: Repository, commit: Commit) -> Document:
    """A commit as the Git data API shows it.

    Commits made through the API by a bot that names no author are signed by GitHub; the sandbox signs nothing and says
    `verified` for every commit of which GitHub itself is the committer.
    """
    api, html = documents.at.api_of(repository), documents.at.html_of(repository)
    is_verified = commit.committer.email == _COMMITTER
    return {
        "sha": commit.sha,
        "node_id": node_id(f"C:{commit.sha}", repository.id),
        "url": f"{api}/git/commits/{commit.sha}",
        "html_url": f"{html}/commit/{commit.sha}",
        "author": _signature(commit.author),
        "committer": _signature(commit.committer),
        "message": commit.message,
        "tree": {"sha": commit.tree_sha, "url": f"{api}/git/trees/{commit.tree_sha}"},
        "parents": [
            {"sha": sha, "url": f"{api}/git/commits/{sha}", "html_url": f"{html}/commit/{sha}"}
            for sha in commit.parents
        ],
        "verification": {
            "verified": is_verified,
            "reason": "valid" if is_verified else "unsigned",
            **dict.fromkeys(("signature", "payload", "verified_at")),
        },
    }


def tree_document(
    documents: Documents, repository: Repository, sha: str, entries: list[TreeEntry]
) -> Document:
    """A tree; every entry has the address of its object."""
    api = f"{documents.at.api_of(repository)}/git"
    items = []
    for entry in entries:
        item: Document = {"path": entry.path, "mode": entry.mode, "type": entry.type, "sha": entry.sha}
        if entry.size is not None:
            item["size"] = entry.size
        item["url"] = f"{api}/{entry.type}s/{entry.sha}"
        items.append(item)
    return {"sha": sha, "url": f"{api}/trees/{sha}", "truncated": False, "tree": items}


def content_document(
    documents: Documents, repository: Repository, entry: TreeEntry, revision: str, content: bytes | None
) -> Document:
    """A file or folder of the contents API; only a file asked for by its own path carries its content."""
    api, html = documents.at.api_of(repository), documents.at.html_of(repository)
    url = f"{api}/contents/{entry.path}?ref={revision}"
    folder = entry.type == "tree"
    page = f"{html}/{'tree' if folder else 'blob'}/{revision}/{entry.path}"
    git = f"{api}/git/{entry.type}s/{entry.sha}"
    document: Document = {
        "type": "dir" if folder else "file",
        "name": entry.path.rpartition("/")[2],
        "path": entry.path,
        "sha": entry.sha,
        "size": entry.size or 0,
        "url": url,
        "git_url": git,
        "html_url": page,
        "download_url": None if folder else f"{html}/raw/{revision}/{entry.path}",
        "_links": {"self": url, "git": git, "html": page},
    }
    if content is not None:
        document |= {"encoding": "base64", "content": base64.encodebytes(content).decode()}
    return document


def pull_request_document(
    documents: Documents, repository: Repository, issue: Issue, *, full: bool = False
) -> Document:
    """A pull request; `full` adds what lists and webhooks leave out."""
    pull = _pull_of(issue)
    api = f"{documents.at.api_of(repository)}/pulls/{issue.number}"
    seen_as_issue = documents.issue(repository, issue)
    shared_fields = (
        "number", "state", "locked", "title", "user", "body", "labels", "milestone", "active_lock_reason", "created_at",
        "updated_at", "closed_at", "assignee", "assignees", "author_association", "comments_url", "html_url",
    )  # fmt: skip
    html = seen_as_issue["html_url"]
    links = {
        "url": api, "issue_url": seen_as_issue["url"], "commits_url": f"{api}/commits",
        "review_comments_url": f"{api}/comments", "review_comment_url": f"{api}/comments{{/number}}",
        "statuses_url": f"{documents.at.api_of(repository)}/statuses/{pull.head_sha}",
    }  # fmt: skip
    document: Document = {
        **{name: seen_as_issue[name] for name in shared_fields},
        **links,
        "id": pull.id,
        "node_id": node_id("PR", pull.id),
        "diff_url": f"{html}.diff",
        "patch_url": f"{html}.patch",
        "merged_at": stamp(pull.merged_at),
        "merge_commit_sha": None,
        "requested_reviewers": [],
        "requested_teams": [],
        "head": _side(documents, repository, pull.head_branch, pull.head_sha),
        "base": _side(documents, repository, pull.base_branch, pull.base_sha),
        "_links": {
            name: {"href": address}
            for name, address in {
                "self": api, "html": html, "issue": links["issue_url"], "comments": seen_as_issue["comments_url"],
                "review_comments": links["review_comments_url"], "review_comment": links["review_comment_url"],
                "commits": links["commits_url"], "statuses": links["statuses_url"],
            }.items()
        },
        "auto_merge": None,
        "draft": pull.draft,
    }  # fmt: skip
    return document | (_sizes(repository, issue, pull) if full else {})


def review_document(documents: Documents, repository: Repository, issue: Issue, review: Review) -> Document:
    """A review as REST shows it."""
    pull = f"{documents.at.api_of(repository)}/pulls/{issue.number}"
    html = f"{documents.at.html_of(repository)}/pull/{issue.number}#pullrequestreview-{review.id}"
    return {
        "id": review.id,
        "node_id": node_id("PRR", review.id),
        "user": documents.account(review.user),
        "body": review.body or "",
        "state": review.state.upper(),
        "html_url": html,
        "pull_request_url": pull,
        "_links": {"html": {"href": html}, "pull_request": {"href": pull}},
        "submitted_at": stamp(review.submitted_at),
        "commit_id": review.commit_id,
        "author_association": documents.world.association(repository, review.user),
    }


def remark_document(
    documents: Documents, repository: Repository, issue: Issue, review: Review, remark: ReviewComment
) -> Document:
    """A remark of a review, as the list of a review's comments shows it."""
    pull = f"{documents.at.api_of(repository)}/pulls/{issue.number}"
    html = f"{documents.at.html_of(repository)}/pull/{issue.number}#discussion_r{remark.id}"
    url = f"{documents.at.api_of(repository)}/pulls/comments/{remark.id}"
    return {
        "id": remark.id,
        "node_id": node_id("PRRC", remark.id),
        "url": url,
        "pull_request_review_id": review.id,
        "diff_hunk": "",
        "path": remark.path,
        "position": None,
        "original_position": remark.line,
        "line": remark.line,
        "side": "RIGHT",
        "commit_id": review.commit_id,
        "original_commit_id": review.commit_id,
        "user": documents.account(review.user),
        "body": remark.body,
        "created_at": stamp(review.submitted_at),
        "updated_at": stamp(review.submitted_at),
        "html_url": html,
        "pull_request_url": pull,
        "_links": {"self": {"href": url}, "html": {"href": html}, "pull_request": {"href": pull}},
        "author_association": documents.world.association(repository, review.user),
    }


def _pull_of(issue: Issue) -> PullRequest:
    if issue.pull_request is None:
        raise NotFound
    return issue.pull_request


def _sizes(repository: Repository, issue: Issue, pull: PullRequest) -> Document:
    changes = repository.git.changes(pull.base_sha, pull.head_sha)
    return {
        "merged": pull.merged_at is not None,
        "mergeable": None,
        "mergeable_state": "unknown",
        "merged_by": None,
        "comments": len(issue.comments),
        "review_comments": 0,
        "maintainer_can_modify": False,
        "commits": len(repository.git.commits_between(pull.base_sha, pull.head_sha)),
        "additions": sum(change.additions for change in changes),
        "deletions": sum(change.deletions for change in changes),
        "changed_files": len(changes),
    }


def _side(documents: Documents, repository: Repository, branch: str, sha: str) -> Document:
    return {
        "label": f"{repository.owner.login}:{branch}",
        "ref": branch,
        "sha": sha,
        "user": documents.account(repository.owner),
        "repo": documents.repository(repository),
    }


def _signature(signature: Signature) -> Document:
    return {"name": signature.name, "email": signature.email, "date": stamp(signature.date)}
