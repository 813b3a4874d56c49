"""Read the operator's file of surfaces. All its mistakes are told at once, each with its place, and none of them shows a secret."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from github_app.surface_settings import SurfaceSettings, clashes

_PLAIN_KEY = re.compile(r"[a-z_]{1,40}")
_IN_PLAIN_WORDS = {"missing": "is missing", "extra_forbidden": "is no setting here: look at its spelling"}
"""What pydantic says in the words of a programmer, by its type of error."""


class SurfacesInvalid(ValueError):
    """The file of surfaces has mistakes. One line for each, with where it is and what would be accepted."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def read_surfaces(path: Path) -> SurfaceSettings:
    """The surfaces that a file describes.

    Raises:
        SurfacesInvalid: it cannot be read, or it has mistakes.
    """
    document, problems = _read(path)
    try:
        settings = SurfaceSettings.model_validate(document)
    except ValidationError as error:
        problems += _of_fields(error.errors(), document)
    if problems:
        raise SurfacesInvalid(tuple(f"{path}: {problem}" for problem in problems))
    return settings


class _Loader(yaml.SafeLoader):
    """Reads YAML, and remembers keys that stand in a mapping twice: YAML forbids them, and the library takes the last one."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.doubled_keys: list[str] = []

    def compose_mapping_node(self, anchor: Any) -> Any:
        """The mapping, with its keys looked at."""
        node = super().compose_mapping_node(anchor)
        first_lines: dict[str, int] = {}
        for key_node, _value in node.value:
            key, line = str(key_node.value), key_node.start_mark.line + 1
            if key in first_lines:
                name = f"`{key}`" if _PLAIN_KEY.fullmatch(key) else "a key"
                self.doubled_keys.append(
                    f"line {line}: {name} stands here twice, first on line {first_lines[key]}"
                )
            first_lines.setdefault(key, line)
        return node


def _read(path: Path) -> tuple[object, list[str]]:
    """The document as plain values, and the keys that stand in it twice.

    Raises:
        SurfacesInvalid: it cannot be read.
    """
    try:
        loader = _Loader(path.read_text(encoding="utf-8"))
        document = loader.get_single_data()
    except (OSError, UnicodeDecodeError) as error:
        raise SurfacesInvalid((f"{path} cannot be read: {error}",)) from error
    except (ArithmeticError, AttributeError, LookupError, ValueError):
        raise SurfacesInvalid(
            (f"{path} cannot be read: a date or a number in it is none; put it in quotes",)
        ) from None
    except RecursionError:
        raise SurfacesInvalid((f"{path} cannot be read: it is nested too deep",)) from None
    except yaml.YAMLError as error:
        # The words of the error quote the line, and with it the secret that stands there.
        raise SurfacesInvalid((f"{path} cannot be read: {_position(error)} is not YAML",)) from None
    return document, loader.doubled_keys


def _of_fields(errors: Iterable[ErrorDetails], document: object) -> Iterator[str]:
    """Each field with a mistake; and, because pydantic looks no further then, what of the document clashes."""
    has_clashes = False
    for error in errors:
        place = ".".join(str(part) for part in error["loc"])
        message = _IN_PLAIN_WORDS.get(error["type"], error["msg"].removeprefix("Value error, "))
        has_clashes |= not place
        yield from (f"{place or 'the file'}: {line}" for line in message.split("\n"))
    if not has_clashes:
        yield from (f"the file: {clash}" for clash in clashes(document))


def _position(error: yaml.YAMLError) -> str:
    """The place of a mistake, counted from 1."""
    mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
    return "the file" if mark is None else f"line {mark.line + 1}, column {mark.column + 1}"
