"""What holds wherever a vendor signs what people do: Slack, Jira and Linear, each with its own requests and its own words."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from github_app.surfaces.door import DoorAnswer
from pipeline.contract.clarification import Clarification
from pipeline.contract.wire import question_id
from tests.github_app.conversation.questions import FORMAT, WHO, a_plan
from tests.github_app.fakes import jira, linear, slack
from tests.github_app.fakes.jira import JiraSite, written
from tests.github_app.fakes.linear import Workspace
from tests.github_app.fakes.slack import Channel
from tests.github_app.surfaces.golden_files import golden
from tests.github_app.surfaces.shown_questions import LONG_PLAN, QUESTIONS, confirmation

TWO = "route:POST /actions/stream"
NOT_MAPPED = "The App's settings do not say who you are on GitHub, so nothing was done with your reply. Reply on GitHub."


@dataclass(frozen=True)
class Vendor:
    """How one vendor is played: `opens` a place with a question, `replies` in it as an account, what is `told` there."""

    name: str
    opens: Callable[..., Any]
    replies: Callable[..., DoorAnswer]
    told: Callable[[Any], list[str]]
    shown: Callable[[Any], tuple[Any, ...]]
    keeper: str
    no_role: str
    nobody: str
    other_secret: str
    ages: tuple[float, ...] = ()


def in_slack(channel: Channel, words: str, member: str = slack.AUTHOR, **changes: Any) -> DoorAnswer:
    """Press the button of a choice if there is one, else write."""
    if f"choose:{words}" in channel.elements():
        return channel.presses(f"choose:{words}", member, **changes)
    return channel.writes(words, member)


def in_jira(site: JiraSite, words: str, account: str = jira.AUTHOR, **changes: Any) -> DoorAnswer:
    return site.writes(written(words), account, **changes)


def told_in_slack(channel: Channel) -> list[str]:
    return [str(call.get("blocks")) for call in channel.calls()]


def told_in_linear(workspace: Workspace) -> list[str]:
    return [text for _, text in linear.bodies(workspace)]


VENDORS = (
    Vendor(
        "slack", Channel, in_slack, told_in_slack,
        lambda channel: (channel.message(), channel.elements()["cancel"]["value"]),
        slack.KEEPER, slack.NO_ROLE, slack.NOBODY, "another secret of Slack", (301.0, -301.0),
    ),
    Vendor(
        "jira", JiraSite, in_jira, JiraSite.told, lambda site: (site.comments[0].body,),
        jira.KEEPER, jira.NO_ROLE, jira.NOBODY, "another secret of a webhook",
    ),
    Vendor(
        "linear", Workspace, Workspace.writes, told_in_linear, lambda workspace: (linear.as_shown(workspace.told()[0]),),
        linear.KEEPER, linear.NO_ROLE, linear.NOBODY, "another secret of a webhook", (61.0, -61.0),
    ),
)  # fmt: skip
TRACKERS = VENDORS[1:]

every_vendor = pytest.mark.parametrize("vendor", VENDORS, ids=lambda vendor: vendor.name)
every_tracker = pytest.mark.parametrize("vendor", TRACKERS, ids=lambda vendor: vendor.name)


@every_vendor
@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_question_looks_like_this(vendor: Vendor, kind: str) -> None:
    golden(f"{vendor.name}_{kind}", *vendor.shown(vendor.opens(QUESTIONS[kind])))


@every_vendor
def test_a_choice_starts_one_run_as_the_person_behind_the_account(vendor: Vendor) -> None:
    place = vendor.opens()
    answer = vendor.replies(place, "2")
    assert (answer.status, answer.text) == (200, "")
    (inputs,) = place.world.dispatched
    assert f'"choice":"{TWO}"' in inputs["answers"]
    answered = f"**Answered by `octocat` on `{vendor.name}`:** 2, `POST /actions/stream`"
    assert answered in place.world.ours()[0]


@every_vendor
def test_words_of_ones_own_travel_as_the_comment_that_passes_them_on(vendor: Vendor) -> None:
    place = vendor.opens()
    vendor.replies(place, "limit both, @evil" if vendor.name == "slack" else "/answer limit both, @evil")
    (inputs,) = place.world.dispatched
    assert "text_sha256" in inputs["answers"]
    assert '"text":' not in inputs["answers"]
    assert "/answer limit both, " in place.world.ours()[1]
    assert "@evil" not in place.world.ours()[1]


@every_vendor
def test_the_second_who_answers_is_told_who_was_first(vendor: Vendor) -> None:
    place = vendor.opens()
    vendor.replies(place, "2")
    assert vendor.replies(place, "1", vendor.keeper).status == 200
    assert len(place.world.dispatched) == 1
    assert f"octocat has answered on {vendor.name} already" in vendor.told(place)[-1]


@every_vendor
def test_an_account_whom_nobody_mapped_is_told_so_once_and_starts_nothing(vendor: Vendor) -> None:
    place = vendor.opens()
    before = len(vendor.told(place))
    vendor.replies(place, "2", vendor.nobody)
    vendor.replies(place, "2", vendor.nobody)
    assert place.world.dispatched == []
    (told,) = vendor.told(place)[before:]
    assert NOT_MAPPED in told


@every_vendor
def test_a_person_without_a_role_is_told_so(vendor: Vendor) -> None:
    place = vendor.opens()
    vendor.replies(place, "2", vendor.no_role)
    assert place.world.dispatched == []
    assert "You may not answer this question" in vendor.told(place)[-1]


@every_vendor
def test_an_approval_takes_the_role_of_the_person(vendor: Vendor) -> None:
    place = vendor.opens(confirmation())
    vendor.replies(place, "1")
    assert place.world.dispatched == []
    vendor.replies(place, "1", vendor.keeper)
    assert '"verdict":"approve"' in place.world.dispatched[0]["answers"]


def with_long_call(clarification: Clarification) -> Clarification:
    """The same call with more arguments than any surface shows."""
    question = clarification.question
    subject = {**(question.subject or {}), "arguments": {"command": "x" * 9_000 + "; rm -rf ~"}}
    ids = [candidate.id for candidate in clarification.candidates]
    new_id = question_id("ConfirmationNeeded", "confirmation", ids, subject)
    question = question.model_copy(update={"subject": subject, "id": new_id})
    return clarification.model_copy(update={"question": question})


@every_vendor
def test_a_call_is_approved_only_where_it_can_be_seen_whole(vendor: Vendor) -> None:
    assert '"command": "x"' in vendor.told(vendor.opens(confirmation()))[0]
    place = vendor.opens(with_long_call(confirmation()))
    assert "decide on GitHub" in vendor.told(place)[0]
    vendor.replies(place, "1", vendor.keeper)
    assert place.world.dispatched == []


@every_vendor
def test_a_plan_is_changed_in_writing_as_on_github(vendor: Vendor) -> None:
    place = vendor.opens(a_plan(WHO, FORMAT))
    vendor.replies(place, "2a 3b")
    assert '"points":{"1":"b","2":"c"}' in place.world.dispatched[0]["answers"]


@every_vendor
def test_a_plan_that_cannot_be_seen_whole_is_answered_on_github_alone(vendor: Vendor) -> None:
    place = vendor.opens(LONG_PLAN)
    assert "answer on GitHub" in vendor.told(place)[0]
    vendor.replies(place, "go")
    assert place.world.dispatched == []


@every_vendor
def test_a_request_that_is_not_signed_or_too_old_is_refused(vendor: Vendor) -> None:
    place = vendor.opens()
    changes: list[dict[str, Any]] = [{"secret": vendor.other_secret}, *({"age": age} for age in vendor.ages)]
    for wrong in changes:
        assert vendor.replies(place, "2", **wrong).status == 401
    assert place.world.dispatched == []


@every_tracker
@pytest.mark.parametrize("body", ["No ticket.", "Wanted by DEV-12.", "It uses SHA-256."])
def test_an_issue_that_names_no_ticket_of_ours_is_shown_on_none(vendor: Vendor, body: str) -> None:
    place = vendor.opens(body=body)
    assert (vendor.told(place), place.surfaces.attempts) == ([], [])
