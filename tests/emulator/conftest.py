"""The real gateway, and the whole App, against a GitHub that somebody else wrote."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from github_app.gateway.app_auth import AppAuth
from github_app.gateway.connections import AppConnections
from github_app.gateway.github_gateway import GitHubIssues, GitHubPermissions, GitHubWorkflows
from github_app.gateway.rest import Pace
from github_app.gateway.run_artifact import GitHubArtifacts
from github_app.ports.github import Place, Repository
from github_app.settings import Settings
from tests.emulator.github_emulator import (
    APP_ID,
    HOW_TO_GET,
    INSTALLATION,
    PROGRAM,
    WEBHOOK_SECRET,
    Emulator,
    emulator,
)
from tests.emulator.webhook_receiver import Receiver, receiver
from tests.github_app.gateway.conftest import RealClock

HEAD_SHA = "4f1c0a9e7d2b6c58e3a1f09b7c64d2e85a9b3c17"


@pytest.fixture(scope="session")
def private_key() -> str:
    """The key of an App, made for these tests."""
    if not PROGRAM.is_file():
        pytest.skip(HOW_TO_GET)
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return pem.decode("ascii")


@dataclass
class Gateway:
    """Everything the App uses of GitHub, and the GitHub it uses."""

    github: Emulator
    received: Receiver
    auth: AppAuth
    issues: GitHubIssues
    permissions: GitHubPermissions
    workflows: GitHubWorkflows
    artifacts: GitHubArtifacts
    repository: Repository

    def place(self, issue: int) -> Place:
        return Place(self.repository, issue)


@pytest.fixture
def gateway(tmp_path: Path, private_key: str) -> Iterator[Gateway]:
    with receiver() as received, emulator(tmp_path, private_key, received.url) as github:
        github.has_workflow(HEAD_SHA)
        found = github.as_("octocat", "GET", "/repos/acme/orders")
        settings = Settings(
            app_id=APP_ID,
            client_id=str(APP_ID),  # the emulator knows an App by its number only
            private_key=private_key,
            webhook_secret=WEBHOOK_SECRET,
            marker_key="a marker key of some length",
            database_url="sqlite:///unused.sqlite",
            api_url=github.url,
            seconds_between_writes=0.0,
        )
        auth = AppAuth(settings, RealClock())
        connections = AppConnections(settings, auth, Pace(0))
        yield Gateway(
            github,
            received,
            auth,
            GitHubIssues(connections),
            GitHubPermissions(connections),
            GitHubWorkflows(connections),
            GitHubArtifacts(connections, settings),
            Repository(INSTALLATION, found["id"], "acme/orders", "main"),
        )
