"""Runs the real workflow template and the real action.yml under act, and reads what a person would see on GitHub."""

import fcntl
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
TEMPLATE = ROOT / "pipeline" / "commands" / "templates" / "askfirst.yml"
SHIMS = Path(__file__).parent / "shims"
RELEASE = ROOT / ".github" / "workflows" / "release.yml"
WITHOUT_APP = TEMPLATE.with_name("askfirst-without-app.yml")
STEP = "askfirst"

_FOREIGN = ("ACTIONS_", "ANTHROPIC_", "ASKFIRST_", "GITHUB_", "GIT_", "INPUT_", "PYTHON", "RUNNER_")
"""Variables of the machine that runs the tests, which may itself be a GitHub runner."""


def program() -> Path | None:
    """The act binary beside this interpreter or on the path."""
    beside = Path(sys.executable).parent / "act"
    found = str(beside) if beside.is_file() else shutil.which("act")
    return Path(found) if found else None


def git(directory: Path, *arguments: str) -> str:
    """Output of a git command in a directory, as octocat and whatever the machine's own git settings are."""
    who = ["-c", "user.name=octocat", "-c", "user.email=octocat@users.noreply.github.com"]
    environment = {"PATH": os.environ["PATH"], "HOME": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", *who, *arguments], cwd=directory, env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def commit_all(directory: Path) -> str:
    """Commit everything in a directory on the branch main; the commit's id."""
    if not (directory / ".git").exists():
        git(directory, "init", "--quiet", "--initial-branch=main")
        git(directory, "remote", "add", "origin", "https://github.com/acme/orders.git")
    git(directory, "add", "--all", "--force")
    git(directory, "commit", "--quiet", "--message", "Orders")
    return git(directory, "rev-parse", "HEAD")


def template_without_app(*, build: bool = False) -> str:
    """The template without the App as users get it, but for what act cannot read."""
    text = WITHOUT_APP.read_text(encoding="utf-8").replace("      queue: max\n", "")
    if build:
        for sign in ("# definition: build ", "# contents: write ", "# pull-requests: write "):
            assert text.count(sign) == 1
            text = text.replace(sign, f"{sign.removeprefix('# ')} ")
    return text


def uses(text: str) -> set[str]:
    """All actions that a workflow or an action calls."""
    document = yaml.safe_load(text)
    jobs = list(document.get("jobs", {}).values()) or [document["runs"]]
    return {step["uses"] for job in jobs for step in job["steps"] if "uses" in step}


def template(**inputs: str) -> str:
    """The template as users get it, but for what act cannot read (`queue` came after act), with more inputs.

    With a provider the lines that it takes are no comment.
    """
    text = TEMPLATE.read_text(encoding="utf-8")
    assert text.count("      queue: max\n") == 1
    with_more = "".join(f"          {name}: {json.dumps(value)}\n" for name, value in inputs.items())
    with_provider = text.replace("        # env: ", "        env: ").replace(
        "        #   AWS_", "          AWS_"
    )
    text = with_provider if inputs.get("provider") else text
    return text.replace("      queue: max\n", "") + with_more


@dataclass(frozen=True)
class Finished:
    """A finished run of the workflow: act's log, and the artifacts as folders."""

    exit_code: int
    log: list[dict[str, Any]]
    artifacts: Path

    @property
    def green(self) -> bool:
        return self.exit_code == 0

    @property
    def text(self) -> str:
        return "".join(str(entry.get("msg", "")).rstrip("\n") + "\n" for entry in self.log)

    @property
    def steps(self) -> dict[str, str]:
        """Result of the main part of each step of the job, and of each step inside the Action as `askfirst/id`."""
        return {
            "/".join(entry["stepID"]): entry["stepResult"]
            for entry in self.log
            if entry.get("stage") == "Main" and "stepResult" in entry
        }

    @property
    def outputs(self) -> dict[str, str]:
        """Outputs of the Action."""
        return {
            entry["name"]: entry.get("arg", "")
            for entry in self.log
            if entry.get("command") == "set-output" and entry["stepID"] == [STEP]
        }

    @property
    def annotations(self) -> list[str]:
        """Workflow commands that GitHub would show as annotations."""
        return [
            entry["raw"].rstrip("\n")
            for entry in self.log
            if entry.get("command") in {"notice", "warning", "error"} and "kvPairs" in entry
        ]

    @property
    def summary(self) -> str:
        return "".join(entry["content"] for entry in self.log if entry.get("command") == "summary")

    @property
    def uploaded(self) -> dict[str, list[str]]:
        """Names of the artifacts and of their members."""
        return {
            artifact.name: sorted(
                str(file.relative_to(artifact)) for file in artifact.rglob("*") if file.is_file()
            )
            for artifact in sorted(self.artifacts.iterdir())
        }

    def document(self, artifact: str, member: str) -> dict[str, Any]:
        found = json.loads((self.artifacts / artifact / member).read_text(encoding="utf-8"))
        assert isinstance(found, dict)
        return found


@dataclass(frozen=True)
class Runner:
    """A runner on this machine. `cache` outlives the job, as a self-hosted runner's tool cache does."""

    act: Path
    action: Path
    cache: Path
    scratch: Path

    def run(
        self,
        event: str,
        payload: Mapping[str, Any],
        repository: Path,
        *,
        environment: Mapping[str, str] | None = None,
        secrets: Mapping[str, str] | None = None,
        options: Sequence[str] = (),
    ) -> Finished:
        """Run the workflows of a repository for one event. `options` are for act, such as the job to run."""
        job = self.scratch / f"job-{len(list(self.scratch.iterdir()))}"
        artifacts = job / "artifacts"
        artifacts.mkdir(parents=True)
        (job / "event.json").write_text(json.dumps(payload), encoding="utf-8")
        inside = {"TEST_ORIGIN": str(repository), "TEST_ARTIFACTS": str(artifacts), **(environment or {})}
        command = [
            *(str(self.act), event, "--json", "-C", str(repository), "-e", str(job / "event.json")),
            *("-P", "ubuntu-latest=-self-hosted", "--no-cache-server", "--pull=false"),
            *("--artifact-server-path", str(job / "server"), "--artifact-server-addr", "127.0.0.1"),
            *("--artifact-server-port", str(_free_port()), "--action-cache-path", str(self.cache)),
            *("--defaultbranch", "main", *options, *_no_files_of_the_repository()),
            *(word for name, value in inside.items() for word in ("--env", f"{name}={value}")),
            *(word for name, value in (secrets or {}).items() for word in ("-s", f"{name}={value}")),
            *(word for local in self._local_repositories() for word in ("--local-repository", local)),
        ]
        with self._alone_until_installed():
            done = subprocess.run(
                command,
                env=_machine(self.scratch),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=600,
            )
        log = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        # Where no job is to run, act may end well before its server says that it starts.
        has_started = done.returncode == 0 or "Start server on http://127.0.0.1:" in done.stderr
        assert has_started, f"act did not start: {done.stderr}"
        return Finished(done.returncode, log, artifacts)

    @contextmanager
    def _alone_until_installed(self) -> Iterator[None]:
        """The first job installs the Action; others wait for it, because two installations cost twice as much."""
        self.cache.mkdir(exist_ok=True)
        mark = self.cache / f"{self.action.name}.installed"
        with mark.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if mark.exists():
                fcntl.flock(lock, fcntl.LOCK_UN)
            yield
            mark.touch()

    def _local_repositories(self) -> list[str]:
        """Where to find each action that our files call, so that the files run as they are."""
        ours = [self.action / "action.yml", self.action / "github_app" / "action" / "action.yml"]
        called = {
            action
            for file in (TEMPLATE, WITHOUT_APP, RELEASE, *ours)
            for action in uses(file.read_text(encoding="utf-8"))
            if not action.startswith("actions/download")
        }
        places = {"askfirst": self.action} | {shim.name.replace("_", "-"): shim for shim in SHIMS.iterdir()}
        repositories = {re.sub(r"^([^/]+/[^/@]+)[^@]*", r"\1", action) for action in called}
        return [
            f"https://github.com/{repository}={places[repository.partition('@')[0].split('/')[1]]}"
            for repository in sorted(repositories)
        ]


def _no_files_of_the_repository() -> list[str]:
    """Keep act, unlike GitHub's runner, from reading `.env` and its like in the repository."""
    options = ("--env-file", "--input-file", "--secret-file", "--var-file")
    return [word for option in options for word in (option, os.devnull)]


def _machine(scratch: Path) -> dict[str, str]:
    """Environment of act, with a `bash` whose last lines act reads even when the step fails.

    act reads the terminal of a step that succeeds to its end, and closes the terminal of one that fails at once
    (`pkg/container/host_environment.go`). What the step printed last is then sometimes missing in the log.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
    shell = shutil.which("bash")
    assert shell is not None
    patient = scratch / "bin" / "bash"
    patient.parent.mkdir(exist_ok=True)
    patient.write_text(
        f'#!{shell}\n{shell} "$@" || {{ code=$?; sleep 0.5; exit "$code"; }}\n', encoding="utf-8"
    )
    patient.chmod(0o755)
    interpreter = Path(sys.executable).resolve().parent
    return inherited | {"PATH": os.pathsep.join(map(str, (patient.parent, interpreter, inherited["PATH"])))}


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port
