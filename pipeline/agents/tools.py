"""The tools of agents as typed declarations, and the port through which they are carried out.

Nothing is carried out here: the workspace, the registry and the issue reader stand behind `ToolBox`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar, Literal, Protocol, get_args

from pydantic import BaseModel, Field, JsonValue, StringConstraints

from pipeline.agents.agent import Agent, EndsWith
from pipeline.domain.models import ClosedModel
from pipeline.gate.admission import CallTargets
from pipeline.gate.plain_call import plain_command
from pipeline.gate.tool_names import Tool
from pipeline.llm.port import ToolDeclaration

_Line = Annotated[int, Field(ge=1)]
_Id = Annotated[
    str, Field(min_length=1, description="As find_in_registry lists it, such as `route:POST /actions`.")
]
_Wording = Annotated[str, StringConstraints(min_length=1, max_length=600, strip_whitespace=True)]


class _Arguments(ClosedModel):
    tool: ClassVar[Tool]


class ReadFile(_Arguments):
    """Read lines of a file of the repository, from `start` (counted from 1)."""

    tool = Tool.READ_FILE
    path: str
    start: _Line = 1
    lines: Annotated[int, Field(ge=1, le=1000)] = 400


class Replacement(ClosedModel):
    """A piece of a file, and what takes its place."""

    old: Annotated[str, Field(min_length=1)]
    new: str


class EditFile(Replacement, _Arguments):
    """Replace a piece of a file: `old` must occur in it exactly once, to the last space.

    `more` are further replacements in the same file, made in their order after the first. All of them are made, or none.
    """

    tool = Tool.EDIT_FILE
    path: str
    more: Annotated[tuple[Replacement, ...], Field(max_length=40)] = ()

    @property
    def replacements(self) -> tuple[tuple[str, str], ...]:
        """Old and new text of each, in the order in which they are made."""
        return tuple((replacement.old, replacement.new) for replacement in (self, *self.more))


class CreateFile(_Arguments):
    """Create a file that does not exist yet."""

    tool = Tool.CREATE_FILE
    path: str
    content: str


class RunCommand(_Arguments):
    """Run one plain command, without a shell: no pipes, variables or redirections."""

    tool = Tool.RUN_COMMAND
    command: str

    @property
    def words(self) -> tuple[str, ...]:
        """The program and its arguments, exactly as the gate read them."""
        return plain_command(self.command)


class RunCode(_Arguments):
    """Try something out: run a few lines as `python3 -c` or `node -e` in the root of the tree, and read what they print.

    The code can read the tree and write nothing in it, and it has no network. It also shows what an installed package does:
    print `inspect.getsource(…)`, or read the file that `require.resolve(…)` names.
    """

    tool = Tool.RUN_CODE
    language: Literal["python", "node"]
    code: Annotated[str, Field(min_length=1, max_length=20_000)]


class RunTests(_Arguments):
    """Run the repository's tests: `tests` are files, or names as a run prints them; without, those in reach, or all.

    In reach are those that reach the targets and what was edited.
    """

    tool = Tool.RUN_TESTS
    scope: Literal["reach", "all"] = "reach"
    tests: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=500)], ...], Field(max_length=50)
    ] = ()


class SearchCode(_Arguments):
    """Find the lines of the repository that match a regular expression, in files whose path fits a glob: `src/**/*.{ts,tsx}`."""

    tool = Tool.SEARCH_CODE
    pattern: Annotated[str, Field(min_length=1)]
    glob: str | None = None


class ListFiles(_Arguments):
    """The files of the repository whose path fits a glob."""

    tool = Tool.LIST_FILES
    glob: str | None = None


class FindInRegistry(_Arguments):
    """Look a route, a symbol or a file up by a word of its name. Gives ids with their locations."""

    tool = Tool.FIND_IN_REGISTRY
    word: Annotated[str, Field(min_length=1)]


class FindCallers(_Arguments):
    """Whatever calls the symbol, or the handler of the route, of an id: directly, and over others up to the routes."""

    tool = Tool.FIND_CALLERS
    id: _Id


class FindTests(_Arguments):
    """The tests that reach the symbol or the route of an id, by calls or by requests, nearest first."""

    tool = Tool.FIND_TESTS
    id: _Id


class DescribeEntry(_Arguments):
    """What is known of an id: a route's registration, mounts and fields; what a symbol takes, holds, answers and calls."""

    tool = Tool.DESCRIBE_ENTRY
    id: _Id


class FindPlaces(_Arguments):
    """Rank the files of the repository by how well they fit some words: names, text, and past commits."""

    tool = Tool.FIND_PLACES
    words: Annotated[str, Field(min_length=1, max_length=500)]


class LookIntoHistory(_Arguments):
    """The newest commits that changed a file, or whose message holds some text, each with the files it changed."""

    tool = Tool.HISTORY
    file: Annotated[str, Field(min_length=1)] | None = None
    text: Annotated[str, Field(min_length=1, max_length=200)] | None = None


class SearchIssues(_Arguments):
    """Search the issues of this repository by words."""

    tool = Tool.SEARCH_ISSUES
    text: Annotated[str, Field(min_length=1)]


class ReadIssue(_Arguments):
    """Read one issue of this repository with its comments."""

    tool = Tool.READ_ISSUE
    number: Annotated[int, Field(ge=1)]


Arguments = (
    ReadFile
    | EditFile
    | CreateFile
    | RunCommand
    | RunCode
    | RunTests
    | SearchCode
    | ListFiles
    | FindInRegistry
    | FindCallers
    | FindTests
    | DescribeEntry
    | FindPlaces
    | LookIntoHistory
    | SearchIssues
    | ReadIssue
)
"""A call of any tool, its arguments checked."""

ARGUMENTS: dict[Tool, type[Arguments]] = {kind.tool: kind for kind in get_args(Arguments)}
"""The arguments of each tool."""


class Delegate(_Arguments):
    """Give one of your agents a task. It knows nothing but the words of the task; what it completes with is the result."""

    tool = Tool.DELEGATE
    agent: Annotated[str, Field(min_length=1)]
    task: Annotated[str, StringConstraints(min_length=1, max_length=20_000, strip_whitespace=True)]


class ReplyToChild(_Arguments):
    """Answer the question of an agent that you started, by its id, where your own task or the code decides it."""

    tool = Tool.REPLY_TO_CHILD
    id: Annotated[str, Field(min_length=1)]
    text: _Wording


class AskPerson(_Arguments):
    """Have a person answer the question of an agent that you started, by its id. The person sees that very question."""

    tool = Tool.ASK_PERSON
    id: Annotated[str, Field(min_length=1)]


FamilyArguments = Delegate | ReplyToChild | AskPerson
"""A call about an agent that another one started. No tool box carries it out: the loop runs that agent."""

FAMILY_ARGUMENTS: dict[Tool, type[FamilyArguments]] = {kind.tool: kind for kind in get_args(FamilyArguments)}
"""The arguments of each such tool."""


def arguments_of(tool_name: str, arguments: Mapping[str, JsonValue]) -> Arguments | FamilyArguments:
    """The arguments of a call of a known tool, checked.

    Raises:
        ValidationError: they do not fit.
    """
    tool = Tool(tool_name)
    if tool in FAMILY_ARGUMENTS:
        return FAMILY_ARGUMENTS[tool].model_validate(arguments)
    return ARGUMENTS[tool].model_validate(arguments)


COMPLETE = "complete"
FAIL = "fail"
CLARIFY = "clarify"
ENDINGS = frozenset({COMPLETE, FAIL, CLARIFY})
"""The calls of which an agent makes exactly one, as its last."""


class Fail(ClosedModel):
    """End without a result, because it cannot be reached. Say why, so that a person can act on it."""

    reason: _Wording


class Ambiguity(StrEnum):
    """What is open in a question that comes again and again."""

    OUTPUT_FORMAT = "output format"
    DATA_SOURCE = "data source"
    SCOPE_BOUNDARY = "scope boundary"


class Clarify(ClosedModel):
    """Ask a person one question that can be decided, because different answers lead to different work.

    Offer two to four options where you can. `default` is one of them, word for word: what you would do without an answer.
    `about` says which common question it is, if it is one.
    """

    question: _Wording
    why: _Wording
    options: Annotated[tuple[_Wording, ...], Field(max_length=4)] = ()
    default: _Wording | None = None
    about: Ambiguity | None = None


@dataclass(frozen=True)
class ToolOutcome:
    """What a tool gave. `ok` is false when it could not do what was asked; red tests are a result, and no such failure."""

    ok: bool
    text: str


class ToolBox(CallTargets, Protocol):
    """Carries tools out, inside one working tree, with time and output capped."""

    def call(self, arguments: Arguments) -> ToolOutcome:
        """Carry a call out that the gate has let through. A failure is an outcome, not an exception."""


def declarations(agent: Agent, *, may_ask: bool, how_to_ask: str) -> tuple[ToolDeclaration, ...]:
    """What a model is told about an agent's tools, and about its endings if they are calls.

    An agent that may not ask is not shown `clarify`; to one that may, `how_to_ask` is told with it.
    """
    tools = [
        _declaration(tool.value, ARGUMENTS[tool], ARGUMENTS[tool].model_json_schema())
        for tool in agent.tools
        if tool in ARGUMENTS
    ]
    tools += _family_declarations(agent)
    if agent.ends_with is EndsWith.TEXT:
        return tuple(tools)
    tools.append(
        ToolDeclaration(
            name=COMPLETE, description="End with the result.", input_schema=dict(agent.output_schema)
        )
    )
    tools.append(_declaration(FAIL, Fail, Fail.model_json_schema()))
    if may_ask:
        clarify = _declaration(CLARIFY, Clarify, Clarify.model_json_schema())
        tools.append(clarify.model_copy(update={"description": f"{clarify.description}\n{how_to_ask}"}))
    return tuple(tools)


def _family_declarations(agent: Agent) -> list[ToolDeclaration]:
    """The tools with which it starts the agents of its file and answers them."""
    if not agent.children:
        return []
    tools = [
        _declaration(tool.value, kind, kind.model_json_schema()) for tool, kind in FAMILY_ARGUMENTS.items()
    ]
    names = "\n".join(f"- {child.name}: {child.description}" for child in agent.children)
    return [
        tool.model_copy(update={"description": f"{tool.description}\nYour agents:\n{names}"})
        if tool.name == Tool.DELEGATE
        else tool
        for tool in tools
    ]


def _declaration(name: str, kind: type[BaseModel], schema: dict[str, JsonValue]) -> ToolDeclaration:
    input_schema = {key: value for key, value in schema.items() if key not in ("title", "description")}
    return ToolDeclaration(name=name, description=kind.__doc__ or "", input_schema=input_schema)
