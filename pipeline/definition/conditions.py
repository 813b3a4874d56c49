"""Conditions (`when:`) in CEL, type-checked against the outputs of the needed stages when a definition is loaded.

Each field of each output becomes one dotted variable, `reviewer.verdict: string`, so that a misspelt field or a
comparison of unlike types is refused with a caret before anything runs. Three habits of `cel-expr-python` 0.1.3 shape
this module: an evaluation error is a *value* of type ERROR or UNKNOWN, never an exception; an `int` given for a
double compares wrongly without a word; a nullable type (`wrapper(string)`) can be checked but not evaluated, so a
condition is checked in one environment and evaluated in another, where what may be null is dynamic.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from functools import partial
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from pipeline.domain.errors import StageFailed
from pipeline.engine.graph import Condition
from pipeline.stages.stage import input_field

_DEEPEST = 6
_WRAPPERS = {"bool": "BoolValue", "int": "Int64Value", "double": "DoubleValue", "string": "StringValue"}
_SCALARS = {bool: "bool", int: "int", float: "double", str: "string"}


class ConditionInvalid(Exception):
    """A condition that does not compile, or is not a yes or no; the message shows where, and what is allowed."""


@dataclass(frozen=True)
class _Variable:
    """A path of an output and its CEL type; `nullable` where the field, or a model around it, may be None.

    `skippable` says that the whole output may be missing, and all of it is null then.
    """

    name: str
    type: str
    nullable: bool = False
    skippable: bool = False

    @property
    def checked_as(self) -> str:
        return (
            f"wrapper({self.type})" if self.nullable and self.type in _SCALARS.values() else self.evaluated_as
        )

    @property
    def evaluated_as(self) -> str:
        return "dyn" if self.nullable else self.type

    def __str__(self) -> str:
        return f"{self.name} ({self.type}{' or null' if self.nullable else ''})"


def compile_condition(
    text: str,
    outputs: Mapping[str, type[BaseModel]],
    *,
    not_needed: Collection[str] = (),
    skippable: Collection[str] = (),
) -> Condition:
    """Compile and type-check a condition over the outputs (stage id -> model) of the needed stages.

    `not_needed` are the other stages of the definition: naming one of them gets the advice to need it. Outputs of
    `skippable` stages may be missing when the condition is asked: what it reads of them is null then.

    Raises:
        ConditionInvalid: the condition does not compile or is not BOOL.
    """
    from cel_expr_python import cel  # a definition without conditions must not pay for it

    variables = {
        variable.name: variable
        for stage_id, model in outputs.items()
        for variable in _variables(input_field(stage_id), model, skippable=stage_id in skippable)
    }
    checker = cel.NewEnv(variables={name: _cel_type_of(v.checked_as) for name, v in variables.items()})
    try:
        kind = checker.compile(text).return_type()
    except RuntimeError as error:
        complaint = _readable(str(error))
        hints = _hints(complaint, variables, [input_field(stage_id) for stage_id in not_needed])
        raise ConditionInvalid("\n".join([complaint, *hints])) from error
    if kind != cel.Type.BOOL:
        raise ConditionInvalid(f"a condition is true or false; `{text}` is of type {str(kind).lower()}")
    evaluator = cel.NewEnv(variables={name: _cel_type_of(v.evaluated_as) for name, v in variables.items()})
    plain_text = re.sub(r"\s*\.\s*", ".", text)
    reads = tuple(v for v in variables.values() if re.search(rf"\b{re.escape(v.name)}\b", plain_text))
    return Condition(text, partial(_holds, text, evaluator.compile(text), reads))


def _holds(text: str, program: Any, reads: Iterable[_Variable], outputs: Mapping[str, BaseModel]) -> bool:
    """Whether a condition holds. `outputs` are those of the needed stages by id.

    Raises:
        StageFailed: an output is missing, the values cannot be compared (null, or an index past the end), or it would
            take too long.
    """
    by_field = {input_field(stage_id): output for stage_id, output in outputs.items()}
    data = {variable.name: _value_of(variable, by_field) for variable in reads}
    try:
        answer = program.eval(data=data).value()
    except RuntimeError as error:
        raise StageFailed(
            f"the condition `{text}` takes too long",
            why=str(error),
            what_to_do="Go through one list in it, and not through lists of lists.",
        ) from error
    if not isinstance(answer, bool):
        raise StageFailed(
            f"the condition `{text}` has no answer",
            why=str(answer),
            what_to_do="Guard what may be missing, such as `x.y != null && x.y > 3` or `size(x.z) > 0 && …`.",
        )
    return answer


def _variables(
    path: str, model: type[BaseModel], nullable: bool = False, *, skippable: bool
) -> Iterator[_Variable]:
    """One variable per field, those of nested models by their dotted path."""
    for name, info in model.model_fields.items():
        here = f"{path}.{name}"
        annotation, may_be_none = _without_none(info.annotation)
        may_be_none = may_be_none or nullable or skippable
        if _is_model(annotation) and here.count(".") < _DEEPEST:
            yield from _variables(here, annotation, may_be_none, skippable=skippable)
        else:
            yield _Variable(here, _cel_type(annotation), may_be_none, skippable)


def _cel_type_of(word: str) -> Any:
    """CEL's type of that name; the library's own reader of names takes `list(string)` for a type of its own."""
    from cel_expr_python import cel

    kind, _, rest = word.partition("(")
    inner = rest.removesuffix(")")
    match kind:
        case "list":
            return cel.Type.List(_cel_type_of(inner))
        case "map":
            return cel.Type.Map(cel.Type.STRING, _cel_type_of(inner.removeprefix("string, ")))
        case "wrapper":
            return cel.Type(f"google.protobuf.{_WRAPPERS[inner]}")
        case _:
            return cel.Type(kind)


def _cel_type(annotation: Any) -> str:
    """CEL's name of a Python type; `dyn` where CEL has no name for it."""
    annotation = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        kinds = {_cel_type(type(value)) for value in arguments}
        return kinds.pop() if len(kinds) == 1 else "dyn"
    if origin in (list, set, frozenset) or (origin is tuple and arguments[1:] == (...,)):
        return f"list({_cel_type(arguments[0])})"
    if origin in (dict, Mapping) and arguments[0] is str:
        return f"map(string, {_cel_type(arguments[1])})"
    if not isinstance(annotation, type) or origin is not None:
        return "dyn"
    # bool before int and StrEnum under str: the order of the table is the order of the question.
    cel_name = next((word for kind, word in _SCALARS.items() if issubclass(annotation, kind)), "dyn")
    if cel_name == "dyn" and issubclass(annotation, Enum):
        kinds = {_cel_type(type(member.value)) for member in annotation}
        return kinds.pop() if len(kinds) == 1 else "dyn"
    return cel_name


def _without_none(annotation: Any) -> tuple[Any, bool]:
    if get_origin(annotation) not in (Union, UnionType):
        return annotation, False
    members = [member for member in get_args(annotation) if member is not NoneType]
    may_be_none = len(members) < len(get_args(annotation))
    return (members[0] if len(members) == 1 else object), may_be_none


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _value_of(variable: _Variable, outputs: Mapping[str, BaseModel]) -> object:
    """The value at a path, as CEL takes it: None as soon as something on the way is None."""
    stage, *fields = variable.name.split(".")
    if stage not in outputs and variable.skippable:
        return None
    if stage not in outputs:
        raise StageFailed(
            f"a condition reads `{variable.name}`, and the stage `{stage}` has no output",
            why="It was skipped.",
            what_to_do=f"Let the stage that reads it depend on the same condition as `{stage}`.",
        )
    value: Any = outputs[stage]
    for name in fields:
        value = None if value is None else getattr(value, name)
    plain = to_jsonable_python(value)
    return _doubles(plain) if "double" in variable.type else plain


def _doubles(plain: Any) -> Any:
    """Every int as a float: CEL trusts the declared type and would compare the bits of an int."""
    match plain:
        case list():
            return [_doubles(item) for item in plain]
        case dict():
            return {key: _doubles(item) for key, item in plain.items()}
        case bool() | None | str():
            return plain
        case _:
            return float(plain)


def _readable(error: str) -> str:
    """CEL's complaint without the noise around it; the line and the caret stay."""
    text = (
        error.removeprefix("INVALID_ARGUMENT: ")
        .removesuffix(" [INVALID_ARGUMENT]")
        .replace(" (in container '')", "")
    )
    text = re.sub(r"wrapper\((\w+)\)", r"\1 or null", text)
    return re.sub(r"ERROR: <input>:(\d+):(\d+): ", r"line \1, column \2: ", text).rstrip()


def _hints(complaint: str, variables: Mapping[str, _Variable], not_needed: list[str]) -> Iterator[str]:
    """What to write instead, per name that CEL does not know."""
    for name in dict.fromkeys(re.findall(r"undeclared reference to '([^']+)'", complaint)):
        stage = name.split(".")[0]
        fields = [str(v) for path, v in variables.items() if path.startswith(f"{stage}.")]
        if stage in not_needed:
            yield f"`{stage}` is not among the needs of this stage; add it to `needs` to read its output."
        elif fields:
            yield _did_you_mean(name, variables) + f"`{stage}` has {', '.join(fields)}."
        elif variables:
            yield (
                _did_you_mean(name, variables)
                + f"A condition may read {', '.join(map(str, variables.values()))}."
            )
        else:
            yield "This stage needs no other; a condition reads the outputs of stages in `needs`."


def _did_you_mean(name: str, variables: Collection[str]) -> str:
    near = get_close_matches(name, variables, n=1)
    return f"Did you mean `{near[0]}`? " if near else ""
