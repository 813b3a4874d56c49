"""What people write on tickets of Jira: the webhook of new comments, signed with its secret.

Source: developer.atlassian.com, "Webhooks" (Jira Cloud platform), *Secure admin webhooks* (`X-Hub-Signature: sha256=<hex>`, an
HMAC-SHA256 of the body; it covers no time, so a request may be played again for ever) and *Retry policy* (408, 409, 425, 429,
5xx and silence bring the same request again). The text of a comment comes as wiki markup or as a document (ADF).
"""

import re
from typing import Annotated

from pydantic import Field, JsonValue, ValidationError

from github_app.intake.signature import has_signature
from github_app.surface_settings import JiraSetting
from github_app.surfaces.adf import plain_text
from github_app.surfaces.door import DoorAnswer
from github_app.surfaces.incoming import SignedRequest, VendorPayload, WrittenReply, unreadable
from github_app.surfaces.jira import COMMENT_ADDRESS, JiraComment

_NOT_OURS = DoorAnswer(401, "This request is not signed with the secret of this webhook.")
_NO_REPLY = DoorAnswer(200, "")
_WIKI_MARKUP = (
    (re.compile(r"\{(quote|code|noformat)[^{}\n]{0,100}\}.*?(?:\{\1\}|\Z)", re.DOTALL), " "),
    (re.compile(r"^bq\. ", re.MULTILINE), "> "),
    (re.compile(r"\[~(?:accountid:)?([^\]\s]{1,200})\]"), r"@<\1>"),
    (re.compile(r"\{\{([^{}\n]{1,500})\}\}"), r"`\1`"),
)


class _WrittenComment(JiraComment):
    """`visibility` is there where only a group or a role may read it; `is_public` is false for notes of a service desk."""

    body: str | dict[str, JsonValue]
    visibility: dict[str, JsonValue] | None = None
    is_public: Annotated[bool, Field(alias="jsdPublic")] = True


class _Delivery(VendorPayload):
    event: Annotated[str, Field(alias="webhookEvent")]


class _CommentDelivery(_Delivery):
    comment: _WrittenComment


def read_jira(request: SignedRequest, setting: JiraSetting) -> WrittenReply | DoorAnswer:
    """What somebody wrote on a ticket. `all_surfaces.Reader`.

    An edited comment says nothing new, and one that is not for everybody is never passed on to GitHub.
    """
    if not has_signature(setting.secret, request.headers.get("x-hub-signature", ""), request.body, "sha256="):
        return _NOT_OURS
    try:
        if _Delivery.model_validate_json(request.body).event != "comment_created":
            return _NO_REPLY
        delivery = _CommentDelivery.model_validate_json(request.body)
    except ValidationError as error:
        return unreadable("Jira", error)
    comment = delivery.comment
    address = COMMENT_ADDRESS.search(comment.address)
    is_for_everybody = comment.visibility is None and comment.is_public
    if not is_for_everybody or address is None:
        return _NO_REPLY
    words = _plain_wiki(comment.body) if isinstance(comment.body, str) else plain_text(comment.body)
    return WrittenReply(comment.author.id, words, thread=address[1], written_at=comment.created)


def _plain_wiki(body: str) -> str:
    for markup, plain in _WIKI_MARKUP:
        body = markup.sub(plain, body)
    return body
