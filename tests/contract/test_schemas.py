"""The committed JSON Schemas and the page on definitions are those of the models."""

import json

import pytest
from jsonschema import Draft202012Validator

from tests.contract.committed import REFERENCE, ROOT, SCHEMAS, render, render_reference


@pytest.mark.parametrize("path", SCHEMAS)
def test_the_committed_schema_is_the_one_of_the_model(path: str) -> None:
    committed = (ROOT / path).read_text(encoding="utf-8")
    assert committed == render(SCHEMAS[path]), "run `make schemas` and commit the result"
    Draft202012Validator.check_schema(json.loads(committed))


def test_the_committed_page_on_definitions_is_the_one_of_the_models() -> None:
    committed = (ROOT / REFERENCE).read_text(encoding="utf-8")
    assert committed == render_reference(), "run `make schemas` and commit the result"
