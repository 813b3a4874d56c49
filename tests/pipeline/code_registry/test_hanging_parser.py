"""A source on which tree-sitter hangs or crashes costs that file and nothing else."""

import shutil
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from pipeline.code_registry.builder import build_registry
from pipeline.code_registry.cache import RegistryCache
from pipeline.code_registry.parse_probe import Probe, ProbeRequest, probe_sources
from pipeline.code_registry.reading import ReadRequest, read_in_parts
from pipeline.domain.errors import ParserUnavailable

HANGING = b'x"(' + b"f.g(" * 52 + b"\n" * 2
"""Takes tree-sitter ten seconds, in which it never looks at the clock; two more calls double them."""
GOOD = b"package a\n"


def probe_that_fails(reasons: Iterable[str | None]) -> Probe:
    def probe(requests: Sequence[ProbeRequest]) -> Iterable[str | None]:
        return [reason for reason, _ in zip(reasons, requests, strict=True)]

    return probe


@pytest.mark.process
@pytest.mark.smoke
def test_a_source_that_the_parser_never_comes_back_from_is_given_up_and_the_next_are_parsed() -> None:
    sources = [
        ProbeRequest("go", GOOD),
        ProbeRequest("go", HANGING),
        ProbeRequest("typescript", b'{"a": 1}'),
        ProbeRequest("python", b"def f(): ...\n"),
    ]
    assert list(probe_sources(sources, most_seconds=0.2)) == [None, "not read within 1.5 s", None, None]


@pytest.mark.process
def test_several_processes_give_up_the_same_sources(tmp_path: Path) -> None:
    root, folder = tmp_path / "tree", tmp_path / "facts"
    root.mkdir()
    folder.mkdir()
    for name, source in (("a.go", GOOD), ("b.go", HANGING), ("c.go", GOOD), ("d.go", HANGING), ("e.py", b"")):
        (root / name).write_bytes(source)
    requests = [ReadRequest(path.name, None) for path in sorted(root.iterdir())]
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        (part,) = read_in_parts(root, [requests], folder, pool, most_seconds=0.2)
    assert [path for path, *_ in part.spans] == ["a.go", "c.go", "e.py"]
    assert [(file.path, file.reason, file.lasting) for file in part.unreadable] == [
        ("b.go", "not read within 1.5 s", False),
        ("d.go", "not read within 1.5 s", False),
    ]


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
def test_a_crash_of_the_parser_costs_each_file_on_which_it_crashes(program: Callable[[str], str]) -> None:
    sources = [ProbeRequest("go", GOOD)] * 3
    crashing = program("printf rp; kill -SEGV $$")
    assert list(probe_sources(sources, python=crashing)) == [
        None, "the parser broke off: SIGSEGV", None
    ]  # fmt: skip


@pytest.mark.process
def test_a_parser_that_does_not_start_ends_the_run_and_says_how_to_look(
    program: Callable[[str], str],
) -> None:
    missing = program(
        "echo Traceback >&2; echo \"ModuleNotFoundError: No module named 'tree_sitter'\" >&2; exit 1"
    )
    with pytest.raises(ParserUnavailable) as unavailable:
        list(probe_sources([ProbeRequest("go", GOOD)], python=missing))
    assert str(unavailable.value) == snapshot("""\
The process that parses sources first does not start, so no code can be read.
ModuleNotFoundError: No module named 'tree_sitter'
See what is missing: python -c 'import tree_sitter, tree_sitter_go, tree_sitter_python, tree_sitter_typescript'\
""")
    with pytest.raises(ParserUnavailable, match="No such file"):
        list(probe_sources([ProbeRequest("go", GOOD)], python=f"{missing}-none"))


def test_a_tree_with_a_source_that_is_given_up_is_read_without_it_and_tried_again(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    (root / "a.py").write_text("def a(): ...\n")
    (root / "b.py").write_text("def b(): ...\n")
    (root / "link.py").symlink_to(root / "a.py")
    cache = RegistryCache(tmp_path / "cache" / "registry.sqlite")
    first = build_registry(root, cache=cache, probe=probe_that_fails(["not read within 1.5 s", None]))
    assert [symbol.name for symbol in first.symbols] == ["b"]
    assert [(skip.path, skip.reason) for skip in first.report.skipped] == [
        ("a.py", "not read within 1.5 s"),
        ("link.py", "a link"),
    ]
    second = build_registry(root, cache=cache, probe=probe_that_fails([None]))
    assert [symbol.name for symbol in second.symbols] == ["a", "b"]
