"""A source on which tree-sitter hangs or crashes costs that file and nothing else."""

import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from pipeline.code_registry.builder import build_registry
from pipeline.code_registry.reading import (
    FileReading,
    ReadRequest,
    ReadResult,
    UnreadableFile,
    read_apart,
    read_here,
)
from pipeline.code_registry.store import IndexStore
from pipeline.domain.errors import ParserUnavailable

HANGING = b'x"(' + b"f.g(" * 52 + b"\n" * 2
"""Takes tree-sitter ten seconds, in which it never looks at the clock; two more calls double them."""
GOOD = b"package a\n"


@pytest.mark.process
@pytest.mark.smoke
def test_a_source_that_the_parser_never_comes_back_from_is_given_up_and_the_next_are_read(
    tmp_path: Path,
) -> None:
    for name, source in (("a.go", GOOD), ("b.go", HANGING), ("c.go", GOOD), ("d.go", HANGING), ("e.py", b"")):
        (tmp_path / name).write_bytes(source)
    requests = [ReadRequest(path.name, None) for path in sorted(tmp_path.iterdir())]
    readings = dict(read_apart(tmp_path, requests, most_seconds=0.2))
    read = [path for path, reading in readings.items() if isinstance(reading, FileReading)]
    assert read == ["a.go", "c.go", "e.py"]
    assert readings["b.go"] == readings["d.go"] == UnreadableFile("not read within 1.5 s", lasting=False)


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], str]:
    """Makes a program that stands in for Python."""

    def write(script: str) -> str:
        file = tmp_path / "program"
        file.write_text(f"#!{shutil.which('sh')}\n{script}\n")
        file.chmod(0o700)
        return str(file)

    return write


@pytest.mark.process
def test_a_crash_of_the_parser_costs_each_file_on_which_it_crashes(
    program: Callable[[str], str], tmp_path: Path
) -> None:
    crashing = program("printf r; kill -SEGV $$")
    requests = [ReadRequest(name, None) for name in ("a.go", "b.go")]
    crash = UnreadableFile("the parser broke off: SIGSEGV", lasting=False)
    assert list(read_apart(tmp_path, requests, python=crashing)) == [("a.go", crash), ("b.go", crash)]


@pytest.mark.process
def test_a_parser_that_does_not_start_ends_the_run_and_says_how_to_look(
    program: Callable[[str], str], tmp_path: Path
) -> None:
    missing = program(
        "echo Traceback >&2; echo \"ModuleNotFoundError: No module named 'tree_sitter'\" >&2; exit 1"
    )
    requests = [ReadRequest("a.go", None)]
    with pytest.raises(ParserUnavailable) as unavailable:
        list(read_apart(tmp_path, requests, python=missing))
    assert str(unavailable.value) == snapshot("""\
The process that reads sources does not start, so no code can be read.
ModuleNotFoundError: No module named 'tree_sitter'
See what is missing: python -c 'import tree_sitter, tree_sitter_go, tree_sitter_python, tree_sitter_typescript'\
""")
    with pytest.raises(ParserUnavailable, match="No such file"):
        list(read_apart(tmp_path, requests, python=f"{missing}-none"))


def test_a_tree_with_a_source_that_is_given_up_is_read_without_it_and_tried_again(tmp_path: Path) -> None:
    def give_up_the_first(root: Path, requests: Sequence[ReadRequest]) -> Iterable[ReadResult]:
        yield requests[0].path, UnreadableFile("not read within 1.5 s", lasting=False)
        yield from read_here(root, requests[1:])

    root = tmp_path / "tree"
    root.mkdir()
    (root / "a.py").write_text("def a(): ...\n")
    (root / "b.py").write_text("def b(): ...\n")
    (root / "link.py").symlink_to(root / "a.py")
    cache = IndexStore(tmp_path / "cache" / "registry.sqlite")
    first = build_registry(root, cache=cache, read=give_up_the_first)
    assert [symbol.name for symbol in first.symbols] == ["b"]
    assert [(skip.path, skip.reason) for skip in first.report.skipped] == [
        ("a.py", "not read within 1.5 s"),
        ("link.py", "a link"),
    ]
    second = build_registry(root, cache=cache, read=read_here)
    assert [symbol.name for symbol in second.symbols] == ["a", "b"]
