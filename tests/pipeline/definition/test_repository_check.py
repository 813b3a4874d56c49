"""`askfirst plan` checks what a repository keeps in `.github/askfirst/`, and editors are given its schemas."""

import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from pipeline.commands.plan import command
from pipeline.contract.json_schemas import render
from pipeline.definition.repository_check import check_repository
from pipeline.settings import repository_schemas

ROOT = Path(__file__).parents[3]
GOOD = {
    "config.yml": "test_command: pytest -q\nbudget: {turns: 10}\n",
    "gate.yml": "version: 1\nrules:\n  - {id: docs, tier: allow, tools: [edit_file], paths: ['docs/**'], why: reviewed anyway}\n",
    "agents/labeller.md": "---\nname: labeller\ndescription: Says what an issue is about.\noutput: {type: object, "
    "properties: {urgent: {type: boolean}}, required: [urgent], additionalProperties: false}\n---\nSay it.\n",
    "pipeline.yml": "name: labels\ndescription: One agent.\nstages:\n  - {id: area, uses: agent, with: {agent: labeller}}\n",
}


def write(repository: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = repository / ".github" / "askfirst" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_a_folder_without_mistakes_is_fine(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    mistakes = {file.path: file.mistakes for file in check_repository(tmp_path)}
    assert mistakes == {f".github/askfirst/{name}": "" for name in GOOD}


def test_an_agent_may_start_a_shipped_one_as_in_a_run(tmp_path: Path) -> None:
    labeller = GOOD["agents/labeller.md"].replace("output:", "agents: [completeness]\noutput:")
    write(tmp_path, {"agents/labeller.md": labeller})
    assert [file.mistakes for file in check_repository(tmp_path)] == [""]


def test_every_mistake_of_every_file_is_said_and_plan_ends_with_1(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "config.yml": "test_comand: x\n",
            "gate.yml": "rules: 7\n",
            "prices.yml": "models: {m: {}}\n",
            "decisions.yml": "decisions: 3\n",
            "agents/labeller.md": "---\nname: labeller\n---\n",
            "pipeline.yml": "name: labels\n",
        },
    )
    done = CliRunner().invoke(command, ["--repository", str(tmp_path)], standalone_mode=False)
    assert done.return_value == 1
    assert "test_comand" in done.stderr
    assert all(file.mistakes for file in check_repository(tmp_path))
    assert "fine" not in done.stderr


def test_a_repository_without_the_folder_is_fine(tmp_path: Path) -> None:
    assert check_repository(tmp_path) == ()


@pytest.mark.parametrize("name", repository_schemas.MODELS)
def test_the_committed_schema_is_the_one_of_the_model(name: str) -> None:
    committed = (repository_schemas.DIRECTORY / f"{name}.schema.json").read_text(encoding="utf-8")
    assert committed == render(repository_schemas.MODELS[name]), "run `make schemas` and commit the result"
    Draft202012Validator.check_schema(json.loads(committed))


@pytest.mark.parametrize(
    ("name", "path"), [("gate", "pipeline/gate/gate.yml"), ("prices", "pipeline/llm/prices.yml")]
)
def test_the_shipped_files_fit_their_schemas(name: str, path: str) -> None:
    schema = json.loads(render(repository_schemas.MODELS[name]))
    data = json.loads(json.dumps(yaml.safe_load((ROOT / path).read_text(encoding="utf-8")), default=str))
    assert [error.message for error in Draft202012Validator(schema).iter_errors(data)] == []
