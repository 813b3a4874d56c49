"""What we say, as data: a surface turns it into text. Only `Text` is ours; everything else is taken for hostile.

`kind` tells one part from another where a message is stored: somebody else's words never come back as ours.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field


@dataclass(frozen=True)
class Text:
    """Our own words, written in this repository. They are shown unchanged, and may use the surface's own markup."""

    words: str
    kind: Literal["text"] = "text"


@dataclass(frozen=True)
class Code:
    """Somebody else's identifier, path, label or command: shown letter by letter, never obeyed.

    `limit` is the number of characters after which a surface may cut.
    """

    text: str
    limit: int = 160
    kind: Literal["code"] = "code"


@dataclass(frozen=True)
class Prose:
    """Somebody else's sentence: shown to be read, with everything in it that could act made harmless."""

    text: str
    kind: Literal["prose"] = "prose"


@dataclass(frozen=True)
class UserMention:
    """A person who gets a mail. Used once per comment, never in an edit."""

    login: str
    kind: Literal["user"] = "user"


@dataclass(frozen=True)
class RunLink:
    """A link to a workflow run of this repository."""

    run_id: str
    kind: Literal["run"] = "run"


@dataclass(frozen=True)
class StartedRun:
    """A link, behind some words, to the run that was started just before this is said; nothing if GitHub did not tell its id."""

    words: str
    kind: Literal["started_run"] = "started_run"


@dataclass(frozen=True)
class PullRequestLink:
    """A link to a pull request of this repository, with its number as its text."""

    number: int
    kind: Literal["pull_request"] = "pull_request"


@dataclass(frozen=True)
class CommentLink:
    """A link to a comment of this issue, with our own words as its text."""

    words: str
    comment_id: int
    kind: Literal["comment"] = "comment"


@dataclass(frozen=True)
class SourceLink:
    """A link to a file at a commit, or to one line of it, with its place as its text."""

    path: str
    commit: str
    line: int | None = None
    kind: Literal["source"] = "source"


@dataclass(frozen=True)
class Strong:
    """Important words."""

    parts: "Line"
    kind: Literal["strong"] = "strong"


@dataclass(frozen=True)
class Strikethrough:
    """Words that no longer hold."""

    parts: "Line"
    kind: Literal["strikethrough"] = "strikethrough"


Part = Annotated[
    Text
    | Code
    | Prose
    | UserMention
    | RunLink
    | StartedRun
    | PullRequestLink
    | CommentLink
    | SourceLink
    | Strong
    | Strikethrough,
    Field(discriminator="kind"),
]
Line = tuple[Part, ...]


def joined(lines: Iterable[Line], separator: str) -> Line:
    """Several lines as one, with our own words between them."""
    return tuple(part for line in lines for part in (Text(separator), *line))[1:]


@dataclass(frozen=True)
class Paragraph:
    """One or more lines that belong together."""

    lines: tuple[Line, ...]
    kind: Literal["paragraph"] = "paragraph"


@dataclass(frozen=True)
class Permalink:
    """Lines of a file at a commit, on a line of its own, where GitHub shows the code itself."""

    path: str
    start_line: int
    end_line: int
    commit: str
    kind: Literal["permalink"] = "permalink"


@dataclass(frozen=True)
class Bullets:
    """A list without an order."""

    items: tuple[Line, ...]
    kind: Literal["bullets"] = "bullets"


@dataclass(frozen=True)
class TickBox:
    """A box that everybody can tick who may edit the comment."""

    label: Line
    is_ticked: bool = False
    kind: Literal["tick_box"] = "tick_box"


@dataclass(frozen=True)
class Table:
    """A table; every row has as many cells as the header."""

    header: tuple[Line, ...]
    rows: tuple[tuple[Line, ...], ...]
    kind: Literal["table"] = "table"


@dataclass(frozen=True)
class Details:
    """Something to open for those who want to know more: the first to go where space is short."""

    summary: str
    blocks: "tuple[Block, ...]"
    kind: Literal["details"] = "details"


@dataclass(frozen=True)
class Aside:
    """A remark in small print."""

    parts: Line
    kind: Literal["aside"] = "aside"


def paragraph(*line: Part) -> Paragraph:
    """A paragraph of one line."""
    return Paragraph((line,))


Block = Annotated[
    Paragraph | Permalink | Bullets | TickBox | Table | Details | Aside, Field(discriminator="kind")
]


@dataclass(frozen=True)
class Message:
    """A comment. `repository` (`owner/name`) and `issue` say where links lead; without them links become plain text."""

    blocks: tuple[Block, ...]
    repository: str | None = None
    issue: int | None = None
