"""Changes of code as state: pushes, pull requests, reviews."""

from collections.abc import Sequence

from sandbox.world.conversations import IssueOperations
from sandbox.world.git_repository import NoSuchObject
from sandbox.world.refusals import Invalid, NotFound
from sandbox.world.state import Issue, PullRequest, Repository, Review, ReviewComment
from sandbox.world.world import Actor, Happening, World

_REVIEW_STATES = {"APPROVE": "approved", "REQUEST_CHANGES": "changes_requested", "COMMENT": "commented"}


class Pushes:
    """Moves branches and keeps the pull requests that hang on them up to date."""

    def __init__(self, world: World, conversations: IssueOperations) -> None:
        self._world = world
        self._conversations = conversations

    def set_ref(
        self,
        repository: Repository,
        actor: Actor,
        ref: str,
        sha: str,
        *,
        force: bool,
        must_exist: bool = False,
    ) -> None:
        """Create or move a ref; open pull requests of a moved branch follow it."""
        with self._world.lock:
            if must_exist:
                repository.git.move_ref(ref, sha, force=force)
            else:
                repository.git.set_ref(ref, sha)
            repository.pushed_at = self._world.clock.now()
            for issue in repository.issues.values():
                pull = issue.pull_request
                if pull and issue.state == "open" and ref == f"refs/heads/{pull.head_branch}":
                    before, pull.head_sha = pull.head_sha, sha
                    issue.updated_at = self._world.clock.now()
                    extra = {"before": before, "after": sha}
                    self._world.tell(
                        Happening(
                            "pull_request", "synchronize", actor.account, repository, issue, extra=extra
                        )
                    )

    def open_pull_request(
        self,
        repository: Repository,
        actor: Actor,
        *,
        title: str,
        body: str | None,
        head: str,
        base: str,
        draft: bool,
    ) -> Issue:
        """Open a pull request. One head and base have at most one that is open."""
        with self._world.lock:
            head_sha, base_sha = self._tip(repository, head, "head"), self._tip(repository, base, "base")
            git = repository.git
            if not git.commits_between(base_sha, head_sha):
                raise _invalid("custom", None, f"No commits between {base} and {head}")
            for issue in repository.issues.values():
                pull = issue.pull_request
                if pull and issue.state == "open" and (pull.head_branch, pull.base_branch) == (head, base):
                    owner = repository.owner.login
                    raise _invalid("custom", None, f"A pull request already exists for {owner}:{head}.")
            issue = self._conversations.add_issue(repository, actor, title, body)
            issue.pull_request = PullRequest(
                self._world.next_id(), head, base, head_sha, git.merge_base(base_sha, head_sha), draft
            )
            self._world.tell(Happening("pull_request", "opened", actor.account, repository, issue))
            return issue

    def review(
        self,
        repository: Repository,
        issue: Issue,
        actor: Actor,
        event: str,
        body: str | None,
        remarks: Sequence[tuple[str, int, str]] = (),
    ) -> Review:
        """Review a pull request; remarks are path, line and text."""
        if issue.pull_request is None:
            raise NotFound
        if event not in _REVIEW_STATES:
            raise _invalid("invalid", "event", "event is not one of " + ", ".join(_REVIEW_STATES))
        with self._world.lock:
            review = Review(
                self._world.next_id(), actor.account, body, _REVIEW_STATES[event], issue.pull_request.head_sha,
                self._world.clock.now(), tuple(ReviewComment(self._world.next_id(), *remark) for remark in remarks),
            )  # fmt: skip
            issue.pull_request.reviews.append(review)
            self._world.tell(
                Happening("pull_request_review", "submitted", actor.account, repository, issue, review=review)
            )
            return review

    def _tip(self, repository: Repository, branch: str, field: str) -> str:
        try:
            return repository.git.resolve(f"refs/heads/{branch}")
        except NoSuchObject as error:
            raise _invalid("invalid", field, None) from error


def _invalid(code: str, field: str | None, message: str | None) -> Invalid:
    problem = {"resource": "PullRequest", "code": code}
    if field:
        problem["field"] = field
    if message:
        problem["message"] = message
    return Invalid("Validation Failed", [problem])
