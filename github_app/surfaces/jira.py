"""Jira Cloud: the question as a comment on the ticket that the issue names, another comment when it has its answer.

Source: developer.atlassian.com, "The Jira Cloud platform REST API", *Add comment* (201 with `id`, `self`, `author`, `created`;
404 where the ticket is not there or not to be seen), and "Basic auth for REST APIs". A comment has at most 32,767 characters.
"""

import base64
import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue, ValidationError

from github_app.conversation.question import Choice, choices
from github_app.conversation.wording.passed_on import how_to_reply_shortly
from github_app.surface_settings import JiraSetting
from github_app.surfaces.adf import Node, code, document, mention, numbered, paragraph, text
from github_app.surfaces.announcement import Announcement
from github_app.surfaces.exchange import SingleRequest
from github_app.surfaces.outgoing import (
    NO_TOKEN,
    Outgoing,
    ReplyRefusal,
    SurfaceAnswer,
    SurfaceMessage,
    Thread,
    thread_key,
)
from github_app.surfaces.phrases import CALL_TOO_LONG, NOTHING_WRITTEN, call_to_approve, cut, ending, place
from github_app.surfaces.plan_text import PLAN_TOO_LONG, plan_parts, plan_size, with_bullets
from pipeline.contract.clarification import Clarification

COMMENT_ADDRESS = re.compile(r"/issue/([0-9]{1,20})/comment/[0-9]{1,20}$")
"""The address of a comment (`self`), with the number of its ticket, which stays when the ticket is moved."""

_MOST_CHOICES = 10
_WORDS = 3_000
_LABEL = 300
_CALL = 8_000
_PLAN = 15_000
_NOT_FOUND = 404
_ACCOUNT = re.compile(r"[A-Za-z0-9:_-]{5,128}")


class JiraPayload(BaseModel):
    """What Jira sends, as far as it is used."""

    model_config = ConfigDict(extra="ignore")


class JiraAccount(JiraPayload):
    """An Atlassian account."""

    id: Annotated[str, Field(alias="accountId")]


class JiraComment(JiraPayload):
    """A comment. `address` ends as `COMMENT_ADDRESS`."""

    address: Annotated[str, Field(alias="self")]
    author: JiraAccount
    created: AwareDatetime


class Jira(SingleRequest):
    """`surfaces.all_surfaces.SurfaceKind` for a project."""

    def about_question(self, announcement: Announcement) -> str:
        """The ticket and the comment, as JSON."""
        asks = announcement.phase == "asked"
        blocks = _question(announcement) if asks else [paragraph(text(ending(announcement)))]
        takes_replies = asks and _why_not_here(announcement.clarification) is None
        return _comment(announcement.ticket, [*blocks, _footer(announcement)], takes_replies=takes_replies)

    def about_refusal(self, refusal: ReplyRefusal) -> str:
        """A comment that names the person, below the question: its ticket is known when it is sent."""
        return _comment(None, [paragraph(*_addressed(refusal.account), text(refusal.why))])

    def request(
        self, message: SurfaceMessage, setting: JiraSetting, _now: datetime, shown_as: str | None
    ) -> Outgoing:
        """The call. A refusal without a question above it has no ticket, and Jira's 404 drops it."""
        call = json.loads(message.body)
        account = base64.b64encode(f"{setting.email}:{setting.token}".encode()).decode()
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Authorization": f"Basic {account}",
        }
        ticket = call["ticket"] or shown_as or "none"
        address = f"{setting.url.rstrip('/')}/rest/api/3/issue/{ticket}/comment"
        return Outgoing(address, headers, json.dumps({"body": call["comment"]}, ensure_ascii=False))

    def is_taken(self, answer: SurfaceAnswer) -> bool:
        """A ticket that is not there, or not to be seen, is named by the text of an issue: there is nothing to try again."""
        return 200 <= answer.status < 300 or answer.status == _NOT_FOUND

    def notes(self, message: SurfaceMessage, answer: SurfaceAnswer) -> Mapping[str, str]:
        """The ticket's number, and the thread that it becomes with a question."""
        if message.token is None:
            return {}
        try:
            comment = JiraComment.model_validate_json(answer.body)
        except ValidationError:
            return {}
        address = COMMENT_ADDRESS.search(comment.address)
        if address is None:
            return {}
        token = message.token if json.loads(message.body)["takes_replies"] else NO_TOKEN
        thread = Thread(token=token, since=comment.created, own_account=comment.author.id)
        return {message.question_key: address[1], thread_key(address[1]): thread.model_dump_json()}


def _question(announcement: Announcement) -> list[Node]:
    clarification = announcement.clarification
    options = choices(clarification)
    accounts = {address.login: address.account for address in announcement.replies}
    addressee = _addressed(accounts.get(announcement.addressee or "", ""))
    question = cut(clarification.question.text.strip(), _WORDS)
    blocks = [paragraph(*addressee, text(question, strong=True))]
    if clarification.question.quotes:
        blocks.append(paragraph(text(cut(f"The ticket says “{clarification.question.quotes[0]}”.", _WORDS))))
    blocks.append(paragraph(text(cut(clarification.reason, _WORDS))))
    call, why_not_here = call_to_approve(clarification), _why_not_here(clarification)
    if why_not_here is None:
        blocks += [code(call)] if call is not None else []
        blocks += [
            paragraph(text(line))
            for part in plan_parts(clarification.question)
            for line in with_bullets(part)
        ]
    if options:
        places = dict(announcement.links.places)
        blocks.append(numbered(_option(choice, places.get(choice.id)) for choice in options[:_MOST_CHOICES]))
    if len(options) > _MOST_CHOICES:
        blocks.append(paragraph(text(f"{len(options) - _MOST_CHOICES} more stand on GitHub.")))
    if why_not_here is not None:
        how = why_not_here
    elif accounts:
        how = f"{how_to_reply_shortly(clarification)} A comment here is enough."
    else:
        how = "Reply on GitHub."
    return [*blocks, paragraph(text(how))]


def _option(choice: Choice, permalink: str | None) -> Node:
    parts = [text(cut(choice.label, _LABEL))]
    if permalink is not None:
        parts += [text(" · "), text(cut(place(choice), _LABEL), href=permalink)]
    if choice.effect:
        parts.append(text(cut(f" · {choice.effect}", _LABEL)))
    if choice.is_default:
        parts.append(text(" (default)"))
    return paragraph(*parts)


def _footer(announcement: Announcement) -> Node:
    name = f"{announcement.repository}#{announcement.issue}"
    parts = [text(name, href=announcement.links.question)]
    if announcement.phase == "asked":
        until = announcement.expires_at
        parts.append(text(f" · {NOTHING_WRITTEN}" + (f" Until {until:%-d %B}." if until else "")))
    return paragraph(*parts)


def _addressed(account: str) -> list[Node]:
    return [mention(account), text(" ")] if _ACCOUNT.fullmatch(account) else []


def _why_not_here(clarification: Clarification) -> str | None:
    """Why a question is answered on GitHub alone: nobody agrees to what is not to be seen whole. None for most."""
    call = call_to_approve(clarification)
    if call is not None and len(call) > _CALL:
        return CALL_TOO_LONG
    return PLAN_TOO_LONG if plan_size(clarification.question) > _PLAN else None


def _comment(ticket: str | None, blocks: list[Node], *, takes_replies: bool = False) -> str:
    """`takes_replies` says whether an answer counts there: to what cannot be seen whole it does not."""
    call: dict[str, JsonValue] = {
        "ticket": ticket,
        "comment": document(blocks),
        "takes_replies": takes_replies,
    }
    return json.dumps(call, ensure_ascii=False)
