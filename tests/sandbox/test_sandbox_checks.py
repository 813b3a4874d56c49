"""Checks on the sandbox's GitHub: suites that end, jobs with logs on another host, and what the App is told."""

import json

from sandbox import Sandbox
from tests.sandbox.clients import call


def test_a_suite_is_announced_when_its_last_check_ends(described: Sandbox) -> None:
    orders = described.create_repository()
    suite = described.checks.start(orders, "main", ["test", "lint"])
    described.checks.finish(orders, suite, {"lint": ("success", "")})
    assert [d for d in described.deliveries.attempts if d.event == "check_suite"] == []
    described.checks.finish(orders, suite, {"test": ("failure", "E   assert 1 == 2")})
    [told] = [d for d in described.deliveries.attempts if d.event == "check_suite"]
    payload = json.loads(told.body)
    assert (payload["action"], payload["check_suite"]["conclusion"]) == ("completed", "failure")
    assert payload["check_suite"]["head_branch"] == "main"


def test_the_log_of_a_job_lies_on_another_host_without_credentials(described: Sandbox) -> None:
    orders = described.create_repository()
    suite = described.checks.start(orders, "main", ["test"])
    [run] = suite.runs
    reader = described.token_of("octocat")
    job = f"{described.api_url}/repos/acme/orders/actions/jobs/{run.id}"
    assert call("GET", f"{job}/logs", token=reader).status == 404
    described.checks.finish(orders, suite, {"test": ("failure", "E   assert 1 == 2")})
    assert call("GET", job, token=reader).document["head_sha"] == suite.head_sha
    answer = call("GET", f"{job}/logs", token=reader)
    assert answer.status == 302
    assert call("GET", answer.headers["Location"]).body == b"E   assert 1 == 2"
    assert call("GET", answer.headers["Location"], token=reader).status == 400
    described.advance(61)
    assert call("GET", answer.headers["Location"]).status == 403
