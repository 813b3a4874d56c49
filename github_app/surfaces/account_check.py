"""What only a service can tell of its settings: whether the account is let in, and whether the place is there. Reads only.

Slack shows no channel to a bot that may only write (`conversations.info` needs a scope of its own), and a webhook could only be
asked by a message: of both the rest is seen when the first question is sent, and listed by `askfirst-app stuck`.

Source: docs.slack.dev, `auth.test`; developer.atlassian.com, *Get current user* and *Get my permissions*; the GraphQL schema of
Linear (`teams`).
"""

import json
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any

from github_app.surface_settings import JiraSetting, LinearSetting, SlackSetting, SurfaceSetting
from github_app.surfaces.exchange import NotTaken
from github_app.surfaces.jira import JIRA_ACCOUNT_ADVICE, jira_request
from github_app.surfaces.linear import TEAM, graphql, linear_document, token_of, token_request
from github_app.surfaces.outgoing import Outgoing, SurfaceAnswer
from github_app.surfaces.slack import refused_by_slack, slack_request, slack_response

_OK = 200
_NO_ACCESS = frozenset({401, 403})
_RIGHTS = {"BROWSE_PROJECTS": "Browse projects", "ADD_COMMENTS": "Add comments"}


@dataclass(frozen=True)
class AccountFinding:
    """One thing that a service has told. `advice` is what to set where it is wrong, and empty where it is fine."""

    subject: str
    advice: str = ""


Look = Generator[Outgoing, SurfaceAnswer, AccountFinding]
"""Gives requests, is sent their answers, and ends with what they tell."""


def look_at_slack(setting: SlackSetting) -> Look:
    """Whether the token is one of a bot."""
    answer = yield slack_request(setting, "auth.test", {})
    response = slack_response(answer)
    if response.get("ok") is True:
        return AccountFinding(f"its token, of {response.get('user')} in {response.get('team')}")
    refusal = refused_by_slack(answer, setting)
    advice = (
        refusal.advice
        or f"Set `url` to https://slack.com/api, and see whether {setting.url} can be reached from here"
    )
    return AccountFinding(f"Slack {refusal}", advice)


def look_at_jira(setting: JiraSetting) -> Look:
    """Whether the account is let in, and may do in the project what it has to."""
    myself = yield jira_request(setting, "myself")
    if myself.status in _NO_ACCESS:
        return AccountFinding(f"Jira answers {myself.status} to {setting.email}", JIRA_ACCOUNT_ADVICE)
    if myself.status != _OK or "accountId" not in _document(myself):
        advice = "Set `url` to the address of the site, such as https://example.atlassian.net"
        return AccountFinding(f"{setting.url} answers {myself.status}, and not as Jira does", advice)
    rights = ",".join(_RIGHTS)
    path = f"mypermissions?projectKey={setting.project}&permissions={rights}"
    answer = yield jira_request(setting, path)
    permissions = _document(answer).get("permissions")
    missing = [name for key, name in _RIGHTS.items() if not _is_granted(permissions, key)]
    if not missing:
        return AccountFinding(f"its account, {setting.email}, and its project, {setting.project}")
    return AccountFinding(
        f"{setting.email} may not do in {setting.project}: {', '.join(missing)}",
        "Grant it these permissions of the project, or set `project` to what the keys of its tickets begin with",
    )


def look_at_linear(setting: LinearSetting) -> Look:
    """Whether the application gets a token, and sees the team."""
    answer = yield token_request(setting)
    try:
        access_token = token_of(answer)
    except NotTaken as refusal:
        advice = refusal.advice or f"See whether {setting.url} can be reached from here"
        return AccountFinding(f"Linear {refusal} to the application", advice)
    answer = yield graphql(setting, access_token, TEAM, {"key": setting.team})
    data = linear_document(answer).get("data")
    teams = data.get("teams") if isinstance(data, dict) else None
    if isinstance(teams, dict) and teams.get("nodes"):
        return AccountFinding(f"its application and its team, {setting.team}")
    return AccountFinding(
        f"Linear shows the application no team {setting.team}",
        "Set `team` to what the keys of its tickets begin with, and install the application in the workspace for that team",
    )


_LOOKS: Mapping[str, Callable[[Any], Look]] = {
    "slack": look_at_slack,
    "jira": look_at_jira,
    "linear": look_at_linear,
}


def look_at(setting: SurfaceSetting) -> Look | None:
    """The requests that tell whether a surface is set up; None where only a message can."""
    look = _LOOKS.get(setting.kind)
    return None if look is None else look(setting)


def _is_granted(permissions: object, key: str) -> bool:
    right = permissions.get(key) if isinstance(permissions, dict) else None
    return isinstance(right, dict) and right.get("havePermission") is True


def _document(answer: SurfaceAnswer) -> dict[str, Any]:
    try:
        document = json.loads(answer.body)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
