"""A channel of Slack beside the GitHub of `world.py`: messages with buttons, and signed requests for what people do there."""

import json
from typing import Any
from urllib.parse import urlencode

from slack_sdk.signature import SignatureVerifier

from github_app.surface_settings import SurfaceSettings
from github_app.surfaces.door import DoorAnswer
from pipeline.contract.clarification import Clarification
from tests.github_app.conversation.questions import two_routes
from tests.github_app.fakes.people import OCTOCAT, STRANGER, WRITER
from tests.github_app.fakes.surfaces import Surfaces
from tests.github_app.fakes.world import World

AUTHOR, KEEPER, NO_ROLE, NOBODY = "U0OCTOCAT", "U0KEEPER", "U0OUTSIDER", "U0STRANGER"
SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
SETTINGS = SurfaceSettings.model_validate(
    {
        "public_url": "https://askfirst.example",
        "surfaces": [
            {"name": "slack", "kind": "slack", "channel": "C012AB3CD", "token": "xoxb-token-of-the-tests", "secret": SECRET}
        ],
        "people": [
            {"login": OCTOCAT.login, "id": OCTOCAT.id, "accounts": {"slack": AUTHOR}},
            {"login": WRITER.login, "id": WRITER.id, "accounts": {"slack": KEEPER}},
            {"login": STRANGER.login, "id": STRANGER.id, "accounts": {"slack": NO_ROLE}},
        ],
    }
)  # fmt: skip


class Channel:
    """The channel, its people, and Slack, which signs what they do."""

    def __init__(self, question: Clarification | None = None) -> None:
        self.world = World()
        self.surfaces = Surfaces(self.world, SETTINGS)
        self.world.labels_it()
        self.world.run_ends(self.world.label_run(), question or two_routes())

    def calls(self) -> list[dict[str, Any]]:
        return self.surfaces.received("slack")

    def message(self) -> dict[str, Any]:
        """The question as Slack shows it."""
        return next(call for call in self.calls() if call["method"] == "chat.postMessage")

    def elements(self) -> dict[str, dict[str, Any]]:
        """What can be pressed, by its action."""
        blocks = self.message()["blocks"]
        return {
            element["action_id"]: element
            for block in blocks
            for element in block.get("elements", [])
            if "action_id" in element
        }

    def presses(self, action_id: str, member: str = AUTHOR, **changes: Any) -> DoorAnswer:
        return self.interacts(
            {"action_id": action_id, "value": self.elements()[action_id]["value"]}, member, **changes
        )

    def writes(self, words: str, member: str = AUTHOR) -> DoorAnswer:
        return self.interacts({"action_id": "words", "type": "plain_text_input", "value": words}, member)

    def interacts(
        self,
        action: dict[str, Any],
        member: str,
        *,
        secret: str = SECRET,
        age: float = 0.0,
        kind: str = "block_actions",
    ) -> DoorAnswer:
        payload = {
            "type": kind, "user": {"id": member, "name": "x"}, "actions": [action],
            "message": {"blocks": self.message()["blocks"]}, "response_url": "https://hooks.slack.com/x",
        }  # fmt: skip
        body = urlencode({"payload": json.dumps(payload)})
        timestamp = str(int(self.world.clock.now().timestamp() - age))
        answer = self.surfaces.signed_door.take(
            "slack", signed(timestamp, body.encode(), secret), body.encode()
        )
        self.surfaces.works()
        return answer


def signed(timestamp: str, body: bytes, secret: str = SECRET) -> dict[str, str]:
    """The headers with which Slack sends a body."""
    signature = SignatureVerifier(secret).generate_signature(timestamp=timestamp, body=body)
    return {"x-slack-request-timestamp": timestamp, "x-slack-signature": str(signature)}
