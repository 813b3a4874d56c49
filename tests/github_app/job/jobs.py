"""Plays the workflow without the App as a runner does: three jobs, each with the token that the template gives it."""

import dataclasses
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from sandbox import Sandbox
from sandbox.actions.job import Job, JobFolders, JobResult, Program, read_outputs, zip_files
from sandbox.world.state import Comment, Issue, Repository, Run, RunStatus, TokenKind
from tests.workflow import act

TEMPLATE = act.TEMPLATE.with_name("askfirst-without-app.yml")
BIN = Path(sys.executable).parent
OUR_LOGIN = "github-actions[bot]"


def permissions_of(job: str, *, build: bool = False) -> dict[str, str]:
    """What the template gives to a job; with `build`, what it says to take the comment signs off."""
    text = TEMPLATE.read_text(encoding="utf-8")
    if build:
        text = text.replace("# contents: write #", "contents: write #")
        text = text.replace("# pull-requests: write #", "pull-requests: write #")
    given = yaml.safe_load(text)["jobs"][job]["permissions"]
    return {"metadata": "read"} | {name.replace("-", "_"): level for name, level in given.items()}


@dataclass
class Jobs:
    """What a sandbox's runner executes. `log` is what the jobs of all runs said; `before` is called before each job."""

    program: Program
    build: bool = False
    environment: dict[str, str] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    before: Any = None
    _github: Sandbox | None = None

    def serve(self, github: Sandbox) -> None:
        self._github = github

    def __call__(self, folders: JobFolders) -> Sequence[str]:
        github = self._github
        assert github is not None
        payload = json.loads(folders.event.read_text(encoding="utf-8"))
        repository, run = next(
            (repository, run)
            for repository in github.world.repositories.values()
            for run in repository.runs.values()
            if run.status is RunStatus.IN_PROGRESS and run.event_payload == payload
        )
        return ["true"] if self._play(github, repository, run, folders) else ["false"]

    def _play(self, github: Sandbox, repository: Repository, run: Run, folders: JobFolders) -> bool:
        heard = self._speak(github, repository, run, folders, "event")
        if heard is None or heard.get("run") != "true":
            return heard is not None
        result = self._pipeline(github, repository, run, heard["request"])
        said = self._speak(github, repository, run, folders, "publish", "--result", result.conclusion)
        return said is not None and result.conclusion == "success"

    def _pipeline(self, github: Sandbox, repository: Repository, run: Run, request: str) -> JobResult:
        payload = run.event_payload if not request else {"inputs": json.loads(request)}
        if self.before is not None:
            self.before("pipeline", run)
        with tempfile.TemporaryDirectory() as folder:
            job = Job(
                repository,
                dataclasses.replace(run, event_payload=payload),
                github.world.issue_token(
                    TokenKind.JOB, github.world.actions_bot, permissions_of("pipeline"), [repository.id]
                ),
                github.addresses,
                JobFolders(Path(folder) / "job"),
            )
            result = job.execute(self.program, {})
        self.log.append(result.log)
        for name, content in result.artifacts.items():
            github.actions.add_artifact(run, name, content)
        return result

    def _speak(
        self, github: Sandbox, repository: Repository, run: Run, folders: JobFolders, *command: str
    ) -> Mapping[str, str] | None:
        """Outputs of a job that speaks; None where it failed."""
        job = command[0]
        if self.before is not None:
            self.before(job, run)
        temporary = folders.root / job
        temporary.mkdir(parents=True)
        output = temporary / "outputs"
        output.touch()
        token = github.world.issue_token(
            TokenKind.JOB, github.world.actions_bot, permissions_of(job, build=self.build), [repository.id]
        )
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(temporary),
            "RUNNER_TEMP": str(temporary),
            "GITHUB_API_URL": github.api_url,
            "GITHUB_EVENT_NAME": run.event,
            "GITHUB_EVENT_PATH": str(folders.event),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_RUN_ID": str(run.id),
            "GITHUB_RUN_ATTEMPT": str(run.attempt),
            "GITHUB_TOKEN": token.value,
            "ASKFIRST_SECONDS_BETWEEN_WRITES": "0",
            **self.environment,
        }
        done = subprocess.run(
            [str(BIN / "askfirst-app"), *command],
            env=environment, cwd=temporary, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180,
        )  # fmt: skip
        self.log.append(f"{job} of run {run.id} ({run.event}): {done.returncode}\n{done.stdout}{done.stderr}")
        records = zip_files(temporary / "askfirst-conversation", ["."])
        if records is not None:
            github.actions.add_artifact(run, f"conversation-{job}-{run.id}-{run.attempt}", records)
        return read_outputs(output.read_text(encoding="utf-8")) if done.returncode == 0 else None


@dataclass
class Room:
    """A GitHub without the App, one repository, and the issue that is talked about."""

    github: Sandbox
    repository: Repository
    jobs: Jobs
    login: str = OUR_LOGIN

    def settle(self) -> None:
        try:
            self.github.wait_until_quiet(300, settle=0.2)
        except AssertionError as error:
            raise AssertionError("\n".join([str(error), *self.jobs.log])) from error

    def open(self, title: str, body: str, *, by: str = "octocat") -> Issue:
        return self.github.open_issue(self.repository, title, body, by=by)

    def label(self, issue: Issue, *, by: str = "octocat") -> None:
        self.github.label(issue, by=by)
        self.settle()

    def says(self, issue: Issue, text: str, *, by: str = "octocat") -> Comment:
        comment = self.github.comment(issue, text, by=by)
        self.settle()
        return comment

    def ours(self, issue: Issue) -> list[str]:
        """What our jobs have said on an issue, oldest first."""
        return [comment.body for comment in self.github.comments(issue) if comment.user.login == self.login]

    def ran(self) -> int:
        """How many runs went as far as the pipeline."""
        return sum(
            any(artifact.name.startswith("run-") for artifact in run.artifacts)
            for run in self.github.runs(self.repository)
        )

    def said(self) -> str:
        return "\n".join(self.jobs.log)


def held_back(names: Sequence[str]) -> tuple[Any, threading.Event]:
    """A `before` that lets the named jobs wait until the event is set."""
    may_go = threading.Event()

    def before(job: str, _run: Run) -> None:
        if job in names:
            assert may_go.wait(120)

    return before, may_go
