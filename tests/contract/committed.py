"""What is generated from the models and committed: JSON Schemas, and the end of docs/agents.md. `make schemas` writes them."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from pipeline.contract.answers import Answers
from pipeline.contract.change import Change
from pipeline.contract.clarification import Clarification
from pipeline.contract.decisions import DecisionFile
from pipeline.contract.failure import Failure
from pipeline.contract.revision import Revision
from pipeline.contract.run import RunRecord
from pipeline.contract.ticket import Ticket
from pipeline.definition.definition_file import DefinitionFile
from pipeline.gate.rules import RuleFile
from pipeline.llm.prices import PriceFile
from pipeline.settings.agent_files import FrontMatter
from pipeline.settings.repository_settings import RepositoryConfiguration
from pipeline.stages.all_stages import STAGE_KINDS
from pipeline.stages.stage import AnyStageKind

ROOT = Path(__file__).parents[2]
REFERENCE = "docs/agents.md"

SCHEMAS: dict[str, type[BaseModel]] = {
    "pipeline/contract/schemas/answers.schema.json": Answers,
    "pipeline/contract/schemas/change.schema.json": Change,
    "pipeline/contract/schemas/clarification.schema.json": Clarification,
    "pipeline/contract/schemas/decisions.schema.json": DecisionFile,
    "pipeline/contract/schemas/failure.schema.json": Failure,
    "pipeline/contract/schemas/revision.schema.json": Revision,
    "pipeline/contract/schemas/run.schema.json": RunRecord,
    "pipeline/contract/schemas/ticket.schema.json": Ticket,
    "pipeline/definitions/pipeline.schema.json": DefinitionFile,
    # What stands between the two `---` of an agent's file.
    "pipeline/settings/schemas/agent.schema.json": FrontMatter,
    "pipeline/settings/schemas/config.schema.json": RepositoryConfiguration,
    "pipeline/settings/schemas/gate.schema.json": RuleFile,
    "pipeline/settings/schemas/prices.schema.json": PriceFile,
}


def render(model: type[BaseModel]) -> str:
    """The JSON Schema (2020-12) of a model, as it is committed."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **model.model_json_schema()}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


_HEAD = """## The definition

Editors complete a definition with its [JSON Schema](../pipeline/definitions/pipeline.schema.json), from which this section is
made. A stage inside of a repeat has the keys of a stage, and one more.
"""

_PARTS = {
    "DefinitionFile": "The file",
    "StageEntry": "A stage",
    "OptionalNeed": "A need that is written out",
    "RepeatEntry": "A repeat",
    "RepeatBody": "Under `repeat`",
    "InnerStageEntry": "A stage inside of a repeat",
}


_DURATION = "^[0-9]{1,5}[smh]$"


def render_reference() -> str:
    """The page as it is committed: its last section, below what is written by hand."""
    by_hand, _, _ = (ROOT / REFERENCE).read_text(encoding="utf-8").partition(_HEAD)
    schema = json.loads(render(DefinitionFile))
    parts = {"DefinitionFile": schema, **schema["$defs"]}
    keys, inner = (parts[name]["properties"] for name in ("StageEntry", "InnerStageEntry"))
    parts["InnerStageEntry"]["properties"] = {key: inner[key] for key in inner if inner[key] != keys.get(key)}
    blocks = [by_hand + _HEAD]
    blocks += ["\n".join(_part(title, parts[name])) for name, title in _PARTS.items()]
    blocks.append("\n".join(_kinds(STAGE_KINDS)))
    return "\n".join(f"{block.rstrip()}\n" for block in blocks)


def _part(title: str, part: Mapping[str, Any]) -> Iterator[str]:
    yield f"### {title}\n\n{' '.join(part['description'].split())}\n"
    yield "| key | value | default | |\n|---|---|---|---|"
    required_keys = part.get("required", [])
    for key, value in part["properties"].items():
        default = "must be there" if key in required_keys else f"`{json.dumps(value.get('default', {}))}`"
        meaning = " ".join(value.get("description", "").split()).replace("|", "\\|")
        yield f"| `{key}` | {_type(value)} | {default} | {meaning} |"


def _type(value: Mapping[str, Any]) -> str:
    """What a key may hold, in a few words."""
    for word in ("anyOf", "oneOf"):
        if word in value:
            return " or ".join(
                dict.fromkeys(_type(option) for option in value[word] if option.get("type") != "null")
            )
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        title = _PARTS.get(name, "any value")
        return (
            f"[{title.lower()}](#{title.lower().replace('`', '').replace(' ', '-')})"
            if name in _PARTS
            else title
        )
    match value.get("type"):
        case "array":
            return f"list of: {_type(value['items'])}"
        case "object":
            return "mapping"
        case "integer" | "number":
            low = value.get("minimum", value.get("exclusiveMinimum"))
            high = value.get("maximum", value.get("exclusiveMaximum"))
            return "a number" if high is None else f"a number, {low} to {high}"
        case "boolean":
            return "true or false"
        case "string" if value.get("pattern") == _DURATION:
            return "a duration"
        case "string" if "pattern" in value:
            return "an id"
        case _:
            return "text"


def _kinds(kinds: Mapping[str, AnyStageKind]) -> Iterator[str]:
    yield "### Kinds of stages\n"
    yield (
        "What `uses` may name. A stage names what its kind reads under `needs`; with `?` it can do without, because it has "
        "a default. `agent` and `command` take any stages. A run ends with the output of a kind marked ●.\n"
    )
    yield "| `uses` | reads | `with` | runs only if |\n|---|---|---|---|"
    for kind in kinds.values():
        reads = [
            f"`{name}`" if field.is_required() else f"`{name}`?"
            for name, field in kind.input.model_fields.items()
            if not name.startswith("previous_")
        ]
        options = [f"`{name}`" for name in kind.options.model_fields]
        ending = " ●" if kind.is_ending else ""
        yield f"| `{kind.name}`{ending} | {', '.join(reads)} | {', '.join(options)} | {kind.runs_if or ''} |"


if __name__ == "__main__":
    for path, model in SCHEMAS.items():
        (ROOT / path).write_text(render(model), encoding="utf-8")
    (ROOT / REFERENCE).write_text(render_reference(), encoding="utf-8")
