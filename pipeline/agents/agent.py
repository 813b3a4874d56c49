"""What an agent is: a prompt, the tools it may ask for, and the shape of what it completes with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import BaseModel, JsonValue

from pipeline.contract.wire import Sha256


class Tool(StrEnum):
    """A tool that an agent file may name. Naming one allows nothing: each call still passes the gate."""

    READ_FILE = "read_file"
    EDIT_FILE = "edit_file"
    CREATE_FILE = "create_file"
    RUN_COMMAND = "run_command"
    RUN_TESTS = "run_tests"
    SEARCH_CODE = "search_code"
    LIST_FILES = "list_files"
    FIND_IN_REGISTRY = "find_in_registry"
    FIND_CALLERS = "find_callers"
    FIND_TESTS = "find_tests"
    DESCRIBE_ENTRY = "describe_entry"
    FIND_PLACES = "find_places"
    HISTORY = "history"
    SEARCH_ISSUES = "search_issues"
    READ_ISSUE = "read_issue"
    DELEGATE = "delegate"
    REPLY_TO_CHILD = "reply_to_child"
    ASK_PERSON = "ask_person"


FAMILY_TOOLS = (Tool.DELEGATE, Tool.REPLY_TO_CHILD, Tool.ASK_PERSON)
"""The tools of an agent that may start others. They come with `agents` in its file."""


WRITING_TOOLS = frozenset({Tool.EDIT_FILE, Tool.CREATE_FILE})
"""Tools that write one file of the tree, which their `path` names."""


READING_TOOLS = frozenset(
    {
        Tool.READ_FILE,
        Tool.SEARCH_CODE,
        Tool.LIST_FILES,
        Tool.FIND_IN_REGISTRY,
        Tool.FIND_CALLERS,
        Tool.FIND_TESTS,
        Tool.DESCRIBE_ENTRY,
        Tool.FIND_PLACES,
        Tool.HISTORY,
        Tool.SEARCH_ISSUES,
        Tool.READ_ISSUE,
    }
)
"""Tools that change nothing and start no program of the repository: all that an agent may have that only explores."""


class EndsWith(StrEnum):
    """How an agent ends: with a call of `complete`, `fail` or `clarify`, or with a fenced block of that name in its text."""

    CALL = "call"
    TEXT = "text"


@dataclass(frozen=True)
class Agent:
    """One agent, as its file declares it.

    `model` is None where the file leaves the choice to the configuration. `output` is the model made from
    `output_schema`; `sha256` is the hash of the whole file, and of those of the agents that it may start (`children`).
    `max_rounds` is how often it may ask before it must complete or fail. `asks_before` names values of fields of its
    output that it may not complete with before a person has answered it: what it is sure of itself is no reason.
    """

    name: str
    description: str
    tools: tuple[Tool, ...]
    model: str | None
    output_schema: Mapping[str, JsonValue]
    output: type[BaseModel]
    prompt: str
    sha256: Sha256
    ends_with: EndsWith = EndsWith.CALL
    max_rounds: int = 1
    asks_before: Mapping[str, frozenset[str]] = field(default_factory=dict)
    children: "tuple[Agent, ...]" = ()

    def unasked_value(self, output: BaseModel) -> str | None:
        """What of its output it would have to ask a person about first, such as `recommendation: close`."""
        values = ((name, getattr(output, name, None)) for name in self.asks_before)
        return next((f"{name}: {value}" for name, value in values if value in self.asks_before[name]), None)
