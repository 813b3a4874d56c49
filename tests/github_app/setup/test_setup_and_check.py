"""`askfirst-app setup` and `check`: from one click to credentials that work, and what is said when they do not."""

import dataclasses
import os
import shlex
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from github_app.settings import GitHubAddress, Settings
from github_app.setup.check import check, report_problems
from github_app.setup.finding import SetupFinding, SetupVerdict
from github_app.setup.manifest import NotRegistered, Registration, environment_file, write_secretly
from sandbox import Sandbox
from tests.github_app.setup.button import press_button
from tests.workflow.act import WITHOUT_APP

PROGRAM = Path(sys.executable).with_name("askfirst-app")


@pytest.fixture
def github() -> Iterator[Sandbox]:
    with Sandbox.start() as started:
        yield started


@pytest.fixture
def settings(github: Sandbox) -> Settings:
    github.webhook_url = "http://127.0.0.1:9/webhook"
    return Settings(
        app_id=github.app.id, client_id=github.app.client_id, private_key=github.app.private_key_pem,
        webhook_secret=github.app.webhook_secret, marker_key="m" * 16, database_url="sqlite://",
        api_url=github.api_url, seconds_between_writes=0,
    )  # fmt: skip


def wrong(findings: Iterator[SetupFinding]) -> list[SetupFinding]:
    return [finding for finding in findings if finding.verdict is not SetupVerdict.FINE]


def test_an_app_that_is_set_up_well_has_nothing_wrong(github: Sandbox, settings: Settings) -> None:
    github.create_repository("orders")
    github.label(github.open_issue(next(iter(github.world.repositories.values())), "A title", "A body"))
    assert wrong(check(settings, repository="acme/orders", ping=False)) == []


def test_a_missing_permission_and_event_are_named_with_the_page_to_open(
    github: Sandbox, settings: Settings
) -> None:
    del github.app.permissions["contents"]
    github.app.permissions["issues"] = "read"
    github.app.events = ("issues", "issue_comment", "workflow_run")
    permissions, events = wrong(check(settings, ping=False))
    assert permissions.subject == "missing permissions: contents: write, issues: write"
    assert (
        permissions.what_to_do.startswith(f"{github.html_url}/")
        or "settings/apps/askfirst" in permissions.what_to_do
    )
    assert events.subject == "not subscribed to: pull_request_review, check_suite"


@pytest.mark.parametrize("field", ["private_key", "client_id"])
def test_a_key_of_another_app_is_told_from_a_github_that_is_out_of_reach(
    settings: Settings, field: str
) -> None:
    changed = (
        dataclasses.replace(settings, private_key=_another_key())
        if field == "private_key"
        else dataclasses.replace(settings, client_id="Iv23liother")
    )
    [first] = wrong(check(changed, ping=False))
    assert (first.verdict, first.subject) == (
        SetupVerdict.WRONG, "GitHub does not take the private key for this client id"
    )  # fmt: skip


def test_a_worker_that_starts_with_a_wrong_key_says_so_in_one_line(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    report_problems(dataclasses.replace(settings, client_id="Iv23liother"))
    assert caplog.messages == snapshot(
        [
            "the setup does not fit: GitHub does not take the private key for this client id. Compare ASKFIRST_CLIENT_ID with the App's page; make a new key there under 'Private keys'; check this machine's clock. Look again with: askfirst-app check"
        ]
    )


def test_a_worker_that_starts_while_github_is_down_does_not_call_its_setup_wrong(
    github: Sandbox, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    github.faults.fail("* *", times=100)
    report_problems(settings)
    assert [message for message in caplog.messages if "setup" in message] == snapshot(
        [
            "the setup was not looked at: GitHub could not say: GET /app answered 502: Server Error. Nothing has to be done where GitHub is down (www.githubstatus.com): the App goes on by itself. Else look at this machine's way to it. Look again with: askfirst-app check"
        ]
    )


def test_a_key_that_is_none_is_said_before_anybody_is_asked(settings: Settings) -> None:
    broken = dataclasses.replace(settings, private_key="-----BEGIN RSA PRIVATE KEY-----\nno")
    (finding,) = check(broken)
    assert (finding.verdict, finding.subject) == (SetupVerdict.WRONG, "the private key cannot sign")


def test_a_github_out_of_reach_is_unknown_and_not_wrong(settings: Settings) -> None:
    findings = list(check(dataclasses.replace(settings, api_url="http://127.0.0.1:9"), ping=False))
    assert {finding.verdict for finding in findings} == {SetupVerdict.NO_ANSWER}


def test_another_app_id_webhook_address_and_repository_are_said(github: Sandbox, settings: Settings) -> None:
    github.create_repository("bare", workflow=None)
    github.webhook_url = "http://127.0.0.1:9/elsewhere"
    findings = wrong(check(dataclasses.replace(settings, app_id=1), repository="acme/bare"))
    assert [finding.what_to_do.split(":")[0] for finding in findings] == [
        f"Set ASKFIRST_APP_ID={github.app.id}",
        "Set https",
        "gh label create askfirst --repo acme/bare",
        "In a checkout of it",
    ]


def test_the_workflow_of_repositories_without_the_app_is_told_from_the_one_that_the_app_starts(
    github: Sandbox, settings: Settings
) -> None:
    repository = github.create_repository("orders", workflow=WITHOUT_APP)
    github.label(github.open_issue(repository, "A title", "A body"))
    (finding,) = wrong(check(settings, repository="acme/orders", ping=False))
    assert "it has no `workflow_dispatch`" in finding.subject
    assert finding.what_to_do == "In a checkout of it: askfirst init --app"


def test_a_ping_that_does_not_come_back_is_said(settings: Settings) -> None:
    (finding,) = wrong(check(settings))
    assert finding.subject.startswith("a signed ping to http://127.0.0.1:9/webhook: no answer")


def _another_key() -> str:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    return rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    ).decode()  # fmt: skip


def test_one_click_gives_credentials_with_which_the_check_is_content(github: Sandbox, tmp_path: Path) -> None:
    output = tmp_path / "app.env"
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GITHUB_API_URL": github.api_url}
    command = [str(PROGRAM), "setup", "--url", "https://askfirst.example", "--output", str(output)]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        page = process.stderr.readline().split()[-1]
        assert "Go back to your terminal" in press_button(page)
        rest = process.stderr.read()
    assert process.returncode == 0, rest
    assert stat.S_IMODE(output.stat().st_mode) == 0o600
    said = dict(line.split("=", 1) for line in output.read_text().splitlines())
    given = {name: shlex.split(value)[0] for name, value in said.items()}
    assert given["ASKFIRST_CLIENT_ID"] == github.app.client_id
    checked = subprocess.run(
        [str(PROGRAM), "check", "--no-ping"],
        env={**environment, **given},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "the App is askfirst, and its key works" in checked.stdout
    assert "wrong" not in checked.stdout


def test_another_state_gets_no_credentials(github: Sandbox) -> None:
    address = GitHubAddress(api_url=github.api_url)
    registration = Registration(address, "https://askfirst.example", None)
    for query in ("code=abc&state=other", "code=abc", "state="):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"{registration.page_url}registered?{query}", timeout=60)
        refused.value.close()
        assert refused.value.code == 400
    begun = time.monotonic()
    with pytest.raises(NotRegistered, match="Nobody came back"):
        registration.credentials(0.2)
    assert time.monotonic() - begun < 10


def test_credentials_are_never_written_over_another_file(tmp_path: Path) -> None:
    path = tmp_path / "app.env"
    path.write_text("mine")
    with pytest.raises(NotRegistered):
        write_secretly(path, "theirs")
    assert path.read_text() == "mine"


def test_a_key_is_one_line_of_the_environment_file() -> None:
    credentials: Mapping[str, object] = {
        "id": 7, "client_id": "Iv1", "pem": "-----BEGIN\nabc\n-----END\n", "webhook_secret": "s" * 40
    }  # fmt: skip
    lines = environment_file(credentials, GitHubAddress()).splitlines()
    assert 'ASKFIRST_PRIVATE_KEY="-----BEGIN\\nabc\\n-----END"' in lines
    assert len(lines) == 5
