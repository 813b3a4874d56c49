"""The cache is a shortcut: it never changes an answer, and no state of it stops a run."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from pipeline.code_registry.store import IndexStore
from tests.pipeline.trusted_sources import build_registry

SAMPLE = Path("tests/sample_repositories/orders_flask")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "index.sqlite"


@pytest.fixture
def cache(file: Path) -> IndexStore:
    return IndexStore(file)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "a.py").write_text("def a(): ...\n")
    (folder / "b.py").write_text("from a import a\ndef b(): a()\n")
    return folder


def test_a_second_build_reads_no_file_and_says_the_same(cache: IndexStore) -> None:
    first = build_registry(SAMPLE, cache=cache)
    second = build_registry(SAMPLE, cache=cache)
    assert second.to_bytes() == first.to_bytes() == build_registry(SAMPLE, cache=None).to_bytes()
    assert (first.report.files_reused, second.report.files_reused) == (0, second.report.files_indexed)


def test_only_a_changed_file_is_read_again(cache: IndexStore, root: Path) -> None:
    build_registry(root, cache=cache)
    (root / "b.py").write_text("def c(): ...\n")
    (root / "a.py").rename(root / "renamed.py")
    registry = build_registry(root, cache=cache)
    assert [symbol.id for symbol in registry.symbols] == ["symbol:b.py::c", "symbol:renamed.py::a"]
    assert registry.report.files_reused == 1


def test_a_skipped_file_is_reported_from_the_cache_too(cache: IndexStore, root: Path) -> None:
    (root / "deep.py").write_text("x = " + "(\n" * 500 + ")\n" * 500)
    first = build_registry(root, cache=cache)
    assert [skip.path for skip in first.report.skipped] == ["deep.py"]
    assert build_registry(root, cache=cache).report.skipped == first.report.skipped


@pytest.mark.parametrize("damage", [b"not a database at all" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_cache_is_built_anew_and_said(file: Path, root: Path, damage: bytes) -> None:
    build_registry(root, cache=IndexStore(file))
    for leftover in file.parent.iterdir():
        leftover.unlink()
    file.write_bytes(damage)
    registry = build_registry(root, cache=IndexStore(file))
    assert registry.symbols_named("a")
    assert any("is built anew" in note for note in registry.report.notes)
    again = build_registry(root, cache=IndexStore(file))
    assert build_registry(root, cache=IndexStore(file)).report.files_reused == 2
    assert again.report.notes == ("not a git checkout: every folder was walked",)


def test_rows_that_do_not_read_are_made_again(cache: IndexStore, file: Path, root: Path) -> None:
    build_registry(root, cache=cache)
    with closing(sqlite3.connect(file)) as database:
        database.execute("UPDATE facts SET data = x'5b39395d'")
        database.execute("UPDATE kept SET data = '[0,1]'")
        database.commit()
    registry = build_registry(root, cache=cache)
    assert registry.symbols_named("b")
    assert registry.report.files_reused == 0


def test_attack_28_rows_that_say_something_else_than_what_was_stored_are_made_again(
    cache: IndexStore, file: Path, root: Path
) -> None:
    (root / "a.py").write_text("def first(): ...\n")
    build_registry(root, cache=cache)
    altered = 0
    with closing(sqlite3.connect(file)) as database:
        for table in ("facts", "kept", "section"):
            for row, data in database.execute(f"SELECT key, data FROM {table}").fetchall():
                other = data.replace(b"first", b"other")
                altered += other != data
                database.execute(
                    f"UPDATE {table} SET data = ? WHERE key = ? AND data = ?", (other, row, data)
                )
        database.commit()
    assert altered
    registry = build_registry(root, cache=cache)
    assert [symbol.name for symbol in registry.symbols] == ["first", "b"]


@pytest.mark.parametrize("harm", ["DELETE FROM section", "UPDATE section SET data = x'00'"])
def test_entries_that_another_run_removed_or_damaged_are_found_again(
    cache: IndexStore, file: Path, root: Path, harm: str
) -> None:
    build_registry(root, cache=cache)
    registry = build_registry(root, cache=cache)
    with closing(sqlite3.connect(file)) as database:
        database.execute(harm)
        database.commit()
    assert [symbol.name for symbol in registry.symbols] == ["a", "b"]
    assert [edge.name for edge in registry.edges] == ["a"]


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path, root: Path) -> None:
    (tmp_path / "file").write_text("")
    registry = build_registry(root, cache=IndexStore(tmp_path / "file" / "registry.sqlite"))
    assert registry.symbols_named("a")
    assert any("was not used" in note for note in registry.report.notes)


@pytest.mark.process
def test_processes_may_share_a_cache(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from pipeline.code_registry.builder import build_registry\n"
        "from pipeline.code_registry.store import IndexStore\n"
        f"registry = build_registry(Path({str(SAMPLE)!r}), cache=IndexStore(Path(sys.argv[1])))\n"
        "print(len(registry.routes), len(registry.symbols), *registry.report.notes)\n"
    )
    file = str(tmp_path / "registry.sqlite")
    processes = [
        subprocess.Popen([sys.executable, "-c", program, file], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    said = {process.communicate(timeout=60)[0] for process in processes}
    known = build_registry(SAMPLE, cache=None)
    assert said == {f"{len(known.routes)} {len(known.symbols)}\n"}


@pytest.mark.process
def test_no_process_but_those_that_read_loads_the_parser(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from pipeline.code_registry.builder import build_registry\n"
        "from pipeline.code_registry.store import IndexStore\n"
        f"build_registry(Path({str(SAMPLE)!r}), cache=IndexStore(Path(sys.argv[1])))\n"
        "print('tree_sitter' in sys.modules)\n"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / "r.sqlite")],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for _ in range(2)
    ]
    assert said == ["False\n", "False\n"]
