"""Linear: the question as an elicitation in an agent session on the ticket that the issue names.

Source: linear.app/developers, "Developing the Agent Interaction", "Signals" (`select` with `signalMetadata.options`) and "OAuth
2.0 authentication" (client credentials); the GraphQL schema is `packages/sdk/src/schema.graphql` of github.com/linear/linear.
A message names its activity's id itself, and looks for it first: one that was sent without an answer comes once.
"""

import json
import re
from collections.abc import Generator, Mapping
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import urlencode
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, Field, JsonValue, ValidationError

from github_app.conversation.wording.passed_on import how_to_reply_shortly
from github_app.ports.surfaces import SurfaceMessage
from github_app.surface_settings import LinearSetting
from github_app.surfaces.announcement import Announcement
from github_app.surfaces.exchange import Exchange, NotTaken, SurfaceNotes, Undeliverable
from github_app.surfaces.github_markdown import code, prose
from github_app.surfaces.outgoing import Outgoing, ReplyRefusal, SurfaceAnswer, ThreadQuestion, session_key
from github_app.surfaces.phrases import CALL_TOO_LONG, NOTHING_WRITTEN, call_to_approve, cut, ending, place
from github_app.surfaces.plan_text import PLAN_TOO_LONG, plan_buttons, plan_parts, plan_size
from pipeline.contract.choices import Choice, choices
from pipeline.contract.clarification import Clarification
from pipeline.contract.plain_reason import plain_reason_of

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
TEAM = "query askfirstTeam($key: String!) { teams(filter: { key: { eq: $key } }) { nodes { key } } }"

_MOST_CHOICES = 10
_CALL = 8_000
_PLAN = 15_000
_LABEL = 200
_UNAUTHORIZED = 401
_NO_CLIENT = frozenset({400, 401, 403})
LINEAR_CLIENT_ADVICE = "Set `client_id` and `client_secret` to those of the application in Linear, and allow client credentials there"
_BACKTICKS = re.compile(r"`+")


class _MadeActivity(BaseModel):
    """An activity as Linear has it."""

    created_at: Annotated[AwareDatetime, Field(alias="createdAt")]


class Linear:
    """`surfaces.all_surfaces.SurfaceKind` for a team."""

    def about_question(self, announcement: Announcement) -> str:
        """The ticket and the activity, as JSON."""
        if announcement.phase != "asked":
            question = prose(announcement.clarification.question.text)
            body = f"{prose(ending(announcement))}\n\n{_link(announcement)} · {question}"
            return activity(announcement.ticket, "response", body)
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
        """In the session where the reply was written, else below the question, which goes on waiting."""
        without_question = "response" if refusal.account else "thought"
        kind = "elicitation" if refusal.waits else without_question
        return activity(None, kind, prose(refusal.why), session=refusal.thread)

    def exchange(
        self, message: SurfaceMessage, setting: LinearSetting, _now: datetime, notes: SurfaceNotes
    ) -> Exchange:
        """A token, the session where there is none yet or it is gone, and the activity unless it is there.

        Raises:
            NotTaken: a request was not taken.
            Undeliverable: there is no ticket for it, or its session is gone.
        """
        call = json.loads(message.body)
        access_token = token_of((yield token_request(setting)))
        ticket = call["ticket"]
        session = call.get("session") or notes.get(session_key(ticket) if ticket else message.question_key)
        activity_id = _activity_id(message.id)
        there = yield graphql(setting, access_token, FIND, {"id": activity_id})
        shown_activity = None if _is_gone(there) else _activity_of(there, "agentActivity")
        if shown_activity is None and session is not None:
            shown_activity = yield from _say(setting, access_token, call["activity"], activity_id, session)
        if shown_activity is None and ticket is None:
            raise Undeliverable("the session in which a reply was written is gone")
        if shown_activity is None:
            session = yield from _open(setting, access_token, ticket)
            notes.put(session_key(ticket), session)
            shown_activity = yield from _say(setting, access_token, call["activity"], activity_id, session)
        if shown_activity is None:
            raise Undeliverable(f"Linear shows no session on {ticket}, not even a new one")
        if message.token is not None and session is not None:
            question = ThreadQuestion(
                token=message.token, since=shown_activity.created_at, takes_replies=call["takes_replies"]
            )
            notes.put(message.question_key, session)
            notes.put_question(session, question)
            notes.put_question(ticket, question)


def _open(setting: LinearSetting, access_token: str, ticket: str) -> Generator[Outgoing, SurfaceAnswer, str]:
    """A new session on a ticket."""
    answer = yield graphql(setting, access_token, OPEN_SESSION, {"input": {"issueId": ticket}})
    if _is_gone(answer):
        raise Undeliverable(
            f"Linear has no ticket {ticket} that the application may see, so it is asked on GitHub only. If the ticket is"
            " there: askfirst-app check"
        )
    return str(_data(answer, "agentSessionCreateOnIssue", "agentSession")["id"])


def _say(
    setting: LinearSetting, access_token: str, words: Mapping[str, object], activity_id: str, session: str
) -> Generator[Outgoing, SurfaceAnswer, _MadeActivity | None]:
    """Put an activity into a session; None where the session is gone."""
    fields = {**words, "id": activity_id, "agentSessionId": session}
    answer = yield graphql(setting, access_token, SAY, {"input": fields})
    return None if _is_gone(answer) else _activity_of(answer, "agentActivityCreate", "agentActivity")


def activity(
    ticket: str | None,
    kind: str,
    body: str,
    *,
    buttons: tuple[tuple[str, str], ...] = (),
    takes_replies: bool = False,
    session: str | None = None,
) -> str:
    """A message: the ticket or the session, and an activity as GraphQL's input without its ids.

    `buttons` are what each replies, and its label. `takes_replies` says whether an answer counts there: to what cannot be
    seen whole it does not.
    """
    content: dict[str, JsonValue] = {"content": {"type": kind, "body": body}}
    if buttons:
        labels: list[JsonValue] = [{"label": cut(label, _LABEL), "value": reply} for reply, label in buttons]
        content |= {"signal": "select", "signalMetadata": {"options": labels}}
    call: dict[str, JsonValue] = {
        "ticket": ticket,
        "session": session,
        "activity": content,
        "takes_replies": takes_replies,
    }
    return json.dumps(call, ensure_ascii=False)


def _buttons(clarification: Clarification) -> tuple[tuple[str, str], ...]:
    """The options that a press can choose. An option that needs words is not among them."""
    options = choices(clarification)[:_MOST_CHOICES]
    numbers = [
        (str(choice.number), f"{choice.number}. {choice.label}")
        for choice in options
        if not (choice.needs_text or clarification.question.points)
    ]
    return (*numbers, *plan_buttons(clarification.question))


def _question(announcement: Announcement, call: str | None, is_shown_whole: bool) -> str:
    """Markdown, in which words of others stand as plain words or as code."""
    clarification = announcement.clarification
    parts = [f"**{prose(clarification.question.text)}**"]
    if clarification.question.quotes:
        parts.append(f"The ticket says “{prose(clarification.question.quotes[0])}”.")
    parts.append(prose(plain_reason_of(clarification)))
    if call is not None and is_shown_whole:
        parts.append(_code_block(call))
    options = choices(clarification)
    places = dict(announcement.links.places)
    lines = [_option(choice, places.get(choice.id)) for choice in options[:_MOST_CHOICES]]
    if lines:
        parts.append("\n".join(lines))
    if len(options) > _MOST_CHOICES:
        parts.append(f"{len(options) - _MOST_CHOICES} more stand on GitHub.")
    if is_shown_whole:
        parts += [_part_of_plan(part) for part in plan_parts(clarification.question)]
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


def token_request(setting: LinearSetting) -> Outgoing:
    """A request for an access token, by client credentials."""
    fields = {
        "grant_type": "client_credentials", "scope": SCOPES, "client_id": setting.client_id,
        "client_secret": setting.client_secret,
    }  # fmt: skip
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    return Outgoing(f"{setting.url.rstrip('/')}/oauth/token", headers, urlencode(fields))


def token_of(answer: SurfaceAnswer) -> str:
    """The access token of an answer.

    Raises:
        NotTaken: Linear grants none.
    """
    token = linear_document(answer).get("access_token")
    if 200 <= answer.status < 300 and isinstance(token, str):
        return token
    raise NotTaken(answer, advice=LINEAR_CLIENT_ADVICE if answer.status in _NO_CLIENT else "")


def graphql(
    setting: LinearSetting, access_token: str, query: str, variables: Mapping[str, object]
) -> Outgoing:
    """A request to Linear's GraphQL API."""
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {access_token}"}
    body = json.dumps({"query": query, "variables": variables}, ensure_ascii=False)
    return Outgoing(f"{setting.url.rstrip('/')}/graphql", headers, body)


def _is_gone(answer: SurfaceAnswer) -> bool:
    """Whether Linear has no such thing: a ticket that an issue only seems to name, or an activity that was never sent."""
    errors = linear_document(answer).get("errors")
    messages = (
        [error.get("message") for error in errors if isinstance(error, dict)]
        if isinstance(errors, list)
        else []
    )
    return answer.status != _UNAUTHORIZED and any(
        "not found" in str(message).casefold() for message in messages
    )


def _data(answer: SurfaceAnswer, *path: str) -> dict[str, Any]:
    """The object at a path below `data`."""
    value: object = linear_document(answer).get("data")
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    if not 200 <= answer.status < 300 or not isinstance(value, dict):
        raise NotTaken(answer)
    return value


def _activity_of(answer: SurfaceAnswer, *path: str) -> _MadeActivity:
    try:
        return _MadeActivity.model_validate(_data(answer, *path))
    except ValidationError as error:
        raise NotTaken(answer) from error


def linear_document(answer: SurfaceAnswer) -> dict[str, Any]:
    """The body of an answer; an empty document where it is none."""
    try:
        document = json.loads(answer.body)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
