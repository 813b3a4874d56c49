"""The JSON Schemas of the files that a repository may keep in `.github/askfirst/`, for editors (`make schemas`)."""

import json
from pathlib import Path

from pydantic import BaseModel

from pipeline.agents.gate_rules import RuleFile
from pipeline.definition.agent_files import FrontMatter
from pipeline.definition.repository_configuration import RepositoryConfiguration
from pipeline.llm.prices import PriceFile

DIRECTORY = Path(__file__).parent / "schemas"

MODELS: dict[str, type[BaseModel]] = {
    "agent": FrontMatter,
    "config": RepositoryConfiguration,
    "gate": RuleFile,
    "prices": PriceFile,
}
"""By the name of the file; `agent` is what stands between the two `---` of an agent's file. Decisions are a contract, and
pipelines have a schema of their own."""


def render(name: str) -> str:
    """The JSON Schema (2020-12) of one file, as it is committed."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **MODELS[name].model_json_schema(mode="validation"),
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def write_all() -> None:
    """Write every schema into the committed directory."""
    DIRECTORY.mkdir(exist_ok=True)
    for name in MODELS:
        (DIRECTORY / f"{name}.schema.json").write_text(render(name), encoding="utf-8")


if __name__ == "__main__":
    write_all()
