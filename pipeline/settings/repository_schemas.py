"""The JSON Schemas of the files that a repository may keep in `.github/askfirst/`, for editors (`make schemas`)."""

from pathlib import Path

from pydantic import BaseModel

from pipeline.contract.json_schemas import write_schemas
from pipeline.gate.rules import RuleFile
from pipeline.llm.prices import PriceFile
from pipeline.settings.agent_files import FrontMatter
from pipeline.settings.configuration import RepositoryConfiguration

DIRECTORY = Path(__file__).parent / "schemas"

MODELS: dict[str, type[BaseModel]] = {
    "agent": FrontMatter,
    "config": RepositoryConfiguration,
    "gate": RuleFile,
    "prices": PriceFile,
}
"""By the name of the file; `agent` is what stands between the two `---` of an agent's file. Decisions are a contract, and
pipelines have a schema of their own."""


if __name__ == "__main__":
    write_schemas(MODELS, DIRECTORY)
