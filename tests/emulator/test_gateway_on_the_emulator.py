"""Every operation of the gateway against a third party's GitHub: App JWT, scoped tokens, signed webhooks."""

import io
import zipfile
from typing import TYPE_CHECKING

import pytest

from github_app.conversation.effects import ReactionName
from github_app.conversation.transcript import Person, Role
from github_app.gateway.app_auth import TokenScope
from github_app.intake.delivery import CommentDelivery, IssueDelivery, RunDelivery, parse_delivery
from github_app.intake.signature import is_genuine
from github_app.ports.github import ArtifactRefused, GitHubRefused, Place, Repository
from pipeline.contract.clarification import Clarification
from tests.emulator.conftest import HEAD_SHA
from tests.emulator.github_emulator import APP_ID, INSTALLATION, WEBHOOK_SECRET
from tests.github_app.conversation.questions import two_routes

if TYPE_CHECKING:
    from tests.emulator.conftest import Gateway

TITLE, BODY = "Add a dry_run flag", "to the bulk action"


def zipped(**documents: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, document in documents.items():
            archive.writestr(f"{name}.json", document)
    return buffer.getvalue()


def test_a_token_opens_one_repository_for_one_kind_of_call(gateway: "Gateway") -> None:
    gateway.auth.token(gateway.repository, TokenScope.READ_ISSUES)
    gateway.auth.token(gateway.repository, TokenScope.START_RUNS)
    asked = [(token["permissions"], token["repository_ids"]) for token in gateway.github.tokens()]
    assert asked == [
        ({"issues": "read"}, [gateway.repository.id]),
        ({"actions": "write"}, [gateway.repository.id]),
    ]


def test_a_token_for_reading_cannot_write(gateway: "Gateway") -> None:
    issue = gateway.github.open_issue(TITLE, BODY)
    reader = gateway.issues._reader(gateway.place(issue))
    with pytest.raises(GitHubRefused) as caught:
        reader.request("POST", f"/repos/acme/orders/issues/{issue}/comments", body={"body": "hello"})
    assert caught.value.status == 403


def test_a_token_for_one_repository_cannot_write_in_another(gateway: "Gateway") -> None:
    elsewhere = gateway.github.as_("octocat", "POST", "/repos/acme/invoices/issues", {"title": TITLE})[
        "number"
    ]
    issue = gateway.github.open_issue(TITLE, BODY)
    writer = gateway.issues._writer(gateway.place(issue))
    with pytest.raises(GitHubRefused) as caught:
        writer.request("POST", f"/repos/acme/invoices/issues/{elsewhere}/comments", body={"body": "hello"})
    assert caught.value.status == 403


@pytest.mark.parametrize(("installation", "repository"), [(INSTALLATION, 4040), (INSTALLATION + 1, 1)])
def test_a_repository_that_is_not_the_installations_gets_no_token(
    gateway: "Gateway", installation: int, repository: int
) -> None:
    claimed = Repository(installation, repository, "acme/orders", "main")
    with pytest.raises(GitHubRefused):
        gateway.auth.token(claimed, TokenScope.READ_ISSUES)


def test_an_issue_is_read_as_it_stands(gateway: "Gateway") -> None:
    issue = gateway.github.open_issue(TITLE, BODY)
    gateway.github.label(issue, "askfirst")
    found = gateway.issues.issue(gateway.place(issue))
    assert (found.number, found.title, found.body) == (issue, TITLE, BODY)
    assert found.labels == {"askfirst"}
    assert (found.author.login, found.author.is_bot) == ("octocat", False)
    assert (found.is_open, found.is_locked, found.is_pull_request) == (True, False, False)
    gateway.github.as_("octocat", "PATCH", f"/repos/acme/orders/issues/{issue}", {"state": "closed"})
    assert not gateway.issues.issue(gateway.place(issue)).is_open
    with pytest.raises(GitHubRefused) as caught:
        gateway.issues.issue(Place(gateway.repository, 4040))
    assert caught.value.status == 404


def test_our_comment_is_posted_found_edited_and_known_as_ours(gateway: "Gateway") -> None:
    issue = gateway.github.open_issue(TITLE, BODY)
    posted = gateway.issues.post(gateway.place(issue), "Which route? `<b>` ünïcödé")
    reply = gateway.github.reply(issue, "2")
    ours, theirs = gateway.issues.comments(gateway.place(issue))
    assert (ours.id, ours.app_id, ours.author.login, ours.author.is_bot) == (
        posted,
        APP_ID,
        "askfirst[bot]",
        True,
    )
    assert (theirs.id, theirs.app_id, theirs.author.login, theirs.body) == (reply, None, "octocat", "2")
    gateway.issues.edit(gateway.place(issue), posted, "Answered")
    edited = gateway.issues.comment(gateway.place(issue), posted)
    assert edited is not None
    assert edited.body == "Answered"
    other = gateway.github.open_issue(TITLE, BODY)
    assert gateway.issues.comment(gateway.place(other), posted) is None
    assert gateway.issues.comment(gateway.place(issue), 4040) is None


def test_all_pages_of_comments_are_read_in_order(gateway: "Gateway") -> None:
    issue = gateway.github.open_issue(TITLE, BODY)
    for number in range(105):
        gateway.github.reply(issue, str(number))
    bodies = [comment.body for comment in gateway.issues.comments(gateway.place(issue))]
    assert bodies == [str(number) for number in range(105)]


def test_reactions_are_taken_on_the_issue_and_on_a_comment(gateway: "Gateway") -> None:
    issue = gateway.github.open_issue(TITLE, BODY)
    gateway.issues.react(gateway.place(issue), None, ReactionName.EYES)
    reply = gateway.github.reply(issue, "2")
    gateway.issues.react(gateway.place(issue), reply, ReactionName.ROCKET)
    assert gateway.github.reactions() == [
        (f"/repos/acme/orders/issues/{issue}/reactions", "eyes"),
        (f"/repos/acme/orders/issues/comments/{reply}/reactions", "rocket"),
    ]


def test_a_label_is_made_set_taken_off_and_missing_without_complaint(gateway: "Gateway") -> None:
    issue = gateway.github.open_issue(TITLE, BODY)
    place = gateway.place(issue)
    gateway.issues.add_label(place, "askfirst:needs-answer")
    gateway.issues.add_label(place, "askfirst:needs-answer")
    assert gateway.github.labels(issue) == {"askfirst:needs-answer"}
    gateway.issues.remove_label(place, "askfirst:needs-answer")
    gateway.issues.remove_label(place, "askfirst:needs-answer")
    assert gateway.github.labels(issue) == set()


@pytest.mark.parametrize(
    ("login", "role"),
    [("admin", Role.ADMIN), ("octocat", Role.WRITE), ("hubot", Role.TRIAGE), ("stranger", Role.NONE)],
)
def test_a_person_has_the_role_that_github_names(gateway: "Gateway", login: str, role: Role) -> None:
    who = gateway.github.as_("octocat", "GET", f"/users/{login}")
    assert gateway.permissions.role(gateway.repository, Person(who["id"], login)) is role
    assert gateway.permissions.role(gateway.repository, Person(who["id"] + 4040, login)) is Role.NONE


def test_a_run_is_started_found_by_its_name_and_cancelled(gateway: "Gateway") -> None:
    nonce = "0" * 31 + "1"
    told = gateway.workflows.dispatch(gateway.repository, {"issue": "7", "nonce": nonce})
    found = gateway.workflows.find(gateway.repository, f"askfirst #7 {nonce}")
    assert found is not None
    assert told in {None, found.id}  # this GitHub does not tell; the newest API version does
    assert (found.path, found.event) == (".github/workflows/askfirst.yml", "workflow_dispatch")
    assert (found.status, found.head_branch, found.head_sha) == ("queued", "main", HEAD_SHA)
    assert gateway.workflows.find(gateway.repository, "askfirst #8 ") is None
    gateway.workflows.cancel(gateway.repository, found.id)
    cancelled = gateway.workflows.run(gateway.repository, found.id)
    assert cancelled is not None
    assert (cancelled.status, cancelled.conclusion) == ("completed", "cancelled")
    assert gateway.workflows.run(gateway.repository, 4040) is None


def test_a_disabled_workflow_is_a_refusal(gateway: "Gateway") -> None:
    path = "/repos/acme/orders/actions/workflows/askfirst.yml/disable"
    gateway.github.as_("admin", "PUT", path)
    with pytest.raises(GitHubRefused) as caught:
        gateway.workflows.dispatch(gateway.repository, {"issue": "7", "nonce": "n"})
    assert caught.value.status == 422


def test_an_ending_and_the_digest_of_the_memo_are_fetched(gateway: "Gateway") -> None:
    issue = gateway.github.open_issue(TITLE, BODY)
    gateway.github.label(issue, "askfirst")
    (run,) = gateway.github.runs()
    assert gateway.artifacts.ending(gateway.repository, run["id"], 1) is None
    asked = two_routes()
    name = f"clarification-{run['id']}-1"
    gateway.github.upload(run["id"], name, zipped(clarification=asked.model_dump_json()))
    memo = gateway.github.upload(run["id"], f"memo-{run['id']}-1", zipped(output="{}"))
    ending = gateway.artifacts.ending(gateway.repository, run["id"], 1)
    assert ending is not None
    assert isinstance(ending.document, Clarification)
    assert ending.document == asked
    assert gateway.artifacts.memo_sha256(gateway.repository, run["id"], 1) == memo["digest"].removeprefix(
        "sha256:"
    )
    gateway.github.upload(run["id"], name, zipped(surprise="{}"))
    with pytest.raises(ArtifactRefused):
        gateway.artifacts.ending(gateway.repository, run["id"], 1)


def test_the_webhooks_that_the_app_lives_by_are_signed_and_understood(gateway: "Gateway") -> None:
    issue = gateway.github.open_issue(TITLE, BODY)
    gateway.github.label(issue, "askfirst")
    gateway.github.reply(issue, "2")
    (run,) = gateway.github.runs()
    gateway.github.complete(run["id"], "success")

    *_, labeled = gateway.received.wait_for("issues", 2)
    (commented,) = gateway.received.wait_for("issue_comment")
    (completed,) = gateway.received.wait_for("workflow_run")
    for one in gateway.received.deliveries:
        assert is_genuine(WEBHOOK_SECRET, one.body, one.signature)
    assert len({one.delivery_id for one in gateway.received.deliveries}) == len(gateway.received.deliveries)
    deliveries = [parse_delivery(one.event, one.body) for one in (labeled, commented, completed)]
    assert [type(delivery) for delivery in deliveries] == [IssueDelivery, CommentDelivery, RunDelivery]
    for delivery in deliveries:
        assert isinstance(delivery, IssueDelivery | CommentDelivery | RunDelivery)
        assert (delivery.installation.id, delivery.repository.full_name) == (INSTALLATION, "acme/orders")
