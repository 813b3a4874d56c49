"""Programs that show questions elsewhere, and the people who answer there: beside the GitHub of `world.py`."""

import dataclasses
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from slack_sdk.models.blocks import Block
from standardwebhooks import Webhook

from github_app.dispatch import dispatch_surface_reply
from github_app.ports.surfaces import SurfaceMessage, SurfaceReply, SurfaceUnavailable
from github_app.surface_settings import SurfaceSettings
from github_app.surfaces.announcement import Announcer
from github_app.surfaces.announcing import QueuedAnnouncements
from github_app.surfaces.door import DoorAnswer, ReplyDoor
from github_app.surfaces.outgoing import Outgoing, SurfaceAnswer
from github_app.surfaces.signed_door import SignedDoor
from tests.github_app.fakes.people import OCTOCAT, SECRET, STRANGER, WRITER
from tests.github_app.fakes.world import World

SECRETS = {"n8n": "whsec_" + "bjhu" * 8, "pager": "whsec_" + "cGFn" * 8}
SETTINGS = SurfaceSettings.model_validate(
    {
        "public_url": "https://askfirst.example",
        "surfaces": [
            {"name": name, "kind": "webhook", "url": f"https://{name}.example/in", "secret": secret}
            for name, secret in SECRETS.items()
        ],
        "people": [
            {"login": OCTOCAT.login, "id": OCTOCAT.id, "accounts": {"n8n": "octo@example", "pager": "octo"}},
            {"login": WRITER.login, "id": WRITER.id, "accounts": {"n8n": "hubot@example", "pager": "hubot"}},
            {"login": STRANGER.login, "id": STRANGER.id, "accounts": {"n8n": "stranger@example"}},
        ],
    }
)


class ReferencesInMemory:
    """What is kept about messages."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], str] = {}

    def get(self, surface: str, key: str) -> str | None:
        return self.rows.get((surface, key))

    def put(self, surface: str, key: str, text: str) -> None:
        self.rows[surface, key] = text


class Surfaces:
    """Two programs that take messages, `n8n` and `pager`. A message waits in `waiting` until it is taken."""

    def __init__(
        self, world: World, settings: SurfaceSettings = SETTINGS, secrets: tuple[bytes, ...] = (SECRET,)
    ) -> None:
        self.world = world
        self.waiting: dict[str, SurfaceMessage] = {}
        self.messages: list[tuple[str, dict[str, Any]]] = []
        self.attempts: list[Outgoing] = []
        self.replies: dict[str, SurfaceReply] = {}
        self.down: set[str] = set()
        self.status = 204
        self.slack_error = ""
        self.vendors: dict[str, Callable[[Outgoing], SurfaceAnswer]] = {"slack": self._slack_answers}
        self._stored: set[str] = set()
        announcer = Announcer(settings, "https://github.com", SECRET)
        references = ReferencesInMemory()
        world.announcements = self.announcements = QueuedAnnouncements(
            announcer, world.conversations, world.clock, self._store, self._post, references
        )
        self.door = ReplyDoor(settings, secrets, world.conversations, world.clock.now, self._take_in)
        self.signed_door = SignedDoor(self.door, references, self._store)

    def rotates(self, secrets: tuple[bytes, ...]) -> None:
        """The App is started again with these keys, the one that signs first."""
        self.door = dataclasses.replace(self.door, secrets=secrets)
        self.signed_door = dataclasses.replace(self.signed_door, door=self.door)

    # -- outwards ----------------------------------------------------------------------------------------------

    def sends(self) -> None:
        """The worker sends what waits; what is not taken waits on."""
        for message in list(self.waiting.values()):
            try:
                self.announcements.send(message.model_dump())
            except SurfaceUnavailable:
                continue
            del self.waiting[message.id]

    def received(self, surface: str = "n8n") -> list[dict[str, Any]]:
        """What a program was told so far, after it has checked the signatures."""
        self.sends()
        return [message for name, message in self.messages if name == surface]

    def address(self, account: str = "octo@example", surface: str = "n8n") -> str:
        """The token of the newest reply address that a program holds for an account."""
        latest = [sent for sent in self.received(surface) if sent["type"] == "question.asked"][-1]
        (url,) = [reply["url"] for reply in latest["data"]["replies"] if reply["account"] == account]
        base, _, token = url.rpartition("/")
        assert base == "https://askfirst.example/reply"
        return str(token)

    def _store(self, message: SurfaceMessage) -> None:
        if message.id not in self._stored:
            self._stored.add(message.id)
            self.waiting[message.id] = message

    def _post(self, request: Outgoing) -> SurfaceAnswer:
        self.attempts.append(request)
        name = request.url.split("//")[1].split(".")[0]
        if name in self.down:
            raise SurfaceUnavailable("no answer")
        if name in self.vendors:
            return self.vendors[name](request)
        if not 200 <= self.status < 300:
            return SurfaceAnswer(self.status)
        # Not `verify`: that compares with the clock of this machine, and here time stands still.
        sent_at = datetime.fromtimestamp(int(request.headers["webhook-timestamp"]), UTC)
        right = Webhook(SECRETS[name]).sign(request.headers["webhook-id"], sent_at, request.body)
        assert request.headers["webhook-signature"] == right
        self.messages.append((name, json.loads(request.body)))
        return SurfaceAnswer(self.status)

    def _slack_answers(self, request: Outgoing) -> SurfaceAnswer:
        """As Slack's Web API: what its own SDK finds wrong with the blocks is an error in the body."""
        assert request.headers["Authorization"] == "Bearer xoxb-token-of-the-tests"
        call, method = json.loads(request.body), request.url.rpartition("/")[2]
        if method == "auth.test":
            who = (
                {"user": "askfirst", "team": "Acme"} if not self.slack_error else {"error": self.slack_error}
            )
            return SurfaceAnswer(200, json.dumps({"ok": not self.slack_error, **who}).encode())
        for block in Block.parse_all(call["blocks"]):
            block.validate_json()
        self.messages.append(("slack", {"method": method, **call}))
        body = {
            "ok": not self.slack_error,
            "error": self.slack_error,
            "channel": "C012AB3CD",
            "ts": "1764.0001",
        }
        return SurfaceAnswer(200, json.dumps(body).encode())

    # -- inwards -----------------------------------------------------------------------------------------------

    def knocks(self, token: str, body: dict[str, Any] | bytes) -> DoorAnswer:
        """Somebody sends a reply; it is stored if the door takes it."""
        return self.door.take(token, body if isinstance(body, bytes) else json.dumps(body).encode())

    def works(self) -> None:
        """The worker comes to the replies that were stored."""
        for reply in list(self.replies.values()):
            dispatch_surface_reply(reply, self.world.app)

    def says(self, text: str, account: str = "octo@example", surface: str = "n8n") -> DoorAnswer:
        """A person replies on a surface, and the worker comes to it."""
        answer = self.knocks(self.address(account, surface), {"reply": text})
        self.works()
        return answer

    def _take_in(self, reply: SurfaceReply) -> None:
        self.replies[reply.id] = reply
