"""Who may do what: the App's JWT, installation tokens, narrowed tokens, people."""

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from github import GithubException, UnknownObjectException

from sandbox import Sandbox
from tests.sandbox.clients import app_jwt, as_app, as_person, call, integration


def test_the_app_finds_itself_and_its_installations(described: Sandbox) -> None:
    described.create_repository()
    app = integration(described)
    assert app.get_app().slug == "askfirst"
    installation = app.get_repo_installation("acme", "orders")
    assert [i.id for i in app.get_installations()] == [installation.id]
    assert installation.raw_data["account"]["login"] == "acme"
    assert [r.full_name for r in installation.get_repos()] == ["acme/orders"]


def test_a_jwt_of_another_key_is_refused(github: Sandbox) -> None:
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    assert call("GET", f"{github.api_url}/app", token=app_jwt(github, key=stranger.decode())).status == 401


@pytest.mark.parametrize(
    "claims", [{"exp": 1_000_000_000}, {"exp": 9_000_000_000}, {"iss": "somebody-else"}], ids=str
)
def test_a_jwt_with_wrong_claims_is_refused(github: Sandbox, claims: dict[str, object]) -> None:
    assert call("GET", f"{github.api_url}/app", token=app_jwt(github, claims)).status == 401


def test_an_app_id_is_as_good_an_issuer_as_a_client_id(github: Sandbox) -> None:
    token = app_jwt(github, {"iss": str(github.app.id)})
    assert call("GET", f"{github.api_url}/app", token=token).status == 200


def test_without_credentials_github_asks_for_them(github: Sandbox) -> None:
    github.create_repository()
    assert call("GET", f"{github.api_url}/repos/acme/orders").status == 401


def test_an_installation_token_looks_as_github_makes_them_since_2026(github: Sandbox) -> None:
    github.create_repository()
    token = integration(github).get_access_token(next(iter(github.world.installations))).token
    assert token.startswith("ghs_")
    assert token.count(".") == 2
    assert len(token) > 500


def test_a_token_without_a_permission_is_refused_and_told_which_it_needs(github: Sandbox) -> None:
    orders = github.create_repository()
    github.open_issue(orders, "Title", "Body")
    reader = as_app(github, {"issues": "read"})
    issue = reader.get_repo("acme/orders").get_issue(1)
    with pytest.raises(GithubException) as refused:
        issue.create_comment("hello")
    assert refused.value.status == 403
    assert refused.value.headers is not None
    assert refused.value.headers["x-accepted-github-permissions"] == "issues=write; pull_requests=write"


@pytest.mark.parametrize(
    "wish", [{"permissions": {"administration": "write"}}, {"repository_ids": [1]}], ids=str
)
def test_a_token_is_never_wider_than_the_installation(github: Sandbox, wish: dict[str, object]) -> None:
    github.create_repository()
    installation = next(iter(github.world.installations))
    address = f"{github.api_url}/app/installations/{installation}/access_tokens"
    assert call("POST", address, wish, token=app_jwt(github)).status == 422


def test_a_token_dies_after_an_hour_or_when_revoked(github: Sandbox) -> None:
    github.create_repository()
    installation = next(iter(github.world.installations))
    old, revoked = (integration(github).get_access_token(installation).token for _ in range(2))
    repositories = f"{github.api_url}/installation/repositories"
    assert call("DELETE", f"{github.api_url}/installation/token", token=revoked).status == 204
    assert call("GET", repositories, token=revoked).status == 401
    assert call("GET", repositories, token=old).status == 200
    github.advance(3601)
    assert call("GET", repositories, token=old).status == 401


def test_a_private_repository_does_not_exist_for_strangers(github: Sandbox) -> None:
    github.create_repository(private=True)
    with pytest.raises(UnknownObjectException):
        as_person(github, "stranger").get_repo("acme/orders")
    assert as_person(github, "octocat").get_repo("acme/orders").private


def test_a_person_without_triage_cannot_label(github: Sandbox) -> None:
    orders = github.create_repository(collaborators={"reader": "read"})
    github.open_issue(orders, "Title", "Body", by="reader")
    issue = as_person(github, "reader").get_repo("acme/orders").get_issue(1)
    with pytest.raises(GithubException) as refused:
        issue.add_to_labels("askfirst")
    assert refused.value.status == 403
