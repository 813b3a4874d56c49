"""The form that a model fills in for a plan. Its targets and surfaces are ids of the registry, listed in the schema."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, create_model

from pipeline.domain.operation import Operation
from pipeline.stages.plans.plan import Aspect

_Literal = Annotated[
    bool | int | float | str | None,
    Field(description="A number, a boolean, null, or one word without blanks. Never a sentence."),
]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class EffectForm(_Part):
    """One change that callers, operators or stored data would see."""

    surface: str
    aspect: Aspect
    name: Annotated[
        str | None, Field(description="Name of the field, parameter or header; null where it needs none.")
    ]
    before: _Literal
    after: Annotated[_Literal, Field(description="The value afterwards; null if it is gone.")]


class CheckForm(_Part):
    """An example that shows the new behaviour."""

    given: Annotated[str, Field(description="The input, as short and concrete as possible.")]
    expected: _Literal


class PlanForm(_Part):
    """What would be built."""

    operation: Operation
    target: str
    creates_inside: Annotated[
        bool, Field(description="True if the thing to work on does not exist and is made inside of `target`.")
    ]
    effects: tuple[EffectForm, ...]
    also_touches: tuple[str, ...]
    checks: tuple[CheckForm, ...]
    summary: Annotated[str, Field(description="One sentence for a person.")]


def form_for(targets: Sequence[str], surfaces: Sequence[str]) -> type[PlanForm]:
    """The form with these ids in its schema.

    It is *read* with any id: what a server did not hold a model to is dropped with a reason, not taken for malformed.
    """
    # Types that are made for one ticket are beyond what a type checker can follow.
    touched: Any = _one_of(targets)
    effect: Any = create_model("EffectForm", __base__=EffectForm, surface=(_one_of(surfaces), ...))
    return create_model(
        "PlanForm",
        __base__=PlanForm,
        target=(_one_of(targets), ...),
        effects=(tuple[effect, ...], ...),
        also_touches=(tuple[touched, ...], ...),
    )


def _one_of(ids: Sequence[str]) -> Any:
    schema: dict[str, Any] = {"type": "string"}
    return Annotated[str, WithJsonSchema(schema | {"enum": list(ids)} if ids else schema)]
