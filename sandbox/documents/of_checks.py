"""How check suites, check runs and the jobs behind them look as GitHub's JSON."""

from sandbox.documents.documents import Document, Documents, node_id
from sandbox.world.checks import ACTIONS, conclusion_of, newest_of
from sandbox.world.clock import stamp
from sandbox.world.state import CheckRun, CheckSuite, PullRequest, Repository

_ACTIONS_ID = 15368
_OTHER_ID = 29310


def check_suite_document(documents: Documents, repository: Repository, suite: CheckSuite) -> Document:
    """A suite, with the open pull requests of its branch."""
    conclusion = conclusion_of(suite)
    url = f"{documents.at.api_of(repository)}/check-suites/{suite.id}"
    commit = repository.git.commit(suite.head_sha)
    return {
        "id": suite.id,
        "node_id": node_id("CS", suite.id),
        "head_branch": suite.head_branch,
        "head_sha": suite.head_sha,
        "status": "in_progress" if conclusion is None else "completed",
        "conclusion": conclusion,
        "url": url,
        "before": commit.parents[0] if commit.parents else None,
        "after": suite.head_sha,
        "pull_requests": [
            _pull_request(documents, repository, issue.number, issue.pull_request)
            for issue in repository.issues.values()
            if issue.state == "open"
            and issue.pull_request is not None
            and issue.pull_request.head_branch == suite.head_branch
        ],
        "app": _app(documents, suite.app),
        "created_at": stamp(suite.created_at),
        "updated_at": stamp(suite.updated_at),
        "latest_check_runs_count": len(newest_of(suite)),
        "check_runs_url": f"{url}/check-runs",
        "head_commit": {
            "id": commit.sha,
            "tree_id": commit.tree_sha,
            "message": commit.message,
            "timestamp": stamp(commit.committer.date),
            "author": {"name": commit.author.name, "email": commit.author.email},
            "committer": {"name": commit.committer.name, "email": commit.committer.email},
        },
    }


def check_run_document(documents: Documents, repository: Repository, run: CheckRun) -> Document:
    """A check run. That of a job has the job's id, as on GitHub."""
    url = f"{documents.at.api_of(repository)}/check-runs/{run.id}"
    page = f"{documents.at.html_of(repository)}/actions/runs/{run.suite_id}/job/{run.id}"
    return {
        "id": run.id,
        "name": run.name,
        "node_id": node_id("CR", run.id),
        "head_sha": run.head_sha,
        "external_id": "",
        "url": url,
        "html_url": page,
        "details_url": page,
        "status": run.status.value,
        "conclusion": run.conclusion,
        "started_at": stamp(run.started_at),
        "completed_at": stamp(run.completed_at) if run.completed_at else None,
        "output": {
            **dict.fromkeys(("title", "summary", "text")),
            "annotations_count": 0,
            "annotations_url": f"{url}/annotations",
        },
        "check_suite": {"id": run.suite_id},
        "app": _app(documents, run.app),
        "pull_requests": [],
    }


def check_job_document(documents: Documents, repository: Repository, run: CheckRun) -> Document:
    """The job behind a check run of Actions."""
    api = documents.at.api_of(repository)
    return {
        "id": run.id,
        "run_id": run.suite_id,
        "run_url": f"{api}/actions/runs/{run.suite_id}",
        "run_attempt": 1,
        "node_id": node_id("J", run.id),
        "head_sha": run.head_sha,
        "head_branch": repository.check_suites[run.suite_id].head_branch,
        "workflow_name": "CI",
        "name": run.name,
        "url": f"{api}/actions/jobs/{run.id}",
        "html_url": f"{documents.at.html_of(repository)}/actions/runs/{run.suite_id}/job/{run.id}",
        "check_run_url": f"{api}/check-runs/{run.id}",
        "status": run.status.value,
        "conclusion": run.conclusion,
        "created_at": stamp(run.started_at),
        "started_at": stamp(run.started_at),
        "completed_at": stamp(run.completed_at) if run.completed_at else None,
        "labels": ["ubuntu-latest"],
        "steps": [],
        **dict.fromkeys(("runner_id", "runner_name", "runner_group_id", "runner_group_name")),
    }


def _app(documents: Documents, slug: str) -> Document:
    """Who reports a check: GitHub Actions, or a service of somebody else."""
    app_id = _ACTIONS_ID if slug == ACTIONS else _OTHER_ID
    return {**documents.app(documents.world.the_app), "id": app_id, "slug": slug, "name": slug}


def _pull_request(documents: Documents, repository: Repository, number: int, pull: PullRequest) -> Document:
    api = documents.at.api_of(repository)
    place = {"id": repository.id, "url": api, "name": repository.name}
    return {
        "url": f"{api}/pulls/{number}",
        "id": pull.id,
        "number": number,
        "head": {"ref": pull.head_branch, "sha": pull.head_sha, "repo": place},
        "base": {"ref": pull.base_branch, "sha": pull.base_sha, "repo": place},
    }
