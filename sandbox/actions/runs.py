"""Workflow runs as state: what starts one, what it becomes, what it leaves."""

import hashlib
import threading
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from sandbox.actions.workflow_file import (
    WorkflowFile,
    check_inputs,
    parse_workflow,
    render_run_name,
)
from sandbox.documents.announcements import event_payload
from sandbox.documents.documents import Documents
from sandbox.world.git_repository import NoSuchObject
from sandbox.world.refusals import Conflict, Invalid, NotFound, ResourceGone
from sandbox.world.state import AccountType, Artifact, Label, Repository, Run, RunStatus, Workflow
from sandbox.world.world import Actor, Happening

WORKFLOW_PATH = ".github/workflows/askfirst.yml"
START_LABEL = "askfirst"

_RETENTION = timedelta(days=90)


class Runs:
    """Starts and ends runs in the world; the runner executes them.

    Only the one workflow file is looked at, and its jobs' condition is taken to be the templates': a run for any other
    label than `askfirst`, on a closed issue or by a bot ends as `skipped` at once, as it does on GitHub.
    """

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._world = documents.world
        self.changed = threading.Condition(self._world.lock)
        """Notified whenever a run is queued or has ended."""

    def on_happening(self, happening: Happening) -> None:
        """Start a run if the happening triggers the workflow. What `GITHUB_TOKEN` did triggers nothing."""
        repository = happening.repository
        if repository is None or happening.sender is self._world.actions_bot:
            return
        workflow = self._workflow_file(repository, repository.default_branch)
        if workflow is None or happening.action not in workflow.types.get(happening.event, ()):
            return
        payload = event_payload(self._documents, happening)
        # A review's run is of the pull request's branch, everything else of the default branch.
        branch = payload["pull_request"]["head"]["ref"] if happening.event == "pull_request_review" else None
        run = self._start(repository, workflow, happening.event, payload, Actor(happening.sender), branch)
        if happening.label is not None and not _may_start(happening, happening.label):
            self.finish(repository, run, "skipped")

    def dispatch(
        self, repository: Repository, workflow_id: str, actor: Actor, ref: str, inputs: Mapping[str, Any]
    ) -> Run:
        """`workflow_dispatch`: the file must stand on the default branch and is then taken from `ref`."""
        with self._world.lock:
            workflow_entry = self.workflow(repository, workflow_id)
            branch = ref.removeprefix("refs/heads/")
            if f"refs/heads/{branch}" not in repository.git.refs("refs/heads/"):
                raise Invalid(f"No ref found for: {ref}")
            workflow = self._workflow_file(repository, branch)
            if workflow is None or workflow_entry.path != WORKFLOW_PATH:
                raise NotFound
            payload = {
                "inputs": check_inputs(workflow, inputs),
                "ref": f"refs/heads/{branch}",
                "workflow": workflow_entry.path,
                "repository": self._documents.repository(repository),
                "sender": self._documents.account(actor.account),
            }
            return self._start(repository, workflow, "workflow_dispatch", payload, actor, branch)

    def workflow(self, repository: Repository, workflow_id: str) -> Workflow:
        """The workflow of that id or file name, if its file stands on the default branch."""
        for workflow in self.workflows(repository):
            if workflow_id in (str(workflow.id), workflow.path, workflow.path.rpartition("/")[2]):
                return workflow
        raise NotFound

    def workflows(self, repository: Repository) -> list[Workflow]:
        """The workflows of the default branch, ours first; none where ours is missing, which is all that runs here."""
        with self._world.lock:
            branch = f"refs/heads/{repository.default_branch}"
            if self._workflow_file(repository, repository.default_branch) is None:
                return []
            folder = repository.git.entry(branch, WORKFLOW_PATH.rpartition("/")[0])
            for entry in repository.git.tree(folder.sha or "")[1]:
                path = f"{WORKFLOW_PATH.rpartition('/')[0]}/{entry.path}"
                if entry.type == "blob" and path not in repository.workflows:
                    text = repository.git.blob(entry.sha or "").decode("utf-8", "replace")
                    name, now = parse_workflow(path, text).name, self._world.clock.now()
                    repository.workflows[path] = Workflow(self._world.next_id(), path, name, now)
            return sorted(repository.workflows.values(), key=lambda workflow: workflow.path != WORKFLOW_PATH)

    def find(self, repository: Repository, run_id: int) -> Run:
        """The run of that id."""
        if run_id not in repository.runs:
            raise NotFound
        return repository.runs[run_id]

    def rerun(self, run: Run, actor: Actor) -> None:
        """Run again with the same payload and commit."""
        with self._world.lock:
            if run.status is not RunStatus.COMPLETED:
                raise Conflict("This workflow is already running")
            run.attempt += 1
            run.status, run.conclusion, run.exit_code, run.log = RunStatus.QUEUED, None, None, ""
            run.rerun_by, run.updated_at = actor.account, self._world.clock.now()
            self.changed.notify_all()

    def take(self) -> tuple[Repository, Run] | None:
        """The oldest queued run that may start, now in progress. Runs of one group go one after another."""
        with self._world.lock:
            all_runs = [(r, run) for r in self._world.repositories.values() for run in r.runs.values()]
            busy = {run.group for _, run in all_runs if run.status is RunStatus.IN_PROGRESS}
            for repository, run in all_runs:
                if run.status is RunStatus.QUEUED and run.group not in busy:
                    run.status = RunStatus.IN_PROGRESS
                    self._tell("in_progress", repository, run)
                    return repository, run
            return None

    def unfinished_runs(self) -> list[Run]:
        """Runs that are queued or in progress."""
        with self._world.lock:
            runs = [
                run for repository in self._world.repositories.values() for run in repository.runs.values()
            ]
            return [run for run in runs if run.status is not RunStatus.COMPLETED]

    def finish(self, repository: Repository, run: Run, conclusion: str) -> None:
        """The run has ended."""
        with self._world.lock:
            if run.status is RunStatus.COMPLETED:
                return
            run.status, run.conclusion = RunStatus.COMPLETED, conclusion
            self._tell("completed", repository, run)
            self.changed.notify_all()

    def add_artifact(self, run: Run, name: str, content: bytes) -> Artifact:
        """Keep a zip. A name is unique per run."""
        with self._world.lock:
            if any(artifact.name == name for artifact in run.artifacts):
                raise Conflict(f"an artifact with the name {name} exists")
            now = self._world.clock.now()
            digest = "sha256:" + hashlib.sha256(content).hexdigest()
            artifact = Artifact(self._world.next_id(), name, content, digest, now, now + _RETENTION)
            run.artifacts.append(artifact)
            return artifact

    def find_artifact(self, repository: Repository, artifact_id: int) -> tuple[Run, Artifact]:
        """The artifact of that id and its run."""
        for run in repository.runs.values():
            for artifact in run.artifacts:
                if artifact.id == artifact_id and not artifact.is_deleted:
                    return run, artifact
        raise NotFound

    def downloadable(self, repository: Repository, artifact_id: int) -> Artifact:
        """The artifact of that id, if it has not expired."""
        _, artifact = self.find_artifact(repository, artifact_id)
        if artifact.expires_at <= self._world.clock.now():
            raise ResourceGone("Artifact has expired")
        return artifact

    def _start(
        self,
        repository: Repository,
        workflow: WorkflowFile,
        event: str,
        payload: dict[str, Any],
        actor: Actor,
        branch: str | None,
    ) -> Run:
        head_branch = branch or repository.default_branch
        inputs = payload.get("inputs", {})
        number = inputs.get("issue") or payload.get("issue", payload.get("pull_request", {})).get("number")
        now = self._world.clock.now()
        run_id = self._world.next_id()
        run = Run(
            run_id,
            len(repository.runs) + 1,
            self.workflows(repository)[0].id,
            WORKFLOW_PATH,
            render_run_name(workflow, {"inputs": inputs, "github": {"event": payload}}),
            event,
            payload,
            head_branch,
            repository.git.resolve(f"refs/heads/{head_branch}"),
            actor.account,
            now,
            now,
            group=f"{repository.id}/{number}" if workflow.in_turn else f"run/{run_id}",
        )
        repository.runs[run.id] = run
        self._tell("requested", repository, run)
        self.changed.notify_all()
        return run

    def _workflow_file(self, repository: Repository, branch: str) -> WorkflowFile | None:
        try:
            entry = repository.git.entry(f"refs/heads/{branch}", WORKFLOW_PATH)
        except NoSuchObject:
            return None
        text = repository.git.blob(entry.sha or "").decode("utf-8", "replace")
        return parse_workflow(WORKFLOW_PATH, text)

    def _tell(self, action: str, repository: Repository, run: Run) -> None:
        run.updated_at = self._world.clock.now()
        self._world.tell(Happening("workflow_run", action, run.actor, repository, run=run))


def _may_start(happening: Happening, label: Label) -> bool:
    """The templates' condition. GitHub compares strings without regard to case."""
    is_open = happening.issue is not None and happening.issue.state == "open"
    return label.name.lower() == START_LABEL and is_open and happening.sender.type is AccountType.USER
