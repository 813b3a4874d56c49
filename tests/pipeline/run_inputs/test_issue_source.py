"""Whose token goes where: a host that only an address names gets none that was not made for it."""

from pathlib import Path

import pytest

from pipeline.run_inputs.issue_source import IssueName, is_trusted, reader_of

GH = """#!/bin/sh
# Like gh: a token of the environment is taken for one of any GitHub Enterprise Server.
[ -n "$GH_ENTERPRISE_TOKEN" ] && [ "$4" != github.com ] && echo "$GH_ENTERPRISE_TOKEN" && exit 0
[ "$4" = signed-in.example ] && echo "its-own" && exit 0
exit 1
"""


@pytest.fixture(autouse=True)
def gh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "gh"
    program.write_text(GH, encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("GH_ENTERPRISE_TOKEN", "of-the-company")


@pytest.mark.process
@pytest.mark.parametrize(
    ("host", "environment", "is_given"),
    [
        ("evil.example", {}, False),
        ("signed-in.example", {}, True),
        ("github.company.example", {"GH_HOST": "github.company.example"}, True),
        ("github.company.example", {"GITHUB_SERVER_URL": "https://github.company.example"}, True),
        ("evil.example", {"GH_HOST": "github.company.example", "GITHUB_TOKEN": "t"}, False),
    ],
)
def test_a_host_gets_a_token_only_if_it_is_named_by_the_environment_or_signed_in(
    host: str, environment: dict[str, str], is_given: bool
) -> None:
    name = IssueName("acme/orders", 1, host)
    assert reader_of(name, environment).has_token is is_given
    assert is_trusted(name, environment) is is_given
