"""What people read on surfaces, in files of `golden/`."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

GOLDEN = Path(__file__).with_name("golden")


def golden(name: str, document: Mapping[str, Any], token: str | None = None) -> None:
    """Compare with the file; a reply token changes with each test. To make it anew, delete it and run twice."""
    path = GOLDEN / f"{name}.json"
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    text = text.replace(token, "TOKEN") if token else text
    if not path.exists():
        path.write_text(text, encoding="utf-8")
        pytest.fail(f"{path} was not there, and is now: look at it")
    assert text == path.read_text(encoding="utf-8")
