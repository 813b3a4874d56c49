"""`askfirst-app check`: do GitHub and the surfaces know the App as the operator's settings describe it? Reads only."""

import base64
import hashlib
import hmac
import json
import logging
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import urllib3
from github.Auth import AppAuthToken, Token

from github_app.gateway.app_auth import AppAuth, UnusableKey
from github_app.gateway.rest import Rest
from github_app.gateway.system_clock import SystemClock
from github_app.ports.github import AccessWithheld, GitHubRefused, GitHubUnavailable
from github_app.settings import Settings
from github_app.setup.finding import SetupFinding, SetupVerdict
from github_app.setup.needs import EVENTS, LABEL, PERMISSIONS, WEBHOOK_PATH, WORKFLOW_FILE
from github_app.setup.surface_check import check_surfaces
from github_app.surfaces.http_post import HttpPost

_log = logging.getLogger(__name__)

_WRITE_WORKFLOW = "In a checkout of it: askfirst init --app"
_LEVELS = ("read", "write", "admin")
_MOST_SKEW_SECONDS = 60
_PING_SECONDS = 10
_NOT_FOUND, _NOT_AUTHORIZED, _REDIRECTS = 404, 401, 300


def check(settings: Settings, *, repository: str | None = None, ping: bool = True) -> Iterator[SetupFinding]:
    """Everything that can be looked at from here, in the order in which it is put right.

    `repository` (`owner/name`) is looked at, too. `ping` sends a signed ping to the address that GitHub sends to. A wrong key is
    found by whatever is asked, and said once.
    """
    earlier_findings = set()
    for finding in _findings(settings, repository, ping=ping):
        if finding not in earlier_findings:
            earlier_findings.add(finding)
            yield finding


def _findings(settings: Settings, repository: str | None, *, ping: bool) -> Iterator[SetupFinding]:
    try:
        jwt = AppAuth(settings, SystemClock()).jwt()
    except UnusableKey as problem:
        yield SetupFinding(SetupVerdict.WRONG, "the private key cannot sign", str(problem))
        return
    rest = Rest(AppAuthToken(jwt), settings)
    yield from _findings_of(lambda: _of_app(rest, settings))
    yield from _findings_of(lambda: _of_webhook(rest, settings, ping=ping))
    if repository is not None:
        yield from _findings_of(lambda: _of_repository(rest, settings, repository))
    if settings.surfaces is not None:
        yield from check_surfaces(settings.surfaces, HttpPost())


def report_problems(settings: Settings) -> None:
    """Log what is not as it should be. The web server may not be there yet, so nothing is pinged."""
    findings = list(check(settings, ping=False))
    wrong = [finding for finding in findings if finding.verdict is SetupVerdict.WRONG]
    silent = [finding for finding in findings if finding.verdict is SetupVerdict.NO_ANSWER]
    for summary, problems in (
        ("the setup does not fit", wrong),
        ("the setup was not looked at", silent[:1]),
    ):
        for problem in problems:
            sentences = [problem.subject, problem.what_to_do, "Look again with: askfirst-app check"]
            text = ". ".join(sentence.rstrip(".") for sentence in sentences if sentence)
            _log.warning("%s: %s", summary, text)


def _findings_of(look: Callable[[], Iterator[SetupFinding]]) -> Iterator[SetupFinding]:
    try:
        yield from look()
    except AccessWithheld as withheld:
        if f" {_NOT_AUTHORIZED}:" in str(withheld) and not withheld.advice.startswith("This machine's clock"):
            yield SetupFinding(
                SetupVerdict.WRONG,
                "GitHub does not take the private key for this client id",
                "Compare ASKFIRST_CLIENT_ID with the App's page; make a new key there under 'Private keys'; check this"
                " machine's clock.",
            )
        else:
            yield SetupFinding(
                SetupVerdict.WRONG, str(withheld).removesuffix(f". {withheld.advice}"), withheld.advice
            )
    except GitHubUnavailable as unavailable:
        yield SetupFinding(
            SetupVerdict.NO_ANSWER,
            f"GitHub could not say: {unavailable}",
            "Nothing has to be done where GitHub is down (www.githubstatus.com): the App goes on by itself. Else look at this"
            " machine's way to it.",
        )
    except GitHubRefused as refusal:
        yield SetupFinding(SetupVerdict.NO_ANSWER, str(refusal))


def _of_app(rest: Rest, settings: Settings) -> Iterator[SetupFinding]:
    headers, app = rest.request("GET", "/app")
    page = f"{settings.server_url}/settings/apps/{app.get('slug', '')}"
    if app.get("id") == settings.app_id:
        yield SetupFinding(SetupVerdict.FINE, f"the App is {app.get('slug')}, and its key works")
    else:
        yield SetupFinding(
            SetupVerdict.WRONG,
            f"the key is of App {app.get('id')}, and ASKFIRST_APP_ID is {settings.app_id}",
            f"Set ASKFIRST_APP_ID={app.get('id')}",
        )
    permissions: Mapping[str, str] = app.get("permissions") or {}
    missing = [
        f"{name}: {level}" for name, level in PERMISSIONS.items() if not _covers(permissions, name, level)
    ]
    yield _finding(
        not missing,
        "its permissions",
        f"missing permissions: {', '.join(missing)}",
        f"{page}/permissions, then accept the new permissions where the App is installed",
    )
    lacking = [event for event in EVENTS if event not in (app.get("events") or ())]
    yield _finding(
        not lacking,
        "its events",
        f"not subscribed to: {', '.join(lacking)}",
        f"{page}/permissions, under 'Subscribe to events'",
    )
    yield from _of_clock(headers)


def _covers(permissions: Mapping[str, str], name: str, level: str) -> bool:
    actual_level = permissions.get(name)
    return actual_level in _LEVELS and _LEVELS.index(actual_level) >= _LEVELS.index(level)


def _of_clock(headers: Mapping[str, str]) -> Iterator[SetupFinding]:
    if "date" not in headers:
        return
    skew = abs((datetime.now(UTC) - parsedate_to_datetime(headers["date"])).total_seconds())
    yield _finding(
        skew <= _MOST_SKEW_SECONDS,
        "this machine's clock",
        f"this machine's clock is {skew:.0f} s off",
        "Let it follow a time server: GitHub refuses tokens from another time.",
    )


def _of_webhook(rest: Rest, settings: Settings, *, ping: bool) -> Iterator[SetupFinding]:
    hook = rest.request("GET", "/app/hook/config")[1]
    url = str(hook.get("url") or "")
    page = f"the App's page ({settings.server_url}/settings/apps), under 'Webhook'"
    yield _finding(
        url.endswith(WEBHOOK_PATH),
        f"the webhook's address, {url}",
        f"the webhook's address is {url or 'not set'}, and the App listens at {WEBHOOK_PATH}",
        f"Set https://HOST{WEBHOOK_PATH} on {page}",
    )
    yield _finding(
        hook.get("content_type") == "json",
        "its content type",
        f"the webhook sends {hook.get('content_type')}",
        f"Choose application/json on {page}",
    )
    deliveries = rest.request("GET", "/app/hook/deliveries", parameters={"per_page": 10})[1]
    codes = [delivery.get("status_code") for delivery in deliveries if isinstance(delivery, dict)]
    if codes:
        is_refused = codes[0] == _NOT_AUTHORIZED
        yield _finding(
            not is_refused,
            "the webhook's secret, by GitHub's last delivery",
            "GitHub's last delivery was answered 401: its secret is another one",
            f"Set the same secret as ASKFIRST_WEBHOOK_SECRET on {page}",
        )
    if ping and url.endswith(WEBHOOK_PATH):
        yield _ping(url, settings.webhook_secret)


def _ping(url: str, secret: str) -> SetupFinding:
    """Whether a delivery that is signed as GitHub would sign it comes back from the address that GitHub sends to."""
    body = json.dumps({"zen": "Ask first.", "hook_id": 0}).encode()
    signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    headers = {
        "Content-Type": "application/json",
        "X-GitHub-Event": "ping",
        "X-GitHub-Delivery": "00000000-0000-0000-0000-000000000000",
        "X-Hub-Signature-256": f"sha256={signature}",
    }
    try:
        answer = urllib3.request(
            "POST", url, body=body, headers=headers, timeout=_PING_SECONDS, retries=False, redirect=False
        )
    except urllib3.exceptions.HTTPError as error:
        return SetupFinding(
            SetupVerdict.WRONG,
            f"a signed ping to {url}: no answer ({type(error).__name__})",
            "Start the App (askfirst-app serve) and let the address lead to it.",
        )
    if answer.status < _REDIRECTS:
        return SetupFinding(SetupVerdict.FINE, f"a signed ping to {url}: answered {answer.status}")
    advice = "Let the proxy in front of it pass POST requests on unchanged."
    if answer.status == _NOT_AUTHORIZED:
        advice = "The web server there has another ASKFIRST_WEBHOOK_SECRET."
    return SetupFinding(SetupVerdict.WRONG, f"a signed ping to {url}: answered {answer.status}", advice)


def _of_repository(rest: Rest, settings: Settings, name: str) -> Iterator[SetupFinding]:
    try:
        installation = rest.request("GET", f"/repos/{name}/installation")[1]
    except GitHubRefused as refusal:
        if refusal.status != _NOT_FOUND:
            raise
        yield SetupFinding(
            SetupVerdict.WRONG,
            f"the App is not installed on {name}",
            "Install it: the App's page, under 'Install App'",
        )
        return
    body = {"repositories": [name.partition("/")[2]], "permissions": {"issues": "read", "actions": "read"}}
    token = rest.request("POST", f"/app/installations/{installation['id']}/access_tokens", body=body)[1]
    reader = Rest(Token(token["token"]), settings)
    yield from _there(
        reader,
        f"/repos/{name}/labels/{LABEL}",
        f"the label {LABEL}",
        f"gh label create {LABEL} --repo {name}",
    )
    workflow = list(
        _there(
            reader,
            f"/repos/{name}/actions/workflows/{WORKFLOW_FILE}",
            f"the workflow {WORKFLOW_FILE} on the default branch",
            _WRITE_WORKFLOW,
        )
    )
    yield from workflow
    if all(finding.verdict is SetupVerdict.FINE for finding in workflow):
        yield from _starts_for_app(rest, settings, installation["id"], name)


def _starts_for_app(
    rest: Rest, settings: Settings, installation_id: int, name: str
) -> Iterator[SetupFinding]:
    """Whether the workflow is the one that the App can start: without the App there is another under the same name."""
    body = {"repositories": [name.partition("/")[2]], "permissions": {"contents": "read"}}
    try:
        token = rest.request("POST", f"/app/installations/{installation_id}/access_tokens", body=body)[1]
    except (AccessWithheld, GitHubRefused):
        return  # the missing permission has a line of its own
    reader = Rest(Token(token["token"]), settings)
    file = reader.request("GET", f"/repos/{name}/contents/.github/workflows/{WORKFLOW_FILE}")[1]
    yield _finding(
        "workflow_dispatch" in base64.b64decode(file["content"]).decode("utf-8", "replace"),
        "the App can start it",
        "the App cannot start it: it has no `workflow_dispatch`, as the one for repositories without the App",
        _WRITE_WORKFLOW,
    )


def _there(reader: Rest, path: str, subject: str, advice: str) -> Iterator[SetupFinding]:
    try:
        reader.request("GET", path)
    except GitHubRefused as refusal:
        if refusal.status != _NOT_FOUND:
            raise
        yield SetupFinding(SetupVerdict.WRONG, f"{subject} is missing", advice)
    else:
        yield SetupFinding(SetupVerdict.FINE, subject)


def _finding(holds: object, fine: str, wrong: str, advice: str) -> SetupFinding:
    return SetupFinding(SetupVerdict.FINE, fine) if holds else SetupFinding(SetupVerdict.WRONG, wrong, advice)
