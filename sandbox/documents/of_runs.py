"""How workflows, runs, artifacts and webhook deliveries look as GitHub's JSON."""

import json
from datetime import datetime

from sandbox.documents.documents import Document, Documents, node_id
from sandbox.world.clock import stamp
from sandbox.world.state import Artifact, Repository, Run, RunStatus, WebhookDelivery, Workflow


def workflow_document(documents: Documents, repository: Repository, workflow: Workflow) -> Document:
    """A workflow file of the default branch."""
    api, html = documents.at.api_of(repository), documents.at.html_of(repository)
    return {
        "id": workflow.id,
        "node_id": node_id("W", workflow.id),
        "name": workflow.name,
        "path": workflow.path,
        "state": "active",
        "created_at": stamp(workflow.created_at),
        "updated_at": stamp(workflow.created_at),
        "url": f"{api}/actions/workflows/{workflow.id}",
        "html_url": f"{html}/blob/{repository.default_branch}/{workflow.path}",
        "badge_url": f"{html}/workflows/{workflow.name}/badge.svg",
    }


def run_document(documents: Documents, repository: Repository, run: Run) -> Document:
    """A run. It names no issue anywhere, as on GitHub; with a run-name, `name` is the run-name."""
    api = f"{documents.at.api_of(repository)}/actions/runs/{run.id}"
    actor = documents.account(run.actor)
    place = documents.repository(repository)
    return {
        "id": run.id,
        "name": run.name,
        "node_id": node_id("WFR", run.id),
        "check_suite_id": run.id,
        "check_suite_node_id": node_id("CS", run.id),
        "head_branch": run.head_branch,
        "head_sha": run.head_sha,
        "path": run.path,
        "display_title": run.name,
        "run_number": run.number,
        "run_attempt": run.attempt,
        "referenced_workflows": [],
        "event": run.event,
        "status": run.status.value,
        "conclusion": run.conclusion,
        "workflow_id": run.workflow_id,
        "pull_requests": [],
        "created_at": stamp(run.created_at),
        "updated_at": stamp(run.updated_at),
        "run_started_at": stamp(run.created_at),
        "actor": actor,
        "triggering_actor": documents.account(run.rerun_by or run.actor),
        "url": api,
        "html_url": f"{documents.at.html_of(repository)}/actions/runs/{run.id}",
        "jobs_url": f"{api}/jobs",
        "logs_url": f"{api}/logs",
        "check_suite_url": f"{documents.at.api_of(repository)}/check-suites/{run.id}",
        "artifacts_url": f"{api}/artifacts",
        "cancel_url": f"{api}/cancel",
        "rerun_url": f"{api}/rerun",
        "previous_attempt_url": f"{api}/attempts/{run.attempt - 1}" if run.attempt > 1 else None,
        "workflow_url": f"{documents.at.api_of(repository)}/actions/workflows/{run.workflow_id}",
        "head_commit": _head_commit(repository, run),
        "repository": place,
        "head_repository": place,
    }


def job_document(documents: Documents, repository: Repository, run: Run) -> Document:
    """The one job of a run, under the name that the template workflow gives it."""
    api = documents.at.api_of(repository)
    return {
        "id": run.id,
        "run_id": run.id,
        "run_url": f"{api}/actions/runs/{run.id}",
        "run_attempt": run.attempt,
        "node_id": node_id("J", run.id),
        "head_sha": run.head_sha,
        "head_branch": run.head_branch,
        "workflow_name": run.name,
        "name": "pipeline",
        "url": f"{api}/actions/jobs/{run.id}",
        "html_url": f"{documents.at.html_of(repository)}/actions/runs/{run.id}",
        "check_run_url": f"{api}/check-runs/{run.id}",
        "status": run.status.value,
        "conclusion": run.conclusion,
        "created_at": stamp(run.created_at),
        "started_at": stamp(run.created_at),
        "completed_at": stamp(run.updated_at) if run.status is RunStatus.COMPLETED else None,
        "labels": ["ubuntu-latest"],
        "steps": _steps(run),
        **dict.fromkeys(("runner_id", "runner_name", "runner_group_id", "runner_group_name")),
    }


def _steps(run: Run) -> list[Document]:
    """The steps of the template's job: the checkout is done when the job is shown, and the pipeline goes until the end."""
    if run.status is RunStatus.QUEUED:
        return []
    is_over = run.status is RunStatus.COMPLETED
    times = {"started_at": stamp(run.created_at), "completed_at": stamp(run.updated_at) if is_over else None}
    return [
        {"name": "Set up job", "number": 1, "status": "completed", "conclusion": "success", **times},
        {
            "name": "Run askfirst",
            "number": 2,
            "status": run.status.value,
            "conclusion": run.conclusion if is_over else None,
            **times,
        },
    ]


def artifact_document(
    documents: Documents, repository: Repository, run: Run, artifact: Artifact, now: datetime
) -> Document:
    """An artifact of a run."""
    api = f"{documents.at.api_of(repository)}/actions/artifacts/{artifact.id}"
    return {
        "id": artifact.id,
        "node_id": node_id("AR", artifact.id),
        "name": artifact.name,
        "size_in_bytes": len(artifact.content),
        "url": api,
        "archive_download_url": f"{api}/zip",
        "expired": artifact.expires_at <= now,
        "digest": artifact.digest,
        "created_at": stamp(artifact.created_at),
        "updated_at": stamp(artifact.created_at),
        "expires_at": stamp(artifact.expires_at),
        "workflow_run": {
            "id": run.id,
            "repository_id": repository.id,
            "head_repository_id": repository.id,
            "head_branch": run.head_branch,
            "head_sha": run.head_sha,
        },
    }


def delivery_document(delivery: WebhookDelivery) -> Document:
    """One attempt, as the list shows it."""
    return {
        "id": delivery.id,
        "guid": delivery.guid,
        "delivered_at": stamp(delivery.delivered_at),
        "redelivery": delivery.redelivery,
        "duration": round(delivery.duration, 2),
        "status": delivery.status,
        "status_code": delivery.status_code,
        "event": delivery.event,
        "action": delivery.action,
        "installation_id": delivery.installation_id,
        "repository_id": delivery.repository_id,
        "throttled_at": None,
    }


def full_delivery_document(delivery: WebhookDelivery) -> Document:
    """One attempt with what was sent and what came back."""
    return {
        **delivery_document(delivery),
        "request": {"headers": delivery.headers, "payload": json.loads(delivery.body)},
        "response": {"headers": {}, "payload": delivery.response_body},
    }


def _head_commit(repository: Repository, run: Run) -> Document:
    commit = repository.git.commit(run.head_sha)
    return {
        "id": commit.sha,
        "tree_id": commit.tree_sha,
        "message": commit.message,
        "timestamp": stamp(commit.committer.date),
        "author": {"name": commit.author.name, "email": commit.author.email},
        "committer": {"name": commit.committer.name, "email": commit.committer.email},
    }
