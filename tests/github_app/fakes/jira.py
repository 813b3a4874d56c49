"""A site of Jira Cloud beside the GitHub of `world.py`: tickets with comments, and a signed webhook for each comment."""

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs

from github_app.ports.surfaces import SurfaceUnavailable
from github_app.surface_settings import SurfaceSettings
from github_app.surfaces.door import DoorAnswer
from github_app.surfaces.outgoing import Outgoing, SurfaceAnswer
from pipeline.contract.clarification import Clarification
from tests.contract.adf_schema import adf_validator
from tests.github_app.conversation.questions import two_routes
from tests.github_app.fakes.people import OCTOCAT, STRANGER, WRITER
from tests.github_app.fakes.surfaces import Surfaces
from tests.github_app.fakes.world import World

SECRET = "a secret of the webhook of Jira"
BOT = "557058:b07"
ACCOUNTS = {"557058:0c70ca7": OCTOCAT, "557058:4bbe1": WRITER, "557058:57a6e": STRANGER}
AUTHOR, KEEPER, NO_ROLE = ACCOUNTS
NOBODY = "557058:0b0d7"
SETTINGS = SurfaceSettings.model_validate(
    {
        "public_url": "https://askfirst.example",
        "surfaces": [
            {
                "name": "jira", "kind": "jira", "url": "https://jira.example", "project": "OPS",
                "email": "bot@example.com", "token": "token of the tests", "secret": SECRET,
            }
        ],
        "people": [
            {"login": person.login, "id": person.id, "accounts": {"jira": account}} for account, person in ACCOUNTS.items()
        ],
    }
)  # fmt: skip


@dataclass(frozen=True)
class TicketComment:
    """A comment as Jira has it. `body` is a document, or wiki markup for what a webhook brings."""

    ticket: int
    number: int
    account: str
    body: Any
    created: str


class JiraSite:
    """The tickets OPS-12 and OPS-13, and the App, which was asked the question for an issue that names OPS-12."""

    def __init__(self, question: Clarification | None = None, body: str = "Wanted by OPS-12.") -> None:
        self.world = World()
        self.surfaces = Surfaces(self.world, SETTINGS)
        self.surfaces.vendors["jira"] = self.answers
        self.tickets = {"OPS-12": 10012, "OPS-13": 10013}
        self.comments: list[TicketComment] = []
        self.properties: dict[int, Any] = {}
        self.rights = {"BROWSE_PROJECTS", "ADD_COMMENTS"}
        self.status = 201
        self.loses_answers = 0
        self.world.edits_the_issue(body)
        self.asks(question)

    def asks(self, question: Clarification | None = None) -> None:
        """The label is set and the run ends with a question."""
        self.world.labels_it()
        self.world.run_ends(self.world.label_run(), question or two_routes())
        self.surfaces.sends()

    # -- what the App does -------------------------------------------------------------------------------------

    def answers(self, request: Outgoing) -> SurfaceAnswer:
        """As Jira's REST API, version 3, and its schema of documents."""
        assert (
            request.headers["Authorization"]
            == f"Basic {base64.b64encode(b'bot@example.com:token of the tests').decode()}"
        )
        if self.status != 201:
            return SurfaceAnswer(self.status, b'{"errorMessages": ["No."]}')
        path, _, query = request.url.removeprefix("https://jira.example/rest/api/3/").partition("?")
        if path in {"myself", "mypermissions"}:
            return self._account(path, parse_qs(query))
        if path == "comment/list":
            return self._by_id(json.loads(request.body)["ids"], query)
        issue, ticket, comment = path.split("/")
        assert (issue, comment) == ("issue", "comment")
        number = self.tickets.get(ticket) or (int(ticket) if ticket.isdigit() else None)
        if number not in self.tickets.values():
            return SurfaceAnswer(
                404, b'{"errorMessages":["Issue does not exist or you do not have permission to see it."]}'
            )
        if request.method == "GET":
            newest = [
                self._as_json(comment) for comment in reversed(self.comments) if comment.ticket == number
            ]
            assert parse_qs(query) == {"orderBy": ["-created"], "maxResults": ["50"]}
            return SurfaceAnswer(200, json.dumps({"comments": newest[:50], "total": len(newest)}).encode())
        document = json.loads(request.body)["body"]
        if (validator := adf_validator()) is not None:
            validator.validate(document)
        made = self._add(number or 0, BOT, document)
        self.properties[made.number] = json.loads(request.body)["properties"]
        self.delivers(made)
        if self.loses_answers:
            self.loses_answers -= 1
            raise SurfaceUnavailable("no answer")
        return SurfaceAnswer(201, json.dumps(self._as_json(made)).encode())

    def _by_id(self, ids: list[int], query: str) -> SurfaceAnswer:
        """As *Get comments by IDs*: with the properties, which no other request shows."""
        assert query == "expand=properties"
        values = [
            {**self._as_json(comment), "properties": self.properties.get(comment.number, [])}
            for comment in self.comments
            if comment.number in ids
        ]
        return SurfaceAnswer(200, json.dumps({"values": values, "isLast": True}).encode())

    def _account(self, path: str, query: dict[str, list[str]]) -> SurfaceAnswer:
        if path == "myself":
            return SurfaceAnswer(
                200, json.dumps({"accountId": BOT, "emailAddress": "bot@example.com"}).encode()
            )
        if query["projectKey"] != ["OPS"]:
            return SurfaceAnswer(404, b'{"errorMessages": ["No project could be found."]}')
        rights = {
            key: {"key": key, "havePermission": key in self.rights}
            for key in query["permissions"][0].split(",")
        }
        return SurfaceAnswer(200, json.dumps({"permissions": rights}).encode())

    def told(self) -> list[str]:
        """Our comments as people read them, oldest first."""
        self.surfaces.sends()
        return [shown(comment.body) for comment in self.comments if comment.account == BOT]

    # -- what people do ----------------------------------------------------------------------------------------

    def writes(
        self, body: Any, account: str = AUTHOR, ticket: str = "OPS-12", /, **changes: Any
    ) -> DoorAnswer:
        """Somebody comments, Jira tells the App, and the worker comes to it."""
        return self.delivers(self._add(self.tickets[ticket], account, body), **changes)

    def delivers(
        self,
        comment: TicketComment,
        /,
        *,
        secret: str = SECRET,
        event: str = "comment_created",
        **fields: Any,
    ) -> DoorAnswer:
        """Jira tells of a comment, once more if it was told before."""
        payload = {"webhookEvent": event, "comment": {**self._as_json(comment), **fields}}
        body = json.dumps(payload).encode()
        answer = self.surfaces.signed_door.take("jira", signed(body, secret), body)
        self.surfaces.works()
        return answer

    def _add(self, ticket: int, account: str, body: Any) -> TicketComment:
        self.world.clock.passes()
        # The clock of Jira's is not ours.
        created = (self.world.clock.now() - timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%S.000-0100")
        self.comments.append(TicketComment(ticket, 20_000 + len(self.comments), account, body, created))
        return self.comments[-1]

    def _as_json(self, comment: TicketComment) -> dict[str, Any]:
        return {
            "self": f"https://jira.example/rest/api/2/issue/{comment.ticket}/comment/{comment.number}",
            "id": str(comment.number), "body": comment.body, "created": comment.created, "updated": comment.created,
            "author": {"accountId": comment.account, "displayName": "x", "accountType": "atlassian"}, "jsdPublic": True,
        }  # fmt: skip


def signed(body: bytes, secret: str = SECRET) -> dict[str, str]:
    """The headers with which Jira sends a body."""
    return {"x-hub-signature": f"sha256={hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}"}


def shown(node: Any) -> str:
    """A document as it is read."""
    match node.get("type"):
        case "text":
            return str(node["text"])
        case "mention":
            return f"@{node['attrs']['id']}"
        case "orderedList":
            return "".join(f"{number}. {shown(item)}" for number, item in enumerate(node["content"], start=1))
        case "paragraph" | "codeBlock":
            return "".join(map(shown, node["content"])) + "\n"
        case _:
            return "".join(map(shown, node["content"]))


def written(*paragraphs: str) -> dict[str, Any]:
    """Plain paragraphs, as Jira's editor makes them."""
    blocks = [{"type": "paragraph", "content": [{"type": "text", "text": words}]} for words in paragraphs]
    return {"type": "doc", "version": 1, "content": blocks}
