"""The hidden last line of our comments: a signed pointer to a conversation, and the nonce that ties a run to a reply.

Anyone with write access can edit our comments, so the marker is signed, and it is only a pointer: what a question's
candidates are comes from the run's artifact or from the store, never from a comment. Where there is no secret to sign
with, the signature is a checksum that anybody can make, and the record is not in the marker but in an artifact of the
run that wrote the comment: see `github_app.job.markers`.
"""

import base64
import binascii
import hashlib
import hmac
import logging
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import ValidationError

from github_app.conversation.effects import StoredModel
from github_app.conversation.record import Conversation
from github_app.conversation.transcript import Comment
from pipeline.contract.version import FORMAT

_log = logging.getLogger(__name__)

LONGEST_PAYLOAD = 12_000
"""Letters of a marker's payload. With the text of a comment (`GitHubMarkdown`) they fit into GitHub's 65,536 characters, which
are bytes here: base64 is ASCII.
"""

_MARKER = re.compile(
    rf"<!-- askfirst:v{FORMAT} ([A-Za-z0-9+/]{{4,{LONGEST_PAYLOAD}}}={{0,2}}) ([A-Za-z0-9+/]{{22}}==) -->\s*\Z"
)
_MAC_BYTES = 16
_COMPRESSED_FROM = 3_000
_LARGEST_RECORD = 1_000_000
"""Bytes. A payload that unpacks to more is none of ours."""


class StoredRecord(StoredModel):
    """Where a record lies that is not in the marker: a file of an artifact. `sha256` (hex) is that of the file."""

    run_id: int
    artifact: str
    sha256: str


class Pointer(StoredModel):
    """What a comment of ours is, and enough of its conversation to go on if the store were lost.

    `key` is the same for the same comment, however often it is about to be posted. `record` is the conversation
    without its question: that is fetched again from the run in which it was asked. `stored` stands in its place where
    the record lies elsewhere.
    """

    key: str
    repository_id: int
    issue: int
    record: Conversation | None = None
    stored: StoredRecord | None = None


def slim(conversation: Conversation) -> Conversation:
    """The part of a record that a comment remembers: not its question, nor what is still to be done."""
    left_out = {"question": None, "outbox": (), "sent": None, "author": None, "checks": ()}
    return conversation.model_copy(update=left_out)


def progress(record: Conversation) -> tuple[datetime, int, int, int, datetime]:
    """How far a conversation had come, to be compared: of several records of one conversation the largest holds.

    Each part only ever grows: the label that began it, the questions asked, the reviews and the replies acted upon, the
    newest run that has ended. Two processes may write at the same time, and a slow one may write last: the time of a
    comment does not tell which record is newer.
    """
    never = datetime.min.replace(tzinfo=UTC)
    return (
        record.labelled_at or never,
        record.rounds,
        len(record.reviewed),
        len(record.taken),
        record.run_created_at or never,
    )


def sign(pointer: Pointer, secret: bytes) -> str:
    """The marker line. Standard base64, so `--` cannot occur in it. A long record is compressed: one letter of Chinese takes
    three bytes of JSON, and so four of base64.
    """
    document = pointer.model_dump_json(exclude_defaults=True).encode()
    payload = base64.b64encode(zlib.compress(document, 9) if len(document) > _COMPRESSED_FROM else document)
    return (
        f"<!-- askfirst:v{FORMAT} {payload.decode()} {base64.b64encode(_mac(payload, secret)).decode()} -->"
    )


def is_readable(line: str) -> bool:
    """Whether `read` takes a marker line: one that is too long names no comment as ours, and it would be posted again."""
    return _MARKER.fullmatch(line) is not None


def read(body: str, secret: bytes, *, repository_id: int, issue: int) -> Pointer | None:
    """The pointer in a comment's last line; None without one, with a changed one, or with one from elsewhere.

    The caller has checked that our App posted the comment: a mail client quotes markers, and anybody can copy one.
    """
    match = _MARKER.search(body[-16_000:].replace("\r\n", "\n"))
    if match is None:
        return None
    payload = match.group(1).encode()
    try:
        # As text: its last letters leave bits open, so that another text would decode to the same bytes.
        if not hmac.compare_digest(match.group(2).encode(), base64.b64encode(_mac(payload, secret))):
            return None
        pointer = Pointer.model_validate_json(_document(base64.b64decode(payload, validate=True)))
    except (binascii.Error, zlib.error, ValidationError):
        return None
    return pointer if (pointer.repository_id, pointer.issue) == (repository_id, issue) else None


@dataclass(frozen=True)
class SignedMarkers:
    """`github_app.ports.conversations.Markers` of the App: the whole record travels in the marker, signed with the App's secret.

    After a rotation, markers that were signed with the secret before are still believed; new ones are signed with the new.
    """

    app_id: int
    secret: bytes
    secret_before: bytes | None = None

    def line(self, key: str, conversation: Conversation, *, with_record: bool) -> str:
        """The last line of a comment. A record that is too long for it is in the store alone."""
        record = slim(conversation) if with_record else None
        pointer = Pointer(
            key=key, repository_id=conversation.repository_id, issue=conversation.issue, record=record
        )
        line = sign(pointer, self.secret)
        if is_readable(line):
            return line
        _log.warning(
            "the record of issue %s is too long for a comment: back up the store", conversation.issue
        )
        return sign(pointer.model_copy(update={"record": None}), self.secret)

    def ours(
        self, comments: Iterable[Comment], *, repository_id: int, issue: int
    ) -> Iterator[tuple[Comment, Pointer]]:
        """The comments that our App posted, by its numeric id, with a marker that we signed for this very issue."""
        for comment in comments:
            if comment.app_id != self.app_id:
                continue
            secrets = [secret for secret in (self.secret, self.secret_before) if secret]
            pointers = (
                read(comment.body, secret, repository_id=repository_id, issue=issue) for secret in secrets
            )
            pointer_of_comment = next((pointer for pointer in pointers if pointer is not None), None)
            if pointer_of_comment is not None:
                yield comment, pointer_of_comment

    def record(self, pointer: Pointer) -> Conversation | None:
        """The record behind a pointer."""
        return pointer.record


def run_nonce(secret: bytes, repository_id: int, issue: int, question_id: str, comment_id: int) -> str:
    """The nonce of the one run that one reply may start: 32 hex digits."""
    about = f"run\0{repository_id}\0{issue}\0{question_id}\0{comment_id}"
    return hmac.new(secret, about.encode(), hashlib.sha256).hexdigest()[:32]


def _document(payload: bytes) -> bytes:
    return payload if payload.startswith(b"{") else zlib.decompressobj().decompress(payload, _LARGEST_RECORD)


def _mac(payload: bytes, secret: bytes) -> bytes:
    return hmac.new(secret, b"marker\0" + payload, hashlib.sha256).digest()[:_MAC_BYTES]
