"""The form that a model fills in about a ticket. Whatever it writes stands beside the words of the ticket it rests on."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from pipeline.domain.intent import Operation

_Quote = Annotated[str, Field(description="The words of the ticket, copied character by character.")]
_MaybeQuote = Annotated[
    str | None,
    Field(
        description="The words of the ticket, copied character by character; null where it does not say so."
    ),
]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class NamedForm(_Part):
    """A name as code would have it: of a route, path, file, function, class, field, setting or option."""

    name: str
    quote: _Quote


class SynonymForm(_Part):
    """A word of the ticket, and single English words that programmers use for the same thing."""

    word: str
    code_words: tuple[str, ...]
    quote: _Quote


class SaidForm(_Part):
    """Something that the ticket says, in short."""

    text: str
    quote: _Quote


class IntentForm(_Part):
    """What the ticket asks for."""

    operation: Operation
    operation_quote: _Quote
    wishes: Annotated[
        tuple[str, ...], Field(description="The sentences that ask for something, copied from the ticket.")
    ]
    things_named: Annotated[
        tuple[NamedForm, ...], Field(description="Names of code that exists, as the ticket writes them.")
    ]
    new_names: Annotated[tuple[NamedForm, ...], Field(description="Names that the ticket wants to exist.")]
    synonyms: tuple[SynonymForm, ...]
    request_quote: Annotated[
        _MaybeQuote, Field(description="Where the wish changes what a caller of the API sends or gets.")
    ]
    command_line_quote: Annotated[_MaybeQuote, Field(description="Where it speaks of a command line.")]
    other_value_quote: Annotated[
        _MaybeQuote, Field(description="Where it asks for another value of something that has one.")
    ]
    ruled_out: Annotated[
        tuple[str, ...], Field(description="What the ticket says is not meant, copied from the ticket.")
    ]
    conditions: Annotated[tuple[SaidForm, ...], Field(description="When, for whom or where the wish holds.")]
    acceptance: Annotated[tuple[SaidForm, ...], Field(description="How one would see that it is done.")]
