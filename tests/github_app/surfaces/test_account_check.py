"""What only a service can tell of its settings: said by `askfirst-app check`, and by one line and `stuck` when a message waits."""

import logging
from collections.abc import Callable

import pytest
from inline_snapshot import snapshot

from github_app.ports.surfaces import SurfaceUnavailable
from github_app.setup.surface_check import check_surfaces
from github_app.storage.delivery import Delivery, RetryLater, Wait
from github_app.storage.surface_rows import message_store
from github_app.surfaces.outgoing import Outgoing, SurfaceAnswer
from tests.github_app.fakes import jira, linear, slack
from tests.github_app.fakes.jira import JiraSite
from tests.github_app.fakes.linear import Workspace
from tests.github_app.fakes.slack import Channel
from tests.github_app.fakes.surfaces import SETTINGS as PROGRAMS
from tests.github_app.serving.workers import a_worker


def on_slack(error: str) -> list[str]:
    channel = Channel()
    channel.surfaces.slack_error = error
    return findings(slack.SETTINGS, channel.surfaces.vendors["slack"])


def findings(settings: object, post: Callable[[Outgoing], SurfaceAnswer]) -> list[str]:
    return [str(finding) for finding in check_surfaces(settings, post)]  # type: ignore[arg-type]


def on_jira(
    status: int = 201, rights: frozenset[str] = frozenset({"BROWSE_PROJECTS", "ADD_COMMENTS"})
) -> list[str]:
    site = JiraSite()
    site.status, site.rights = status, set(rights)
    return findings(jira.SETTINGS, site.answers)


def on_linear(status: int = 200, teams: frozenset[str] = frozenset({"ENG"})) -> list[str]:
    workspace = Workspace()
    workspace.status, workspace.teams = status, teams
    return findings(linear.SETTINGS, workspace.answers)


def test_surfaces_that_are_set_up_well_have_nothing_wrong() -> None:
    assert on_slack("") + on_jira() + on_linear() + findings(PROGRAMS, _nobody) == snapshot(
        [
            "fine     surface slack: its token, of askfirst in Acme",
            "fine     surface jira: its account, bot@example.com, and its project, OPS",
            "fine     surface linear: its application and its team, ENG",
        ]
    )


def test_what_a_service_refuses_is_said_with_what_to_set() -> None:
    refused = [
        on_slack("invalid_auth"),
        on_jira(401),
        on_jira(404),
        on_jira(rights=frozenset({"BROWSE_PROJECTS"})),
        on_linear(401),
        on_linear(teams=frozenset()),
    ]
    assert [line for lines in refused for line in lines] == snapshot(
        [
            """\
wrong    surface slack: Slack answered 200, invalid_auth
         Set `token` to the Bot User OAuth Token of an installed app with the scope chat:write (surface slack, in the file of ASKFIRST_SURFACES_FILE).\
""",
            """\
wrong    surface jira: Jira answers 401 to bot@example.com
         Set `email` to the mail address of the account whose API token `token` is, make a new token if it is older than a year, and let the account browse the project and add comments (surface jira, in the file of ASKFIRST_SURFACES_FILE).\
""",
            """\
wrong    surface jira: https://jira.example answers 404, and not as Jira does
         Set `url` to the address of the site, such as https://example.atlassian.net (surface jira, in the file of ASKFIRST_SURFACES_FILE).\
""",
            """\
wrong    surface jira: bot@example.com may not do in OPS: Add comments
         Grant it these permissions of the project, or set `project` to what the keys of its tickets begin with (surface jira, in the file of ASKFIRST_SURFACES_FILE).\
""",
            """\
wrong    surface linear: Linear answered 401 to the application
         Set `client_id` and `client_secret` to those of the application in Linear, and allow client credentials there (surface linear, in the file of ASKFIRST_SURFACES_FILE).\
""",
            """\
wrong    surface linear: Linear shows the application no team ENG
         Set `team` to what the keys of its tickets begin with, and install the application in the workspace for that team (surface linear, in the file of ASKFIRST_SURFACES_FILE).\
""",
        ]
    )


def test_a_service_that_nobody_reaches_is_no_reason_not_to_start() -> None:
    assert findings(jira.SETTINGS, _nobody) == snapshot(
        ["unknown  surface jira could not say: no answer: NewConnectionError"]
    )


def _nobody(_request: Outgoing) -> SurfaceAnswer:
    raise SurfaceUnavailable("no answer: NewConnectionError")


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (
            "invalid_auth",
            "Set `token` to the Bot User OAuth Token of an installed app with the scope chat:write",
        ),
        (
            "channel_not_found",
            "Invite the bot into the channel C012AB3CD (/invite), or set `channel` to one in which it is",
        ),
    ],
)
def test_a_message_that_waits_for_an_operator_is_listed_as_stuck_and_said_in_one_line(
    error: str, advice: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    channel = Channel()
    channel.surfaces.slack_error = error
    rows: list[Delivery] = []
    (message,) = channel.surfaces.waiting.values()
    message_store(rows.append)(message)
    worker = a_worker(channel.world)
    for _ in range(3):
        with pytest.raises(RetryLater) as later:
            worker.do(rows[0])
    assert (str(later.value), later.value.kind) == (f"slack answered 200, {error}. {advice}", Wait.WITHHELD)
    assert [record.getMessage().count(advice) for record in caplog.records] == [1]


def test_a_token_of_jira_or_linear_that_is_refused_waits_for_an_operator() -> None:
    site, workspace = JiraSite(), Workspace()
    site.status = workspace.status = 401
    for place in (site, workspace):
        place.world.says("2")
        rows: list[Delivery] = []
        message_store(rows.append)(list(place.surfaces.waiting.values())[-1])
        with pytest.raises(RetryLater, match="Set `") as later:
            a_worker(place.world).do(rows[0])
        assert later.value.kind is Wait.WITHHELD


def test_a_ticket_that_nobody_sees_is_said_in_one_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    site = JiraSite(body="Wanted by OPS-99.")
    assert (site.told(), site.surfaces.waiting) == ([], {})
    workspace = Workspace(body="Wanted by ENG-99.")
    assert (workspace.told(), workspace.surfaces.waiting) == ([], {})
    assert [record.getMessage() for record in caplog.records] == snapshot(
        [
            "jira has no place for what is about acme/orders#418: Jira has no ticket OPS-99 that bot@example.com may see, so it is asked on GitHub only. If the ticket is there: askfirst-app check",
            "linear has no place for what is about acme/orders#418: Linear has no ticket ENG-99 that the application may see, so it is asked on GitHub only. If the ticket is there: askfirst-app check",
        ]
    )
