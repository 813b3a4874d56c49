"""Checks documents against Atlassian's own JSON Schema of its document format."""

import functools
import json

from jsonschema import Draft4Validator

from tests.contract.github_description import FETCHED, HOW_TO_GET

ADF_SCHEMA = FETCHED / "adf-schema.json"
"""Where `fetch_description.py` puts it."""

HOW_TO_GET_SCHEMA = HOW_TO_GET.replace("GitHub's API description", "Atlassian's schema of documents")


@functools.cache
def adf_validator() -> Draft4Validator | None:
    """The validator of documents; None where the schema was not fetched."""
    if not ADF_SCHEMA.is_file():
        return None
    return Draft4Validator(json.loads(ADF_SCHEMA.read_text(encoding="utf-8")))
