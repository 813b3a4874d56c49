"""The committed JSON Schemas are the models, and valid JSON Schema."""

import json

import pytest
from jsonschema import Draft202012Validator

from pipeline.contract import json_schemas
from pipeline.contract.json_schemas import render


@pytest.mark.parametrize("name", json_schemas.MODELS)
def test_the_committed_schema_is_the_one_of_the_model(name: str) -> None:
    committed = (json_schemas.DIRECTORY / f"{name}.schema.json").read_text(encoding="utf-8")
    assert committed == render(json_schemas.MODELS[name]), "run `make schemas` and commit the result"
    Draft202012Validator.check_schema(json.loads(committed))
