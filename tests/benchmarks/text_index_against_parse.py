"""What the index of text and a ranking cost, beside parsing the same files in one process.

The files are those that the registry is measured on, as a commit that holds nothing else. Each measurement is a process of
its own. Run with a command and what it needs, this file is such a process.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import orjson

from tests.benchmarks.registry_against_parse import in_a_process as parse_in_a_process

ROUNDS = 3
TITLE = "Thermostat shows the wrong target temperature after a restart"
BODY = "The climate entity keeps `target_temperature` of the last run. A restart of the integration should read it again."


@dataclass(frozen=True)
class IndexTimes:
    """Medians of all rounds in seconds, and the peak of memory in megabytes.

    `cold_work` and `parse_work` are seconds of processor time, of all processes: what a busy machine distorts least.
    All times but `parse` are those of an index that is opened and an issue that is ranked: `cold` without a cache, `warm` with
    one that knows the commit, `changed` with one that knows all files but one.
    """

    files: int
    parse: float
    cold: float
    warm: float
    changed: float
    megabytes: float
    parse_work: float
    cold_work: float


def measure(repository: Path) -> IndexTimes:
    """Measure on a checkout."""
    parse, cold, warm, changed = [], [], [], []
    with tempfile.TemporaryDirectory() as folder:
        first, second = _commits(repository, Path(folder))
        for number in range(ROUNDS):
            cache = Path(folder) / f"{number}.sqlite"
            parse.append(parse_in_a_process("parse", repository))
            cold.append(_in_a_process(repository, first, cache))
            warm += [_in_a_process(repository, first, cache) for _ in range(3)]
            changed.append(_in_a_process(repository, second, cache))
    return IndexTimes(
        files=int(parse[0]["files"]),
        parse=statistics.median(round_["seconds"] for round_ in parse),
        cold=statistics.median(round_["opening"] + round_["ranking"] for round_ in cold),
        warm=statistics.median(round_["opening"] + round_["ranking"] for round_ in warm),
        changed=statistics.median(round_["opening"] + round_["ranking"] for round_ in changed),
        megabytes=max(round_["megabytes"] for round_ in cold),
        parse_work=statistics.median(round_["work"] for round_ in parse),
        cold_work=statistics.median(round_["work"] for round_ in cold),
    )


def _commits(repository: Path, folder: Path) -> tuple[str, str]:
    """A commit with the Python files alone, and one in which a file of them differs."""
    environment = os.environ | {
        "GIT_INDEX_FILE": str(folder / "index"),
        "GIT_AUTHOR_NAME": "octocat",
        "GIT_AUTHOR_EMAIL": "octocat@example.com",
        "GIT_COMMITTER_NAME": "octocat",
        "GIT_COMMITTER_EMAIL": "octocat@example.com",
    }

    def git(*arguments: str, text: str | None = None) -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=repository,
            env=environment,
            input=text,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    git("add", "--", "*.py")
    first = git("commit-tree", git("write-tree"), "-m", "The files to measure on")
    path = git("ls-files", "--", "*.py").splitlines()[0]
    blob = git("hash-object", "-w", "--stdin", text="def target_temperature():\n    return 20\n")
    git("update-index", "--cacheinfo", f"100644,{blob},{path}")
    return first, git("commit-tree", git("write-tree"), "-p", first, "-m", "One file differs")


def _in_a_process(repository: Path, commit: str, cache: Path) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.text_index_against_parse", repository, commit, cache],
        capture_output=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    numbers: dict[str, float] = orjson.loads(done.stdout)
    return numbers


def _measured(repository: Path, commit: str, cache: Path) -> dict[str, float]:
    from pipeline.code_registry.store import IndexStore
    from pipeline.code_registry.text.history import read_history
    from pipeline.code_registry.text.index import open_index
    from pipeline.domain.ticket import IncomingTicket
    from pipeline.places.ranking import rank
    from pipeline.reading.document import read_issue

    document = read_issue(IncomingTicket(title=TITLE, body=BODY), (), ())
    started = time.perf_counter()
    store = IndexStore(cache)
    index = open_index(repository, commit, store)
    opened = time.perf_counter()
    rank(document, index, read_history(repository, commit, store))
    ranked = time.perf_counter()
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return {
        "files": len(index.paths),
        "opening": opened - started,
        "ranking": ranked - opened,
        "megabytes": max(usage.ru_maxrss for usage in usages) / 1024,
        "work": sum(usage.ru_utime + usage.ru_stime for usage in usages),
    }


if __name__ == "__main__":
    sys.stdout.buffer.write(orjson.dumps(_measured(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))))
