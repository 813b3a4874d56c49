"""The one place that builds the App for a job, and hands it what the job was started for."""

import logging

from github_app.gateway.app_auth import TokenScope
from github_app.gateway.change_publisher import GitHubPublisher
from github_app.gateway.checks import GitHubChecks
from github_app.gateway.github_gateway import GitHubIssues, GitHubPermissions, GitHubWorkflows
from github_app.gateway.pull_requests import GitHubPullRequests
from github_app.gateway.run_artifact import GitHubArtifacts
from github_app.gateway.system_clock import SystemClock
from github_app.job.environment import JobEnvironment, read_job
from github_app.job.event import JobApp, take_event
from github_app.job.markers import JobMarkers
from github_app.job.publish import publish
from github_app.job.stand_ins import JobConnections, JobConversations, NoTimers, ThisRun
from github_app.perform import App
from github_app.settings import read_address
from github_app.surfaces.github_markdown import GitHubMarkdown


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
    """The App as a job has it: everything over its `GITHUB_TOKEN`, and nothing that outlives it."""
    address = read_address()
    connections = JobConnections(address, job.token)
    workflows, artifacts = GitHubWorkflows(connections), GitHubArtifacts(connections, address)
    this_run, conversations = ThisRun(job.run_id, workflows), JobConversations()
    app = App(
        issues=GitHubIssues(connections),
        permissions=GitHubPermissions(connections),
        workflows=this_run,
        artifacts=artifacts,
        publisher=GitHubPublisher(connections),
        pull_requests=GitHubPullRequests(connections),
        checks=GitHubChecks(connections),
        conversations=conversations,
        timers=NoTimers(),
        clock=SystemClock(),
        surface=GitHubMarkdown(address.server_url),
        markers=JobMarkers(job, workflows, artifacts),
        secret=job.marker_key,
        checks_wait=True,
    )
    return JobApp(app, conversations, this_run), connections
