"""Read the small files that people keep in a repository: plain ones, and YAML as one model with all its mistakes at once."""

import errno
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from pipeline.contract.yaml_source import MAX_BYTES, Document, Mistake, read_yaml
from pipeline.domain.model_mistakes import model_mistakes

_ModelT = TypeVar("_ModelT", bound=BaseModel)


def read_plain_file(path: Path, limit: int) -> bytes:
    """The content of a regular file, cut after `limit` bytes. A pipe or a device, which may never end, is refused.

    Raises:
        FileNotFoundError: there is nothing of that name.
        OSError: it is a link that leads nowhere, no regular file, or cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError as error:
        if path.is_symlink():
            raise OSError(errno.ELOOP, "It is a link that leads nowhere", str(path)) from error
        raise
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        number = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
        text = os.strerror(number) if stat.S_ISDIR(mode) else "It is no regular file"
        raise OSError(number, text, str(path))
    with os.fdopen(descriptor, "rb") as file:
        return file.read(limit)


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
