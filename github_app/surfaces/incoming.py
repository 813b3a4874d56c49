"""What people write on surfaces, as readers hand it on: data, read out of a request that was signed."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from github_app.surfaces.door import DoorAnswer

Name = Annotated[str, Field(pattern=r"^[!-~]{1,200}$")]
"""What a vendor calls an account, a ticket or a session: it becomes a part of keys in the store."""

_MENTION = re.compile(r"@<([^<>\s]{1,200})>")


class VendorPayload(BaseModel):
    """The fields of a vendor's message that the App uses."""

    model_config = ConfigDict(extra="ignore")


@dataclass(frozen=True)
class SignedRequest:
    """A request to the address of a surface. Names of `headers` are in lower case; `now` is when it came."""

    headers: Mapping[str, str]
    body: bytes
    now: datetime


@dataclass(frozen=True)
class WrittenReply:
    """What an account of a surface pressed or wrote, as words of a comment.

    `words` mention accounts as `@<account>`. A surface that sends our message back has its `token`. Elsewhere `thread` is where it was written, `written_at` when by the
    surface's clock; `ticket` is the ticket of that thread, where a ticket has several. `is_addressed` says that it is for us;
    elsewhere most of what is written may be for others.
    """

    account: str
    words: str
    token: str | None = None
    thread: str | None = None
    written_at: datetime | None = None
    is_addressed: bool = False
    ticket: str | None = None

    def words_to(self, own_account: str | None) -> str:
        """The words as a comment on GitHub would have them: mentions are of us, or of somebody else."""
        return _MENTION.sub(
            lambda mention: "@askfirst" if mention[1] == own_account else "@somebody", self.words
        )


@dataclass(frozen=True)
class OpenedSession:
    """Somebody has called us to a ticket: questions about it stand in that session. `greeting` is what to say if none is open."""

    id: str
    ticket: str
    greeting: str


def unreadable(vendor: str, error: ValidationError) -> DoorAnswer:
    """The answer to a request that is genuine, and not of the vendor's published shape."""
    first = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"]) or "the body"
    return DoorAnswer(400, f"This is no delivery of {vendor} that can be read: {place}: {first['msg']}.")
