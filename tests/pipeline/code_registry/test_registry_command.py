"""`askfirst registry` as people and machines call it, and what `--check` counts."""

import gzip
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from pipeline.code_registry.check import check
from pipeline.code_registry.registry import Registry
from pipeline.domain.errors import RepositoryUnreadable

pytestmark = pytest.mark.process

Built = Callable[[Mapping[str, str]], Registry]

SAMPLES = Path("tests/sample_repositories")
SERVICES = ["orders_django", "orders_fastapi", "orders_flask", "status_starlette", "stock_aiohttp"]


def askfirst(*arguments: str, cache: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [Path(sys.executable).parent / "askfirst", "registry", *arguments],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "XDG_CACHE_HOME": str(cache)},
    )


@pytest.mark.parametrize("name", SERVICES)
def test_the_samples_agree_with_their_tables(name: str, tmp_path: Path) -> None:
    done = askfirst(
        "--repository",
        str(SAMPLES / name),
        "--check",
        str(SAMPLES / f"{name}.routes.json"),
        "--json",
        cache=tmp_path,
    )
    result = json.loads(done.stdout)
    assert done.returncode == 0
    assert {
        key: result[key]
        for key in ("recall", "tail_recall", "precision", "wrong_absolute", "missed", "extra")
    } == {
        "recall": 1.0,
        "tail_recall": 1.0,
        "precision": 1.0,
        "wrong_absolute": 0,
        "missed": [],
        "extra": [],
    }


def test_a_person_reads_routes_and_callers(tmp_path: Path) -> None:
    done = askfirst("--repository", str(SAMPLES / "orders_flask"), cache=tmp_path)
    assert done.stdout.splitlines()[7] == snapshot(
        "PATCH /api/v1/customers/<int:customer_id>        update_customer                  orders/api/customers.py:18  body: ?"
    )
    leaf = "symbol:orders/services/items.py::process_item"
    done = askfirst("--repository", str(SAMPLES / "orders_flask"), "--callers", leaf, cache=tmp_path)
    assert done.stdout.splitlines()[0] == snapshot(
        "called by symbol:orders/services/bulk.py::BulkAction._one (line 36)"
    )


def test_a_word_finds_entries_and_near_ones(tmp_path: Path) -> None:
    done = askfirst(
        "--repository", str(SAMPLES / "orders_flask"), "--find", "processItem", "--json", cache=tmp_path
    )
    assert [entry["id"] for entry in json.loads(done.stdout)] == [
        "symbol:orders/services/items.py::process_item"
    ]


def test_a_wrong_absolute_path_ends_the_check_with_exit_code_1_and_prints_the_same_document(
    tmp_path: Path,
) -> None:
    repository, table = tmp_path / "tree", tmp_path / "truth.json"
    repository.mkdir()
    (repository / "main.py").write_text(
        "from fastapi import FastAPI\napp = FastAPI()\n@app.get('/orders')\ndef orders(): ...\n"
    )
    table.write_text('{"routes": [{"method": "GET", "path": "/v1/orders"}]}')
    done = askfirst(
        "--repository", str(repository), "--check", str(table), "--json", cache=tmp_path / "cache"
    )
    assert (done.returncode, json.loads(done.stdout)["wrong_absolute"]) == (1, 1)
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.rglob("failure.json"))


def test_a_missing_repository_and_two_questions_are_usage_errors(tmp_path: Path) -> None:
    missing = askfirst("--repository", str(tmp_path / "none"), cache=tmp_path)
    assert (missing.returncode, "Traceback" in missing.stderr) == (64, False)
    assert (
        askfirst(
            "--repository", str(SAMPLES / "orders_flask"), "--routes", "--symbols", cache=tmp_path
        ).returncode
        == 64
    )


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
