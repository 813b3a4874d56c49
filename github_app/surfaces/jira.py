"""Jira Cloud: the question as a comment on the ticket that the issue names, another comment when it has its answer.

Source: developer.atlassian.com, "The Jira Cloud platform REST API", *Add comment* (201 with `id`, `self`, `author`, `created`;
404 where the ticket is not there or not to be seen), *Get comments*, *Get comments by IDs* (`expand=properties`), and "Basic
auth for REST APIs". A comment has at most 32,767 characters. Each carries the id of its message as an entity property, by
which one is found whose POST was not answered.
"""

import base64
import json
import re
from collections.abc import Generator, Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import AwareDatetime, Field, JsonValue, ValidationError

from github_app.conversation.wording.passed_on import how_to_reply_shortly
from github_app.ports.surfaces import SurfaceMessage
from github_app.surface_settings import JiraSetting
from github_app.surfaces.adf import Node, code, document, mention, numbered_list, paragraph, text
from github_app.surfaces.announcement import Announcement
from github_app.surfaces.exchange import Exchange, NotTaken, SurfaceNotes, Undeliverable
from github_app.surfaces.incoming import Name, VendorPayload
from github_app.surfaces.outgoing import Outgoing, ReplyRefusal, SurfaceAnswer, ThreadQuestion, attempt_key
from github_app.surfaces.phrases import CALL_TOO_LONG, NOTHING_WRITTEN, call_to_approve, cut, ending, place
from github_app.surfaces.plan_text import PLAN_TOO_LONG, plan_parts, plan_size, with_bullets
from pipeline.contract.choices import Choice, choices
from pipeline.contract.clarification import Clarification
from pipeline.contract.plain_reason import plain_reason_of

COMMENT_ADDRESS = re.compile(r"/issue/([0-9]{1,20})/comment/[0-9]{1,20}$")
"""The address of a comment (`self`), with the number of its ticket, which stays when the ticket is moved."""

_MOST_CHOICES = 10
_WORDS = 3_000
_LABEL = 300
_CALL = 8_000
_PLAN = 15_000
_NOT_FOUND = 404
_NO_ACCESS = frozenset({401, 403})
JIRA_ACCOUNT_ADVICE = (
    "Set `email` to the mail address of the account whose API token `token` is, make a new token if it is older than a year,"
    " and let the account browse the project and add comments"
)
_PROPERTY = "askfirst"
_LOOKED_THROUGH = 50
"""Newest comments of a ticket among which ours is looked for."""
_ACCOUNT = re.compile(r"[A-Za-z0-9:_-]{5,128}")


class JiraAccount(VendorPayload):
    """An Atlassian account."""

    id: Annotated[Name, Field(alias="accountId")]


class JiraComment(VendorPayload):
    """A comment. `address` ends as `COMMENT_ADDRESS`."""

    address: Annotated[str, Field(alias="self")]
    author: JiraAccount
    created: AwareDatetime


class _ListedComment(VendorPayload):
    id: str


class _Comments(VendorPayload):
    comments: list[_ListedComment]


class _Property(VendorPayload):
    key: str
    value: JsonValue


class _OurComment(JiraComment):
    properties: tuple[_Property, ...] = ()


class _CommentsById(VendorPayload):
    values: list[_OurComment]


class Jira:
    """`surfaces.all_surfaces.SurfaceKind` for a project."""

    def about_question(self, announcement: Announcement) -> str:
        """The ticket and the comment, as JSON."""
        asks = announcement.phase == "asked"
        blocks = _question(announcement) if asks else [paragraph(text(ending(announcement)))]
        takes_replies = asks and _why_not_here(announcement.clarification) is None
        return _comment(announcement.ticket, [*blocks, _footer(announcement)], takes_replies=takes_replies)

    def about_refusal(self, refusal: ReplyRefusal) -> str:
        """A comment that names the person, on the ticket where the reply was written, else below the question."""
        return _comment(refusal.thread, [paragraph(*_address(refusal.account), text(refusal.why))])

    def exchange(
        self, message: SurfaceMessage, setting: JiraSetting, _now: datetime, notes: SurfaceNotes
    ) -> Exchange:
        """The comment, unless an earlier attempt has left it there.

        Raises:
            NotTaken: a request was not taken.
            Undeliverable: there is no ticket for it.
        """
        call = json.loads(message.body)
        ticket = call["ticket"] or notes.get(message.question_key)
        if ticket is None:
            raise Undeliverable("nobody knows on which ticket to answer")
        tried_before = notes.get(attempt_key(message.question_key)) == message.id
        answer = (yield from _comment_there(setting, ticket, message.id)) if tried_before else None
        if answer is None:
            notes.put(attempt_key(message.question_key), message.id)
            properties = [{"key": _PROPERTY, "value": {"message": message.id}}]
            new_comment = {"body": call["comment"], "properties": properties}
            response = yield jira_request(setting, f"issue/{ticket}/comment", new_comment)
            answer = _accepted_answer(response, setting, ticket).body
        _note(message, call, answer, notes)


def _comment_there(
    setting: JiraSetting, ticket: str, message_id: str
) -> Generator[Outgoing, SurfaceAnswer, str | bytes | None]:
    """The comment of a message that is on the ticket already, as JSON; None where there is none."""
    path = f"issue/{ticket}/comment?orderBy=-created&maxResults={_LOOKED_THROUGH}"
    answer = _accepted_answer((yield jira_request(setting, path)), setting, ticket)
    ids = [
        int(comment.id)
        for comment in _Comments.model_validate_json(answer.body).comments
        if comment.id.isdecimal()
    ]
    if not ids:
        return None
    answer = _accepted_answer(
        (yield jira_request(setting, "comment/list?expand=properties", {"ids": ids})), setting, ticket
    )
    for comment in _CommentsById.model_validate_json(answer.body).values:
        if any(
            part.key == _PROPERTY and part.value == {"message": message_id} for part in comment.properties
        ):
            return comment.model_dump_json(by_alias=True)
    return None


def _note(message: SurfaceMessage, call: Mapping[str, Any], answer: str | bytes, notes: SurfaceNotes) -> None:
    """Keep the ticket's number, and the thread that it becomes with a question."""
    if message.token is None:
        return
    try:
        comment = JiraComment.model_validate_json(answer)
    except ValidationError:
        return
    address = COMMENT_ADDRESS.search(comment.address)
    if address is None:
        return
    question = ThreadQuestion(token=message.token, since=comment.created, takes_replies=call["takes_replies"])
    notes.put(message.question_key, address[1])
    notes.put_question(address[1], question, comment.author.id)


def jira_request(setting: JiraSetting, path: str, body: Mapping[str, object] | None = None) -> Outgoing:
    """A request to Jira's REST API: a `POST`, or a `GET` where there is no body."""
    account = base64.b64encode(f"{setting.email}:{setting.token}".encode()).decode()
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Authorization": f"Basic {account}",
    }
    address = f"{setting.url.rstrip('/')}/rest/api/3/{path}"
    if body is None:
        return Outgoing(address, headers, "", "GET")
    return Outgoing(address, headers, json.dumps(body, ensure_ascii=False))


def _accepted_answer(answer: SurfaceAnswer, setting: JiraSetting, ticket: str) -> SurfaceAnswer:
    """The same answer, if Jira has done what was asked."""
    if answer.status == _NOT_FOUND:
        raise Undeliverable(
            f"Jira has no ticket {ticket} that {setting.email} may see, so it is asked on GitHub only. If the ticket is there:"
            " askfirst-app check"
        )
    if answer.status in _NO_ACCESS:
        raise NotTaken(answer, advice=JIRA_ACCOUNT_ADVICE)
    if not 200 <= answer.status < 300:
        raise NotTaken(answer)
    return answer


def _question(announcement: Announcement) -> list[Node]:
    clarification = announcement.clarification
    options = choices(clarification)
    accounts = {address.login: address.account for address in announcement.replies}
    addressee = _address(accounts.get(announcement.addressee or "", ""))
    question = cut(clarification.question.text.strip(), _WORDS)
    blocks = [paragraph(*addressee, text(question, strong=True))]
    if clarification.question.quotes:
        blocks.append(paragraph(text(cut(f"The ticket says “{clarification.question.quotes[0]}”.", _WORDS))))
    blocks.append(paragraph(text(cut(plain_reason_of(clarification), _WORDS))))
    call, why_not_here = call_to_approve(clarification), _why_not_here(clarification)
    if why_not_here is None:
        blocks += [code(call)] if call is not None else []
    if options:
        places = dict(announcement.links.places)
        blocks.append(
            numbered_list(_option(choice, places.get(choice.id)) for choice in options[:_MOST_CHOICES])
        )
    if len(options) > _MOST_CHOICES:
        blocks.append(paragraph(text(f"{len(options) - _MOST_CHOICES} more stand on GitHub.")))
    for part in plan_parts(clarification.question) if why_not_here is None else ():
        blocks += [paragraph(text(line)) for line in with_bullets(part)]
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
    else:
        parts.append(text(f" · {cut(announcement.clarification.question.text.strip(), _LABEL)}"))
    return paragraph(*parts)


def _address(account: str) -> list[Node]:
    return [mention(account), text(" ")] if _ACCOUNT.fullmatch(account) else []


def _why_not_here(clarification: Clarification) -> str | None:
    """Why a question is answered on GitHub alone: people must see the whole of what they agree to. None for most."""
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
