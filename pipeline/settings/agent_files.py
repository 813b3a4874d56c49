"""Read an agent's file: Markdown with front matter (`FrontMatter`), the body its prompt."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from pydantic import (
    BeforeValidator,
    Field,
    JsonValue,
    StringConstraints,
    ValidationError,
)

from pipeline.agents.agent import Agent, AgentName, EndsWith
from pipeline.agents.output_schema import OutputSchemaInvalid, output_model
from pipeline.contract.yaml_source import MAX_BYTES, Document, Mistake, read_yaml
from pipeline.domain.model_mistakes import model_mistakes, suggestion
from pipeline.domain.models import ClosedModel
from pipeline.domain.yaml_file import read_plain_file
from pipeline.gate.tool_names import FAMILY_TOOLS, Tool

_FENCE = b"---"

DEEPEST = 3
"""Levels of agents that start agents, the one of the stage included."""


class AgentFileInvalid(Exception):
    """An agent's file that is missing or has mistakes; the message lists all of them with file and line."""


def _tool_list(value: object) -> object:
    """`tools: read_file, search_issues` means the list of them, as coding agents' own files write it."""
    return [word.strip() for word in value.split(",") if word.strip()] if isinstance(value, str) else value


class FrontMatter(ClosedModel):
    """What stands between the two `---` of an agent's file.

    `ends_with: text` is for an agent that writes its ending as a fenced block instead of calling it. `max_rounds` is how
    often it may ask before it must complete or fail. `agents` are those that it may start, each a file of its own.
    `asks_before` names values of its output, by field, that a person has to be asked about first.
    """

    name: AgentName
    description: Annotated[str, StringConstraints(min_length=1, max_length=500)]
    tools: Annotated[tuple[Tool, ...], BeforeValidator(_tool_list)] = ()
    model: Annotated[str, StringConstraints(min_length=1, max_length=100)] | None = None
    ends_with: EndsWith = EndsWith.CALL
    max_rounds: Annotated[int, Field(ge=0, le=5)] = 1
    agents: Annotated[tuple[AgentName, ...], Field(max_length=10)] = ()
    asks_before: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    output: dict[str, JsonValue]


class AgentFiles:
    """Agents by name: each is `<name>.md` of the first of these folders that has one, and is read once."""

    def __init__(self, *folders: Path) -> None:
        self._folders = folders
        self._agents: dict[str, Agent] = {}

    def find(self, name: str) -> Agent:
        """The agent of that name, with those that it may start.

        Raises:
            AgentFileInvalid: no folder has it, or a file has mistakes; all of them are listed.
        """
        if name not in self._agents:
            self._agents[name] = _find_agent(name, self._folders, ())
        return self._agents[name]


TEMPLATES = Path(__file__).parents[1] / "agents" / "templates"
"""The folder of the agents that are shipped."""

SHIPPED_AGENTS = AgentFiles(TEMPLATES)


def _find_agent(name: str, folders: Sequence[Path], above: tuple[str, ...]) -> Agent:
    for folder in folders:
        path = folder / f"{name}.md"
        if path.is_file():
            return _read(path, folders, above)
    there = {file.stem for folder in folders for file in folder.glob("*.md")}
    raise AgentFileInvalid(f"There is no agent `{name}`.{suggestion(name, sorted(there))}")


def _read(path: Path, folders: Sequence[Path], above: tuple[str, ...]) -> Agent:
    """One file, and those of its agents. `above` names the agents that lead to it."""
    try:
        content = read_plain_file(path, MAX_BYTES + 1)
    except OSError as error:
        raise AgentFileInvalid(f"{path}: {error.strerror}") from error
    document, prompt, mistakes = _split(content)
    agent = None if mistakes else _agent(path.stem, document, prompt, content, mistakes)
    if agent is not None and not mistakes:
        agent = _with_children(agent, document, folders, above, mistakes)
    if agent is None or mistakes:
        raise AgentFileInvalid(
            "\n".join(f"{path}:{mistake.line}: {mistake.text}" for mistake in sorted(mistakes))
        )
    return agent


def _split(content: bytes) -> tuple[Document, str, list[Mistake]]:
    """Front matter, prompt and what is wrong with them."""
    lines = content.splitlines(keepends=True)
    fences = [number for number, line in enumerate(lines) if line.rstrip() == _FENCE]
    if len(content) > MAX_BYTES:
        mistakes = [Mistake(1, f"the file is larger than {MAX_BYTES} bytes")]
    elif len(fences) < 2 or fences[0] != 0:
        mistakes = [Mistake(1, "the file does not begin with front matter between two lines of `---`")]
    else:
        document = read_yaml(b"".join(lines[1 : fences[1]]), first_line=2)
        prompt = b"".join(lines[fences[1] + 1 :]).decode("utf-8", errors="replace").strip()
        mistakes = list(document.mistakes)
        if not prompt:
            mistakes.append(Mistake(fences[1] + 1, "there is no prompt below the front matter"))
        return document, prompt, mistakes
    return Document(None, {}, ()), "", mistakes


def _agent(
    stem: str, document: Document, prompt: str, content: bytes, mistakes: list[Mistake]
) -> Agent | None:
    try:
        front = FrontMatter.model_validate(document.data)
    except ValidationError as error:
        mistakes.extend(model_mistakes(error, FrontMatter, document))
        return None
    if front.name != stem:
        text = f"the file's stem is `{stem}`, and its name `{front.name}`: they must be the same"
        mistakes.append(Mistake(document.line(("name",)), text))
    if not front.agents and set(front.tools) & set(FAMILY_TOOLS):
        text = f"{', '.join(FAMILY_TOOLS)} come with `agents`, the list of those that it may start, such as [formatter]"
        mistakes.append(Mistake(document.line(("tools",)), text))
    try:
        output = output_model(front.name, front.output)
    except OutputSchemaInvalid as error:
        mistakes.extend(
            Mistake(document.line(("output", *mistake.path)), mistake.text) for mistake in error.mistakes
        )
        return None
    for name, values in front.asks_before.items():
        for value in values:
            if not _is_value(front.output, name, value):
                text = f"`{name}: {value}` is no value of the output; name a field with an `enum`, and one of its words"
                mistakes.append(Mistake(document.line(("asks_before", name)), text))
    return Agent(
        name=front.name,
        description=front.description,
        tools=tuple(dict.fromkeys((*front.tools, *(FAMILY_TOOLS if front.agents else ())))),
        model=front.model,
        output_schema=front.output,
        output=output,
        prompt=prompt,
        sha256=hashlib.sha256(content).hexdigest(),
        ends_with=front.ends_with,
        max_rounds=front.max_rounds,
        asks_before={name: frozenset(values) for name, values in front.asks_before.items()},
    )


def _is_value(schema: Mapping[str, JsonValue], name: str, value: str) -> bool:
    properties = schema.get("properties")
    property_schema = properties.get(name) if isinstance(properties, dict) else None
    words = property_schema.get("enum") if isinstance(property_schema, dict) else None
    return isinstance(words, list) and value in words


def _with_children(
    agent: Agent, document: Document, folders: Sequence[Path], above: tuple[str, ...], mistakes: list[Mistake]
) -> Agent:
    """The agent with those that it may start, read and checked as well. Its hash covers them."""
    names = FrontMatter.model_validate(document.data).agents
    line = [*above, agent.name]
    children = []
    for position, name in enumerate(names):
        place = document.line(("agents", position))
        if name in names[:position]:
            mistakes.append(Mistake(place, f"`{name}` is named twice"))
        elif name in line:
            mistakes.append(
                Mistake(place, f"agents start each other in a circle: {' → '.join([*line, name])}")
            )
        elif len(line) >= DEEPEST:
            deep = " → ".join([*line, name])
            mistakes.append(
                Mistake(place, f"agents start each other over more than {DEEPEST} levels: {deep}")
            )
        else:
            try:
                children.append(_find_agent(name, folders, tuple(line)))
            except AgentFileInvalid as error:
                mistakes.append(Mistake(place, str(error)))
    if not names:
        return agent
    hashes = "".join([agent.sha256, *(child.sha256 for child in children)])
    return replace(agent, children=tuple(children), sha256=hashlib.sha256(hashes.encode()).hexdigest())
