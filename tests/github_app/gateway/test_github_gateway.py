"""The ports over real HTTP, against a GitHub that enforces what GitHub enforces."""

from typing import TYPE_CHECKING

import pytest

from github_app.conversation.effects import ReactionName
from github_app.conversation.transcript import Person, Role
from github_app.gateway.app_auth import AppAuth
from github_app.gateway.connections import AppConnections
from github_app.gateway.github_gateway import GitHubWorkflows
from github_app.gateway.rest import Pace
from github_app.gateway.system_clock import SystemClock
from github_app.ports.github import GitHubRefused, GitHubUnavailable, Place
from sandbox.world.state import RunStatus

pytestmark = [pytest.mark.process, pytest.mark.smoke]

if TYPE_CHECKING:
    from tests.github_app.gateway.conftest import Gateway

DISPATCH_INPUTS = {"issue": "1", "nonce": "n-1"}


def test_an_issue_is_read_as_it_stands(gateway: "Gateway") -> None:
    issue = gateway.open_issue(body=None)
    gateway.github.label(issue, "askfirst")
    found = gateway.issues.issue(gateway.place(issue))
    assert (found.number, found.title, found.body) == (issue.number, "Add a dry_run flag", "")
    assert found.author == Person(gateway.github.user("octocat").id, "octocat")
    assert found.labels == {"askfirst"}
    assert (found.is_open, found.is_locked, found.is_pull_request) == (True, False, False)
    gateway.github.close_issue(issue)
    gateway.github.lock_issue(issue)
    later = gateway.issues.issue(gateway.place(issue))
    assert (later.is_open, later.is_locked) == (False, True)


def test_an_issue_that_is_not_there_is_a_refusal(gateway: "Gateway") -> None:
    with pytest.raises(GitHubRefused) as caught:
        gateway.issues.issue(Place(gateway.repository, 99))
    assert caught.value.status == 404


def test_our_own_comment_is_known_by_the_app_that_posted_it(gateway: "Gateway") -> None:
    issue = gateway.open_issue()
    posted = gateway.issues.post(gateway.place(issue), "Which route? `<b>` ünïcödé")
    gateway.github.comment(issue, "2", by="octocat")
    ours, reply = gateway.issues.comments(gateway.place(issue))
    assert (ours.id, ours.app_id, ours.author.is_bot) == (posted, gateway.settings.app_id, True)
    assert ours.body == "Which route? `<b>` ünïcödé"
    assert (reply.body, reply.app_id, reply.author.login) == ("2", None, "octocat")
    gateway.issues.edit(gateway.place(issue), posted, "Answered")
    edited = gateway.issues.comment(gateway.place(issue), posted)
    assert edited is not None
    assert edited.body == "Answered"
    assert edited.updated_at >= edited.created_at


def test_all_pages_of_comments_are_read_in_order(gateway: "Gateway") -> None:
    issue = gateway.open_issue()
    for number in range(205):
        gateway.github.comment(issue, str(number))
    bodies = [comment.body for comment in gateway.issues.comments(gateway.place(issue))]
    assert bodies == [str(number) for number in range(205)]
    assert len(gateway.calls()) == 3


def test_a_comment_that_is_gone_or_belongs_to_another_issue_is_none(gateway: "Gateway") -> None:
    one, other = gateway.open_issue(), gateway.open_issue()
    comment = gateway.github.comment(one, "2")
    assert gateway.issues.comment(gateway.place(other), comment.id) is None
    gateway.github.delete_comment(one, comment)
    assert gateway.issues.comment(gateway.place(one), comment.id) is None


def test_reacting_twice_is_reacting_once(gateway: "Gateway") -> None:
    issue = gateway.open_issue()
    comment = gateway.github.comment(issue, "2")
    for _ in range(2):
        gateway.issues.react(gateway.place(issue), comment.id, ReactionName.EYES)
        gateway.issues.react(gateway.place(issue), None, ReactionName.ROCKET)
    assert [reaction.content for reaction in comment.reactions] == ["eyes"]
    assert [reaction.content for reaction in issue.reactions] == ["rocket"]


def test_labels_are_put_on_and_taken_off_however_often(gateway: "Gateway") -> None:
    issue = gateway.open_issue()
    for _ in range(2):
        gateway.issues.add_label(gateway.place(issue), "askfirst:needs-answer")
    assert gateway.github.labels(issue) == {"askfirst:needs-answer"}
    for _ in range(2):
        gateway.issues.remove_label(gateway.place(issue), "askfirst:needs-answer")
    assert gateway.github.labels(issue) == set()


def test_labels_that_somebody_made_in_other_letters_are_ours(gateway: "Gateway") -> None:
    issue = gateway.open_issue()
    for name in ("AskFirst", "AskFirst:Needs-Answer"):
        gateway.github.label(issue, name)
    assert gateway.issues.issue(gateway.place(issue)).labels == {"askfirst", "askfirst:needs-answer"}
    gateway.issues.remove_label(gateway.place(issue), "askfirst:needs-answer")
    assert gateway.github.labels(issue) == {"AskFirst"}


@pytest.mark.parametrize("role", ["none", "read", "triage", "write", "maintain", "admin"])
def test_a_role_is_the_role_name(gateway: "Gateway", role: str) -> None:
    gateway.github.set_role(gateway.orders, "monalisa", role)
    person = Person(gateway.github.user("monalisa").id, "monalisa")
    found = gateway.permissions.role(gateway.repository, person)
    assert found in {Role(role), Role.READ if role == "none" else Role(role)}
    assert found.may_write == (role in {"write", "maintain", "admin"})


def test_a_login_that_changed_hands_has_no_role(gateway: "Gateway") -> None:
    octocat = gateway.github.user("octocat")
    assert gateway.permissions.role(gateway.repository, Person(octocat.id, "octocat")) is Role.WRITE
    assert gateway.permissions.role(gateway.repository, Person(octocat.id + 1000, "octocat")) is Role.NONE
    assert gateway.permissions.role(gateway.repository, Person(1, "nobody-knows-me")) is Role.NONE


def test_a_dispatched_run_is_told_by_its_id_and_found_by_its_name(gateway: "Gateway") -> None:
    run_id = gateway.workflows.dispatch(gateway.repository, DISPATCH_INPUTS)
    assert run_id is not None
    found = gateway.workflows.find(gateway.repository, "askfirst #1 n-1")
    assert found is not None
    assert found.id == run_id
    assert (found.path, found.event, found.head_branch) == (
        ".github/workflows/askfirst.yml", "workflow_dispatch", "main",
    )  # fmt: skip
    assert found.head_repository_id == gateway.repository.id
    assert gateway.workflows.find(gateway.repository, "askfirst #1 n-2") is None
    again = gateway.workflows.run(gateway.repository, run_id)
    assert again is not None
    assert again.id == run_id
    assert gateway.workflows.run(gateway.repository, 999_999) is None


def test_a_run_that_has_ended_is_cancelled_without_complaint(gateway: "Gateway") -> None:
    run_id = gateway.workflows.dispatch(gateway.repository, DISPATCH_INPUTS)
    assert run_id is not None
    gateway.github.wait_until_quiet(settle=0.1)
    gateway.workflows.cancel(gateway.repository, run_id)


def test_a_repository_without_the_workflow_refuses_a_dispatch(gateway: "Gateway") -> None:
    gateway.github.commit(gateway.orders, {".github/workflows/askfirst.yml": None})
    with pytest.raises(GitHubRefused) as caught:
        gateway.workflows.dispatch(gateway.repository, DISPATCH_INPUTS)
    assert caught.value.status == 404


def test_a_post_whose_answer_was_a_lie_is_sent_once(gateway: "Gateway") -> None:
    issue = gateway.open_issue()
    gateway.github.faults.fail("POST /repos/*/issues/*/comments", status=502, after_effect=True)
    with pytest.raises(GitHubUnavailable):
        gateway.issues.post(gateway.place(issue), "Which route?")
    assert len(gateway.github.comments(issue)) == 1
    assert sum(call.startswith("POST") for call in gateway.calls()) == 1


def test_a_get_is_tried_again(gateway: "Gateway") -> None:
    issue = gateway.open_issue()
    gateway.github.faults.fail("GET /repos/*/issues/*", status=502, times=2)
    assert gateway.issues.issue(gateway.place(issue)).number == issue.number


def test_a_server_that_stays_broken_is_unavailable(gateway: "Gateway") -> None:
    issue = gateway.open_issue()
    gateway.github.faults.fail("GET /repos/*/issues/*", status=503, times=9)
    with pytest.raises(GitHubUnavailable) as caught:
        gateway.issues.issue(gateway.place(issue))
    assert caught.value.retry_after is None


@pytest.mark.parametrize("verb", ["GET", "POST"])
def test_a_rate_limit_says_how_long_to_wait_and_is_never_waited_for_here(
    gateway: "Gateway", verb: str
) -> None:
    issue = gateway.open_issue()
    place = gateway.place(issue)
    gateway.github.faults.rate_limit(f"{verb} /repos/*/issues/*/comments", retry_after=70)
    call = {
        "GET": lambda: gateway.issues.comments(place),
        "POST": lambda: gateway.issues.post(place, "Which?"),
    }
    with pytest.raises(GitHubUnavailable) as caught:
        call[verb]()
    assert caught.value.retry_after == 70
    assert gateway.github.comments(issue) == []


def test_a_github_that_does_not_listen_is_unavailable(gateway: "Gateway") -> None:
    issue = gateway.open_issue()
    gateway.issues.issue(gateway.place(issue))
    gateway.github.stop()
    with pytest.raises(GitHubUnavailable, match="got no answer"):
        gateway.issues.post(gateway.place(issue), "Which route?")


def test_a_run_that_goes_is_at_a_step_and_its_workflow_file_is_read(gateway: "Gateway") -> None:
    issue = gateway.open_issue()
    head = gateway.orders.git.resolve("refs/heads/main")
    assert "run-name" in gateway.workflows.source(gateway.repository, head)
    run_id = gateway.workflows.dispatch(gateway.repository, {**DISPATCH_INPUTS, "issue": str(issue.number)})
    assert run_id is not None
    run = gateway.orders.runs[run_id]
    gateway.github.wait_until_quiet(settle=0)
    assert gateway.workflows.step(gateway.repository, run_id) is None
    with gateway.github.world.lock:
        run.status = RunStatus.IN_PROGRESS
    assert gateway.workflows.step(gateway.repository, run_id) == "Run askfirst"
    with gateway.github.world.lock:
        run.status = RunStatus.COMPLETED
    gateway.github.commit(gateway.orders, {".github/workflows/askfirst.yml": None})
    newest = gateway.orders.git.resolve("refs/heads/main")
    assert gateway.workflows.source(gateway.repository, newest) == ""
    [installation] = gateway.github.world.installations.values()
    del installation.permissions["contents"]
    fresh = GitHubWorkflows(
        AppConnections(gateway.settings, AppAuth(gateway.settings, SystemClock()), Pace(0))
    )
    assert fresh.source(gateway.repository, head) == ""
