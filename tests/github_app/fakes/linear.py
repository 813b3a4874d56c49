"""A workspace of Linear beside the GitHub of `world.py`: agent sessions with activities, and a signed webhook."""

import hashlib
import hmac
import json
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs
from uuid import UUID, uuid4

from github_app.surface_settings import SurfaceSettings
from github_app.surfaces.door import DoorAnswer
from github_app.surfaces.linear import FIND, OPEN_SESSION, SAY, TEAM
from github_app.surfaces.outgoing import Outgoing, SurfaceAnswer
from pipeline.contract.clarification import Clarification
from tests.contract.linear_types import type_problems
from tests.github_app.conversation.questions import two_routes
from tests.github_app.fakes.people import OCTOCAT, STRANGER, WRITER
from tests.github_app.fakes.surfaces import Surfaces
from tests.github_app.fakes.world import World

SECRET = "lin_wh_a secret of the webhook"
OUR_ID = "c0ffee00-0000-4000-8000-00000000b07a"
ACCOUNTS = {"user-octocat": OCTOCAT, "user-keeper": WRITER, "user-stranger": STRANGER}
AUTHOR, KEEPER, NO_ROLE = ACCOUNTS
NOBODY = "user-nobody"
ACCESS_TOKEN = "lin_oauth_token of the tests"
SETTINGS = SurfaceSettings.model_validate(
    {
        "public_url": "https://askfirst.example",
        "surfaces": [
            {
                "name": "linear", "kind": "linear", "team": "ENG", "client_id": "client", "client_secret": "secret of the client",
                "secret": SECRET, "url": "https://linear.example",
            }
        ],
        "people": [
            {"login": person.login, "id": person.id, "accounts": {"linear": account}} for account, person in ACCOUNTS.items()
        ],
    }
)  # fmt: skip


class Workspace:
    """The tickets ENG-7 and ENG-8, and the App, which was asked the question for an issue that names ENG-7."""

    def __init__(
        self,
        question: Clarification | None = None,
        body: str = "Wanted by ENG-7.",
        *,
        asks: bool = True,
        settings: SurfaceSettings = SETTINGS,
    ) -> None:
        self.world = World()
        self.surfaces = Surfaces(self.world, settings)
        self.surfaces.vendors["linear"] = self.answers
        self.sessions: dict[str, str] = {}
        self.activities: dict[str, dict[str, Any]] = {}
        self.teams = frozenset({"ENG"})
        self.status = 200
        self.drops_answers_to: set[str] = set()
        self.world.edits_the_issue(body)
        if asks:
            self.asks(question)

    def asks(self, question: Clarification | None = None) -> None:
        """The label is set and the run ends with a question."""
        self.world.labels_it()
        self.world.run_ends(self.world.label_run(), question or two_routes())
        self.surfaces.sends()

    # -- what the App does -------------------------------------------------------------------------------------

    def answers(self, request: Outgoing) -> SurfaceAnswer:
        """As Linear's token endpoint and its GraphQL API."""
        if self.status != 200:
            return SurfaceAnswer(self.status, b'{"errors": [{"message": "Rate limit exceeded"}]}')
        if request.url == "https://linear.example/oauth/token":
            fields = parse_qs(request.body)
            assert (fields["grant_type"], fields["client_secret"]) == (
                ["client_credentials"],
                ["secret of the client"],
            )
            return _as_json({"access_token": ACCESS_TOKEN, "token_type": "Bearer", "expires_in": 2_591_999})
        assert request.url == "https://linear.example/graphql"
        assert request.headers["Authorization"] == f"Bearer {ACCESS_TOKEN}"
        call = json.loads(request.body)
        query, variables = call["query"], call["variables"]
        answer = {FIND: self._finds, OPEN_SESSION: self._opens, SAY: self._says, TEAM: self._team}[query](
            variables
        )
        if query in self.drops_answers_to:
            self.drops_answers_to.remove(query)
            return SurfaceAnswer(504)
        return answer

    def _team(self, variables: dict[str, Any]) -> SurfaceAnswer:
        return _as_json(
            {"data": {"teams": {"nodes": [{"key": key} for key in self.teams & {variables["key"]}]}}}
        )

    def _finds(self, variables: dict[str, Any]) -> SurfaceAnswer:
        there = self.activities.get(variables["id"])
        return _as_json({"data": {"agentActivity": there}}) if there else _not_found("AgentActivity")

    def _opens(self, variables: dict[str, Any]) -> SurfaceAnswer:
        wanted = variables["input"]
        assert type_problems("AgentSessionCreateOnIssue", wanted) == []
        if wanted["issueId"] not in {"ENG-7", "ENG-8"}:
            return _not_found("Issue")
        session = self.opens(wanted["issueId"])
        return _as_json(
            {"data": {"agentSessionCreateOnIssue": {"success": True, "agentSession": {"id": session}}}}
        )

    def _says(self, variables: dict[str, Any]) -> SurfaceAnswer:
        wanted = variables["input"]
        assert type_problems("AgentActivityCreateInput", wanted) == []
        assert UUID(wanted["id"]).version == 4
        assert wanted["id"] not in self.activities
        if wanted["agentSessionId"] not in self.sessions:
            return _not_found("AgentSession")
        self.world.clock.passes()
        made = self.activities[wanted["id"]] = {**wanted, "createdAt": self._now()}
        return _as_json({"data": {"agentActivityCreate": {"success": True, "agentActivity": made}}})

    def told(self) -> list[dict[str, Any]]:
        """Our activities, oldest first."""
        self.surfaces.sends()
        return list(self.activities.values())

    # -- what people do ----------------------------------------------------------------------------------------

    def opens(self, ticket: str = "ENG-7") -> str:
        session = str(uuid4())
        self.sessions[session] = ticket
        return session

    def calls_us(self, ticket: str = "ENG-7", **changes: Any) -> DoorAnswer:
        """Somebody mentions the agent on a ticket."""
        return self.delivers("created", self.opens(ticket), None, **changes)

    def writes(
        self, body: str, account: str = AUTHOR, /, signal: str | None = None, **changes: Any
    ) -> DoorAnswer:
        """Somebody writes or chooses in the newest session."""
        self.world.clock.passes()
        activity = {
            "id": str(uuid4()), "agentSessionId": self.session, "content": {"type": "prompt", "body": body}, "userId": account,
            "user": {"id": account}, "createdAt": self._now(), "updatedAt": self._now(), "signal": signal,
        }  # fmt: skip
        assert type_problems("AgentActivityWebhookPayload", activity) == []
        return self.delivers("prompted", self.session, activity, **changes)

    def delivers(
        self,
        action: str,
        session: str,
        activity: dict[str, Any] | None,
        /,
        *,
        secret: str = SECRET,
        age: float = 0.0,
        **fields: Any,
    ) -> DoorAnswer:
        """Linear tells of it."""
        now = self.world.clock.now().timestamp()
        of_session = {
            "id": session, "appUserId": OUR_ID, "createdAt": self._now(), "updatedAt": self._now(), "organizationId": "o",
            "status": "pending", "type": "commentThread", "issue": {"identifier": self.sessions[session]},
        }  # fmt: skip
        payload = {
            "type": "AgentSessionEvent", "action": action, "agentSession": of_session, "agentActivity": activity,
            "appUserId": OUR_ID, "createdAt": self._now(), "oauthClientId": "client", "organizationId": "o", "webhookId": "w",
            "webhookTimestamp": (now - age) * 1000,
        }  # fmt: skip
        assert type_problems("AgentSessionWebhookPayload", of_session) == []
        assert type_problems("AgentSessionEventWebhookPayload", payload) == []
        body = json.dumps({**payload, **fields}).encode()
        answer = self.surfaces.signed_door.take("linear", signed(body, secret), body)
        self.surfaces.works()
        return answer

    @property
    def session(self) -> str:
        """The newest session."""
        return list(self.sessions)[-1]

    def _now(self) -> str:
        # The clock of Linear's is not ours.
        return (self.world.clock.now() - timedelta(hours=1)).isoformat().replace("+00:00", "Z")


def signed(body: bytes, secret: str = SECRET) -> dict[str, str]:
    """The headers with which Linear sends a body."""
    return {"linear-signature": hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}


def _as_json(document: dict[str, Any]) -> SurfaceAnswer:
    return SurfaceAnswer(200, json.dumps(document).encode())


def _not_found(kind: str) -> SurfaceAnswer:
    message = f"Entity not found: {kind} - Could not find referenced {kind}."
    return _as_json({"errors": [{"message": message}], "data": None})


def bodies(workspace: Workspace) -> list[tuple[str, str]]:
    """What our activities say, oldest first: the type of each, and its text."""
    return [(activity["content"]["type"], activity["content"]["body"]) for activity in workspace.told()]


def as_shown(activity: dict[str, Any]) -> dict[str, Any]:
    """An activity without its ids."""
    return {key: activity[key] for key in ("content", "signal", "signalMetadata") if key in activity}
