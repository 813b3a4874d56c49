"""The shape of a definition file, from which its committed JSON Schema is made (`make schemas`)."""

import re
from collections.abc import Iterator
from typing import Annotated

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Discriminator,
    Field,
    JsonValue,
    StringConstraints,
    Tag,
    ValidationError,
)

from pipeline.agents.output_schema import is_field_name
from pipeline.contract.yaml_source import Document, Mistake, Place
from pipeline.domain.model_mistakes import Tags, model_mistakes
from pipeline.domain.models import ClosedModel
from pipeline.stages.stage import input_field

_LONGEST_SECONDS = 6 * 60 * 60
_UNITS = {"s": 1, "m": 60, "h": 3600}
_CEL_WORD = re.compile(
    "as|break|const|continue|else|false|for|function|if|import|in|let|loop"
    "|namespace|null|package|return|true|var|void|while"
)
_DURATION = re.compile(r"([0-9]{1,5})([smh])")


def _as_list(value: object) -> object:
    """`needs: snapshot` means `needs: [snapshot]`, as in a workflow file."""
    return [value] if isinstance(value, str) else value


def _seconds(value: object) -> object:
    """A duration in seconds from `90s`, `10m`, `2h` or a number of seconds."""
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if match is not None:
        return int(match[1]) * _UNITS[match[2]]
    if isinstance(value, bool | str):
        raise ValueError("write a duration such as `90s`, `10m` or `2h`")  # noqa: TRY004 - pydantic gathers it
    return value


def _not_reserved(stage_id: str) -> str:
    word = input_field(stage_id)
    if word.startswith("previous_"):
        raise ValueError("`previous` in front means the round before; choose another id")
    if _CEL_WORD.fullmatch(word) or not is_field_name(word):
        raise ValueError("this word means something else in conditions or models; choose another id")
    return stage_id


StageId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,63}$"), AfterValidator(_not_reserved)]

Ids = Annotated[
    tuple[StageId, ...], BeforeValidator(_as_list, json_schema_input_type=StageId | tuple[StageId, ...])
]

ConditionText = Annotated[str, StringConstraints(min_length=1, max_length=1000)]

Timeout = Annotated[
    float,
    Field(gt=0, le=_LONGEST_SECONDS),
    BeforeValidator(
        _seconds,
        json_schema_input_type=Annotated[int, Field(gt=0, le=_LONGEST_SECONDS)]
        | Annotated[str, StringConstraints(pattern=r"^[0-9]{1,5}[smh]$")],
    ),
]


class OptionalNeed(ClosedModel):
    """A need written out, so that the stage can say that it runs without it."""

    id: Annotated[StageId, Field(description="The stage that is needed.")]
    optional: Annotated[
        bool,
        Field(
            strict=True,
            description="Whether this stage runs although that one was skipped. What it would have handed on is missing then.",
        ),
    ] = False


_NAME, _NEED = "<name>", "<need>"
"""Words that pydantic puts into the place of a mistake, to say which of the two forms a need has."""


def _form_of_need(item: object) -> str:
    return _NEED if isinstance(item, dict | OptionalNeed) else _NAME


Need = Annotated[
    Annotated[StageId, Tag(_NAME)] | Annotated[OptionalNeed, Tag(_NEED)], Discriminator(_form_of_need)
]

Needs = Annotated[
    tuple[Need, ...], BeforeValidator(_as_list, json_schema_input_type=StageId | tuple[Need, ...])
]


class _NeedingEntry(ClosedModel):
    """What stages and repeats have in common: they wait for stages, and may say which of them they can do without."""

    id: StageId
    declared_needs: Annotated[
        Needs,
        Field(
            alias="needs",
            description="Stages that must have ended before this starts; it is given their outputs. One that may be skipped is written `{id: …, optional: true}`, or this has the same condition.",
        ),
    ] = ()

    @property
    def needs(self) -> tuple[str, ...]:
        """The ids of the needed stages."""
        return tuple(need if isinstance(need, str) else need.id for need in self.declared_needs)

    @property
    def optional(self) -> frozenset[str]:
        """Those of the needed stages without which it runs, too."""
        return frozenset(
            need.id for need in self.declared_needs if not isinstance(need, str) and need.optional
        )


class StageEntry(_NeedingEntry):
    """One stage."""

    id: Annotated[
        StageId,
        Field(
            description="Name of the stage: in `needs`, in conditions (a `-` becomes `_`), in journals and in payloads."
        ),
    ]
    uses: Annotated[str, Field(description="The kind of stage, such as `snapshot` or `agent`.")]
    when: Annotated[
        ConditionText | None,
        Field(
            description="A CEL condition over the outputs of the needed stages; where it is false the stage is skipped."
        ),
    ] = None
    with_: dict[str, JsonValue] = Field(
        default_factory=dict, alias="with", description="Options of the kind of stage."
    )
    retries: int = Field(
        default=0,
        ge=0,
        le=5,
        strict=True,
        description="How many times the stage is tried again after an error. A question is not an error.",
    )
    timeout: Annotated[
        Timeout | None,
        Field(
            description="The longest that one attempt may take, such as `90s`, `10m` or a number of seconds."
        ),
    ] = None


class InnerStageEntry(StageEntry):
    """One stage inside of a `repeat`. It needs other stages of the repeat, and those that the repeat needs."""

    previous: Annotated[
        Ids,
        Field(
            description="Stages of the same repeat whose outputs of the round before this one is given; in the first round there are none."
        ),
    ] = ()


class RepeatBody(ClosedModel):
    """What is repeated, until when, and how often at most."""

    stages: Annotated[tuple[InnerStageEntry, ...], Field(min_length=1, max_length=20)]
    """The stages of a round. Later stages need them by their ids, and are given the outputs of the last round."""
    until: Annotated[
        ConditionText,
        Field(
            description="A CEL condition over the outputs of these stages: where it is true no further round begins. Skipped ones are null."
        ),
    ]
    max: int = Field(
        ge=1,
        le=10,
        strict=True,
        description="The most rounds. After them a later stage finds `exhausted: true` in the output of the repeat, and decides.",
    )


class RepeatEntry(_NeedingEntry):
    """Stages that run round after round. Its stages may need what it needs. Its output is `rounds` (a number) and `exhausted` (true or false)."""

    id: Annotated[
        StageId, Field(description="Name of the repeat: in `needs`, in conditions and in journals.")
    ]
    when: Annotated[
        ConditionText | None,
        Field(
            description="A CEL condition over the outputs of the needed stages; where it is false all of the repeat is skipped."
        ),
    ] = None
    repeat: Annotated[RepeatBody, Field(description="What is repeated.")]


_STAGE, _REPEAT = "<stage>", "<repeat>"
"""Words that pydantic puts into the place of a mistake, to say which of the two kinds of entry it was."""


def _kind_of_entry(item: object) -> str:
    has_repeat = "repeat" in item if isinstance(item, dict) else isinstance(item, RepeatEntry)
    return _REPEAT if has_repeat else _STAGE


Entry = Annotated[
    Annotated[StageEntry, Tag(_STAGE)] | Annotated[RepeatEntry, Tag(_REPEAT)], Discriminator(_kind_of_entry)
]


class DefinitionFile(ClosedModel):
    """A pipeline: which stages run, in what order and under which conditions. Code runs it; no model decides."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,63}$")]
    """Name of the pipeline, as reports show it."""
    description: Annotated[str, StringConstraints(max_length=500)] = ""
    """What the pipeline is for, in a sentence."""
    stages: Annotated[tuple[Entry, ...], Field(min_length=1, max_length=100)]
    """The stages, and repeats of stages. Order means nothing but which of two questions asked at the same time comes first."""


_TAGS: Tags = {_NAME: None, _NEED: OptionalNeed, _STAGE: StageEntry, _REPEAT: RepeatEntry}
_REFUSED_KEYS = {"repeat": "A `repeat` holds stages, and no other `repeat`."}


def definition_mistakes(
    error: ValidationError, model: type[BaseModel], document: Document, around: Place = ()
) -> Iterator[Mistake]:
    """One mistake per error. `around` leads to the value that was validated against `model`."""
    return model_mistakes(error, model, document, around, tags=_TAGS, refused_keys=_REFUSED_KEYS)
