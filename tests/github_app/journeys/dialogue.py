"""What a journey is told with: an issue that people label and comment on, and on which the App is heard.

Nothing here sleeps for a given time to see what happens: it waits until the App has done every delivery that it took.
"""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import pytest

from github_app.intake.delivery import UnusableDelivery, parse_delivery
from sandbox import Sandbox
from sandbox.actions.job import JobFolders, Program, askfirst_program
from sandbox.world.state import Comment, Issue, Repository, Run, WebhookDelivery
from tests.journeys.commands import SCRIPT
from tests.journeys.messages_server import KEY

SECONDS = 300.0
"""What anything may take before a journey gives up. A busy machine is no defect."""

ASKED = "askfirst:needs-answer"
READY = "askfirst:ready"

SAMPLE = Path(__file__).parents[2] / "sample_repositories" / "orders_fastapi"

_MARKER = re.compile(r"\s*<!--.*?-->", re.DOTALL)
_FOLD = re.compile(r"<details>\s*<summary>(.*?)</summary>.*?</details>", re.DOTALL)


class Runs:
    """The runs of a sandbox, which can be held back: a held run is in progress, and its program has not begun.

    `scripted` holds programs that run in the place of the pipeline, by the full name of a repository.
    """

    def __init__(self) -> None:
        self.scripted: dict[str, Program] = {}
        self._may_go = threading.Event()
        self._may_go.set()

    def __call__(self, folders: JobFolders) -> Sequence[str]:
        """The command of a run, once it may begin."""
        assert self._may_go.wait(SECONDS)
        event = json.loads(folders.event.read_text(encoding="utf-8"))
        return self.scripted.get(event["repository"]["full_name"], askfirst_program)(folders)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let no program begin meanwhile."""
        self._may_go.clear()
        try:
            yield
        finally:
            self._may_go.set()


def model_program(url: str, *arguments: str, **variables: str) -> Program:
    """The pipeline as a command of the runner, with a model behind an address. `variables` are of its environment, too."""

    def program(folders: JobFolders) -> Sequence[str]:
        variables_of_run = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url, **variables}
        return [
            *("env", *(f"{name}={value}" for name, value in variables_of_run.items()), str(SCRIPT), "run"),
            *("--repository", str(folders.workspace), "--issue", str(folders.event)),
            *("--run-directory", str(folders.run_directory), *arguments),
        ]

    return program


class Logged(Protocol):
    """An App, however it is served."""

    def log(self) -> str:
        """What its processes have said so far."""


class Stage:
    """A GitHub and the App that serves it. `problems` is where exchanges depart from GitHub's description."""

    def __init__(self, github: Sandbox, app: Logged, runs: Runs, problems: Sequence[str]) -> None:
        self.github = github
        self.app = app
        self.runs = runs
        self.problems = problems
        self._understood: dict[str, bool] = {}

    def until(self, holds: Callable[[], object], what: str, *, seconds: float = SECONDS) -> None:
        """Wait until something holds.

        Fails with what was waited for and what the App said.
        """
        deadline = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > deadline:
                pytest.fail(f"{what}: not within {seconds:.0f} s. The App said:\n{self.app.log()[-6000:]}")
            time.sleep(0.05)

    def settle(self, *, besides_runs: bool = False) -> None:
        """Wait until no run is unfinished (unless `besides_runs`) and every delivery is acknowledged and done."""
        self.until(lambda: not self.unread(besides_runs=besides_runs), "nothing left unread")

    def unread(self, *, besides_runs: bool = False) -> list[str]:
        """What goes on. State first, then the log: whatever is announced later is announced by what goes on."""
        with self.github.world.lock:
            runs = [] if besides_runs else [f"run {run.id}" for run in self.github.actions.unfinished_runs()]
            waiting = [f"delivery {delivery.guid}" for delivery in self.github.deliveries.pending()]
            comment_ids = {
                d.guid for d in self.github.deliveries.attempts if d.is_acknowledged and self._is_ours(d)
            }
        if runs or waiting:
            return runs + waiting
        done = set(re.findall(r"INFO github_app\.serving\.worker: did \S+ of \S+: (\S+)", self.app.log()))
        return sorted(comment_ids - done)

    def _is_ours(self, delivery: WebhookDelivery) -> bool:
        if delivery.guid not in self._understood:
            try:
                understood = parse_delivery(delivery.event, delivery.body) is not None
            except UnusableDelivery:
                understood = False
            self._understood[delivery.guid] = understood
        return self._understood[delivery.guid]


def checks_end(github: Sandbox, repository: Repository, branch: str, **ends: tuple[str, str]) -> None:
    """Checks of the head of a branch run and end, each with a conclusion and a log."""
    suite = github.checks.start(repository, branch, list(ends))
    github.checks.finish(repository, suite, ends)


class Dialogue:
    """One issue or pull request. People speak with `label` and `says`; what the App says is taken, in order, with `hears`.

    A comment of the App that is new, or that was edited since it was last heard, is unread.
    """

    def __init__(self, stage: Stage, issue: Issue) -> None:
        self._stage = stage
        self._github = stage.github
        self._heard: dict[int, str] = {}
        self.repository: Repository = stage.github.repository_of(issue)
        self.issue = issue

    # What people do

    def label(self, by: str = "octocat") -> None:
        """Put the label on, which starts everything."""
        self._github.label(self.issue, by=by)

    def says(self, text: str, by: str = "octocat") -> Comment:
        """Comment."""
        return self._github.comment(self.issue, text, by=by)

    def requests_changes(self, text: str, by: str = "octocat") -> None:
        """Review the pull request."""
        self._github.review(self.issue, "REQUEST_CHANGES", text, by=by)

    # What CI does

    def checks_end(self, **ends: tuple[str, str]) -> None:
        """Checks of the pull request's head run and end, each with a conclusion and a log."""
        pull = self.issue.pull_request
        assert pull is not None
        checks_end(self._github, self.repository, pull.head_branch, **ends)

    # What the App does

    @property
    def pull_request(self) -> "Dialogue":
        """The pull request that closes this issue."""
        closes = f"Closes #{self.issue.number}\n"
        [pull] = [
            one for one in self._github.pull_requests(self.repository) if (one.body or "").startswith(closes)
        ]
        return Dialogue(self._stage, pull)

    @property
    def commits(self) -> list[str]:
        """The subjects of the commits on the pull request's branch, oldest first."""
        pull = self.issue.pull_request
        assert pull is not None
        git = self.repository.git
        found = git.commits_between(pull.base_sha, f"refs/heads/{pull.head_branch}")
        return [git.commit(sha).message.splitlines()[0] for sha in found]

    def file(self, path: str) -> str:
        """A file as the pull request has it."""
        pull = self.issue.pull_request
        assert pull is not None
        git = self.repository.git
        return git.blob(git.entry(f"refs/heads/{pull.head_branch}", path).sha or "").decode()

    def hears(self) -> str:
        """The App's next unread words, without what only machines read; waits for them."""
        self._stage.until(self.unread, f"a comment on #{self.issue.number}")
        comment = self.unread()[0]
        self._heard[comment.id] = comment.body
        return self.as_read(comment.body)

    def hears_nothing(self) -> None:
        """Everything is done, and nothing was said."""
        self._stage.settle()
        assert [self.as_read(comment.body) for comment in self.unread()] == []

    def is_asked(self) -> str:
        """The question, with its label on the issue."""
        question = self.hears()
        self._stage.until(lambda: ASKED in self.labels, f"the label {ASKED}")
        return question

    def unread(self) -> list[Comment]:
        """The App's comments that nobody has heard as they stand now, in the order of their last change."""
        with self._github.world.lock:
            comments = [c for c in self.issue.comments if c.via_app and self._heard.get(c.id) != c.body]
            return sorted(comments, key=lambda comment: (comment.updated_at, comment.id))

    @property
    def labels(self) -> set[str]:
        """The names of our own labels on the issue, but for the one that starts."""
        return {name for name in self._github.labels(self.issue) if name.startswith("askfirst:")}

    @property
    def runs(self) -> list[Run]:
        """The runs of this issue, oldest first."""
        return [
            run
            for run in self._github.runs(self.repository)
            if re.match(rf"askfirst #{self.issue.number}\b", run.name)
        ]

    @property
    def endings(self) -> list[tuple[str, int | None]]:
        """What started each run of this issue, and its exit code."""
        self._stage.settle()
        return [(run.event, run.exit_code) for run in self.runs]

    def receipts(self, comment: Comment | None = None) -> list[str]:
        """The reactions on a comment, or on the issue, once everything is done."""
        self._stage.settle(besides_runs=True)
        reactions = self.issue.reactions if comment is None else comment.reactions
        return [reaction.content for reaction in reactions]

    def starts_again(self) -> None:
        """Wait until a second run is in progress, and the App has said all it has to say about that."""
        self._stage.until(lambda: len(self.runs) > 1, "a second run")
        self._stage.settle(besides_runs=True)

    def as_read(self, body: str) -> str:
        """A comment as a person sees it; what differs from run to run is named."""
        text = _FOLD.sub(lambda fold: f"▸ {fold[1].strip()}", _MARKER.sub("", body))
        text = text.replace(self._github.html_url, "https://github.com")
        text = re.sub(r"issues/\d+#issuecomment-\d+", "issues/ISSUE#issuecomment-COMMENT", text)
        text = re.sub(r"\[\d+\]\((\S+/actions/runs/)\d+\)", r"[RUN](\1RUN)", text)
        text = re.sub(r"/blob/[0-9a-f]{40}/", "/blob/COMMIT/", text)
        text = re.sub(r"\[#\d+\]\((\S+/pull/)\d+\)", r"[#PULL](\1PULL)", text)
        text = re.sub(r"\b[0-9a-f]{7}\b(?=, run)", "COMMIT", text)
        text = re.sub(r"^Closes #\d+", "Closes #ISSUE", text)
        text = re.sub(r"(?<=nswer by )\d+ \w+", "DAY", text)
        return re.sub(r"\n{3,}", "\n\n", text).strip()
