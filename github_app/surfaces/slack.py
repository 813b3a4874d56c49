"""Slack: the question as a message with buttons, changed when it has its answer; refusals for one pair of eyes.

Somebody else's words stand in `plain_text` only, in which nothing is markup, mention or link. Limits: docs.slack.dev,
"Block Kit" (section 3,000 characters, button text 75, value 2,000, 25 elements of an actions block).
"""

import json
import re
from collections.abc import Mapping
from datetime import datetime

from pydantic import JsonValue

from github_app.ports.surfaces import SurfaceMessage
from github_app.surface_settings import SlackSetting
from github_app.surfaces.announcement import Announcement
from github_app.surfaces.exchange import Exchange, NotTaken, SurfaceNotes
from github_app.surfaces.outgoing import Outgoing, ReplyRefusal, SurfaceAnswer
from github_app.surfaces.phrases import CALL_TOO_LONG, NOTHING_WRITTEN, call_to_approve, cut, ending, place
from github_app.surfaces.plan_text import PLAN_TOO_LONG, plan_buttons, plan_parts, with_bullets
from pipeline.contract.choices import Choice, choices
from pipeline.contract.clarification import Clarification, StopKind
from pipeline.contract.plain_reason import plain_reason_of
from pipeline.contract.point_reply import example_of

CHOOSE = "choose:"
"""Begins the action of a button; what a person would write follows: the number of the choice, `all`, `go`, `1b`."""
CANCEL = "cancel"
WORDS = "words"

_MOST_CHOICES = 10
_SECTION = 2_900
_BUTTON = 75
_FALLBACK = 300
_MEMBER = re.compile(r"[UW][A-Z0-9]{2,30}")
_FINAL_ERRORS = frozenset(
    {"message_not_found", "cant_update_message", "edit_window_closed", "user_not_in_channel"}
)
"""What Slack says where a message can never be changed or shown: there is nothing to try again."""
_TOKEN_ERRORS = frozenset(
    {
        "invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "missing_scope", "no_permission",
        "not_allowed_token_type",
    }
)  # fmt: skip
_CHANNEL_ERRORS = frozenset({"channel_not_found", "not_in_channel", "is_archived", "restricted_action"})
Blocks = list[JsonValue]


class Slack:
    """`surfaces.all_surfaces.SurfaceKind` for a channel."""

    def about_question(self, announcement: Announcement) -> str:
        """The method of Slack's Web API and its arguments, as JSON. The channel is known when it is sent."""
        clarification = announcement.clarification
        question = clarification.question.text.strip()
        if announcement.phase == "asked":
            blocks = _question(announcement)
        else:
            blocks = [_section(question), _section(ending(announcement)), _links(announcement)]
        method = "chat.postMessage" if announcement.phase == "asked" else "chat.update"
        return _call(method, blocks, f"{announcement.repository}#{announcement.issue}: {question}")

    def about_refusal(self, refusal: ReplyRefusal) -> str:
        """A message that only the person sees."""
        return _call("chat.postEphemeral", [_section(refusal.why)], refusal.why, user=refusal.account)

    def exchange(
        self, message: SurfaceMessage, setting: SlackSetting, _now: datetime, notes: SurfaceNotes
    ) -> Exchange:
        """The call. A change of a message that Slack never confirmed becomes a new message.

        Slack answers with status 200 and reports the result of a call in the body. Of a message, channel and time are kept, by
        which Slack knows it; one for a single person has neither.

        Raises:
            NotTaken: what Slack says, and what to set where only an operator can help.
        """
        call: dict[str, JsonValue] = json.loads(message.body)
        method = str(call.pop("method"))
        channel, _, sent_at = (notes.get(message.question_key) or "").partition(":")
        call["channel"] = channel or setting.channel
        if method == "chat.update" and sent_at:
            call["ts"] = sent_at
        elif method == "chat.update":
            method = "chat.postMessage"
        elif method == "chat.postEphemeral" and sent_at:
            call["thread_ts"] = sent_at
        answer = yield slack_request(setting, method, call)
        response = slack_response(answer)
        is_settled = response.get("ok") is True or response.get("error") in _FINAL_ERRORS
        if answer.status != 200 or not is_settled:
            raise refused_by_slack(answer, setting)
        match response:
            case {"channel": str(channel), "ts": str(sent_at)}:
                notes.put(message.question_key, f"{channel}:{sent_at}")


def _question(announcement: Announcement) -> Blocks:
    clarification, token = announcement.clarification, announcement.token
    options = choices(clarification)[:_MOST_CHOICES]
    blocks: Blocks = [_section(clarification.question.text.strip())]
    accounts = {address.login: address.account for address in announcement.replies}
    member = accounts.get(announcement.addressee or "", "")
    if _MEMBER.fullmatch(member):
        blocks.append(_context(f"For <@{member}>"))
    if clarification.question.quotes:
        blocks.append(_section(f"The ticket says “{clarification.question.quotes[0]}”."))
    sections = ["\n".join(with_bullets(part)) for part in plan_parts(clarification.question)]
    blocks.append(_section(plain_reason_of(clarification)))
    call = call_to_approve(clarification)
    if call is not None:
        blocks.append(_section(call))
    if any(choice.effect or len(choice.label) > _BUTTON - 5 for choice in options):
        blocks.append(_section("\n".join(map(_told_choice, options))))
    blocks += map(_section, sections)
    places = dict(announcement.links.places)
    lines = [
        f"{choice.number}. <{places[choice.id]}|{_place(choice)}>"
        for choice in options
        if choice.id in places
    ]
    if lines:
        blocks.append(_context("\n".join(lines)))
    if call is not None and len(call) > _SECTION:
        blocks.append(_context(CALL_TOO_LONG))
    elif any(len(section) > _SECTION for section in sections):
        blocks.append(_context(PLAN_TOO_LONG))
    elif token is not None and accounts:
        blocks += _answers(clarification, options, token)
    blocks.append(_links(announcement))
    return blocks


def _told_choice(choice: Choice) -> str:
    """A choice in a line, where a button would not tell all of it."""
    effect = f" — {choice.effect}" if choice.effect else ""
    return f"{choice.number}. {choice.label}{effect}{' (default)' if choice.is_default else ''}"


def _answers(clarification: Clarification, options: tuple[Choice, ...], token: str) -> Blocks:
    """Buttons, and a field for words where words are an answer. A choice that needs words has no button of its own."""
    buttons: list[JsonValue] = [
        {
            "type": "button",
            "action_id": f"{CHOOSE}{choice.number}",
            "text": _plain(f"{choice.number}. {choice.label}", _BUTTON),
            "value": token,
            **({"style": "primary"} if choice.is_default else {}),
        }
        for choice in options
        if not (choice.needs_text or clarification.question.points)
    ]
    buttons += [
        {"type": "button", "action_id": f"{CHOOSE}{reply}", "text": _plain(label, _BUTTON), "value": token}
        for reply, label in plan_buttons(clarification.question)
    ]
    if clarification.question.multiple:
        all_label = _plain("All of them", _BUTTON)
        buttons.append({"type": "button", "action_id": f"{CHOOSE}all", "text": all_label, "value": token})
    buttons.append({"type": "button", "action_id": CANCEL, "text": _plain("Stop", _BUTTON), "value": token})
    blocks: Blocks = [{"type": "actions", "block_id": "answers", "elements": buttons}]
    if clarification.kind is not StopKind.CONFIRMATION_NEEDED:
        field: JsonValue = {
            "type": "plain_text_input",
            "action_id": WORDS,
            "max_length": 500,
            "dispatch_action_config": {"trigger_actions_on": ["on_enter_pressed"]},
        }
        example = example_of(clarification.question) if clarification.question.is_about_plan else None
        also = f"{example} to change a point, or " if example else ""
        label = _plain(f"Or {also}in your own words, and Enter", _BUTTON)
        blocks.append(
            {
                "type": "input",
                "block_id": "in-words",
                "dispatch_action": True,
                "label": label,
                "element": field,
            }
        )
    return blocks


def _links(announcement: Announcement) -> JsonValue:
    until = announcement.expires_at
    parts = [f"<{announcement.links.question}|{announcement.repository}#{announcement.issue}>"]
    if announcement.phase == "asked":
        parts.append(NOTHING_WRITTEN)
        parts += [f"Until {until:%-d %B}."] if until is not None else []
    return _context(" · ".join(parts))


def _place(choice: Choice) -> str:
    return re.sub(r"[|\n]", " ", _escape(place(choice)))[:200]


def _section(text: str) -> JsonValue:
    return {"type": "section", "text": _plain(text, _SECTION)}


def _context(markup: str) -> JsonValue:
    """A line in small print, in our own words and with our own links."""
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": markup[:_SECTION], "verbatim": True}]}


def _plain(text: str, limit: int) -> dict[str, JsonValue]:
    return {"type": "plain_text", "text": cut(text, limit) or "(empty)", "emoji": False}


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _call(method: str, blocks: Blocks, fallback: str, **arguments: str) -> str:
    """A call with its blocks, and the text for notifications, in which Slack reads markup."""
    call = {
        "method": method, "text": _escape(fallback)[:_FALLBACK], "blocks": blocks, "parse": "none",
        "link_names": False, "unfurl_links": False, "unfurl_media": False, **arguments,
    }  # fmt: skip
    return json.dumps(call, ensure_ascii=False)


def slack_request(setting: SlackSetting, method: str, arguments: Mapping[str, JsonValue]) -> Outgoing:
    """A call of Slack's Web API."""
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "Authorization": f"Bearer {setting.token}",
    }
    return Outgoing(f"{setting.url}/{method}", headers, json.dumps(arguments, ensure_ascii=False))


def refused_by_slack(answer: SurfaceAnswer, setting: SlackSetting) -> NotTaken:
    """What Slack says of a call that it did not take, and what to set where only an operator can help."""
    error = str(slack_response(answer).get("error", ""))[:60]
    advice = ""
    if error in _TOKEN_ERRORS:
        advice = "Set `token` to the Bot User OAuth Token of an installed app with the scope chat:write"
    elif error in _CHANNEL_ERRORS:
        advice = f"Invite the bot into the channel {setting.channel} (/invite), or set `channel` to one in which it is"
    return NotTaken(answer, error, advice)


def slack_response(answer: SurfaceAnswer) -> Mapping[str, object]:
    """The body of an answer; empty where it is no document."""
    try:
        response = json.loads(answer.body)
    except ValueError:
        return {}
    return response if isinstance(response, dict) else {}
