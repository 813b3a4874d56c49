"""A surface that is any program: what it is sent, by the rules of Standard Webhooks (https://www.standardwebhooks.com)."""

import base64
import hashlib
import hmac
import json
from datetime import datetime

from pydantic import JsonValue

from github_app.ports.surfaces import SurfaceMessage
from github_app.surface_settings import WebhookSetting, webhook_key
from github_app.surfaces.announcement import Announcement
from github_app.surfaces.exchange import Exchange, NotTaken, SurfaceNotes
from github_app.surfaces.outgoing import Outgoing, ReplyRefusal
from github_app.surfaces.plan_text import plan_parts, with_bullets
from pipeline.contract.choices import choices
from pipeline.contract.clarification import Question
from pipeline.contract.point_reply import LETTERS, point_replies_in_plain_text, reply_to

_GONE_STATUS = 410
_HOW = (
    'POST {"reply": "2"} to your address: a number, a letter, go, a name, or /answer and one sentence, as in a comment on'
    ' GitHub. Or POST {"choice": "<id of a choice>"}.'
)


class Webhook:
    """`surfaces.all_surfaces.SurfaceKind` for Standard Webhooks."""

    def about_question(self, announcement: Announcement) -> str:
        """The body about a question, as JSON. `data.clarification` is clarification.json as the run wrote it."""
        data: dict[str, JsonValue] = {
            "question_key": announcement.question_key,
            "repository": announcement.repository,
            "issue": announcement.issue,
            "links": {
                "question": announcement.links.question,
                "issue": announcement.links.issue,
                "places": dict(announcement.links.places),
            },
            "clarification": announcement.clarification.model_dump(mode="json"),
        }
        if announcement.phase == "asked":
            data.update(_how_to_answer(announcement))
        if announcement.answer is not None:
            answer = announcement.answer
            data["answer"] = {
                "login": answer.login,
                "surface": answer.surface,
                "text": answer.answer,
                "not_passed_on": answer.beside,
            }
        if announcement.ending is not None:
            data["closed"] = announcement.ending
        return _body(f"question.{announcement.phase}", announcement.id, data)

    def about_refusal(self, refusal: ReplyRefusal) -> str:
        """The body about a reply that could not be used."""
        data: dict[str, JsonValue] = {
            "repository": refusal.repository,
            "issue": refusal.issue,
            "account": refusal.account,
            "why": refusal.why,
        }
        return _body("reply.refused", refusal.id, data)

    def exchange(
        self, message: SurfaceMessage, setting: WebhookSetting, now: datetime, _notes: SurfaceNotes
    ) -> Exchange:
        """The request with its signature over id, time of the attempt and body. Its answer's body is left open by the rules.

        Raises:
            NotTaken: every status but 2xx is worth another try: an operator may put right what is set up wrongly. 410 wants none.
        """
        timestamp = str(int(now.timestamp()))
        content = f"{message.id}.{timestamp}.{message.body}".encode()
        mac = hmac.new(webhook_key(setting.secret), content, hashlib.sha256).digest()
        headers = {
            "Content-Type": "application/json",
            "webhook-id": message.id,
            "webhook-timestamp": timestamp,
            "webhook-signature": f"v1,{base64.b64encode(mac).decode()}",
        }
        answer = yield Outgoing(setting.url, headers, message.body)
        if not (200 <= answer.status < 300 or answer.status == _GONE_STATUS):
            raise NotTaken(answer)


def _how_to_answer(announcement: Announcement) -> dict[str, JsonValue]:
    expires_at = announcement.expires_at
    return {
        "choices": [
            {
                "number": choice.number,
                "id": choice.id,
                "label": choice.label,
                "effect": choice.effect,
                "default": choice.is_default,
            }
            for choice in choices(announcement.clarification)
        ],
        "plan": _plan(announcement.clarification.question),
        "multiple": announcement.clarification.question.multiple,
        "addressee": announcement.addressee,
        "how_to_reply": _how_to_reply(announcement) if announcement.replies else "Reply on GitHub.",
        "replies": [
            {"login": address.login, "account": address.account, "url": address.url}
            for address in announcement.replies
        ],
        "expires_at": expires_at.isoformat() if expires_at is not None else None,
    }


def _plan(question: Question) -> JsonValue:
    """The plan in lines to be shown, and the points with what to reply for each option; None without points."""
    if not question.has_points:
        return None
    points: list[JsonValue] = [
        {
            "letter": letter,
            "text": point.text,
            "options": [
                {
                    "reply": reply_to(question, point, option),
                    "label": option.label,
                    "effect": option.effect,
                    "planned": option.id == point.taken,
                }
                for option in point.options
            ],
        }
        for letter, point in zip(LETTERS, question.every_point, strict=False)
    ]
    text = "\n\n".join("\n".join(with_bullets(part)) for part in plan_parts(question))
    return {"text": text, "points": points}


def _how_to_reply(announcement: Announcement) -> str:
    question = announcement.clarification.question
    if not question.has_points:
        return _HOW
    return f'POST {{"reply": "go"}} to your address. {point_replies_in_plain_text(question)}'


def _body(kind: str, message_id: str, data: dict[str, JsonValue]) -> str:
    return json.dumps({"type": kind, "id": message_id, "data": data}, ensure_ascii=False)
