"""Issues, comments, labels and reactions, as PyGithub sees them."""

import pytest
from github import GithubException, UnknownObjectException

from sandbox import Sandbox
from tests.sandbox.clients import as_app, as_person, call


def test_the_app_comments_edits_and_reacts(described: Sandbox) -> None:
    orders = described.create_repository()
    issue = described.open_issue(orders, "Add a dry_run flag", "to the bulk action")
    seen = as_app(described).get_repo("acme/orders").get_issue(issue.number)
    assert (seen.title, seen.body, seen.user.login) == ("Add a dry_run flag", "to the bulk action", "octocat")
    seen.create_reaction("eyes")
    comment = seen.create_comment("Which route?")
    assert comment.user.login == "askfirst[bot]"
    assert comment.user.type == "Bot"
    assert comment.raw_data["performed_via_github_app"]["slug"] == "askfirst"
    comment.edit("Which route, please?")
    comment.create_reaction("rocket")
    [posted] = described.comments(issue)
    assert (posted.body, [r.content for r in posted.reactions]) == ("Which route, please?", ["rocket"])


def test_the_same_reaction_is_there_once(github: Sandbox) -> None:
    issue = github.open_issue(github.create_repository(), "Title", "Body")
    address = f"{github.api_url}/repos/acme/orders/issues/1/reactions"
    token = github.token_of("octocat")
    answers = [call("POST", address, {"content": "eyes"}, token=token).status for _ in range(2)]
    assert answers == [201, 200]
    assert len(issue.reactions) == 1


def test_labels_come_and_go(described: Sandbox) -> None:
    issue = described.open_issue(described.create_repository(), "Title", "Body")
    seen = as_app(described).get_repo("acme/orders").get_issue(1)
    seen.add_to_labels("askfirst:needs-answer", "bug")
    seen.remove_from_labels("bug")
    assert [label.name for label in seen.get_labels()] == ["askfirst:needs-answer"]
    with pytest.raises(UnknownObjectException):
        seen.remove_from_labels("bug")
    assert described.labels(issue) == {"askfirst:needs-answer"}
    repository = as_person(described, "octocat").get_repo("acme/orders")
    assert repository.create_label("fresh", "0e8a16").name == "fresh"
    assert repository.get_label("fresh").color == "0e8a16"


def test_lists_are_cut_into_pages(described: Sandbox) -> None:
    issue = described.open_issue(described.create_repository(), "Title", "Body")
    for number in range(65):
        described.comment(issue, f"comment {number}")
    seen = as_app(described).get_repo("acme/orders").get_issue(1)
    assert [c.body for c in seen.get_comments()] == [f"comment {number}" for number in range(65)]
    pages = [e.query.get("page", "1") for e in described.requests if e.path.endswith("/1/comments")]
    assert pages == ["1", "2", "3"]


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


def test_what_does_not_exist_is_not_found(github: Sandbox) -> None:
    github.create_repository()
    with pytest.raises(UnknownObjectException):
        as_app(github).get_repo("acme/orders").get_issue(7)
    with pytest.raises(UnknownObjectException):
        as_person(github, "octocat").get_repo("acme/nothing")
    unknown = call("GET", f"{github.api_url}/no/such/route")
    assert (unknown.status, unknown.document["message"]) == (404, "Not Found")
