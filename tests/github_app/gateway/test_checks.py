"""Checks over real HTTP, against a GitHub that enforces what GitHub enforces."""

import pytest

from github_app.conversation.checks import Check
from github_app.ports.github import AccessWithheld
from tests.github_app.gateway.conftest import Gateway

pytestmark = [pytest.mark.process, pytest.mark.smoke]


def test_the_checks_of_a_commit_are_read_with_their_jobs(gateway: Gateway) -> None:
    checks, orders = gateway.github.checks, gateway.orders
    head = orders.git.resolve("refs/heads/main")
    actions = checks.start(orders, "main", ["test", "lint"])
    other = checks.start(orders, "main", ["coverage"], app="some-service")
    checks.finish(orders, actions, {"test": ("failure", "E   assert 1 == 2")})
    checks.finish(orders, other, {"coverage": ("success", "")})
    test, lint = actions.runs
    assert gateway.checks.of(gateway.repository, head) == [
        Check("coverage", "success", None, "some-service"),
        Check("test", "failure", test.id, "github-actions"),
        Check("lint", None, lint.id, "github-actions"),
    ]


def test_of_a_check_that_ran_again_the_newest_run_is_read(gateway: Gateway) -> None:
    checks, orders = gateway.github.checks, gateway.orders
    suite = checks.start(orders, "main", ["test"])
    checks.finish(orders, suite, {"test": ("failure", "flaky")})
    checks.rerun(suite, "test")
    checks.finish(orders, suite, {"test": ("success", "")})
    head = orders.git.resolve("refs/heads/main")
    assert gateway.checks.of(gateway.repository, head) == [
        Check("test", "success", suite.runs[-1].id, "github-actions")
    ]


def test_more_checks_than_a_page_holds_are_read(gateway: Gateway) -> None:
    names = [f"test {number}" for number in range(130)]
    gateway.github.checks.start(gateway.orders, "main", names)
    head = gateway.orders.git.resolve("refs/heads/main")
    assert [check.name for check in gateway.checks.of(gateway.repository, head)] == names


def test_an_app_that_was_installed_before_it_wanted_to_read_checks_is_refused(gateway: Gateway) -> None:
    [installation] = gateway.github.world.installations.values()
    del installation.permissions["checks"]
    with pytest.raises(AccessWithheld):
        gateway.checks.of(gateway.repository, "a" * 40)
