"""A small world for agents: a tree in memory behind the tool box, a model that says what it is told, lines in memory."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from pipeline.agents.agent import Agent
from pipeline.agents.budget import Budget
from pipeline.agents.delegation import FamilyEvent
from pipeline.agents.loop import AgentLoop
from pipeline.agents.output_schema import output_model
from pipeline.agents.task import Task
from pipeline.agents.tools import (
    Arguments,
    CreateFile,
    EditFile,
    ReadFile,
    RunCommand,
    ToolOutcome,
    arguments_of,
)
from pipeline.agents.transcript import AgentRecord, Entry
from pipeline.contract.answers import Answer, Answers
from pipeline.contract.change import blob_of
from pipeline.gate.decision_log import GateLogEntry
from pipeline.gate.rules_file import load_gate
from pipeline.gate.tool_names import Tool
from pipeline.llm.failures import ModelFailed, ReplyCut
from pipeline.llm.port import (
    Model,
    ModelReply,
    Origin,
    Request,
    StopReason,
    TextBlock,
    ToolCall,
    ToolResult,
    Turn,
)
from pipeline.llm.prices import load_prices
from pipeline.llm.usage import Usage
from tests.pipeline.agents.code import in_the_code

GATE = load_gate()
PRICES = load_prices()

SCHEMA: dict[str, JsonValue] = {
    "type": "object",
    "required": ["summary"],
    "properties": {"summary": {"type": "string", "minLength": 1}},
}

CODER = Agent(
    name="coder",
    description="Writes code.",
    tools=(Tool.READ_FILE, Tool.EDIT_FILE, Tool.CREATE_FILE, Tool.RUN_COMMAND),
    model=None,
    output_schema=SCHEMA,
    output=output_model("coder", SCHEMA),
    prompt="You write code.",
    sha256="0" * 64,
)


class Killed(BaseException):
    """The process ends here."""


class TreeInMemory:
    """A working tree: files by path, links by path. `made` lists the calls that reached it."""

    def __init__(
        self, files: dict[str, str] | None = None, links: dict[str, str | None] | None = None
    ) -> None:
        self.files = dict(files or {"src/app.py": "flag = False\n"})
        self.links = dict(links or {})
        self.made: list[Arguments] = []

    def real_path(self, path: str) -> str | None:
        return self.links.get(path, path)

    def blob_after(self, tool: str, arguments: Mapping[str, JsonValue]) -> str | None:
        match arguments_of(tool, arguments):
            case EditFile(path=path, old=old, new=new) if self.files.get(path, "").count(old) == 1:
                return blob_of("100644", self.files[path].replace(old, new).encode())
            case CreateFile(content=content):
                return blob_of("100644", content.encode())
        return None

    def call(self, arguments: Arguments) -> ToolOutcome:
        self.made.append(arguments)
        match arguments:
            case ReadFile(path=path):
                return ToolOutcome(path in self.files, self.files.get(path, f"there is no {path}"))
            case EditFile(path=path, old=old, new=new):
                if self.files.get(path, "").count(old) != 1:
                    return ToolOutcome(ok=False, text=f"`old` does not occur exactly once in {path}")
                self.files[path] = self.files[path].replace(old, new)
                return ToolOutcome(ok=True, text="edited")
            case CreateFile(path=path, content=content):
                self.files[path] = content
                return ToolOutcome(ok=True, text="created")
            case RunCommand():
                return ToolOutcome(ok=True, text=f"ran {' '.join(arguments.words)}")
        raise NotImplementedError(arguments)


Said = ModelReply | ModelFailed | Killed


class TalkingModel:
    """Says one thing after the other; `asked` holds every request. Nothing left to say kills the process.

    An agent that is stuck is given `last_word`, or no usable reply; `asked_when_stuck` holds those requests.
    It counts every prompt as `prompt_tokens`, or guesses; `counted` holds the requests whose tokens were asked for.
    """

    def __init__(
        self,
        *said: Said,
        origin: Origin = Origin.MODEL,
        took: float = 0,
        world: "World | None" = None,
        last_word: ModelReply | None = None,
    ) -> None:
        self._said: Iterator[Said] = iter(said)
        self._origin = origin
        self._took, self._world = took, world
        self._last_word = last_word
        self.asked: list[Request] = []
        self.asked_when_stuck: list[Request] = []
        self.counted: list[Request] = []
        self.prompt_tokens: int | None = None

    @property
    def origin(self) -> Origin:
        return self._origin

    def count_tokens(self, request: Request) -> int:
        self.counted.append(request)
        return request.guessed_tokens if self.prompt_tokens is None else self.prompt_tokens

    def reply(self, request: Request) -> ModelReply:
        if request.purpose.endswith("/stuck"):
            self.asked_when_stuck.append(request)
            if self._last_word is None:
                raise ReplyCut("nothing came back", usage=Usage(output_tokens=7))
            return self._last_word
        self.asked.append(request)
        if self._world is not None:
            self._world.seconds += self._took
        said = next(self._said, Killed())
        if isinstance(said, ModelReply):
            return said
        raise said


class LinesInMemory:
    """Lines that outlive the process that wrote them."""

    def __init__(self) -> None:
        self.lines: list[Any] = []

    def read(self) -> list[Any]:
        return list(self.lines)

    def append(self, line: Any) -> None:
        self.lines.append(line)


@dataclass
class World:
    """All that an agent needs. `start` makes a new process on the same disk."""

    tree: TreeInMemory = field(default_factory=TreeInMemory)
    transcript: Any = field(default_factory=LinesInMemory)
    gate: Any = field(default_factory=LinesInMemory)
    answers: list[Answer] = field(default_factory=list)
    limits: Budget = field(default_factory=Budget)
    seconds: float = 0.0
    children: dict[str, Any] = field(default_factory=dict)
    told: list[FamilyEvent] = field(default_factory=list)

    def of_child(self, within: str) -> Any:
        """The transcript of an agent that another one started, by its path of ids."""
        return self.children.setdefault(within, LinesInMemory())

    def start(self, model: Model, *, named: str = "claude-sonnet-5-5", **changes: Any) -> AgentLoop:
        given = {
            "stage": "coder",
            "round_": 1,
            "agent": CODER,
            "model": named,
            "prompt": "Add a flag.",
        }
        return AgentLoop(
            Task(**{**given, "answers": Answers(answers=tuple(self.answers)), **changes}),
            model=model,
            tools=self.tree,
            gate=GATE,
            limits=self.limits,
            prices=PRICES,
            record=AgentRecord(self.transcript, self.gate, self.of_child),
            registry=in_the_code,
            tell=self.told.append,
            clock=lambda: self.seconds,
        )

    @property
    def entries(self) -> list[Entry]:
        return list(self.transcript.read())

    @property
    def decisions(self) -> list[GateLogEntry]:
        return list(self.gate.read())


def says(*calls: ToolCall, words: str = "", tokens: tuple[int, int] = (1000, 100)) -> ModelReply:
    text = (TextBlock(text=words),) if words else ()
    return ModelReply(
        content=(*text, *calls),
        stop_reason=StopReason.TOOL_USE if calls else StopReason.END_TURN,
        usage=Usage(input_tokens=tokens[0], output_tokens=tokens[1]),
    )


def last_word(**form: Any) -> ModelReply:
    """What an agent says that is asked because it is stuck."""
    filled = {
        "believes": "The remote wants a login.",
        "question": "May the branch be left unpushed?",
        "go": "Leave the branch unpushed and complete.",
        "otherwise": [],
        **form,
    }
    return says(words=json.dumps(filled), tokens=(900, 80))


def call(name: str, id_: str = "t1", **arguments: Any) -> ToolCall:
    return ToolCall(id=id_, name=name, input=arguments)


def completes(summary: str = "done") -> ModelReply:
    return says(call("complete", "end", summary=summary))


EDIT = call("edit_file", path="src/app.py", old="False", new="True")


def results(model: TalkingModel) -> list[str]:
    """What the model was given back before its last turn."""
    return [block.content for block in model.asked[-1].turns[-1].content if isinstance(block, ToolResult)]


def words(turn: Turn) -> str:
    """The text of a turn."""
    return "".join(block.text for block in turn.content if isinstance(block, TextBlock))
