"""How accounts, the App, repositories and conversations look as GitHub's JSON, in REST answers and webhooks alike."""

import base64
from dataclasses import dataclass
from typing import Any

from sandbox.world.clock import stamp
from sandbox.world.state import (
    REACTIONS,
    Account,
    Comment,
    Installation,
    Issue,
    Label,
    Reaction,
    RegisteredApp,
    Repository,
    Role,
    Token,
)
from sandbox.world.world import World

Document = dict[str, Any]

_ACCOUNT_LINKS = {
    "followers_url": "/followers", "following_url": "/following{/other_user}", "gists_url": "/gists{/gist_id}",
    "starred_url": "/starred{/owner}{/repo}", "subscriptions_url": "/subscriptions", "organizations_url": "/orgs",
    "repos_url": "/repos", "events_url": "/events{/privacy}", "received_events_url": "/received_events",
}  # fmt: skip

_REPOSITORY_LINKS = {
    "archive_url": "/{archive_format}{/ref}", "assignees_url": "/assignees{/user}", "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}", "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}", "commits_url": "/commits{/sha}", "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}", "contributors_url": "/contributors", "deployments_url": "/deployments",
    "downloads_url": "/downloads", "events_url": "/events", "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}", "git_refs_url": "/git/refs{/sha}", "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks", "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}", "issues_url": "/issues{/number}", "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}", "languages_url": "/languages", "merges_url": "/merges",
    "milestones_url": "/milestones{/number}", "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}", "releases_url": "/releases{/id}", "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}", "subscribers_url": "/subscribers", "subscription_url": "/subscription",
    "tags_url": "/tags", "teams_url": "/teams", "trees_url": "/git/trees{/sha}",
}  # fmt: skip


@dataclass(frozen=True)
class Addresses:
    """Where this GitHub is: the REST root, the pages' root, and the second host that holds artifacts."""

    api: str
    html: str
    artifacts: str

    def api_of(self, repository: Repository) -> str:
        """REST address of a repository."""
        return f"{self.api}/repos/{repository.full_name}"

    def html_of(self, repository: Repository) -> str:
        """Page of a repository."""
        return f"{self.html}/{repository.full_name}"


def node_id(kind: str, number: int) -> str:
    """An opaque global id; it only has to be unique and stable."""
    return f"{kind}_{base64.urlsafe_b64encode(f'{kind}:{number}'.encode()).decode().rstrip('=')}"


class Documents:
    """Renders state. One instance per sandbox; the caller holds the world's lock."""

    def __init__(self, world: World, addresses: Addresses) -> None:
        self.world = world
        self.at = addresses

    def account(self, account: Account) -> Document:
        """A `simple-user`."""
        url = f"{self.at.api}/users/{account.login}"
        return {
            "login": account.login,
            "id": account.id,
            "node_id": node_id("U", account.id),
            "avatar_url": f"{self.at.html}/_sandbox/avatar.svg",
            "gravatar_id": "",
            "url": url,
            "html_url": f"{self.at.html}/{account.login}",
            **{name: url + path for name, path in _ACCOUNT_LINKS.items()},
            "type": account.type.value,
            "site_admin": False,
        }

    def organization(self, account: Account) -> Document:
        """An organization as webhooks name it beside the repository."""
        url = f"{self.at.api}/orgs/{account.login}"
        links = ("repos", "events", "hooks", "issues")
        return {
            "login": account.login,
            "id": account.id,
            "node_id": node_id("O", account.id),
            "url": url,
            **{f"{name}_url": f"{url}/{name}" for name in links},
            "members_url": f"{url}/members{{/member}}",
            "public_members_url": f"{url}/public_members{{/member}}",
            "avatar_url": f"{self.at.html}/_sandbox/avatar.svg",
            "description": None,
        }

    def app(self, app: RegisteredApp) -> Document:
        """The registered App, without its secrets."""
        return {
            "id": app.id,
            "client_id": app.client_id,
            "slug": app.slug,
            "node_id": node_id("A", app.id),
            "owner": self.account(app.owner),
            "name": app.name,
            "description": None,
            "external_url": f"{self.at.html}/apps/{app.slug}",
            "html_url": f"{self.at.html}/apps/{app.slug}",
            "created_at": stamp(app.created_at),
            "updated_at": stamp(app.created_at),
            "permissions": app.permissions,
            "events": list(app.events),
        }

    def installation(self, installation: Installation) -> Document:
        """The App on one account."""
        app = self.world.the_app
        return {
            "id": installation.id,
            "node_id": node_id("I", installation.id),
            "client_id": app.client_id,
            "account": self.account(installation.account),
            "repository_selection": "all" if installation.repository_ids is None else "selected",
            "access_tokens_url": f"{self.at.api}/app/installations/{installation.id}/access_tokens",
            "repositories_url": f"{self.at.api}/installation/repositories",
            "html_url": f"{self.at.html}/settings/installations/{installation.id}",
            "app_id": app.id,
            "app_slug": app.slug,
            "target_id": installation.account.id,
            "target_type": installation.account.type.value,
            "permissions": installation.permissions,
            "events": list(app.events),
            "created_at": stamp(installation.created_at),
            "updated_at": stamp(installation.created_at),
            "single_file_name": None,
            "suspended_by": None,
            "suspended_at": stamp(installation.suspended_at),
        }

    def token(self, token: Token) -> Document:
        """A fresh installation token; its repositories are listed only where it was narrowed."""
        document: Document = {
            "token": token.value,
            "expires_at": stamp(token.expires_at),
            "permissions": token.permissions,
            "repository_selection": "all" if token.repository_ids is None else "selected",
        }
        if token.repository_ids is not None:
            ids = sorted(token.repository_ids)
            document["repositories"] = [self.repository(self.world.repositories[i]) for i in ids]
        return document

    def repository(self, repository: Repository) -> Document:
        """A repository with every link GitHub lists."""
        api, html = self.at.api_of(repository), self.at.html_of(repository)
        created_at, pushed_at = stamp(repository.created_at), stamp(repository.pushed_at)
        open_issues = sum(issue.state == "open" for issue in repository.issues.values())
        host = self.at.html.removeprefix("http://")
        return {
            "id": repository.id,
            "node_id": node_id("R", repository.id),
            "name": repository.name,
            "full_name": repository.full_name,
            "private": repository.private,
            "visibility": "private" if repository.private else "public",
            "owner": self.account(repository.owner),
            "html_url": html,
            "description": None,
            "fork": False,
            "url": api,
            **{name: api + path for name, path in _REPOSITORY_LINKS.items()},
            "git_url": f"git://{host}/{repository.full_name}.git",
            "ssh_url": f"git@{host}:{repository.full_name}.git",
            "clone_url": f"{html}.git",
            "svn_url": html,
            "mirror_url": None,
            "homepage": None,
            "language": None,
            "license": None,
            **dict.fromkeys(
                ("forks_count", "stargazers_count", "watchers_count", "size", "forks", "watchers"), 0
            ),
            "open_issues_count": open_issues,
            "open_issues": open_issues,
            "default_branch": repository.default_branch,
            "is_template": False,
            "topics": [],
            "has_issues": True,
            **dict.fromkeys(
                ("has_projects", "has_wiki", "has_pages", "has_downloads", "has_discussions"), False
            ),
            "archived": False,
            "disabled": False,
            "allow_forking": True,
            "web_commit_signoff_required": False,
            "pushed_at": pushed_at,
            "created_at": created_at,
            "updated_at": pushed_at,
        }

    def full_repository(self, repository: Repository) -> Document:
        """The answer of `GET /repos/{owner}/{repo}`."""
        return {**self.repository(repository), "subscribers_count": 0, "network_count": 0}

    def collaborator(self, account: Account, role: Role) -> Document:
        """The answer of the collaborator permission question."""
        rights = {
            "pull": Role.READ, "triage": Role.TRIAGE, "push": Role.WRITE, "maintain": Role.MAINTAIN, "admin": Role.ADMIN,
        }  # fmt: skip
        user = {
            **self.account(account),
            "permissions": {name: role >= least for name, least in rights.items()},
            "role_name": role.role_name,
        }
        return {"permission": role.permission, "role_name": role.role_name, "user": user}

    def label(self, repository: Repository, label: Label) -> Document:
        """A label."""
        return {
            "id": label.id,
            "node_id": node_id("LA", label.id),
            "url": f"{self.at.api_of(repository)}/labels/{label.name}",
            "name": label.name,
            "description": label.description,
            "color": label.color,
            "default": False,
        }

    def issue(self, repository: Repository, issue: Issue) -> Document:
        """An issue, or a pull request seen as one."""
        api = f"{self.at.api_of(repository)}/issues/{issue.number}"
        page = "pull" if issue.pull_request else "issues"
        html = f"{self.at.html_of(repository)}/{page}/{issue.number}"
        document: Document = {
            "url": api,
            "repository_url": self.at.api_of(repository),
            "labels_url": f"{api}/labels{{/name}}",
            "comments_url": f"{api}/comments",
            "events_url": f"{api}/events",
            "timeline_url": f"{api}/timeline",
            "html_url": html,
            "id": issue.id,
            "node_id": node_id("I", issue.id),
            "number": issue.number,
            "title": issue.title,
            "user": self.account(issue.user),
            "labels": [self.label(repository, label) for label in issue.labels],
            "state": issue.state,
            "state_reason": issue.state_reason,
            "locked": issue.is_locked,
            "active_lock_reason": None,
            "assignee": None,
            "assignees": [],
            "milestone": None,
            "comments": len(issue.comments),
            "created_at": stamp(issue.created_at),
            "updated_at": stamp(issue.updated_at),
            "closed_at": stamp(issue.closed_at),
            "closed_by": self.account(issue.closed_by) if issue.closed_by else None,
            "author_association": self.world.association(repository, issue.user),
            "body": issue.body,
            "reactions": self.reaction_counts(f"{api}/reactions", issue.reactions),
            "performed_via_github_app": self._app_if(via_app=issue.via_app),
        }
        if issue.pull_request:
            pull = f"{self.at.api_of(repository)}/pulls/{issue.number}"
            document["draft"] = issue.pull_request.draft
            document["pull_request"] = {
                "url": pull, "html_url": html, "diff_url": f"{html}.diff", "patch_url": f"{html}.patch",
                "merged_at": stamp(issue.pull_request.merged_at),
            }  # fmt: skip
        return document

    def comment(self, repository: Repository, issue: Issue, comment: Comment) -> Document:
        """A comment of a conversation."""
        api = f"{self.at.api_of(repository)}/issues"
        page = "pull" if issue.pull_request else "issues"
        return {
            "url": f"{api}/comments/{comment.id}",
            "html_url": f"{self.at.html_of(repository)}/{page}/{issue.number}#issuecomment-{comment.id}",
            "issue_url": f"{api}/{issue.number}",
            "id": comment.id,
            "node_id": node_id("IC", comment.id),
            "user": self.account(comment.user),
            "created_at": stamp(comment.created_at),
            "updated_at": stamp(comment.updated_at),
            "author_association": self.world.association(repository, comment.user),
            "body": comment.body,
            "reactions": self.reaction_counts(f"{api}/comments/{comment.id}/reactions", comment.reactions),
            "performed_via_github_app": self._app_if(via_app=comment.via_app),
        }

    def reaction(self, reaction: Reaction) -> Document:
        """One reaction."""
        return {
            "id": reaction.id,
            "node_id": node_id("REA", reaction.id),
            "user": self.account(reaction.user),
            "content": reaction.content,
            "created_at": stamp(reaction.created_at),
        }

    def reaction_counts(self, url: str, reactions: list[Reaction]) -> Document:
        """The roll-up that issues and comments carry."""
        counts = {content: sum(r.content == content for r in reactions) for content in REACTIONS}
        return {"url": url, "total_count": len(reactions), **counts}

    def _app_if(self, *, via_app: bool) -> Document | None:
        return self.app(self.world.the_app) if via_app else None
