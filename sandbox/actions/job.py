"""One job on an empty disk: checks out the commit, runs the program as the Action would, keeps what it leaves."""

import io
import json
import os
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.contract.artifact import (
    CHANGE_FILE,
    CLARIFICATION_FILE,
    FAILURE_FILE,
    RUN_DIRECTORY,
    TICKET_FILE,
    artifact_name,
)
from pipeline.contract.exit_codes import ExitCode
from sandbox.documents.documents import Addresses
from sandbox.world.state import Repository, Run, Token

_RECORD = ("run.json", "journal.jsonl", "summary.md", "gate.jsonl")
_TIME_LIMIT = 3600
_VERDICTS: dict[int, tuple[str, str]] = {
    ExitCode.DONE: (TICKET_FILE, "done"),
    ExitCode.PERSON_ASKED: (CLARIFICATION_FILE, "clarification"),
    ExitCode.PIPELINE_ERROR: (FAILURE_FILE, "error"),
}
"""What has to lie in the run directory, and to be said as `outcome`, for an exit code to be believed."""


@dataclass(frozen=True)
class JobFolders:
    """Where a job finds and leaves its files; all of them lie below one fresh folder."""

    root: Path

    @property
    def workspace(self) -> Path:
        """The checkout."""
        return self.root / "workspace"

    @property
    def temporary(self) -> Path:
        """`RUNNER_TEMP`, also the working directory: nothing of the checkout decides which code runs."""
        return self.root / "temp"

    @property
    def event(self) -> Path:
        """`GITHUB_EVENT_PATH`."""
        return self.temporary / "event.json"

    @property
    def run_directory(self) -> Path:
        """What the program writes."""
        return self.temporary / RUN_DIRECTORY

    @property
    def outputs(self) -> Path:
        """`GITHUB_OUTPUT`."""
        return self.temporary / "outputs"

    @property
    def summary(self) -> Path:
        """`GITHUB_STEP_SUMMARY`."""
        return self.temporary / "summary.md"


Program = Callable[[JobFolders], Sequence[str]]
"""Which command a job executes."""


def askfirst_program(folders: JobFolders) -> Sequence[str]:
    """The installed pipeline, called as the Action calls it."""
    return _askfirst(folders, "gate")


def building_program(replies: Callable[[Mapping[str, Any]], Path]) -> Program:
    """The installed pipeline, called to make a change with scripted replies; which file of them, the event decides."""

    def program(folders: JobFolders) -> Sequence[str]:
        event = json.loads(folders.event.read_text(encoding="utf-8"))
        return (*_askfirst(folders, "build"), "--replay", str(replies(event)))

    return program


def _askfirst(folders: JobFolders, definition: str) -> Sequence[str]:
    return (
        str(Path(sys.executable).parent / "askfirst"), "run", "--repository", str(folders.workspace),
        "--issue", str(folders.event), "--definition", definition, "--run-directory", str(folders.run_directory),
    )  # fmt: skip


@dataclass(frozen=True)
class JobResult:
    """How a job ended. `artifacts` are zips by name."""

    conclusion: str
    exit_code: int | None
    log: str
    outputs: Mapping[str, str]
    summary: str
    artifacts: Mapping[str, bytes]


class Job:
    """One execution. `execute` blocks until the program has ended; `kill` may be called from another thread."""

    def __init__(
        self, repository: Repository, run: Run, token: Token, addresses: Addresses, folders: JobFolders
    ) -> None:
        self._repository = repository
        self._run = run
        self._token = token
        self._addresses = addresses
        self._folders = folders
        self._process: subprocess.Popen[bytes] | None = None
        self._killed = False
        self._lock = threading.Lock()

    def execute(self, program: Program, environment: Mapping[str, str]) -> JobResult:
        """Check out, run, collect."""
        folders = self._folders
        for folder in (folders.temporary, folders.root / "home", folders.root / "cache"):
            folder.mkdir(parents=True)
        folders.event.write_text(json.dumps(self._run.event_payload), encoding="utf-8")
        for file in (folders.outputs, folders.summary):
            file.touch()
        inputs = self._run.event_payload.get("inputs", {})
        revision_base = json.loads(inputs["revise"])["base_commit"] if inputs.get("revise") else None
        commit = revision_base or inputs.get("commit") or self._run.head_sha
        try:
            self._repository.git.checkout(commit, folders.workspace)
        except subprocess.CalledProcessError as error:
            return JobResult("failure", None, error.stderr.decode("utf-8", "replace"), {}, "", {})
        exit_code, log = self._start(program(folders), {**self._environment(), **environment})
        return self._result(exit_code, log)

    def kill(self) -> None:
        """End the program and all it has started; one that has not been started yet never will be."""
        with self._lock:
            self._killed = True
            if self._process is not None and self._process.poll() is None:
                # `poll` says None, too, while the thread in `communicate` waits for the process that has just ended.
                with suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGKILL)

    def _start(self, command: Sequence[str], environment: Mapping[str, str]) -> tuple[int | None, str]:
        with self._lock:
            if self._killed:
                return None, ""
            self._process = subprocess.Popen(
                list(command), cwd=self._folders.temporary, env=dict(environment), stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        try:
            output, _ = self._process.communicate(timeout=_TIME_LIMIT)
        except subprocess.TimeoutExpired:
            self.kill()
            output, _ = self._process.communicate()
            return None, output.decode("utf-8", "replace")
        return self._process.returncode, output.decode("utf-8", "replace")

    def _environment(self) -> dict[str, str]:
        """Built from nothing: what a runner gives to a step of a composite action, and no more."""
        folders, run, repository = self._folders, self._run, self._repository
        return {
            "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath))),
            "HOME": str(folders.root / "home"),
            "XDG_CACHE_HOME": str(folders.root / "cache"),
            "TMPDIR": str(folders.temporary),
            "LANG": "C.UTF-8",
            "CI": "true",
            "PYTHONSAFEPATH": "1",
            "RUNNER_TEMP": str(folders.temporary),
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTOR": run.actor.login,
            "GITHUB_API_URL": self._addresses.api,
            "GITHUB_SERVER_URL": self._addresses.html,
            "GITHUB_EVENT_NAME": run.event,
            "GITHUB_EVENT_PATH": str(folders.event),
            "GITHUB_OUTPUT": str(folders.outputs),
            "GITHUB_REF": f"refs/heads/{run.head_branch}",
            "GITHUB_REF_NAME": run.head_branch,
            "GITHUB_REPOSITORY": repository.full_name,
            "GITHUB_REPOSITORY_ID": str(repository.id),
            "GITHUB_REPOSITORY_OWNER": repository.owner.login,
            "GITHUB_RUN_ATTEMPT": str(run.attempt),
            "GITHUB_RUN_ID": str(run.id),
            "GITHUB_RUN_NUMBER": str(run.number),
            "GITHUB_SHA": run.head_sha,
            "GITHUB_STEP_SUMMARY": str(folders.summary),
            "GITHUB_TOKEN": self._token.value,
            "GITHUB_WORKFLOW": run.name,
            "GITHUB_WORKSPACE": str(folders.workspace),
        }

    def _result(self, exit_code: int | None, log: str) -> JobResult:
        outputs = read_outputs(self._folders.outputs.read_text(encoding="utf-8"))
        summary = self._folders.summary.read_text(encoding="utf-8")
        if exit_code is None:
            return JobResult("timed_out", None, log, outputs, summary, {})
        directory = self._folders.run_directory
        document, outcome = _VERDICTS.get(exit_code, (FAILURE_FILE, "error"))
        is_verdict = (
            exit_code in _VERDICTS
            and (directory / document).is_file()
            and outputs.get("outcome", outcome) == outcome
        )
        if not is_verdict:
            document, outcome = FAILURE_FILE, "error"
        conclusion = "failure" if outcome == "error" else "success"
        artifacts = self._artifacts(directory, document) if directory.is_dir() else {}
        return JobResult(conclusion, exit_code, log, outputs, summary, artifacts)

    def _artifacts(self, directory: Path, document: str) -> dict[str, bytes]:
        """The three uploads of the Action; one that would be empty is left out, as the upload does."""
        result = [document, *([CHANGE_FILE] if document == TICKET_FILE else [])]
        record = [*_RECORD, *(["transcripts"] if self._repository.private else [])]
        zips = {
            "clarification": zip_files(directory, result),
            "memo": zip_files(directory / "stages", ["."]),
            "run": zip_files(directory, record),
        }
        run = self._run
        return {artifact_name(part, str(run.id), run.attempt): data for part, data in zips.items() if data}


def zip_files(directory: Path, names: Sequence[str]) -> bytes | None:
    """A zip of those files and folders of a directory that exist, None if there are none."""
    files: list[Path] = []
    for name in names:
        path = directory / name
        files += sorted(f for f in path.rglob("*") if f.is_file()) if path.is_dir() else [path]
    files = [file for file in files if file.is_file() and not file.is_symlink()]
    if not files:
        return None
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            archive.write(file, file.relative_to(directory).as_posix())
    return buffer.getvalue()


def read_outputs(text: str) -> dict[str, str]:
    """What a step wrote to `GITHUB_OUTPUT`: `name=value` lines and `name<<DELIMITER` blocks."""
    outputs: dict[str, str] = {}
    lines = iter(text.splitlines())
    for line in lines:
        name, block, delimiter = line.partition("<<")
        if block and "=" not in name:
            value: list[str] = []
            for inner in lines:
                if inner == delimiter:
                    break
                value.append(inner)
            outputs[name] = "\n".join(value)
        elif "=" in line:
            name, _, rest = line.partition("=")
            outputs[name] = rest
    return outputs
