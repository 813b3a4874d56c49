"""The switches: what fails, when, how often, and whether the effect was had."""

import time

import pytest
from github import GithubException

from sandbox import Sandbox
from sandbox.world.state import Issue
from tests.sandbox.clients import as_app, call

COMMENTS = "POST /repos/*/issues/*/comments"


@pytest.fixture
def issue(github: Sandbox) -> Issue:
    return github.open_issue(github.create_repository(), "Title", "Body")


def test_a_server_error_before_the_effect_leaves_nothing(github: Sandbox, issue: Issue) -> None:
    github.faults.fail(COMMENTS, times=2)
    seen = as_app(github).get_repo("acme/orders").get_issue(1)
    for _ in range(2):
        with pytest.raises(GithubException) as failed:
            seen.create_comment("hello")
        assert failed.value.status == 502
    seen.create_comment("hello")
    assert len(issue.comments) == 1


def test_a_server_error_after_the_effect_is_a_lie(github: Sandbox, issue: Issue) -> None:
    github.faults.fail(COMMENTS, status=500, after_effect=True)
    with pytest.raises(GithubException):
        as_app(github).get_repo("acme/orders").get_issue(1).create_comment("hello")
    assert [comment.body for comment in issue.comments] == ["hello"]


def test_the_secondary_limit_says_how_long_to_wait(github: Sandbox, issue: Issue) -> None:
    github.faults.rate_limit("GET /repos/acme/orders", retry_after=7)
    refused = call("GET", f"{github.api_url}/repos/acme/orders", token=github.token_of("octocat"))
    assert (refused.status, refused.headers["Retry-After"]) == (403, "7")
    assert "secondary rate limit" in refused.document["message"]


def test_a_slow_answer_is_slow_and_holds_up_nobody_else(github: Sandbox, issue: Issue) -> None:
    github.faults.slow("GET /repos/acme/orders", seconds=0.4)
    token = github.token_of("octocat")
    began = time.monotonic()
    assert call("GET", f"{github.api_url}/repos/acme/orders", token=token).status == 200
    assert time.monotonic() - began > 0.35


@pytest.mark.parametrize(("after_effect", "comments"), [(False, 0), (True, 1)])
def test_something_can_be_called_on_either_side_of_an_effect(
    github: Sandbox, issue: Issue, after_effect: bool, comments: int
) -> None:
    seen: list[int] = []
    github.faults.interrupt(COMMENTS, lambda: seen.append(len(issue.comments)), after_effect=after_effect)
    as_app(github).get_repo("acme/orders").get_issue(1).create_comment("hello")
    assert seen == [comments]


def test_every_request_is_in_the_log(github: Sandbox, issue: Issue) -> None:
    as_app(github).get_repo("acme/orders").get_issue(1).create_comment("hello")
    exchange = github.requests[-1]
    assert (exchange.method, exchange.path) == ("POST", "/repos/acme/orders/issues/1/comments")
    assert (exchange.caller, exchange.status, exchange.document["body"]) == ("askfirst[bot]", 201, "hello")
