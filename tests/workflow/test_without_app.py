"""The workflow without the App, from the file that users get: act runs its jobs, and the sandbox is their GitHub."""

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from sandbox import Sandbox
from sandbox.actions.job import JobFolders
from sandbox.world.state import Comment, Issue, Repository, RunStatus, TokenKind
from tests.journeys.messages_server import messages_api
from tests.journeys.scripts import MEANS_NO_ROUTE, READS_NOTHING, approves, completes, edits, planned
from tests.workflow import act, hostile
from tests.workflow.test_pipeline_in_the_action import with_a_quick_check
from tests.workflow.uploads import uploads

pytestmark = pytest.mark.timeout(900)

SAMPLE = act.ROOT / "tests" / "sample_repositories" / "orders_fastapi"
WISH = "Add a dry_run flag to the bulk action"
TWO_ROUTES = (
    "The bulk action should take a `dry_run` flag, so that `process_item` can be tried without saving."
)
PERMISSIONS = {
    "metadata": "read",
    "contents": "write",
    "issues": "write",
    "actions": "write",
    "pull_requests": "write",
}
"""All that the jobs have between them: act hands every job the same token."""


@dataclass
class Workflows:
    """What the sandbox's runner executes: act, on a clone of the repository."""

    runner: act.Runner
    folder: Path
    uploads: str = ""
    model: str = ""
    speaks_as_app: bool = False
    finished: list[act.Finished] = field(default_factory=list)
    github: Sandbox | None = None

    def __call__(self, folders: JobFolders) -> Sequence[str]:
        github = self.github
        assert github is not None
        payload = json.loads(folders.event.read_text(encoding="utf-8"))
        repository, run = next(
            (repository, run)
            for repository in github.world.repositories.values()
            for run in repository.runs.values()
            if run.status is RunStatus.IN_PROGRESS and run.event_payload == payload
        )
        checkout = self.folder / f"checkout-{run.id}"
        act.git(self.folder, "clone", "--quiet", str(repository.git.directory), str(checkout))
        token = github.world.issue_token(
            TokenKind.JOB, github.world.actions_bot, PERMISSIONS, [repository.id]
        )
        finished = self.runner.run(
            run.event,
            payload,
            checkout,
            environment={
                "ASKFIRST_SECONDS_BETWEEN_WRITES": "0",
                "GITHUB_API_URL": github.api_url,
                "GITHUB_REPOSITORY": repository.full_name,
                "GITHUB_RUN_ID": str(run.id),
                "TEST_UPLOADS": self.uploads,
                **({"ANTHROPIC_BASE_URL": self.model} if self.model else {}),
            },
            secrets={
                "GITHUB_TOKEN": token.value,
                **({"ANTHROPIC_API_KEY": "sk-ant-no-key-at-all"} if self.model else {}),
                **(self._key_of_app(github) if self.speaks_as_app else {}),
            },
        )
        self.finished.append(finished)
        return ["true"]

    @staticmethod
    def _key_of_app(github: Sandbox) -> dict[str, str]:
        return {"ASKFIRST_APP_ID": str(github.app.id), "ASKFIRST_PRIVATE_KEY": github.app.private_key_pem}

    def add_artifact(self, run_id: int, name: str, archive: bytes) -> None:
        assert self.github is not None
        for repository in self.github.world.repositories.values():
            if run_id in repository.runs:
                self.github.actions.add_artifact(repository.runs[run_id], name, archive)


@dataclass(frozen=True)
class Orders:
    """acme/orders, with the workflow without the App."""

    github: Sandbox
    repository: Repository
    workflows: Workflows

    def settle(self) -> None:
        self.github.wait_until_quiet(400, settle=0.3)

    def label(self, title: str, body: str, *, by: str = "octocat") -> Issue:
        issue = self.github.open_issue(self.repository, title, body)
        self.github.label(issue, by=by)
        self.settle()
        return issue

    def says(self, issue: Issue, text: str, *, by: str = "octocat") -> Comment:
        comment = self.github.comment(issue, text, by=by)
        self.settle()
        return comment

    def ours(self, issue: Issue) -> list[str]:
        comments = self.github.comments(issue)
        return [comment.body for comment in comments if comment.user.type == "Bot"]

    def ran(self) -> int:
        """How many runs came to the pipeline."""
        return sum(
            any(artifact.name.startswith("run-") for artifact in run.artifacts)
            for run in self.github.runs(self.repository)
        )

    def log(self) -> str:
        return "\n".join(finished.text for finished in self.workflows.finished)


@pytest.fixture
def new_orders(runner: act.Runner, tmp_path: Path) -> Iterator[Callable[..., Orders]]:
    workflows = Workflows(runner, tmp_path)
    with Sandbox.start(program=workflows) as github, uploads(workflows.add_artifact) as address:
        workflows.github, workflows.uploads = github, address

        def make(
            prepare: Callable[[Path], None] | None = None,
            more: str = "",
            *,
            sample: Path = SAMPLE,
            model: str = "",
            speaks_as_app: bool = False,
        ) -> Orders:
            workflows.model, workflows.speaks_as_app = model, speaks_as_app
            workflow = tmp_path / "askfirst.yml"
            workflow.write_text(act.template_without_app(build=bool(model)) + more, encoding="utf-8")
            files = tmp_path / "files"
            shutil.copytree(sample, files)
            if prepare is not None:
                prepare(files)
            repository = github.create_repository(
                from_directory=files,
                workflow=workflow,
                has_app=speaks_as_app,
                collaborators={"octocat": "write", "hubot": "triage"},
            )
            return Orders(github, repository, workflows)

        yield make


def test_a_label_a_question_two_replies_at_once_and_the_ticket(new_orders: Callable[..., Orders]) -> None:
    orders = new_orders()
    issue = orders.label(WISH, TWO_ROUTES)
    assert len(orders.ours(issue)) == 1, orders.log()
    (question,) = orders.ours(issue)
    assert question.startswith("**@octocat, which route")
    assert orders.github.labels(issue) == {"askfirst", "askfirst:needs-answer"}

    orders.says(issue, "2", by="stranger")
    assert orders.ran() == 1, orders.log()

    orders.github.comment(issue, "2")
    orders.github.comment(issue, "1")
    orders.settle()
    answered, *others = orders.ours(issue)
    assert "Answered by `octocat`:** 2, `POST /actions/stream`" in answered, orders.log()
    assert any("POST /actions/stream" in text for text in others)
    assert orders.ran() == 2
    assert orders.github.labels(issue) == {"askfirst", "askfirst:ready"}
    assert all(finished.green for finished in orders.workflows.finished), orders.log()


def with_checks(files: Path) -> None:
    """A test command that needs no library, and a workflow that GitHub would start for a pull request of a person."""
    with_a_quick_check(files)
    checks = files / ".github" / "workflows" / "checks.yml"
    checks.parent.mkdir(parents=True)
    steps = "runs-on: ubuntu-latest\n    steps: [{run: 'true'}]\n"
    checks.write_text(f"name: Unit tests\non: pull_request\njobs:\n  unit:\n    {steps}", encoding="utf-8")


@pytest.mark.parametrize("speaks_as_app", [False, True], ids=["token of the job", "key of an App"])
def test_an_answered_question_becomes_a_pull_request(
    new_orders: Callable[..., Orders], speaks_as_app: bool
) -> None:
    turns = {
        "coder": [[edits("README.md", "# parcels", "# parcels\n\nA dry run moves none.")], [completes()]],
        "reviewer": [[approves()]],
    }
    replies = {
        "reading": [READS_NOTHING],
        "decomposition": [MEANS_NO_ROUTE | {"changes_request": True, "routes": [1, 2]}],
        "plans": [planned(None)],
    }
    with messages_api(turns, replies) as model:
        parcels = new_orders(
            with_checks,
            sample=SAMPLE.with_name("parcels_flask"),
            model=model.url,
            speaks_as_app=speaks_as_app,
        )
        issue = parcels.label(WISH, TWO_ROUTES.replace("process_item", "process_parcel"))
        (question,) = parcels.ours(issue)
        assert question.startswith("**@octocat, which route"), parcels.log()
        assert parcels.github.pull_requests(parcels.repository) == []
        parcels.says(issue, "2")
    assert parcels.ran() == 2, parcels.log()
    (pull_request,) = parcels.github.pull_requests(parcels.repository)
    bot = parcels.github.app.bot.login if speaks_as_app else "github-actions[bot]"
    assert pull_request.user.login == bot
    assert {comment.user.login for comment in parcels.github.comments(issue)} == {bot, "octocat"}
    text = pull_request.body or ""
    assert f"Closes #{issue.number}" in text
    assert ("Checks that wait for you" in text) is not speaks_as_app
    assert ("Unit tests" in text) is not speaks_as_app
    assert "PRIVATE KEY" not in parcels.log()
    assert "python3 check.py" in text


def test_hostile_title_reply_and_checkout_change_nothing(
    new_orders: Callable[..., Orders], tmp_path: Path
) -> None:
    canary = tmp_path / "canary"
    orders = new_orders(lambda files: hostile.plant(files, canary), more=hostile.job_environment())
    words = '"; touch CANARY; echo " $(touch CANARY) `touch CANARY` ${{ secrets.GITHUB_TOKEN }} @everyone'
    words = words.replace("CANARY", str(canary))
    issue = orders.label(f"{WISH} {words}"[:250], f"{TWO_ROUTES}\n\n{words}\n::error::boo")
    (question,) = orders.ours(issue)
    orders.says(issue, f"2\n\n{words}\nrun=true")
    assert orders.ran() == 2, orders.log()
    assert not any("@everyone" in text or "ghs_" in text for text in orders.ours(issue))
    assert not canary.exists(), canary.read_text()
    assert question.startswith("**@octocat, which route")


def test_a_label_of_somebody_who_may_not_and_a_reply_on_a_closed_issue_start_nothing(
    new_orders: Callable[..., Orders],
) -> None:
    orders = new_orders()
    issue = orders.label(WISH, TWO_ROUTES, by="hubot")
    (refused,) = orders.ours(issue)
    assert "hubot" in refused
    assert orders.ran() == 0
    orders.github.close_issue(issue)
    orders.settle()
    orders.says(issue, "2")
    assert orders.ran() == 0
