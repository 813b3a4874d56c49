"""What indexing a large repository costs, beside parsing its files in one process and beside ctags.

The repository is a package of 8,800 Python files that is never committed: `make bench` downloads it. Each measurement is a
process of its own, and the rounds take turns, so that a busy machine slows all of them down alike. Run with a command and
the folders it needs, this file is such a process.
"""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import orjson

ROUNDS = 3


@dataclass(frozen=True)
class Taken:
    """Medians of all rounds, in seconds and megabytes. `ctags` is None where it is not installed.

    `parse_work` and `cold_work` are seconds of processor time, of all processes: what a busy machine distorts least.
    `unchanged` lists the tree and opens what the cache has, `by_tree` is the latter part of it alone. `changed` indexes it
    after a function was added to one file.
    """

    files: int
    parse: float
    ctags: float | None
    cold: float
    parse_work: float
    cold_work: float
    unchanged: float
    changed: float
    by_tree: float
    parent: float
    largest_child: float


def measure(repository: Path) -> Taken:
    """Measure on a checkout."""
    parse, ctags, cold, unchanged, changed = [], [], [], [], []
    sources = sorted(repository.rglob("*.py"))
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as cache:
            parse.append(in_a_process("parse", repository))
            ctags.append(_ctags(repository))
            cold.append(in_a_process("index", repository, Path(cache)))
            unchanged += [in_a_process("index", repository, Path(cache)) for _ in range(3)]
            with _one_more_function(sources[len(sources) // 2]):
                changed.append(in_a_process("index", repository, Path(cache)))
    by_ctags = [seconds for seconds in ctags if seconds is not None]
    return Taken(
        files=int(parse[0]["files"]),
        parse=_median(parse, "seconds"),
        ctags=statistics.median(by_ctags) if by_ctags else None,
        cold=_median(cold, "seconds"),
        parse_work=_median(parse, "work"),
        cold_work=_median(cold, "work"),
        unchanged=_median(unchanged, "seconds"),
        changed=_median(changed, "seconds"),
        by_tree=_median(unchanged, "opening"),
        parent=max(one["parent"] for one in cold),
        largest_child=max(one["child"] for one in cold),
    )


@contextmanager
def _one_more_function(file: Path) -> Iterator[None]:
    source = file.read_bytes()
    file.write_bytes(source + b"\n\ndef added_by_the_benchmark(): ...\n")
    try:
        yield
    finally:
        file.write_bytes(source)


def _median(rounds: list[dict[str, float]], what: str) -> float:
    return statistics.median(one[what] for one in rounds)


def in_a_process(*command: str | Path) -> dict[str, float]:
    """One measurement, in a process of its own."""
    done = subprocess.run([sys.executable, __file__, *command], capture_output=True, check=True)
    said: dict[str, float] = orjson.loads(done.stdout)
    return said


def _ctags(repository: Path) -> float | None:
    program = shutil.which("ctags")
    if program is None:
        return None
    started = time.perf_counter()
    subprocess.run([program, "-R", "--languages=Python", "-f", os.devnull, repository], check=True)
    return time.perf_counter() - started


def _parse(repository: Path) -> dict[str, float]:
    """Parse every file, and do nothing with the trees. Reading the files does not count."""
    import tree_sitter
    import tree_sitter_python

    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_python.language()))
    sources = [file.read_bytes() for file in sorted(repository.rglob("*.py"))]
    before = time.process_time()
    seconds = _timed(lambda: [parser.parse(source) for source in sources])
    return {"files": len(sources), "seconds": seconds, "work": time.process_time() - before}


def _index(repository: Path, folder: Path) -> dict[str, float]:
    from pipeline.code_registry.builder import build_registry, open_known
    from pipeline.code_registry.seen_tree import look_at
    from pipeline.code_registry.store import IndexStore

    cache = IndexStore(folder / "registry.sqlite")
    seconds = _timed(lambda: build_registry(repository, cache=cache).routes)
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    tree = look_at(repository)
    opening = _timed(lambda: open_known(tree, cache))
    return {
        "seconds": seconds,
        "work": sum(who.ru_utime + who.ru_stime for who in (own, children)),
        "opening": opening,
        "parent": own.ru_maxrss / 1024,
        "child": children.ru_maxrss / 1024,
    }


def _timed(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


if __name__ == "__main__":
    work = (
        _parse(Path(sys.argv[2])) if sys.argv[1] == "parse" else _index(Path(sys.argv[2]), Path(sys.argv[3]))
    )
    sys.stdout.buffer.write(orjson.dumps(work))
