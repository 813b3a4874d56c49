"""What the comparison with a truth table counts."""

import gzip
import json
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from pipeline.domain.errors import RepositoryUnreadable
from tests.evaluation.truth_tables import check
from tests.pipeline.code_registry.registries import Built


def test_the_check_counts_missed_tails_and_wrong_absolute_paths(built: Built, tmp_path: Path) -> None:
    registry = built(
        {
            "main.py": """
                from fastapi import APIRouter, FastAPI
                app = FastAPI()
                loose = APIRouter()
                @app.get("/a/{id}")
                def a(id): ...
                @app.get("/wrong")
                def wrong(): ...
                @loose.get("/loose")
                def b(): ...
                @app.post("/extra")
                def c(): ...
            """
        }
    )
    table = tmp_path / "truth.json"
    rows = [("ANY", "/a/<x>"), ("GET", "/v1/wrong"), ("GET", "/v2/loose"), ("GET", "/missed")]
    table.write_text(json.dumps({"routes": [{"method": method, "path": path} for method, path in rows]}))
    assert check(registry, table).as_json() == snapshot(
        {
            "recall": 0.25,
            "tail_recall": 0.75,
            "precision": 0.25,
            "wrong_absolute": 1,
            "missed": ["GET /missed", "GET /v1/wrong", "GET /v2/loose"],
            "extra": ["GET /loose (main.py:9)", "GET /wrong (main.py:7)", "POST /extra (main.py:11)"],
            "handlers": {"resolved": 4, "of": 4},
        }
    )


def test_the_check_of_calls_counts_right_wrong_and_missed_edges(built: Built, tmp_path: Path) -> None:
    registry = built({"main.py": "def f(): ...\ndef g(x):\n    f()\n    print(f())\n    x.f()\n"})
    rows = [
        {"f": "main.py", "l": 3, "t": "f", "df": "main.py", "dl": 1, "k": "function"},
        {"f": "main.py", "l": 4, "t": "f", "k": "ext"},
        {"f": "main.py", "l": 4, "t": "print", "k": "ext"},
        {"f": "main.py", "l": 5, "t": "x.f", "df": "main.py", "dl": 1, "k": "function"},
    ]
    table = tmp_path / "calls.json.gz"
    table.write_bytes(gzip.compress(json.dumps(rows).encode()))
    result = check(registry, table)
    assert (result.recall, result.precision) == (0.5, 0.5)
    assert result.missed == ("main.py:5 x.f -> main.py:1",)


@pytest.mark.parametrize("content", ["", "{}", '{"routes": [{"method": "GET"}]}'])
def test_a_file_that_is_no_table_is_said_to_be_none(built: Built, tmp_path: Path, content: str) -> None:
    table = tmp_path / "truth.json"
    table.write_text(content)
    with pytest.raises(RepositoryUnreadable):
        check(built({"a.py": ""}), table)
