"""Read a YAML file that people keep in a repository as one model, with all mistakes in it at once."""

from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from pipeline.contract.yaml_source import MAX_BYTES, Document, Mistake, read_yaml
from pipeline.domain.model_mistakes import model_mistakes
from pipeline.domain.plain_file import read_plain_file

_ModelT = TypeVar("_ModelT", bound=BaseModel)


class YamlFileInvalid(Exception):
    """A file that cannot be read or has mistakes."""

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        self.mistakes = sorted(mistakes)
        super().__init__(self.listed("line"))

    def listed(self, title: object) -> str:
        """The mistakes, a line each: `title:3: …`."""
        return "\n".join(f"{title}:{mistake.line}: {mistake.text}" for mistake in self.mistakes)


def read_yaml_file(path: Path, model: type[_ModelT]) -> tuple[_ModelT, Document]:
    """The file as the model, and as the document that knows the line of each value.

    Raises:
        FileNotFoundError: there is no such file.
        YamlFileInvalid: it cannot be read or has mistakes.
    """
    try:
        document = read_yaml(read_plain_file(path, MAX_BYTES + 1))
    except FileNotFoundError:
        raise
    except OSError as error:
        raise YamlFileInvalid([Mistake(1, error.strerror or str(error))]) from error
    if document.is_empty and not any(field.is_required() for field in model.model_fields.values()):
        document = Document({}, {}, ())
    if document.mistakes:
        raise YamlFileInvalid(document.mistakes)
    try:
        return model.model_validate(document.data), document
    except ValidationError as error:
        raise YamlFileInvalid(model_mistakes(error, model, document)) from error
