"""The one place that builds the App for a job, and hands it what the job was started for."""

import logging

from github_app.app import App
from github_app.gateway.app_auth import AppAuth, TokenScope
from github_app.gateway.change_publisher import GitHubPublisher
from github_app.gateway.checks import GitHubChecks
from github_app.gateway.github_gateway import GitHubIssues, GitHubPermissions, GitHubWorkflows
from github_app.gateway.pull_requests import GitHubPullRequests
from github_app.gateway.run_artifact import GitHubArtifacts
from github_app.gateway.system_clock import SystemClock
from github_app.job.environment import JobEnvironment, NoJob, read_job
from github_app.job.event import JobApp, take_event
from github_app.job.markers import OUR_LOGIN, JobMarkers
from github_app.job.publish import publish
from github_app.job.stand_ins import JobConnections, JobConversations, NoTimers, StartedChecks, ThisRun
from github_app.ports.github import GitHubRefused, GitHubUnavailable
from github_app.settings import AppKey, GitHubAddress, read_address
from github_app.surfaces.github_markdown import GitHubMarkdown

_PERMISSIONS = {
    "event": {"issues": "write", "pull_requests": "read"},
    "publish": {"issues": "write", "pull_requests": "write", "contents": "write"},
}
"""What the App's token may do in each job."""


def take_event_of_job() -> None:
    """Take the event of the job that this process runs in, without the App."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    job = read_job("event")
    job.write_outputs(take_event(job, assembled_for_job(job)[0]))


def publish_from_job(result: str) -> None:
    """Say how the pipeline's job of this run ended, without the App."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    job = read_job("publish")
    job_app, connections = assembled_for_job(job)
    path = f"/repos/{job.repository.full_name}/actions/runs/{job.run_id}"
    run = connections.to(job.repository, TokenScope.READ_RUNS).request("GET", path)[1]
    publish(job, job_app, {**run, "run_attempt": job.attempt, "conclusion": result})


def assembled_for_job(job: JobEnvironment) -> tuple[JobApp, JobConnections]:
    """The App as a job has it: everything over tokens that end with the job, and nothing that outlives it."""
    address = read_address()
    login, app_token = (OUR_LOGIN, None) if not job.app_id else _as_app(job, address)
    connections = JobConnections(address, job.token, app_token)
    workflows, artifacts = GitHubWorkflows(connections), GitHubArtifacts(connections, address)
    this_run, conversations = ThisRun(job.run_id, workflows), JobConversations()
    app = App(
        issues=GitHubIssues(connections),
        permissions=GitHubPermissions(connections),
        workflows=this_run,
        artifacts=artifacts,
        publisher=GitHubPublisher(connections),
        pull_requests=(StartedChecks if app_token else GitHubPullRequests)(connections),
        checks=GitHubChecks(connections),
        conversations=conversations,
        timers=NoTimers(),
        clock=SystemClock(),
        surface=GitHubMarkdown(address.server_url),
        markers=JobMarkers(job, workflows, artifacts, login),
        secret=job.marker_key,
        checks_wait=True,
    )
    return JobApp(app, conversations, this_run), connections


def _as_app(job: JobEnvironment, address: GitHubAddress) -> tuple[str, str]:
    """The App's login and its token for this job. Only the two jobs that run no agent and no code of the repository get here."""
    key = AppKey(**vars(address), client_id=job.app_id, private_key=job.private_key)
    try:
        return AppAuth(key, SystemClock()).token_of_job(job.repository.full_name, _PERMISSIONS[job.name])
    except (GitHubRefused, GitHubUnavailable) as refusal:
        raise NoJob(
            f"The App {job.app_id} got no token for {job.repository.full_name}: {refusal}\n"
            "Install it there with the permissions issues, pull requests and contents, each to write."
        ) from refusal
