"""Artifacts over real HTTP: by redirect, without our token, within limits, compared with the digest (attacks 14 to 16)."""

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from github_app.gateway.run_artifact import LARGEST_ARCHIVE, GitHubArtifacts
from github_app.ports.github import ArtifactRefused, GitHubUnavailable, Repository
from pipeline.contract.failure import Failure
from tests.github_app.gateway.conftest import zipped
from tests.github_app.surfaces.test_http_post import answering

pytestmark = pytest.mark.process

if TYPE_CHECKING:
    from sandbox.world.state import Run
    from tests.github_app.gateway.conftest import Gateway

FAILURE = {
    "kind": "PreconditionFailed",
    "stage": None,
    "message": "No tests.",
    "why": "",
    "what_to_do": "",
    "run": None,
}


def ended_run(gateway: "Gateway") -> "Run":
    run_id = gateway.workflows.dispatch(gateway.repository, {"issue": "1", "nonce": "n-1"})
    gateway.github.wait_until_quiet(settle=0.1)
    run = gateway.orders.runs[run_id or 0]
    run.artifacts.clear()
    return run


def test_the_ending_of_a_run_is_fetched_with_its_digest(gateway: "Gateway") -> None:
    run = ended_run(gateway)
    artifact = gateway.github.actions.add_artifact(run, f"clarification-{run.id}-1", zipped(failure=FAILURE))
    gateway.github.actions.add_artifact(run, f"run-{run.id}-1", b"something else")
    ending = gateway.artifacts.ending(gateway.repository, run.id, 1)
    assert ending is not None
    assert isinstance(ending.document, Failure)
    assert "sha256:" + ending.digest == artifact.digest


def test_a_run_that_left_nothing_has_no_ending(gateway: "Gateway") -> None:
    run = ended_run(gateway)
    gateway.github.actions.add_artifact(run, f"clarification-{run.id}-2", zipped(failure=FAILURE))
    assert gateway.artifacts.ending(gateway.repository, run.id, 1) is None
    assert gateway.artifacts.memo_sha256(gateway.repository, run.id, 1) is None


def test_attack_16_an_artifact_that_was_deleted_or_expired_is_no_ending_and_no_crash(
    gateway: "Gateway",
) -> None:
    run = ended_run(gateway)
    artifact = gateway.github.actions.add_artifact(run, f"clarification-{run.id}-1", zipped(failure=FAILURE))
    gateway.github.advance(91 * 24 * 3600)
    assert gateway.artifacts.ending(gateway.repository, run.id, 1) is None
    artifact.is_deleted = True
    assert gateway.artifacts.ending(gateway.repository, run.id, 1) is None


def test_attack_16_an_artifact_that_vanishes_between_list_and_download_is_no_ending(
    gateway: "Gateway",
) -> None:
    run = ended_run(gateway)
    gateway.github.actions.add_artifact(run, f"clarification-{run.id}-1", zipped(failure=FAILURE))
    gateway.github.faults.fail("GET /repos/*/actions/artifacts/*/zip", status=410)
    assert gateway.artifacts.ending(gateway.repository, run.id, 1) is None


def test_attack_15_a_large_artifact_is_refused_before_it_is_downloaded(gateway: "Gateway") -> None:
    run = ended_run(gateway)
    gateway.github.actions.add_artifact(run, f"clarification-{run.id}-1", bytes(LARGEST_ARCHIVE + 1))
    with pytest.raises(ArtifactRefused) as caught:
        gateway.artifacts.ending(gateway.repository, run.id, 1)
    assert str(caught.value).endswith(f"is larger than {LARGEST_ARCHIVE} bytes")
    assert not any("/zip" in call for call in gateway.calls())


def test_attack_14_an_artifact_whose_bytes_are_not_those_of_the_digest_is_refused(gateway: "Gateway") -> None:
    run = ended_run(gateway)
    artifact = gateway.github.actions.add_artifact(run, f"clarification-{run.id}-1", zipped(failure=FAILURE))
    artifact.content = zipped(failure={**FAILURE, "message": "Something else."})
    with pytest.raises(ArtifactRefused, match="not what its digest says"):
        gateway.artifacts.ending(gateway.repository, run.id, 1)
    artifact.digest = ""
    with pytest.raises(ArtifactRefused, match="no SHA-256 digest"):
        gateway.artifacts.ending(gateway.repository, run.id, 1)


def test_the_memo_is_known_by_its_digest_and_never_downloaded(gateway: "Gateway") -> None:
    run = ended_run(gateway)
    memo = gateway.github.actions.add_artifact(run, f"memo-{run.id}-1", b"anything")
    assert "sha256:" + (gateway.artifacts.memo_sha256(gateway.repository, run.id, 1) or "") == memo.digest
    assert not any("/zip" in call for call in gateway.calls())


def test_an_artifacts_host_that_is_unreachable_means_try_again(gateway: "Gateway") -> None:
    run = ended_run(gateway)
    gateway.github.actions.add_artifact(run, f"clarification-{run.id}-1", zipped(failure=FAILURE))
    gateway.github._artifact_listener.stop()
    with pytest.raises(GitHubUnavailable, match="artifact's host"):
        gateway.artifacts.ending(gateway.repository, run.id, 1)


@dataclass
class OneArtifact:
    """A GitHub with one artifact, and where it says that the artifact lies."""

    location: str

    def to(self, *_: object) -> "OneArtifact":
        return self

    def pages(self, model: Any, *_: object, **__: object) -> list[Any]:
        return [model(id=1, name="run-1-1", size_in_bytes=1, expired=False, digest="sha256:0")]

    def request(self, *_: object) -> tuple[dict[str, str], None]:
        return {"location": self.location}, None


def test_an_artifact_is_fetched_from_no_third_host_and_not_in_plain_text() -> None:
    elsewhere = answering("200 OK", body="x")
    host = answering("302 Found", f"Location: {elsewhere.url}\r\n")
    for api_url, requests in (("https://api.github.com", 0), ("http://127.0.0.1/api", 1)):
        artifacts = GitHubArtifacts(OneArtifact(host.url), SimpleNamespace(api_url=api_url))  # type: ignore[arg-type]
        with pytest.raises(GitHubUnavailable):
            artifacts.archive(Repository(1, 1, "acme/orders", "main"), 1, "run-1-1")
        assert len(host.requests) == requests
    assert elsewhere.requests == []


def test_another_repository_does_not_have_our_run(gateway: "Gateway") -> None:
    run = ended_run(gateway)
    gateway.github.actions.add_artifact(run, f"clarification-{run.id}-1", zipped(failure=FAILURE))
    other = gateway.github.create_repository("invoices")
    elsewhere = replace(gateway.repository, id=other.id, full_name="acme/invoices")
    with pytest.raises(Exception, match="404"):
        gateway.artifacts.ending(elsewhere, run.id, 1)
