"""Issues, comments, labels and reactions, as PyGithub sees them."""

import pytest
from github import GithubException

from sandbox import Sandbox
from tests.sandbox.clients import as_app, as_person, call


def test_lists_of_issues_can_be_filtered(described: Sandbox) -> None:
    orders = described.create_repository()
    first = described.open_issue(orders, "First", None)
    described.label(first, "bug")
    described.close_issue(described.open_issue(orders, "Second", None))
    repository = as_app(described).get_repo("acme/orders")
    assert [i.title for i in repository.get_issues()] == ["First"]
    assert [i.title for i in repository.get_issues(state="all")] == ["Second", "First"]
    assert [i.title for i in repository.get_issues(labels=["bug"])] == ["First"]


@pytest.mark.parametrize(("body", "status"), [("x" * 65_536, 201), ("x" * 65_537, 422), ("  ", 422)])
def test_a_comment_has_the_length_that_github_takes(github: Sandbox, body: str, status: int) -> None:
    github.open_issue(github.create_repository(), "Title", "Body")
    address = f"{github.api_url}/repos/acme/orders/issues/1/comments"
    assert call("POST", address, {"body": body}, token=github.token_of("octocat")).status == status


def test_only_authors_and_writers_change_a_comment(github: Sandbox) -> None:
    orders = github.create_repository(collaborators={"octocat": "write", "reader": "read"})
    issue = github.open_issue(orders, "Title", "Body")
    comment = github.comment(issue, "2", by="reader")
    address = f"{github.api_url}/repos/acme/orders/issues/comments/{comment.id}"
    answers = {
        login: call("PATCH", address, {"body": f"1, says {login}"}, token=github.token_of(login)).status
        for login in ("stranger", "reader", "octocat")
    }
    assert answers == {"stranger": 403, "reader": 200, "octocat": 200}


def test_a_locked_issue_takes_comments_of_writers_only(github: Sandbox) -> None:
    issue = github.open_issue(github.create_repository(), "Title", "Body")
    github.lock_issue(issue)
    with pytest.raises(GithubException) as refused:
        as_person(github, "stranger").get_repo("acme/orders").get_issue(1).create_comment("hello")
    assert refused.value.status == 403
    as_app(github).get_repo("acme/orders").get_issue(1).create_comment("locked")
