"""The committed JSON Schema is the one of the model, and agrees with the loader on the shipped files."""

import json
from importlib.resources import files

import pytest
import yaml
from jsonschema import Draft202012Validator

from pipeline.definition.definition_file import DefinitionFile
from pipeline.definition.loader import SHIPPED_DEFINITIONS
from tests.contract.committed import render


@pytest.mark.parametrize("name", SHIPPED_DEFINITIONS)
def test_an_editor_finds_the_schema_of_a_shipped_definition_and_no_fault_in_it(name: str) -> None:
    text = files("pipeline").joinpath("definitions", f"{name}.yml").read_text(encoding="utf-8")
    assert text.splitlines()[0] == "# yaml-language-server: $schema=pipeline.schema.json"
    Draft202012Validator(json.loads(render(DefinitionFile))).validate(yaml.safe_load(text))


@pytest.mark.parametrize("timeout", ["10m", "90s", 30, None])
@pytest.mark.parametrize("needs", ["a", ["a"], []])
def test_the_schema_takes_the_short_forms(timeout: object, needs: object) -> None:
    stage = {"id": "b", "uses": "agent", "needs": needs, "timeout": timeout, "with": {"agent": "x"}}
    Draft202012Validator(json.loads(render(DefinitionFile))).validate({"name": "own", "stages": [stage]})


def test_the_schema_refuses_what_the_loader_refuses() -> None:
    validator = Draft202012Validator(json.loads(render(DefinitionFile)))
    assert not validator.is_valid({"name": "own", "stages": []})
    assert not validator.is_valid({"name": "own", "stages": [{"id": "a", "uses": "x", "timeout": "1d"}]})
    assert not validator.is_valid({"name": "own", "stages": [{"id": "a", "uses": "x", "repeat": {}}]})


def test_the_schema_takes_a_repeat_and_refuses_one_without_end() -> None:
    validator = Draft202012Validator(json.loads(render(DefinitionFile)))
    inner = {"id": "b", "uses": "x", "previous": "b"}

    def valid(**repeat: object) -> bool:
        return validator.is_valid({"name": "own", "stages": [{"id": "a", "repeat": repeat}]})

    assert valid(stages=[inner], until="b.ok", max=3)
    assert not valid(stages=[inner], until="b.ok")
    assert not valid(stages=[inner], max=3)
    assert not valid(stages=[inner], until="b.ok", max=0)
    assert not valid(stages=[], until="b.ok", max=3)
    assert not valid(stages=[{"id": "c", "repeat": {}}], until="b.ok", max=3)
