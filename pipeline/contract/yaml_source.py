"""Read untrusted YAML into plain values, and remember on which line each of them stands.

PyYAML's composer is recursive C: some thousand nested `- ` end the process with a segmentation fault, so depth is
measured on the event stream (which is not recursive) before anything is composed. Aliases are followed, and every
node they lead to is counted, so that a file of ten lines cannot become a million values.
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import yaml

MAX_BYTES = 1 << 16
_MAX_DEPTH = 30
_MAX_NODES = 5_000
_MAX_BITS = 64
"""Of a whole number. `1:1:1`, which is 3661 in YAML, goes on to numbers that Python refuses to print."""

_NULL = "tag:yaml.org,2002:null"
_PLAIN_COLLECTIONS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")

Place = tuple[str | int, ...]
"""Keys and indices that lead to a value from the top of the document."""


@dataclass(frozen=True, order=True)
class Mistake:
    """One thing to correct; `line` counts from 1."""

    line: int
    text: str


@dataclass(frozen=True)
class Document:
    """A document as plain values (`data` is None where it could not be read at all) with its mistakes so far.

    `is_empty`: it holds nothing but comments. That is its only mistake then, and none where every key may be left out.
    """

    data: object
    lines: dict[Place, int]
    mistakes: tuple[Mistake, ...]
    is_empty: bool = False

    def line(self, place: Place) -> int:
        """Line of a value, or of the nearest thing around it that the file holds."""
        while place not in self.lines and place:
            place = place[:-1]
        return self.lines.get(place, 1)


def read_yaml(content: bytes, *, first_line: int = 1) -> Document:
    """Read one document. It never raises: `mistakes` lists what cannot be read.

    `first_line` is the number of the first line in the file that the document is a part of.
    """
    reader = _Reader(first_line)
    if len(content) > MAX_BYTES:
        return reader.refusal(0, f"the file is larger than {MAX_BYTES} bytes")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        return reader.refusal(content.count(b"\n", 0, error.start), "the file is not UTF-8")
    try:
        too_deep = _line_of_excess_depth(text)
        if too_deep is not None:
            return reader.refusal(too_deep, f"nested more than {_MAX_DEPTH} deep")
        node = yaml.compose(text, Loader=_loader())
    except yaml.MarkedYAMLError as error:
        return reader.refusal(error.problem_mark.line if error.problem_mark else 0, _sentence(error))
    except yaml.YAMLError as error:
        return reader.refusal(0, f"not YAML: {str(error).splitlines()[0]}")
    if node is None or node.tag == _NULL:
        return replace(reader.refusal(0, "the file is empty"), is_empty=True)
    return reader.read(node)


@cache
def _loader() -> Any:
    """The C loader where PyYAML was built with libyaml: ten times as fast, and the same values."""
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _line_of_excess_depth(text: str) -> int | None:
    depth = 0
    for event in yaml.parse(text, Loader=_loader()):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _MAX_DEPTH:
                return event.start_mark.line if event.start_mark else 0
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
    return None


def _sentence(error: yaml.MarkedYAMLError) -> str:
    problem = f"{error.context or ''}, {error.problem or ''}".strip(", ")
    column = f" (column {error.problem_mark.column + 1})" if error.problem_mark else ""
    return f"not YAML: {problem}{column}"


class _TooMuch(Exception):
    """The document has more values, or more depth behind aliases, than is read."""


class _Reader:
    """Turns composed nodes into values."""

    def __init__(self, first_line: int) -> None:
        self.first_line = first_line
        self.lines: dict[Place, int] = {}
        self.mistakes: list[Mistake] = []
        self.nodes = 0
        self.scalars = yaml.constructor.SafeConstructor()

    def refusal(self, line: int, text: str) -> Document:
        """A document of which nothing could be read; `line` counts from 0, as PyYAML's do."""
        return Document(None, {}, (Mistake(self.first_line + line, text),))

    def read(self, root: yaml.Node) -> Document:
        """The whole document."""
        try:
            data = self._value(root, ())
        except _TooMuch:
            return self.refusal(0, f"more than {_MAX_NODES} values, counting what aliases repeat")
        return Document(data, self.lines, tuple(self.mistakes))

    def _value(self, node: yaml.Node, place: Place) -> object:
        self.nodes += 1
        if self.nodes > _MAX_NODES or len(place) > _MAX_DEPTH:
            raise _TooMuch
        self.lines.setdefault(place, self._line(node))
        if isinstance(node, yaml.CollectionNode) and node.tag not in _PLAIN_COLLECTIONS:
            self._note(node, f"the tag {node.tag[:40]!r} is not read; write plain values")
        match node:
            case yaml.MappingNode():
                return self._mapping(node, place)
            case yaml.SequenceNode():
                return [self._value(item, (*place, index)) for index, item in enumerate(node.value)]
            case _:
                return self._scalar(node)

    def _mapping(self, node: yaml.MappingNode, place: Place) -> dict[str, object]:
        values: dict[str, object] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self._note(key_node, "a key is a plain word, not a list or a mapping")
                continue
            key = key_node.value
            if key in values:
                first = self.lines[(*place, key)]
                self._note(key_node, f"the key `{key}` stands here twice; the first is on line {first}")
                continue
            self.lines[(*place, key)] = self._line(key_node)
            values[key] = self._value(value_node, (*place, key))
        return values

    def _scalar(self, node: yaml.Node) -> object:
        match node.tag.removeprefix("tag:yaml.org,2002:"):
            case "str" | "timestamp" | "value" | "merge":
                return node.value
            case "null" | "bool" | "int" | "float":
                try:
                    value = self.scalars.construct_object(node)
                except (ArithmeticError, ValueError, KeyError, IndexError):
                    self._note(node, f"{node.value[:40]!r} is no value of that type")
                    return None
                if isinstance(value, int) and value.bit_length() > _MAX_BITS:
                    self._note(node, f"{node.value[:40]!r} is too large a number")
                    return None
                return value
            case tag:
                self._note(node, f"the tag {tag[:40]!r} is not read; write plain values")
        return None

    def _line(self, node: yaml.Node) -> int:
        return self.first_line + int(node.start_mark.line)

    def _note(self, node: yaml.Node, text: str) -> None:
        self.mistakes.append(Mistake(self._line(node), text))
