"""What we say, as data: a surface turns it into text. Only `Text` is ours; everything else is taken for hostile."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Text:
    """Our own words, written in this repository. Shown as they are, with the surface's own markup allowed in them."""

    words: str


@dataclass(frozen=True)
class Code:
    """Somebody else's identifier, path, label or command: shown letter by letter, never obeyed.

    `limit` is the number of characters after which a surface may cut.
    """

    text: str
    limit: int = 160


@dataclass(frozen=True)
class Prose:
    """Somebody else's sentence: shown to be read, with everything in it that could act made harmless."""

    text: str


@dataclass(frozen=True)
class UserMention:
    """A person who shall get a mail. Used once per comment, never in an edit."""

    login: str


@dataclass(frozen=True)
class RunLink:
    """A link to a workflow run of this repository."""

    run_id: str


@dataclass(frozen=True)
class PullRequestLink:
    """A link to a pull request of this repository, with its number as its text."""

    number: int


@dataclass(frozen=True)
class CommentLink:
    """A link to a comment of this issue, with our own words as its text."""

    words: str
    comment_id: int


@dataclass(frozen=True)
class SourceLink:
    """A link to a file at a commit, with its path as its text."""

    path: str
    commit: str


@dataclass(frozen=True)
class Strong:
    """Important words."""

    parts: "Line"


@dataclass(frozen=True)
class Strikethrough:
    """Words that no longer hold."""

    parts: "Line"


Part = (
    Text
    | Code
    | Prose
    | UserMention
    | RunLink
    | PullRequestLink
    | CommentLink
    | SourceLink
    | Strong
    | Strikethrough
)
Line = tuple[Part, ...]


@dataclass(frozen=True)
class Paragraph:
    """One or more lines that belong together."""

    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Permalink:
    """Lines of a file at a commit, on a line of its own, where GitHub shows the code itself."""

    path: str
    start_line: int
    end_line: int
    commit: str


@dataclass(frozen=True)
class Bullets:
    """A list without an order."""

    items: tuple[Line, ...]


@dataclass(frozen=True)
class TickBox:
    """A box that whoever may edit the comment can tick."""

    label: Line
    is_ticked: bool = False


@dataclass(frozen=True)
class Table:
    """A table; every row has as many cells as the header."""

    header: tuple[Line, ...]
    rows: tuple[tuple[Line, ...], ...]


@dataclass(frozen=True)
class Details:
    """Something to open for those who want to know more: the first to go where space is short."""

    summary: str
    blocks: "tuple[Block, ...]"


@dataclass(frozen=True)
class Aside:
    """A remark in small print."""

    parts: Line


Block = Paragraph | Permalink | Bullets | TickBox | Table | Details | Aside


@dataclass(frozen=True)
class Message:
    """A comment. `repository` (`owner/name`) and `issue` say where links lead; without them links become plain text."""

    blocks: tuple[Block, ...]
    repository: str | None = None
    issue: int | None = None
