"""Tokens open one repository for one kind of call; another tenant's repository stays shut (attack 17)."""

import json
from datetime import timedelta
from typing import TYPE_CHECKING

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from github_app.gateway.app_auth import AppAuth, TokenScope, UnusableKey
from github_app.gateway.rest import Pace
from github_app.ports.github import RECEIPTS_AT_ONCE, GitHubRefused, GitHubUnavailable, Place, Repository
from tests.github_app.gateway.conftest import RealClock, settings_for

if TYPE_CHECKING:
    from sandbox.server import HttpExchange
    from tests.github_app.gateway.conftest import Gateway


def token_requests(gateway: "Gateway") -> "list[HttpExchange]":
    return [request for request in gateway.github.requests if "access_tokens" in request.path]


def test_the_jwt_is_issued_by_the_client_id_a_minute_ago_for_nine_minutes(gateway: "Gateway") -> None:
    claims = jwt.decode(gateway.auth.jwt(), options={"verify_signature": False})
    now = int(RealClock().now().timestamp())
    assert claims["iss"] == gateway.settings.client_id
    assert abs(claims["iat"] - (now - 60)) <= 1
    assert claims["exp"] - claims["iat"] == 600
    assert jwt.get_unverified_header(gateway.auth.jwt())["alg"] == "RS256"


@pytest.mark.parametrize(
    "pem", ["", "-----BEGIN RSA PRIVATE KEY-----\nnonsense\n-----END RSA PRIVATE KEY-----\n"]
)
def test_a_private_key_that_is_none_is_said_at_once(gateway: "Gateway", pem: str) -> None:
    with pytest.raises(UnusableKey, match="download a new one"):
        AppAuth(settings_for(gateway.github, private_key=pem), RealClock()).jwt()


@pytest.mark.parametrize("scope", TokenScope)
def test_a_token_is_asked_for_one_repository_and_one_permission(
    gateway: "Gateway", scope: TokenScope
) -> None:
    gateway.auth.token(gateway.repository, scope)
    [request] = token_requests(gateway)
    asked = json.loads(request.request_body)
    assert asked == {"repository_ids": [gateway.repository.id], "permissions": scope.permissions}
    assert len(scope.permissions) == 1


def test_a_token_is_kept_until_five_minutes_before_its_end(gateway: "Gateway") -> None:
    key = (gateway.repository.installation_id, gateway.repository.id, TokenScope.READ_ISSUES)
    first = gateway.auth.token(gateway.repository, TokenScope.READ_ISSUES)
    kept = gateway.auth._tokens[key]
    for minutes, same in ((6, True), (4, False)):
        end = RealClock().now() + timedelta(minutes=minutes)
        gateway.auth._tokens[key] = kept.model_copy(update={"expires_at": end})
        assert (gateway.auth.token(gateway.repository, TokenScope.READ_ISSUES) == first) is same
    assert len(token_requests(gateway)) == 2


def test_a_token_is_asked_for_again_at_once_where_github_fails(gateway: "Gateway") -> None:
    gateway.github.faults.fail("POST /app/installations/*/access_tokens", times=2)
    assert gateway.auth.token(gateway.repository, TokenScope.READ_ISSUES)
    assert [request.status for request in token_requests(gateway)] == [502, 502, 201]


def test_a_token_that_was_revoked_is_replaced_at_the_next_attempt(gateway: "Gateway") -> None:
    issue = gateway.open_issue()
    place = gateway.place(issue)
    gateway.issues.issue(place)
    gateway.github.world.tokens.clear()
    with pytest.raises(GitHubUnavailable, match="401"):
        gateway.issues.issue(place)
    assert gateway.issues.issue(place).number == issue.number


def test_attack_17_a_repository_of_another_installation_is_refused(gateway: "Gateway") -> None:
    theirs = gateway.github.create_repository("secret", owner="rivals")
    claimed = Repository(gateway.repository.installation_id, theirs.id, "rivals/secret", "main")
    with pytest.raises(GitHubRefused) as caught:
        gateway.auth.token(claimed, TokenScope.READ_ISSUES)
    assert caught.value.status == 422


def test_attack_17_a_name_that_is_not_the_repositorys_opens_nothing(gateway: "Gateway") -> None:
    theirs = gateway.github.create_repository("secret", owner="rivals", private=True)
    issue = gateway.github.open_issue(theirs, "Their plan", None)
    claimed = Repository(gateway.repository.installation_id, gateway.repository.id, "rivals/secret", "main")
    with pytest.raises(GitHubRefused) as caught:
        gateway.issues.issue(Place(claimed, issue.number))
    assert caught.value.status in {403, 404}


def test_an_installation_that_is_gone_is_a_refusal(gateway: "Gateway") -> None:
    gone = Repository(4711, gateway.repository.id, "acme/orders", "main")
    with pytest.raises(GitHubRefused) as caught:
        gateway.auth.token(gone, TokenScope.READ_ISSUES)
    assert caught.value.status == 404


@given(st.lists(st.tuples(st.sampled_from([1, 2]), st.booleans(), st.floats(0, 3)), max_size=20))
def test_no_receipt_waits_for_another_kind_of_write(writes: list[tuple[int, bool, float]]) -> None:
    """Five writes of an installation may come together if they are receipts; else there is a second for each."""
    pace, now, turns = Pace(1.0), 0.0, dict[int, list[float]]()
    for installation, is_receipt, pause in writes:
        now += pause
        moments = turns.setdefault(installation, [])
        seconds, is_ours = pace.ask(installation, now, is_receipt=is_receipt)
        assert is_ours == (is_receipt or seconds == 0.0)
        latest = moments[-1] if moments else -1.0
        assert seconds <= max(0.0, latest + 1 - now) + 1e-6 or not is_receipt
        assert is_receipt or seconds > 0 or now - latest > 0.999
        if is_ours:
            moments.append(now + seconds)
    for moments in turns.values():
        for n in range(RECEIPTS_AT_ONCE, len(moments)):
            assert all(moments[n] - moments[i] > n - i - RECEIPTS_AT_ONCE + 0.999 for i in range(n))


def test_five_receipts_go_at_once_and_what_comes_behind_them_waits_for_five_turns() -> None:
    pace = Pace(1.0)
    assert [pace.ask(1, 10.0, is_receipt=True)[0] for _ in range(7)] == [0, 0, 0, 0, 0, 1, 2]
    assert pace.ask(1, 10.0, is_receipt=False) == (7.0, False)


def test_writes_of_one_installation_keep_their_distance() -> None:
    import time

    pace = Pace(0.1)
    began = time.monotonic()
    for _ in range(3):
        pace.wait(1)
    pace.wait(2)
    assert time.monotonic() - began >= 0.2
