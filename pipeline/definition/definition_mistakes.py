"""What pydantic found wrong with a definition as sentences: the forms that its entries and needs may have, by name."""

from collections.abc import Iterator

from pydantic import BaseModel, ValidationError

from pipeline.contract.yaml_source import Document, Mistake, Place
from pipeline.definition.definition_file import (
    NAME,
    NEED,
    REPEAT,
    STAGE,
    OptionalNeed,
    RepeatEntry,
    StageEntry,
)
from pipeline.domain.model_mistakes import Tags, model_mistakes

_TAGS: Tags = {NAME: None, NEED: OptionalNeed, STAGE: StageEntry, REPEAT: RepeatEntry}
_REFUSED_KEYS = {"repeat": "A `repeat` holds stages, and no other `repeat`."}


def definition_mistakes(
    error: ValidationError, model: type[BaseModel], document: Document, around: Place = ()
) -> Iterator[Mistake]:
    """One mistake per error. `around` leads to the value that was validated against `model`."""
    return model_mistakes(error, model, document, around, tags=_TAGS, refused_keys=_REFUSED_KEYS)
