"""The intent: what a ticket asks for, each part with the words of the ticket on which it rests."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Operation(StrEnum):
    """What is to be done."""

    ADD = "add"
    CHANGE = "change"
    REMOVE = "remove"
    RENAME = "rename"
    FIX = "fix"
    TEST = "test"
    DOCUMENT = "document"


class MentionKind(StrEnum):
    """What a piece of the prose looks like."""

    ROUTE = "route"
    PATH = "path"
    NAME = "name"
    FILE = "file"
    OPTION = "option"


class Source(StrEnum):
    """Who read the ticket: deterministic code, or a model that had to quote."""

    LEXICAL = "lexical"
    MODEL = "model"


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True)


class Mention(_Value):
    """A piece of the prose that may name something in the code.

    `text` is the name alone (`pay_invoice`, `/items/`, `--dry-run`), `method` the HTTP method where one stands before a
    path, and `quote` the words as they stand in the ticket. `fenced` says that it stands in a code block only: a
    traceback or an example shows many names, and the ticket is about few of them.
    """

    kind: MentionKind
    text: str
    quote: str
    method: str | None = None
    fenced: bool = False


class NewName(_Value):
    """A name that the ticket wants to exist: of a parameter, field, flag, route or symbol."""

    text: str
    quote: str


class Synonym(_Value):
    """A word of the ticket, and words that code may use for the same thing."""

    text: str
    means: tuple[str, ...]
    quote: str


class Said(_Value):
    """A condition or a hint of the ticket in short, and the words on which it rests."""

    text: str
    quote: str


class Intent(_Value):
    """What the ticket asks for.

    `surface_quote` holds the words that show that the wish changes what a caller sends or gets (a parameter, a field,
    a flag, a filter, a response); it is None where nothing shows that. `command_quote` holds the words that speak of a
    command line, `value_quote` those that ask for another value of something ("make it 45"). `excluded` are stems that
    the ticket rules out ("not the streaming one"). `synonyms` are words that the code may use for words of the ticket,
    `conditions` say when the wish holds, `acceptance` how one would see that it is met. `prose` is the text that people
    read, without hidden parts; `hidden_removed` counts those. `dropped` says, a line each, what a model named without
    words of the ticket for it; `by_rule_because` why no model was believed although one was there.
    """

    source: Source
    operation: Operation
    operation_quote: str
    surface_quote: str | None = None
    command_quote: str | None = None
    value_quote: str | None = None
    mentions: tuple[Mention, ...] = ()
    new_names: tuple[NewName, ...] = ()
    wish: str = ""
    excluded: tuple[str, ...] = ()
    synonyms: tuple[Synonym, ...] = ()
    conditions: tuple[Said, ...] = ()
    acceptance: tuple[Said, ...] = ()
    prose: str = ""
    hidden_removed: int = 0
    dropped: tuple[str, ...] = ()
    by_rule_because: str | None = None

    @property
    def changes_surface(self) -> bool:
        """Whether the answer to "which route?" changes what is built."""
        return self.surface_quote is not None
