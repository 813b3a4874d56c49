"""Read an agent's file: Markdown with front matter (`FrontMatter`), the body its prompt."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    ValidationError,
)

from pipeline.agents.agent import Agent, EndsWith, Tool
from pipeline.agents.output_schema import OutputSchemaInvalid, output_model
from pipeline.contract.yaml_source import MAX_BYTES, Document, Mistake, read_yaml
from pipeline.definition.model_mistakes import model_mistakes, suggestion
from pipeline.stages.agent import AgentName

_FENCE = b"---"


class AgentFileInvalid(Exception):
    """An agent's file that is missing or has mistakes; the message lists all of them with file and line."""


def _tool_list(value: object) -> object:
    """`tools: read_file, search_issues` means the list of them, as coding agents' own files write it."""
    return [word.strip() for word in value.split(",") if word.strip()] if isinstance(value, str) else value


class FrontMatter(BaseModel):
    """What stands between the two `---` of an agent's file.

    `ends_with: text` is for an agent that writes its ending as a fenced block instead of calling it. `max_rounds` is how
    often it may ask before it must complete or fail.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: AgentName
    description: Annotated[str, StringConstraints(min_length=1, max_length=500)]
    tools: Annotated[tuple[Tool, ...], BeforeValidator(_tool_list)] = ()
    model: Annotated[str, StringConstraints(min_length=1, max_length=100)] | None = None
    ends_with: EndsWith = EndsWith.CALL
    max_rounds: Annotated[int, Field(ge=0, le=5)] = 1
    output: dict[str, JsonValue]


def find_agent(name: str, folders: Sequence[Path]) -> Agent:
    """The agent `<name>.md` of the first folder that has one.

    Raises:
        AgentFileInvalid: no folder has it, or the file has mistakes.
    """
    for folder in folders:
        path = folder / f"{name}.md"
        if path.is_file():
            return read_agent(path)
    there = {file.stem for folder in folders for file in folder.glob("*.md")}
    raise AgentFileInvalid(f"There is no agent `{name}`.{suggestion(name, sorted(there))}")


def read_agent(path: Path) -> Agent:
    """Read and check one agent's file.

    Raises:
        AgentFileInvalid: the file cannot be read or has mistakes; all of them are listed.
    """
    try:
        with path.open("rb") as file:
            content: bytes = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise AgentFileInvalid(f"{path}: {error.strerror}") from error
    document, prompt, mistakes = _split(content)
    agent = None if mistakes else _agent(path.stem, document, prompt, content, mistakes)
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
    try:
        output = output_model(front.name, front.output)
    except OutputSchemaInvalid as error:
        mistakes.extend(
            Mistake(document.line(("output", *found.path)), found.text) for found in error.mistakes
        )
        return None
    return Agent(
        name=front.name,
        description=front.description,
        tools=front.tools,
        model=front.model,
        output_schema=front.output,
        output=output,
        prompt=prompt,
        sha256=hashlib.sha256(content).hexdigest(),
        ends_with=front.ends_with,
        max_rounds=front.max_rounds,
    )
