"""The issue as a document: its sections, what it cites and what kind of issue it is, each with the words it rests on.

Nothing in here decides. What follows decides by citations, which anyone can check, and by calibrated probabilities.
"""

import re
from enum import StrEnum

from pipeline.domain.models import FrozenModel

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n\s*\n|\n(?=\s*[-*])")


class Reader(StrEnum):
    """Who read the issue: deterministic code, or a model that had to quote."""

    RULES = "rules"
    MODEL = "model"


class IssueKind(StrEnum):
    """What the issue is about. `UNSURE` is a value like the others: nothing says which kind it is."""

    BUG = "bug"
    FEATURE = "feature"
    OTHER = "other"
    UNSURE = "unsure"


class SectionRole(StrEnum):
    """What a section of an issue is for."""

    TITLE = "title"
    SUMMARY = "summary"
    WISH = "wish"
    EXPECTED = "expected"
    ACTUAL = "actual"
    STEPS = "steps"
    ENVIRONMENT = "environment"
    LOG = "log"
    CODE = "code"
    ACCEPTANCE = "acceptance"
    OTHER = "other"


class CitationKind(StrEnum):
    """What a piece of an issue points at."""

    FRAME = "frame"
    """A line of a traceback: path, line and function."""
    LINE = "line"
    """`path:line`, or a link to a line of this repository."""
    FILE = "file"
    NAME = "name"
    """A name in back-ticks, or one whose shape is code: `CamelCase`, `snake_case`, `a.b`."""
    ROUTE = "route"
    """Method and path, or a path of a URL alone."""
    COMMAND = "command"
    """A command line as typed."""
    OPTION = "option"
    ENVIRONMENT = "environment"
    """An environment variable or a setting in capitals."""
    LOGGER = "logger"
    """A dotted name in front of a log message."""
    MESSAGE = "message"
    """A quoted error message, or a label of the interface."""
    ISSUE = "issue"
    """`#123`."""
    COMMIT = "commit"


class Span(FrozenModel):
    """Characters of one source, from `start` up to `end`. `comment` is the id of an issue comment, None for title and body.

    Title and body are one source: the title, two newlines, the body.
    """

    start: int
    end: int
    comment: int | None = None


class Section(FrozenModel):
    """A stretch of the issue under one heading. `text` is what its author wrote there, without the template's own words."""

    heading: str
    role: SectionRole
    text: str
    span: Span


class Citation(FrozenModel):
    """A piece of the issue that may point at something in the code.

    Attributes:
        kind: what it looks like.
        text: the name alone (`pay_invoice`, `/items/`, `app/items.py`, `--dry-run`, a message without its quotes).
        quote: the words of the issue, unchanged.
        span: where they stand.
        role: of the section they stand in. What stands in logs and code is no wish.
        method: the HTTP method of a route, where one is written.
        line: of a frame or a line, counted from 1.
        function: of a frame, where it names one.
        depth: of a frame: 0 is the innermost frame of its traceback.
        is_marked: back-ticks or a link mark it as code; else its shape alone says so.
    """

    kind: CitationKind
    text: str
    quote: str
    span: Span
    role: SectionRole
    method: str | None = None
    line: int | None = None
    function: str | None = None
    depth: int | None = None
    is_marked: bool = False


class Quotation(FrozenModel):
    """A statement of the issue, and the words on which it rests."""

    text: str
    quote: str


class Synonym(FrozenModel):
    """A word of the issue, and words that code may use for the same thing."""

    text: str
    means: tuple[str, ...]
    quote: str


class IssueDocument(FrozenModel):
    """An issue as it was read.

    Attributes:
        reader: who read it.
        kind: what it is about; `kind_reason` says which label, template or words say so.
        sections: in the order of the issue: the title first, comments of people who may speak for it last.
        citations: in the order of the issue, each thing once for each role.
        acceptance: how one would see that it is done; only from sections that say so, or from a model.
        conditions: when, for whom or where the wish holds; only from a model.
        synonyms: words that the code may use; only from a model.
        hidden_pieces: how many hidden parts (comments, invisible characters) were left out.
        script: the writing system of most letters (`Latin`, `Han`, …), or empty where there are none.
        is_english: whether its words are those of English, with which code is compared.
        has_topic_in_title: whether the title has a word besides those for the kind of an issue ("Bug", "Feature request").
        discarded: what a model stated without words of the issue for it, a line each.
        model_failure: why no model's reading counts although there is a model.
        notes: what of the issue or of its templates could not be read, as sentences.
    """

    reader: Reader = Reader.RULES
    kind: IssueKind
    kind_reason: str
    sections: tuple[Section, ...]
    citations: tuple[Citation, ...] = ()
    acceptance: tuple[Quotation, ...] = ()
    conditions: tuple[Quotation, ...] = ()
    synonyms: tuple[Synonym, ...] = ()
    hidden_pieces: int = 0
    script: str = ""
    is_english: bool = True
    has_topic_in_title: bool = True
    discarded: tuple[str, ...] = ()
    model_failure: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The title as people read it."""
        return self.text_of(SectionRole.TITLE)

    @property
    def wish(self) -> str:
        """What the author wants: without logs, code, environment and the steps to reproduce it."""
        return self.text_of(
            SectionRole.TITLE,
            SectionRole.SUMMARY,
            SectionRole.WISH,
            SectionRole.EXPECTED,
            SectionRole.ACCEPTANCE,
            SectionRole.OTHER,
        )

    @property
    def about(self) -> "IssueDocument":
        """The issue without a title that says nothing of what it is about."""
        if self.has_topic_in_title:
            return self
        sections = tuple(section for section in self.sections if section.role is not SectionRole.TITLE)
        return self.model_copy(update={"sections": sections})

    @property
    def wish_sentences(self) -> tuple[str, ...]:
        """The sentences, paragraphs and items of lists in `wish`."""
        return tuple(sentence for sentence in _SENTENCE.split(self.wish) if sentence.strip())

    @property
    def prose(self) -> str:
        """Everything that the author wrote, logs and code included, in its order."""
        return "\n\n".join(section.text for section in self.sections if section.text)

    def text_of(self, *roles: SectionRole) -> str:
        """The text of the sections of these roles, in the order of the issue."""
        return "\n\n".join(
            section.text for section in self.sections if section.role in roles and section.text
        )


class Operation(StrEnum):
    """What is to be done."""

    ADD = "add"
    CHANGE = "change"
    FIX = "fix"


def operation_of(kind: IssueKind) -> Operation:
    """The operation that the kind of an issue implies: a bug is fixed, a feature is added, all else is a change."""
    match kind:
        case IssueKind.BUG:
            return Operation.FIX
        case IssueKind.FEATURE:
            return Operation.ADD
        case IssueKind.OTHER | IssueKind.UNSURE:
            return Operation.CHANGE
