"""Linear: the question as an elicitation in an agent session on the ticket that the issue names.

Source: linear.app/developers, "Developing the Agent Interaction", "Signals" (`select` with `signalMetadata.options`) and "OAuth
2.0 authentication" (client credentials); the GraphQL schema is `packages/sdk/src/schema.graphql` of github.com/linear/linear.
A message names its activity's id itself, and looks for it first: one that was sent without an answer comes once.
"""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import urlencode
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, Field, JsonValue, ValidationError

from github_app.conversation.question import Choice, choices
from github_app.conversation.wording.passed_on import how_to_reply_shortly
from github_app.surface_settings import LinearSetting
from github_app.surfaces.announcement import Announcement
from github_app.surfaces.exchange import Exchange, NotTaken, SurfaceNotes
from github_app.surfaces.github_markdown import code, prose
from github_app.surfaces.outgoing import (
    NO_TOKEN,
    Outgoing,
    ReplyRefusal,
    SurfaceAnswer,
    SurfaceMessage,
    Thread,
    session_key,
    thread_key,
)
from github_app.surfaces.phrases import CALL_TOO_LONG, NOTHING_WRITTEN, call_to_approve, cut, ending, place
from github_app.surfaces.plan_text import PLAN_TOO_LONG, plan_buttons, plan_parts, plan_size
from pipeline.contract.clarification import Clarification

SCOPES = "read,write,app:assignable,app:mentionable"
FIND = "query askfirstFind($id: String!) { agentActivity(id: $id) { id createdAt } }"
OPEN_SESSION = (
    "mutation askfirstOpen($input: AgentSessionCreateOnIssue!)"
    " { agentSessionCreateOnIssue(input: $input) { success agentSession { id } } }"
)
SAY = (
    "mutation askfirstSay($input: AgentActivityCreateInput!)"
    " { agentActivityCreate(input: $input) { success agentActivity { id createdAt } } }"
)

_MOST_CHOICES = 10
_CALL = 8_000
_PLAN = 15_000
_LABEL = 200
_UNAUTHORIZED = 401
_BACKTICKS = re.compile(r"`+")


class _MadeActivity(BaseModel):
    """An activity as Linear has it."""

    created_at: Annotated[AwareDatetime, Field(alias="createdAt")]


class Linear:
    """`surfaces.all_surfaces.SurfaceKind` for a team."""

    def about_question(self, announcement: Announcement) -> str:
        """The ticket and the activity, as JSON."""
        if announcement.phase != "asked":
            return activity(
                announcement.ticket, "response", f"{prose(ending(announcement))}\n\n{_link(announcement)}"
            )
        clarification = announcement.clarification
        call = call_to_approve(clarification)
        is_plan_whole = plan_size(clarification.question) <= _PLAN
        is_shown_whole = is_plan_whole and (call is None or len(call) <= _CALL)
        takes_replies = is_shown_whole and bool(announcement.replies)
        return activity(
            announcement.ticket, "elicitation", _question(announcement, call, is_shown_whole),
            buttons=_buttons(clarification) if takes_replies else (), takes_replies=takes_replies,
        )  # fmt: skip

    def about_refusal(self, refusal: ReplyRefusal) -> str:
        """Below the question, which goes on waiting. Its session is known when it is sent."""
        return activity(None, "elicitation", prose(refusal.why))

    def exchange(
        self, message: SurfaceMessage, setting: LinearSetting, _now: datetime, notes: SurfaceNotes
    ) -> Exchange:
        """A token, the session where there is none yet, and the activity unless it is there.

        Raises:
            NotTaken: a request was not taken.
        """
        call = json.loads(message.body)
        access_token = _field((yield _token_request(setting)), "access_token")
        session = notes.get(session_key(call["ticket"]) if call["ticket"] else message.question_key)
        if session is None and call["ticket"] is None:
            return
        if session is None:
            opened = yield _graphql(
                setting, access_token, OPEN_SESSION, {"input": {"issueId": call["ticket"]}}
            )
            if _is_gone(opened):
                return
            session = str(_data(opened, "agentSessionCreateOnIssue", "agentSession")["id"])
            notes.put(session_key(call["ticket"]), session)
        activity_id = _activity_id(message.id)
        there = yield _graphql(setting, access_token, FIND, {"id": activity_id})
        if _is_gone(there):
            wanted = {**call["activity"], "id": activity_id, "agentSessionId": session}
            said = yield _graphql(setting, access_token, SAY, {"input": wanted})
            if _is_gone(said):
                return
            there_now = _made(said, "agentActivityCreate", "agentActivity")
        else:
            there_now = _made(there, "agentActivity")
        if message.token is not None:
            token = message.token if call["takes_replies"] else NO_TOKEN
            thread = Thread(token=token, since=there_now.created_at)
            notes.put(message.question_key, session)
            notes.put(thread_key(session), thread.model_dump_json())


def activity(
    ticket: str | None,
    kind: str,
    body: str,
    *,
    buttons: tuple[tuple[str, str], ...] = (),
    takes_replies: bool = False,
) -> str:
    """A message: the ticket, and an activity as GraphQL's input without its ids.

    `buttons` are what each replies, and its label. `takes_replies` says whether an answer counts there: to what cannot be
    seen whole it does not.
    """
    content: dict[str, JsonValue] = {"content": {"type": kind, "body": body}}
    if buttons:
        labels: list[JsonValue] = [{"label": cut(label, _LABEL), "value": reply} for reply, label in buttons]
        content |= {"signal": "select", "signalMetadata": {"options": labels}}
    call: dict[str, JsonValue] = {"ticket": ticket, "activity": content, "takes_replies": takes_replies}
    return json.dumps(call, ensure_ascii=False)


def _buttons(clarification: Clarification) -> tuple[tuple[str, str], ...]:
    """What can be chosen with a press. An option that needs words is not among it."""
    options = choices(clarification)[:_MOST_CHOICES]
    numbers = [
        (str(choice.number), f"{choice.number}. {choice.label}")
        for choice in options
        if not choice.needs_text
    ]
    return (*numbers, *plan_buttons(clarification.question))


def _question(announcement: Announcement, call: str | None, is_shown_whole: bool) -> str:
    """Markdown, in which words of others stand as plain words or as code."""
    clarification = announcement.clarification
    parts = [f"**{prose(clarification.question.text)}**"]
    if clarification.question.quotes:
        parts.append(f"The ticket says “{prose(clarification.question.quotes[0])}”.")
    parts.append(prose(clarification.reason))
    if call is not None and is_shown_whole:
        parts.append(_code_block(call))
    if is_shown_whole:
        parts += [_part_of_plan(part) for part in plan_parts(clarification.question)]
    options = choices(clarification)
    places = dict(announcement.links.places)
    lines = [_option(choice, places.get(choice.id)) for choice in options[:_MOST_CHOICES]]
    if lines:
        parts.append("\n".join(lines))
    if len(options) > _MOST_CHOICES:
        parts.append(f"{len(options) - _MOST_CHOICES} more stand on GitHub.")
    if not is_shown_whole:
        parts.append(PLAN_TOO_LONG if clarification.question.is_about_plan else CALL_TOO_LONG)
    else:
        parts.append(how_to_reply_shortly(clarification) if announcement.replies else "Reply on GitHub.")
    until = announcement.expires_at
    until_when = f" Until {until:%-d %B}." if until is not None else ""
    return "\n\n".join([*parts, f"{_link(announcement)} · {NOTHING_WRITTEN}{until_when}"])


def _option(choice: Choice, permalink: str | None) -> str:
    parts = [f"{choice.number}. {code(choice.label)}"]
    if permalink is not None:
        parts.append(f"[{code(place(choice))}]({permalink})")
    if choice.effect:
        parts.append(prose(choice.effect))
    return " · ".join(parts) + (" (default)" if choice.is_default else "")


def _part_of_plan(part: tuple[str, ...]) -> str:
    head, *lines = part
    return "\n".join([prose(head), *(f"- {prose(line)}" for line in lines)])


def _code_block(words: str) -> str:
    fence = "`" * max(3, 1 + max((len(run) for run in _BACKTICKS.findall(words)), default=0))
    return f"{fence}\n{words}\n{fence}"


def _link(announcement: Announcement) -> str:
    return f"[{announcement.repository}#{announcement.issue}]({announcement.links.question})"


def _activity_id(message_id: str) -> str:
    """The message's id as a UUID of version 4: the same for each attempt."""
    return str(UUID(hex=message_id.removeprefix("msg_"), version=4))


def _token_request(setting: LinearSetting) -> Outgoing:
    fields = {
        "grant_type": "client_credentials", "scope": SCOPES, "client_id": setting.client_id,
        "client_secret": setting.client_secret,
    }  # fmt: skip
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    return Outgoing(f"{setting.url.rstrip('/')}/oauth/token", headers, urlencode(fields))


def _graphql(
    setting: LinearSetting, access_token: str, query: str, variables: Mapping[str, object]
) -> Outgoing:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {access_token}"}
    body = json.dumps({"query": query, "variables": variables}, ensure_ascii=False)
    return Outgoing(f"{setting.url.rstrip('/')}/graphql", headers, body)


def _field(answer: SurfaceAnswer, name: str) -> str:
    value = _document(answer).get(name)
    if not 200 <= answer.status < 300 or not isinstance(value, str):
        raise NotTaken(answer)
    return value


def _is_gone(answer: SurfaceAnswer) -> bool:
    """Whether Linear has no such thing: a ticket that an issue only seems to name, or an activity that was never sent."""
    errors = _document(answer).get("errors")
    messages = (
        [error.get("message") for error in errors if isinstance(error, dict)]
        if isinstance(errors, list)
        else []
    )
    return answer.status != _UNAUTHORIZED and any(
        "not found" in str(message).casefold() for message in messages
    )


def _data(answer: SurfaceAnswer, *path: str) -> dict[str, Any]:
    """What stands at a path below `data`."""
    value: object = _document(answer).get("data")
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    if not 200 <= answer.status < 300 or not isinstance(value, dict):
        raise NotTaken(answer)
    return value


def _made(answer: SurfaceAnswer, *path: str) -> _MadeActivity:
    try:
        return _MadeActivity.model_validate(_data(answer, *path))
    except ValidationError as error:
        raise NotTaken(answer) from error


def _document(answer: SurfaceAnswer) -> dict[str, Any]:
    try:
        document = json.loads(answer.body)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
