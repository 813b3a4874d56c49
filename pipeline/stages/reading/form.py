"""The form that a model fills in about an issue. Each entry quotes the words of the issue it rests on."""

from typing import Annotated, Literal

from pydantic import Field

from pipeline.domain.models import ClosedModel

_Quote = Annotated[str, Field(description="The words of the issue, copied character by character.")]


class NamedThingForm(ClosedModel):
    """A name as code would have it: of a route, path, file, function, class, field, setting or option."""

    name: str
    quote: _Quote


class WordForm(ClosedModel):
    """A word of the issue, and single English words that programmers use for the same thing."""

    word: str
    code_words: tuple[str, ...]
    quote: _Quote


class StatementForm(ClosedModel):
    """A statement of the issue, in short."""

    text: str
    quote: _Quote


class ReadingForm(ClosedModel):
    """What the issue is about."""

    kind: Literal["bug", "feature", "other"]
    kind_quote: _Quote
    things_named: Annotated[
        tuple[NamedThingForm, ...], Field(description="Names of code, as the issue writes them.")
    ]
    synonyms: tuple[WordForm, ...]
    conditions: Annotated[
        tuple[StatementForm, ...],
        Field(
            description="Clauses that say when, for whom or where the wish holds: with if, when, only. A title is none."
        ),
    ]
    acceptance: Annotated[tuple[StatementForm, ...], Field(description="How one would see that it is done.")]
