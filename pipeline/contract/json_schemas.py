"""Write the committed JSON Schemas from the models: `python -m pipeline.contract.json_schemas`, or `make schemas`."""

import json
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel

from pipeline.contract.answers import Answers
from pipeline.contract.change import Change
from pipeline.contract.clarification import Clarification
from pipeline.contract.decisions import DecisionFile
from pipeline.contract.failure import Failure
from pipeline.contract.revision import Revision
from pipeline.contract.run import RunRecord
from pipeline.contract.ticket import Ticket

DIRECTORY = Path(__file__).parent / "schemas"

MODELS: dict[str, type[BaseModel]] = {
    "answers": Answers,
    "change": Change,
    "clarification": Clarification,
    "decisions": DecisionFile,
    "failure": Failure,
    "revision": Revision,
    "run": RunRecord,
    "ticket": Ticket,
}


def render(model: type[BaseModel]) -> str:
    """The JSON Schema (2020-12) of one document, as it is committed."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **model.model_json_schema()}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def write_schemas(models: Mapping[str, type[BaseModel]], directory: Path) -> None:
    """Write the schema of every model as `NAME.schema.json`."""
    directory.mkdir(exist_ok=True)
    for name, model in models.items():
        (directory / f"{name}.schema.json").write_text(render(model), encoding="utf-8")


if __name__ == "__main__":
    write_schemas(MODELS, DIRECTORY)
