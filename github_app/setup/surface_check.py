"""The part of `askfirst-app check` about questions elsewhere: each surface is asked what only it can tell. Reads only.

Slack shows no channel to a bot that may only write (`conversations.info` needs a scope of its own), and a webhook could only be
asked by a message: of both the rest is seen when the first question is sent, and listed by `askfirst-app stuck`.

Source: docs.slack.dev, `auth.test`; developer.atlassian.com, *Get current user* and *Get my permissions*; the GraphQL schema of
Linear (`teams`).
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

from github_app.ports.surfaces import SurfaceUnavailable
from github_app.setup.finding import SetupFinding, SetupVerdict
from github_app.surface_settings import (
    JiraSetting,
    LinearSetting,
    SlackSetting,
    SurfaceSettings,
    WebhookSetting,
)
from github_app.surfaces.exchange import NotTaken
from github_app.surfaces.jira import JIRA_ACCOUNT_ADVICE, jira_request
from github_app.surfaces.linear import TEAM, graphql, linear_document, token_of, token_request
from github_app.surfaces.outgoing import Outgoing, SurfaceAnswer
from github_app.surfaces.slack import refused_by_slack, slack_request, slack_response

_OK = 200
_NO_ACCESS = frozenset({401, 403})
_RIGHTS = {"BROWSE_PROJECTS": "Browse projects", "ADD_COMMENTS": "Add comments"}

Post = Callable[[Outgoing], SurfaceAnswer]


def check_surfaces(settings: SurfaceSettings, post: Post) -> Iterator[SetupFinding]:
    """A finding for each surface that can be asked."""
    for surface in settings.surfaces:
        try:
            match surface:
                case SlackSetting():
                    subject, advice = _of_slack(surface, post)
                case JiraSetting():
                    subject, advice = _of_jira(surface, post)
                case LinearSetting():
                    subject, advice = _of_linear(surface, post)
                case WebhookSetting():
                    continue
        except SurfaceUnavailable as unavailable:
            yield SetupFinding(SetupVerdict.NO_ANSWER, f"surface {surface.name} could not say: {unavailable}")
            continue
        verdict = SetupVerdict.FINE
        if advice:
            verdict = SetupVerdict.WRONG
            advice = f"{advice} (surface {surface.name}, in the file of ASKFIRST_SURFACES_FILE)."
        yield SetupFinding(verdict, f"surface {surface.name}: {subject}", advice)


def _of_slack(setting: SlackSetting, post: Post) -> tuple[str, str]:
    """Whether the token is one of a bot: what it is, or what is wrong and what to set."""
    answer = post(slack_request(setting, "auth.test", {}))
    response = slack_response(answer)
    if response.get("ok") is True:
        return f"its token, of {response.get('user')} in {response.get('team')}", ""
    refusal = refused_by_slack(answer, setting)
    unreachable = (
        f"Set `url` to https://slack.com/api, and see whether {setting.url} can be reached from here"
    )
    return f"Slack {refusal}", refusal.advice or unreachable


def _of_jira(setting: JiraSetting, post: Post) -> tuple[str, str]:
    """Whether the account is let in, and may do in the project what it has to."""
    myself = post(jira_request(setting, "myself"))
    if myself.status in _NO_ACCESS:
        return f"Jira answers {myself.status} to {setting.email}", JIRA_ACCOUNT_ADVICE
    if myself.status != _OK or "accountId" not in _document(myself):
        advice = "Set `url` to the address of the site, such as https://example.atlassian.net"
        return f"{setting.url} answers {myself.status}, and not as Jira does", advice
    path = f"mypermissions?projectKey={setting.project}&permissions={','.join(_RIGHTS)}"
    permissions = _document(post(jira_request(setting, path))).get("permissions")
    missing = [name for key, name in _RIGHTS.items() if not _is_granted(permissions, key)]
    if not missing:
        return f"its account, {setting.email}, and its project, {setting.project}", ""
    return (
        f"{setting.email} may not do in {setting.project}: {', '.join(missing)}",
        "Grant it these permissions of the project, or set `project` to what the keys of its tickets begin with",
    )


def _of_linear(setting: LinearSetting, post: Post) -> tuple[str, str]:
    """Whether the application gets a token, and sees the team."""
    try:
        access_token = token_of(post(token_request(setting)))
    except NotTaken as refusal:
        advice = refusal.advice or f"See whether {setting.url} can be reached from here"
        return f"Linear {refusal} to the application", advice
    answer = post(graphql(setting, access_token, TEAM, {"key": setting.team}))
    data = linear_document(answer).get("data")
    teams = data.get("teams") if isinstance(data, dict) else None
    if isinstance(teams, dict) and teams.get("nodes"):
        return f"its application and its team, {setting.team}", ""
    return (
        f"Linear shows the application no team {setting.team}",
        "Set `team` to what the keys of its tickets begin with, and install the application in the workspace for that team",
    )


def _is_granted(permissions: object, key: str) -> bool:
    right = permissions.get(key) if isinstance(permissions, dict) else None
    return isinstance(right, dict) and right.get("havePermission") is True


def _document(answer: SurfaceAnswer) -> dict[str, Any]:
    try:
        document = json.loads(answer.body)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
