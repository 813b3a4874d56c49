"""The content of GitHub, in our words: an issue, the tickets it names, its comments, and the people who wrote them."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

_TICKET_KEY = re.compile(r"(?<![A-Za-z0-9_-])[A-Z][A-Z0-9]{1,9}-[1-9][0-9]{0,8}(?![A-Za-z0-9_-])")
_MOST_TICKET_KEYS = 10


class Role(StrEnum):
    """GitHub's `role_name` of a person in a repository. A custom role counts as the highest of these it contains.

    `NONE` also stands for: unknown, or GitHub did not say. Every check fails closed.
    """

    NONE = "none"
    READ = "read"
    TRIAGE = "triage"
    WRITE = "write"
    MAINTAIN = "maintain"
    ADMIN = "admin"

    @property
    def may_write(self) -> bool:
        """Whether the role includes write access."""
        return self in {Role.WRITE, Role.MAINTAIN, Role.ADMIN}


@dataclass(frozen=True)
class Person:
    """An account. Identity is the numeric id: a login can change hands. `is_bot` is `type != "User"`."""

    id: int
    login: str
    is_bot: bool = False


@dataclass(frozen=True)
class Issue:
    """An issue in its current state. `labels` are names in small letters; `body` is "" where GitHub says null."""

    number: int
    title: str
    body: str
    author: Person
    assignee_ids: frozenset[int] = frozenset()
    labels: frozenset[str] = frozenset()
    is_open: bool = True
    is_locked: bool = False
    is_pull_request: bool = False


@dataclass(frozen=True)
class Comment:
    """A comment in its current state. `app_id` is the App that posted it (`performed_via_github_app.id`), or None."""

    id: int
    author: Person
    body: str
    created_at: datetime
    updated_at: datetime
    app_id: int | None = None


def ticket_keys(title: str, body: str | None) -> tuple[str, ...]:
    """Tickets of other trackers that an issue names (`OPS-12`): those of the title, then those of the body, each once.

    `SHA-256` is among them: a surface picks its own.
    """
    return tuple(dict.fromkeys(_TICKET_KEY.findall(f"{title}\n{body or ''}")))[:_MOST_TICKET_KEYS]
