"""`askfirst plan` checks what a repository keeps in `.github/askfirst/`, and editors are given its schemas."""

import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from pipeline.commands.plan import command
from pipeline.definition.repository_check import check_repository
from pipeline.domain.errors import DefinitionInvalid
from pipeline.gate.rules import RuleFile
from pipeline.llm.prices import PriceFile
from tests.contract.committed import render

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


@pytest.mark.parametrize("line", ["plan: ask", "plan: go", 'plan: "ask"'])
def test_a_repository_may_want_to_see_each_plan(tmp_path: Path, line: str) -> None:
    write(tmp_path, {"config.yml": f"{line}\n"})
    done = CliRunner().invoke(
        command, ["--repository", str(tmp_path), "--definition", "build"], standalone_mode=False
    )
    assert (done.return_value, done.stderr) == (0, ".github/askfirst/config.yml: fine\n")


def test_a_word_for_plan_that_there_is_not_is_a_mistake_with_what_is_allowed(tmp_path: Path) -> None:
    write(tmp_path, {"config.yml": "plan: maybe\n"})
    (file,) = check_repository(tmp_path)
    assert "config.yml:1: `plan` must be 'go' or 'ask'; found 'maybe'." in file.mistakes


@pytest.mark.parametrize("line", ["test_command: cd backend && pytest", "setup: [npm ci && npm test]"])
def test_a_command_that_needs_a_shell_is_a_mistake_before_a_run_finds_it(tmp_path: Path, line: str) -> None:
    write(tmp_path, {"config.yml": f"{line}\n"})
    (file,) = check_repository(tmp_path)
    assert "`&&` means something to a shell only" in file.mistakes
    assert "Put what needs a shell into a script, and name it: ./run-tests.sh" in file.mistakes


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("- a\n", "config.yml:1: the file must be keys with values; found ['a']."),
        ("test_command: 5\n", "config.yml:1: `test_command` must be text; found 5."),
        ("setup: npm ci\n", "config.yml:1: `setup` must be a list; found 'npm ci'."),
        ("plan: asks\n", "config.yml:1: `plan` must be 'go' or 'ask'; found 'asks'. Did you mean `ask`?"),
        ("budget: {turns: many}\n", "config.yml:1: `turns` must be a whole number; found 'many'."),
    ],
)
def test_a_value_of_another_kind_is_said_in_words_of_yaml(tmp_path: Path, text: str, sentence: str) -> None:
    write(tmp_path, {"config.yml": text})
    (file,) = check_repository(tmp_path)
    assert sentence in file.mistakes


CONDITION = {"when": "size(reading.acceptance) > 0"}
WITHOUT_SEMANTICS = ["snapshot", "registry", "reading", "places", "existing", "decomposition"]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({}, None),
        ({"plans": {"with": {"policy": "off"}}}, "no stage explores the code before `coder` works"),
        ({"ticket": {"needs": WITHOUT_SEMANTICS}}, "no stage explores the code before `coder` works"),
        ({"semantics": CONDITION}, "the stage `semantics` runs only if `size(reading.acceptance) > 0`"),
        (
            {"plans": CONDITION, "semantics": CONDITION},
            "the stage `plans` runs only if `size(reading.acceptance) > 0`",
        ),
    ],
    ids=["as shipped", "nobody explores", "the ticket does not wait", "a condition", "two conditions"],
)
def test_a_definition_that_may_build_what_nobody_has_seen_a_plan_of_does_not_fit(
    tmp_path: Path, changed: dict[str, dict[str, object]], why: str | None
) -> None:
    build = yaml.safe_load((ROOT / "pipeline/definitions/build.yml").read_text())
    for stage in build["stages"]:
        stage.update(changed.get(stage["id"], {}))
    own = tmp_path / "own.yml"
    own.write_text(yaml.safe_dump(build, sort_keys=False))
    write(tmp_path, {"config.yml": "plan: ask\n"})
    arguments = ["--repository", str(tmp_path), "--definition", str(own)]
    done = CliRunner().invoke(command, arguments, standalone_mode=False)
    if why is None:
        assert done.return_value == 0
    else:
        assert isinstance(done.exception, DefinitionInvalid)
        assert why in done.exception.why


def test_agents_that_build_nothing_need_no_plan(tmp_path: Path) -> None:
    write(tmp_path, {"config.yml": "plan: ask\n"})
    arguments = ["--repository", str(tmp_path), "--definition", "triage"]
    assert CliRunner().invoke(command, arguments, standalone_mode=False).return_value == 0


def test_a_repository_without_the_folder_is_fine(tmp_path: Path) -> None:
    assert check_repository(tmp_path) == ()


@pytest.mark.parametrize(
    ("model", "path"), [(RuleFile, "pipeline/gate/gate.yml"), (PriceFile, "pipeline/llm/prices.yml")]
)
def test_the_shipped_files_fit_their_schemas(model: type[BaseModel], path: str) -> None:
    schema = json.loads(render(model))
    data = json.loads(json.dumps(yaml.safe_load((ROOT / path).read_text(encoding="utf-8")), default=str))
    assert [error.message for error in Draft202012Validator(schema).iter_errors(data)] == []
