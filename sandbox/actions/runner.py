"""The runners: threads that take queued runs and execute each as a job in a folder that did not exist before."""

import shutil
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path

from sandbox.actions.job import Job, JobFolders, JobResult, Program
from sandbox.actions.runs import Runs
from sandbox.documents.documents import Documents
from sandbox.world.state import Repository, Run, RunStatus, TokenKind
from sandbox.world.world import Happening

_JOB_PERMISSIONS = {
    "actions": "read", "contents": "read", "issues": "read", "pull_requests": "read", "metadata": "read",
}  # fmt: skip
"""What the template workflow gives to `GITHUB_TOKEN`."""


class Runners:
    """Two runners, so that runs of different issues go side by side."""

    def __init__(
        self, documents: Documents, runs: Runs, program: Program, environment: Mapping[str, str], folder: Path
    ) -> None:
        self._documents = documents
        self._runs = runs
        self._program = program
        self._environment = environment
        self._folder = folder
        self._stopping = False
        self._jobs: dict[int, Job] = {}
        self._threads = [
            threading.Thread(target=self._work, name=f"sandbox-runner-{number}", daemon=True)
            for number in (1, 2)
        ]

    def start(self) -> None:
        """Begin to take runs."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Kill what runs and take nothing more."""
        with self._runs.changed:
            self._stopping = True
            jobs = list(self._jobs.values())
            self._runs.changed.notify_all()
        for job in jobs:
            job.kill()
        for thread in self._threads:
            thread.join(timeout=10)

    def on_happening(self, happening: Happening) -> None:
        """Kill the job of a run that was cancelled."""
        run = happening.run
        if run is not None and happening.action == "completed" and run.conclusion == "cancelled":
            job = self._jobs.get(run.id)
            if job is not None:
                job.kill()

    def _work(self) -> None:
        while True:
            with self._runs.changed:
                queue_entry = None
                while not self._stopping and (queue_entry := self._runs.take()) is None:
                    self._runs.changed.wait()
                if queue_entry is None:
                    return
            self._execute(*queue_entry)

    def _execute(self, repository: Repository, run: Run) -> None:
        world = self._documents.world
        token = world.issue_token(TokenKind.JOB, world.actions_bot, _JOB_PERMISSIONS, [repository.id])
        folders = JobFolders(Path(tempfile.mkdtemp(prefix="job-", dir=self._folder)))
        job = Job(repository, run, token, self._documents.at, folders)
        with self._runs.changed:
            self._jobs[run.id] = job
            if self._stopping or run.status is RunStatus.COMPLETED:
                job.kill()
        try:
            result = job.execute(self._program, self._environment)
        except OSError as error:
            result = JobResult("failure", None, f"the program could not be started: {error}", {}, "", {})
        finally:
            with self._runs.changed:
                del self._jobs[run.id]
                token.is_revoked = True
            shutil.rmtree(folders.root, ignore_errors=True)
        with world.lock:
            if self._stopping or run.status is RunStatus.COMPLETED:
                return
            run.log, run.exit_code = result.log, result.exit_code
            run.outputs, run.summary = dict(result.outputs), result.summary
            for name, content in result.artifacts.items():
                self._runs.add_artifact(run, name, content)
            self._runs.finish(repository, run, result.conclusion)
