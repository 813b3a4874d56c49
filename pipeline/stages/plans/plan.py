"""A plan as it is compared: a closed vocabulary of slots, ids of the registry, typed values. Its words are for display."""

import re
from collections.abc import Callable
from enum import StrEnum

from pydantic import ConfigDict

from pipeline.contract.ticket import CodePlace
from pipeline.domain.operation import Operation
from pipeline.stages.stage import StageValue

Scalar = bool | int | float | str | None
"""A value of an effect or of a check: a literal, never a sentence."""

Guarded = Callable[[str], str | None]
"""Says for a path which rule keeps an agent from editing it without an approval; None for a path that is free."""

_LITERAL = re.compile(r"\S{1,80}")
_INTEGER = re.compile(r"-?\d{1,18}")
_DECIMAL = re.compile(r"-?\d{1,18}\.\d{1,18}")
_WORDS: dict[str, Scalar] = {"true": True, "false": False, "null": None, "none": None}


class Level(StrEnum):
    """The slots that decide, the highest first: an answer to a lower one depends on the higher ones.

    The words are slots of questions, thus part of question ids, and never change.
    """

    OPERATION = "operation"
    TARGET = "target"
    EFFECTS = "effects"
    CHECKS = "checks"


LEVELS = tuple(Level)


class Aspect(StrEnum):
    """What of a public surface changes."""

    STATUS = "status"
    FIELD = "field"
    PARAMETER = "parameter"
    HEADER = "header"
    DEFAULT = "default"
    TYPE = "type"
    REQUIRED = "required"
    VALUE = "value"


class _Value(StageValue):
    # A run without a model has no plans: their types need not be built when the process starts.
    model_config = ConfigDict(defer_build=True)


class Effect(_Value):
    """One change that callers, operators or stored data see. `surface` is the entity that an id of the registry stands for.

    `before` is what the planner takes for today's value. It is shown, and not compared: it is a fact of the code and no
    choice.
    """

    surface: str
    label: str
    aspect: Aspect
    name: str | None
    before: Scalar
    after: Scalar

    @property
    def slot(self) -> tuple[str, str, str, str]:
        """What is compared: where, what, under which name, and the typed value afterwards."""
        return self.surface, self.aspect.value, self.name or "", f"{type(self.after).__name__}:{self.after}"

    @property
    def in_words(self) -> str:
        """As a person reads it."""
        what = f"{self.aspect.value} {self.name}" if self.name else self.aspect.value
        return f"{self.label}: {what} {'gone' if self.after is None else self.after}"


class Check(_Value):
    """An example: what comes out for an input."""

    given: str
    expected: Scalar


class Plan(_Value):
    """One plan, bound to the registry.

    `entity` is what its target stands for: a route, its handler and the handler's symbol are one; `new:` before it
    means that the target is made inside of it. `reaches` says which public surface, data or guarded file it touches,
    or is None. `left_out` says, a line each, what the model wrote that cannot be compared.
    """

    number: int
    operation: Operation
    target: CodePlace
    entity: str
    effects: tuple[Effect, ...] = ()
    also_touches: tuple[CodePlace, ...] = ()
    checks: tuple[Check, ...] = ()
    summary: str = ""
    reaches: str | None = None
    left_out: tuple[str, ...] = ()


class DroppedPlan(_Value):
    """A plan that cannot be compared, and why."""

    number: int
    why: str


def literal(value: Scalar) -> tuple[bool, Scalar]:
    """Whether a value is a literal, and which: `"429"` and 429 are one; a sentence is none."""
    if not isinstance(value, str):
        return True, value
    plain = value.strip().strip("`\"'")
    if plain.casefold() in _WORDS:
        return True, _WORDS[plain.casefold()]
    if _INTEGER.fullmatch(plain):
        return True, int(plain)
    if _DECIMAL.fullmatch(plain):
        return True, float(plain)
    return _LITERAL.fullmatch(plain) is not None, plain
