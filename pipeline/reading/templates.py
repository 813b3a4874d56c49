"""The repository's own templates of issues: which text is theirs, and what each of their sections is for.

Both kinds are read: Markdown (`bug_report.md`) and forms (`bug_report.yml`). The text of a template is no author's
wish, so a line of an issue that stands in a template as well is left out.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from pipeline.contract.yaml_source import read_yaml
from pipeline.domain.issue import SectionRole
from pipeline.domain.printable import printable
from pipeline.reading.hidden_text import remove_hidden
from pipeline.reading.language_data import ASIDE_WORDS, OUTPUT_WORDS, roles_in, words_in
from pipeline.reading.markdown_blocks import BlockKind, markdown_blocks

MAX_CHARACTERS = 65_536
_MOST_FIELDS = 200
_LONG_LINE = 24
_FRONT_MATTER = re.compile(r"\A\s*---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_MARKS = re.compile(r"^[\s>]*(?:(?:[-*+]|\d{1,4}[.)])(?:\s+|$))*(?:\[[ xX]\]\s*)?")
BOLD_HEADING = re.compile(
    r"^[ \t>]*(?:[-*+][ \t]+)?(?P<marks>\*\*|__)(?P<heading>[^*_\n]{2,120}?)(?P<colon>:?)(?P=marks)(?P<after>[ \t]*:)?"
)
"""A line that begins in bold type: a heading where nothing or a colon follows."""


@dataclass(frozen=True)
class TemplateFile:
    """A template as it lies in the repository."""

    path: str
    text: str


@dataclass(frozen=True)
class IssueTemplate:
    """What a template says of the issues that were made with it.

    Attributes:
        path: relative to the repository's root.
        name: as people choose it.
        labels: that GitHub sets on such an issue.
        title: the beginning of the title.
        roles: of its sections, by `heading_key`; None where neither name nor description says one.
        lines: its own lines, by `line_key`.
    """

    path: str
    name: str = ""
    labels: tuple[str, ...] = ()
    title: str = ""
    roles: dict[str, SectionRole | None] = field(default_factory=dict)
    lines: frozenset[str] = frozenset()

    @property
    def beginnings(self) -> tuple[str, ...]:
        """Those of its lines that are long enough to be known again when somebody writes on behind them."""
        return tuple(line for line in self.lines if len(line) >= _LONG_LINE)


@dataclass(frozen=True)
class ParsedTemplates:
    """The templates that could be read, and a note on each that could not."""

    templates: tuple[IssueTemplate, ...]
    notes: tuple[str, ...] = ()


def parse_templates(files: Sequence[TemplateFile]) -> ParsedTemplates:
    """Read template files. A broken one costs nothing but a note."""
    templates, notes = [], []
    for file in files:
        template = _parse(file)
        if isinstance(template, str):
            notes.append(f"The issue template {printable(file.path)} was left out: {template}.")
        elif template is not None:
            templates.append(template)
    return ParsedTemplates(tuple(templates), tuple(notes))


def heading_key(heading: str) -> str:
    """A heading to compare: its letters and digits, lower case (`### Steps to reproduce:` is `steps to reproduce`)."""
    return " ".join(re.findall(r"\w+", remove_hidden(heading).casefold()))


def line_key(line: str) -> str:
    """A line to compare: without marks of lists, quotes and check boxes, its spaces single."""
    return " ".join(_MARKS.sub("", line, count=1).split())


@lru_cache(maxsize=4_096)
def role_of_heading(heading: str) -> SectionRole | None:
    """What the words of a heading usually say; None where they say nothing.

    A heading for both what is expected and what happens ("Expected vs. actual") is a summary: a reader cannot tell
    its halves apart.
    """
    roles = roles_in(heading)
    if SectionRole.EXPECTED in roles and SectionRole.ACTUAL in roles and not heading.rstrip().endswith("?"):
        return SectionRole.SUMMARY
    strong = next((role for role in roles if role is not SectionRole.SUMMARY), None)
    if strong is not None:
        return strong
    if words_in(heading, OUTPUT_WORDS):
        return SectionRole.LOG
    if words_in(heading, ASIDE_WORDS):
        return SectionRole.OTHER
    return roles[0] if roles else None


def _parse(file: TemplateFile) -> IssueTemplate | str | None:
    """The template, what is wrong with the file, or None where it is none."""
    name = file.path.rsplit("/", 1)[-1].lower()
    if name in ("config.yml", "config.yaml"):
        return None
    if len(file.text) > MAX_CHARACTERS:
        return f"it is longer than {MAX_CHARACTERS} characters"
    text = file.text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff")
    if name.endswith((".yml", ".yaml")):
        return _form(file.path, text)
    return _markdown(file.path, text)


def _markdown(path: str, text: str) -> IssueTemplate | str:
    match = _FRONT_MATTER.match(text)
    front: object = {}
    if match:
        document = read_yaml(match[1].encode("utf-8", "replace"))
        front, text = document.data, text[match.end() :]
    values = front if isinstance(front, dict) else {}
    roles: dict[str, SectionRole | None] = {}
    for heading in _headings(remove_hidden(text)):
        roles.setdefault(heading_key(heading), role_of_heading(heading))
    return IssueTemplate(
        path=path,
        name=_text(values.get("name")),
        labels=_labels(values.get("labels")),
        title=_text(values.get("title")),
        roles=roles,
        lines=frozenset(_lines_of(text)),
    )


def _headings(body: str) -> Iterator[str]:
    for block in markdown_blocks(body):
        if block.kind is BlockKind.HEADING:
            yield block.text
        elif block.kind is not BlockKind.CODE:
            for line in body[block.start : block.end].split("\n"):
                if (match := BOLD_HEADING.match(line)) is not None:
                    yield match["heading"]


def _form(path: str, text: str) -> IssueTemplate | str | None:
    document = read_yaml(text.encode("utf-8", "replace"))
    form = document.data
    if not isinstance(form, dict):
        return document.mistakes[0].text if document.mistakes else "it is no form"
    body = form.get("body")
    if not isinstance(body, list):
        return "it has no list `body`"
    roles: dict[str, SectionRole | None] = {}
    lines: set[str] = set()
    is_first = True
    for part in body[:_MOST_FIELDS]:
        if not isinstance(part, dict) or not isinstance(part.get("attributes"), dict):
            continue
        attributes, kind = part["attributes"], _text(part.get("type"))
        lines |= set(_lines_of_field(attributes))
        label = _text(attributes.get("label"))
        if kind == "markdown" or not label:
            continue
        role = _role_of_field(kind, label, _text(part.get("id")), attributes)
        if role is None and kind == "textarea" and is_first:
            role = SectionRole.SUMMARY
        is_first = is_first and kind != "textarea"
        roles.setdefault(heading_key(label), role or SectionRole.OTHER)
    return IssueTemplate(
        path=path,
        name=_text(form.get("name")),
        labels=_labels(form.get("labels")),
        title=_text(form.get("title")),
        roles=roles,
        lines=frozenset(lines),
    )


def _role_of_field(
    kind: str, label: str, identifier: str, attributes: dict[str, object]
) -> SectionRole | None:
    """What a field is for: by its label, its id, the first line of its description, or by what may be typed into it."""
    description = _text(attributes.get("description")).strip().partition("\n")[0]
    for words in (label, re.sub(r"[-_]+", " ", identifier)):
        if (role := role_of_heading(words)) is not None:
            return role
    if kind in ("dropdown", "checkboxes"):
        return SectionRole.ENVIRONMENT
    if attributes.get("render"):
        return SectionRole.LOG
    return role_of_heading(description) if kind == "textarea" else None


def _lines_of_field(attributes: dict[str, object]) -> Iterator[str]:
    for key in ("value", "placeholder", "description"):
        yield from _lines_of(_text(attributes.get(key)))
    options = attributes.get("options")
    for option in options[:_MOST_FIELDS] if isinstance(options, list) else ():
        yield from _lines_of(_text(option.get("label") if isinstance(option, dict) else option))


def _lines_of(text: str) -> Iterator[str]:
    """The lines of a template that people see; what only marks a list or a fence is left to every author."""
    lines = remove_hidden(text).split("\n")
    behind = [line[match.end() :] for line in lines if (match := BOLD_HEADING.match(line)) is not None]
    for key in map(line_key, [*lines, *behind]):
        if any(sign.isalnum() for sign in key):
            yield key


def _labels(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(label.strip() for label in value.split(",") if label.strip())
    if isinstance(value, list):
        return tuple(
            label.strip() for label in value[:_MOST_FIELDS] if isinstance(label, str) and label.strip()
        )
    return ()


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
