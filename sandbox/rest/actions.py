"""Workflows, runs, artifacts."""

from functools import partial

from sandbox.access import READ_ACTIONS, WRITE_ACTIONS
from sandbox.documents.of_runs import (
    artifact_document,
    job_document,
    run_document,
    workflow_document,
)
from sandbox.rest.routes import LATEST_API, REPOSITORY, ApiAnswer, ApiCall, Page, Routes
from sandbox.world.refusals import Conflict, Invalid, NotFound
from sandbox.world.state import Run, RunStatus

routes = Routes()

ACTIONS = f"{REPOSITORY}/actions"
RUN = f"{ACTIONS}/runs/<int:run_id>"
WORKFLOW = f"{ACTIONS}/workflows/<workflow_id>"


@routes("GET", f"{ACTIONS}/workflows", READ_ACTIONS)
def list_workflows(call: ApiCall) -> Page:
    """The workflows of the repository."""
    workflows = call.services.runs.workflows(call.repository)
    return Page([workflow_document(call.documents, call.repository, w) for w in workflows], "workflows")


@routes("GET", WORKFLOW, READ_ACTIONS)
def get_workflow(call: ApiCall, workflow_id: str) -> ApiAnswer:
    """A workflow by id or file name."""
    workflow = call.services.runs.workflow(call.repository, workflow_id)
    return ApiAnswer(document=workflow_document(call.documents, call.repository, workflow))


@routes("POST", f"{WORKFLOW}/dispatches", WRITE_ACTIONS)
def dispatch_workflow(call: ApiCall, workflow_id: str) -> ApiAnswer:
    """Start a run. The older API version tells the run's id only to who asks for it."""
    inputs = call.body.get("inputs") or {}
    if not isinstance(inputs, dict):
        raise Invalid("Invalid request.\n\nFor 'properties/inputs', it is not an object.")
    run = call.services.runs.dispatch(
        call.repository, workflow_id, call.actor, call.required_text("ref"), inputs
    )
    if call.api_version < LATEST_API and call.body.get("return_run_details") is not True:
        return ApiAnswer(204)
    document = run_document(call.documents, call.repository, run)
    return ApiAnswer(
        200, {"workflow_run_id": run.id, "run_url": document["url"], "html_url": document["html_url"]}
    )


@routes("GET", f"{WORKFLOW}/runs", READ_ACTIONS)
def list_workflow_runs(call: ApiCall, workflow_id: str) -> Page:
    """Runs of one workflow, newest first."""
    workflow = call.services.runs.workflow(call.repository, workflow_id)
    return _runs(call, [run for run in call.repository.runs.values() if run.workflow_id == workflow.id])


@routes("GET", RUN, READ_ACTIONS)
def get_run(call: ApiCall, run_id: int) -> ApiAnswer:
    """One run."""
    run = call.services.runs.find(call.repository, run_id)
    return ApiAnswer(document=run_document(call.documents, call.repository, run))


@routes("POST", f"{RUN}/cancel", WRITE_ACTIONS)
def cancel_run(call: ApiCall, run_id: int) -> ApiAnswer:
    """Ask the runner to stop."""
    run = call.services.runs.find(call.repository, run_id)
    if run.status is RunStatus.COMPLETED:
        raise Conflict("Cannot cancel a workflow run that is completed.")
    call.services.runs.finish(call.repository, run, "cancelled")
    return ApiAnswer(202, {})


@routes("POST", f"{RUN}/rerun", WRITE_ACTIONS)
def rerun(call: ApiCall, run_id: int) -> ApiAnswer:
    """Run again with the payload and commit of the first attempt."""
    run = call.services.runs.find(call.repository, run_id)
    call.services.runs.rerun(run, call.actor)
    return ApiAnswer(201, {})


@routes("GET", f"{RUN}/jobs", READ_ACTIONS)
def list_jobs(call: ApiCall, run_id: int) -> Page:
    """The one job of a run."""
    run = call.services.runs.find(call.repository, run_id)
    return Page([job_document(call.documents, call.repository, run)], "jobs")


@routes("GET", f"{RUN}/artifacts", READ_ACTIONS)
def list_run_artifacts(call: ApiCall, run_id: int) -> Page:
    """The artifacts of a run, of all its attempts; `name` filters."""
    return _artifacts(call, [call.services.runs.find(call.repository, run_id)])


@routes("GET", f"{ACTIONS}/artifacts/<int:artifact_id>/<archive_format>", READ_ACTIONS)
def download_artifact(call: ApiCall, artifact_id: int, archive_format: str) -> ApiAnswer:
    """A redirect to the other host, good for a minute; 410 once the artifact has expired."""
    if archive_format != "zip":
        raise NotFound
    call.services.runs.downloadable(call.repository, artifact_id)
    return ApiAnswer(302, None, {"Location": call.services.artifact_address(call.repository, artifact_id)})


def _runs(call: ApiCall, runs: list[Run]) -> Page:
    query = call.query
    matches = [
        run
        for run in reversed(runs)
        if query.get("event", run.event) == run.event
        and query.get("branch", run.head_branch) == run.head_branch
        and query.get("head_sha", run.head_sha) == run.head_sha
        and query.get("status", run.status.value) in (run.status.value, run.conclusion)
        and query.get("actor", run.actor.login) == run.actor.login
    ]
    describe = partial(run_document, call.documents, call.repository)
    return Page(matches, "workflow_runs", document_of=describe)


def _artifacts(call: ApiCall, runs: list[Run]) -> Page:
    now, name = call.world.clock.now(), call.query.get("name")
    return Page(
        [
            artifact_document(call.documents, call.repository, run, artifact, now)
            for run in reversed(runs)
            for artifact in reversed(run.artifacts)
            if not artifact.is_deleted and name in (None, artifact.name)
        ],
        "artifacts",
    )
