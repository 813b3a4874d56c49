"""Checks of a commit, and the jobs of GitHub Actions behind them with their logs."""

from sandbox.access import READ_ACTIONS, READ_CHECKS
from sandbox.documents.of_checks import check_job_document, check_run_document
from sandbox.rest.routes import REPOSITORY, ApiAnswer, ApiCall, Page, Routes
from sandbox.world.git_repository import NoSuchObject
from sandbox.world.refusals import NotFound
from sandbox.world.state import RunStatus

routes = Routes()

JOB = f"{REPOSITORY}/actions/jobs/<int:job_id>"


@routes("GET", f"{REPOSITORY}/commits/<ref>/check-runs", READ_CHECKS)
def list_check_runs(call: ApiCall, ref: str) -> Page:
    """The newest run of every check on a commit."""
    try:
        commit = call.repository.git.resolve(ref)
    except NoSuchObject as error:
        raise NotFound from error
    runs = call.services.checks.of_commit(call.repository, commit)
    return Page([check_run_document(call.documents, call.repository, run) for run in runs], "check_runs")


@routes("GET", JOB, READ_ACTIONS)
def get_job(call: ApiCall, job_id: int) -> ApiAnswer:
    """A job of a workflow run."""
    run = call.services.checks.job(call.repository, job_id)
    return ApiAnswer(document=check_job_document(call.documents, call.repository, run))


@routes("GET", f"{JOB}/logs", READ_ACTIONS)
def download_log(call: ApiCall, job_id: int) -> ApiAnswer:
    """A redirect to the log on the other host, good for a minute; there is none before the job has ended."""
    run = call.services.checks.job(call.repository, job_id)
    if run.status is not RunStatus.COMPLETED:
        raise NotFound
    return ApiAnswer(302, None, {"Location": call.services.log_address(run)})
