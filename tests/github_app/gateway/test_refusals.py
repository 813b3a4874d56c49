"""A refusal of GitHub is sorted: it passes, an operator can end it, or it is an answer."""

import time
from email.utils import formatdate

import pytest
from github import GithubException
from inline_snapshot import snapshot

from github_app.gateway.refusals import RefusedRequest, sorted_refusal
from github_app.ports.github import AccessWithheld, AppRefused, GitHubRefused, GitHubUnavailable, NotYet

TOKENS = "/app/installations/55/access_tokens"
COMMENTS = "/repos/acme/orders/issues/1/comments"
SERVER = "https://github.com"


def refusal(
    status: int,
    message: str,
    path: str = COMMENTS,
    *,
    headers: dict[str, str] | None = None,
    body: dict[str, object] | None = None,
    server: str | None = SERVER,
) -> GitHubRefused | GitHubUnavailable:
    error = GithubException(status, {"message": message}, headers or {}, message)
    return sorted_refusal(error, RefusedRequest("POST", path, body), server)


def test_a_missing_permission_says_what_to_grant_and_where() -> None:
    needed = {"X-Accepted-GitHub-Permissions": "issues=write; pull_requests=write"}
    withheld = refusal(403, "Resource not accessible by integration", headers=needed)
    assert isinstance(withheld, AccessWithheld)
    assert withheld.advice == snapshot(
        "Grant issues: write; pull_requests: write to the App (https://github.com/settings/apps, under 'Permissions & events'), and accept it under https://github.com/settings/installations"
    )


def test_a_token_that_was_not_granted_names_its_permission_and_its_installation() -> None:
    message = "The permissions requested are not granted to this installation."
    withheld = refusal(422, message, TOKENS, body={"permissions": {"actions": "write"}})
    assert isinstance(withheld, AccessWithheld)
    assert withheld.advice == snapshot(
        "Grant actions: write to the App (https://github.com/settings/apps, under 'Permissions & events'), and accept it under https://github.com/settings/installations/55"
    )


@pytest.mark.parametrize(("shift", "words"), [(-7200, "ahead of GitHub's"), (7200, "behind GitHub's")])
def test_a_clock_that_is_wrong_is_named(shift: float, words: str) -> None:
    dated = {"Date": formatdate(time.time() + shift, usegmt=True)}
    withheld = refusal(401, "A JSON web token could not be decoded", TOKENS, headers=dated)
    assert isinstance(withheld, AccessWithheld)
    assert words in withheld.advice
    right = refusal(
        401, "A JSON web token could not be decoded", TOKENS, headers={"Date": formatdate(usegmt=True)}
    )
    assert isinstance(right, AccessWithheld)
    assert "ASKFIRST_PRIVATE_KEY" in right.advice


@pytest.mark.parametrize(
    ("status", "message", "path", "word"),
    [
        (403, "This installation has been suspended", TOKENS, "unsuspend"),
        (403, "This installation has been suspended", COMMENTS, "unsuspend"),
        (400, "'2099-01-01' is not a supported version.", COMMENTS, "a newer askfirst"),
        (401, "A JSON web token could not be decoded", TOKENS, "ASKFIRST_PRIVATE_KEY"),
        (404, "Integration not found", TOKENS, "ASKFIRST_CLIENT_ID"),
        (403, "the `acme` organization has an IP allow list enabled", COMMENTS, "IP allow list"),
    ],
)
def test_what_an_operator_can_end_is_kept_with_advice(
    status: int, message: str, path: str, word: str
) -> None:
    withheld = refusal(status, message, path)
    assert isinstance(withheld, AccessWithheld)
    assert word in withheld.advice


@pytest.mark.parametrize(
    ("status", "message", "path"),
    [
        (404, "Not Found", COMMENTS),
        (404, "Not Found", TOKENS),
        (410, "This issue was deleted", COMMENTS),
        (403, "Unable to create comment because issue is locked.", COMMENTS),
        (403, "Repository was archived so is read-only.", COMMENTS),
        (422, "There is at least one repository that does not exist or is not accessible", TOKENS),
        (400, "Problems parsing JSON", COMMENTS),
    ],
)
def test_what_is_gone_or_cannot_be_done_is_an_answer(status: int, message: str, path: str) -> None:
    assert isinstance(refusal(status, message, path), GitHubRefused)


@pytest.mark.parametrize(
    ("status", "message"), [(401, "Bad credentials"), (408, "Timeout"), (502, "Server Error")]
)
def test_what_passes_is_unavailable(status: int, message: str) -> None:
    assert type(refusal(status, message)) is GitHubUnavailable


def test_a_rate_limit_is_too_early_and_nothing_more() -> None:
    limit = refusal(403, "You have exceeded a secondary rate limit", headers={"Retry-After": "70"})
    assert isinstance(limit, NotYet)
    assert limit.retry_after == 70


def test_in_a_job_nobody_can_grant_anything_and_the_refusal_is_the_answer() -> None:
    assert isinstance(refusal(403, "Resource not accessible by integration", server=None), GitHubRefused)


def test_a_clock_that_is_slow_by_a_day_waits_no_longer_than_a_limit_lasts() -> None:
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(time.time()) + 24 * 3600)}
    early = refusal(403, "API rate limit exceeded", headers=headers)
    assert isinstance(early, NotYet)
    assert early.retry_after is not None
    assert 3600 <= early.retry_after < 3700


def test_what_concerns_every_request_is_told_from_what_concerns_one_installation() -> None:
    undecoded = refusal(401, "A JSON web token could not be decoded", TOKENS)
    gone = refusal(404, "Integration not found", TOKENS)
    old = refusal(400, "'2099-01-01' is not a supported version.")
    suspended = refusal(403, "This installation has been suspended", TOKENS)
    assert [isinstance(answer, AppRefused) for answer in (undecoded, gone, old, suspended)] == [
        True,
        True,
        True,
        False,
    ]
