"""Whose token goes where: a host that only an address names gets none that was not made for it."""

from pathlib import Path

import pytest

from pipeline.domain.errors import TicketUnreadable
from pipeline.run_inputs.issue_source import (
    IssueName,
    issue_name,
    reader_of,
    repository_of_remote,
)

GH = """#!/bin/sh
# Like gh: a token of the environment is taken for one of any other host than github.com.
[ -n "$GH_ENTERPRISE_TOKEN" ] && [ "$4" != github.com ] && echo "$GH_ENTERPRISE_TOKEN" && exit 0
[ "$4" = signed-in.ghe.com ] && echo "its-own" && exit 0
exit 1
"""


@pytest.fixture(autouse=True)
def gh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "gh"
    program.write_text(GH, encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("GH_ENTERPRISE_TOKEN", "of-the-company")


@pytest.mark.parametrize(
    "url",
    [
        "git@github.com:acme/orders.git",
        "github.com:acme/orders",
        "https://github.com/acme/orders",
        "https://www.github.com/acme/orders",
        "https://x-access-token:secret@GitHub.com/acme/orders.git/",
        "ssh://git@github.com/acme/orders.git",
        "ssh://git@ssh.github.com:443/acme/orders.git",
    ],
)
def test_a_remote_on_the_github_of_the_environment_names_its_repository(url: str) -> None:
    assert repository_of_remote(url, {}) == "acme/orders"
    enterprise = {"GITHUB_SERVER_URL": "https://acme.ghe.com", "GITHUB_API_URL": "https://api.acme.ghe.com"}
    assert repository_of_remote(url, enterprise) is None
    assert repository_of_remote("https://acme.ghe.com/acme/orders", enterprise) == "acme/orders"


@pytest.mark.parametrize(
    "url",
    [
        "git@gitlab.com:acme/orders.git",
        "https://gitlab.com/acme/orders.git",
        "https://github.com.example/acme/orders",
        "https://gitlab.com/github.com/acme/orders",
        "/srv/git/orders.git",
        "../acme/orders",
        "file:///srv/git/orders.git",
        "C:/acme/orders",
        "https://github.com/orders",
        "http://[abc/acme/orders",
        "",
    ],
)
def test_another_remote_is_no_repository_on_github(url: str) -> None:
    assert repository_of_remote(url, {}) is None


def test_a_remote_on_the_host_that_is_asked_about_is_a_repository_there() -> None:
    assert repository_of_remote("https://acme.ghe.com/acme/orders", {}, "acme.ghe.com") == "acme/orders"
    assert repository_of_remote("https://acme.ghe.com/acme/orders", {}, "github.com") is None
    assert repository_of_remote("https://github.com/acme/orders", {}, "evil.ghe.com") is None


@pytest.mark.parametrize("address", ["https://[abc/acme/orders/issues/1", "https:///acme/orders/issues/1"])
def test_an_address_that_cannot_be_read_is_no_issue(address: str) -> None:
    with pytest.raises(TicketUnreadable, match="is not the address of an issue"):
        issue_name(address)


@pytest.mark.parametrize(
    "host", ["github.company.example", "ghe.com", "evil.example/x.ghe.com", "a.b.ghe.com"]
)
def test_no_other_host_is_asked(host: str) -> None:
    with pytest.raises(TicketUnreadable, match="Issues are read from"):
        reader_of(IssueName("acme/orders", 1, host), {})


@pytest.mark.process
def test_an_enterprise_with_data_residency_is_asked_at_its_own_address() -> None:
    assert reader_of(IssueName("acme/orders", 1, "acme.ghe.com"), {})._api_url == "https://api.acme.ghe.com"


@pytest.mark.process
@pytest.mark.parametrize(
    ("host", "environment", "is_given"),
    [
        ("evil.ghe.com", {}, False),
        ("signed-in.ghe.com", {}, True),
        ("company.ghe.com", {"GH_HOST": "company.ghe.com"}, True),
        ("company.ghe.com", {"GITHUB_SERVER_URL": "https://company.ghe.com"}, True),
        ("evil.ghe.com", {"GH_HOST": "company.ghe.com", "GITHUB_TOKEN": "t"}, False),
    ],
)
def test_a_host_gets_a_token_only_if_it_is_named_by_the_environment_or_signed_in(
    host: str, environment: dict[str, str], is_given: bool
) -> None:
    name = IssueName("acme/orders", 1, host)
    assert reader_of(name, environment).has_token is is_given
