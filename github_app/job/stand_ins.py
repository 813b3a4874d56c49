"""Ports that a job has no server for: a store for as long as it lives, no timers, and its own run in place of a new one."""

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from github.Auth import Token

from github_app.conversation.effects import TimerName
from github_app.conversation.record import Conversation
from github_app.gateway.app_auth import TokenScope
from github_app.gateway.pull_requests import GitHubPullRequests
from github_app.gateway.rest import Pace, Rest
from github_app.ports.github import GitHubRefused, Place, Repository, WorkflowRun, Workflows
from github_app.settings import GitHubAddress

_OF_RUNS = frozenset({TokenScope.READ_RUNS, TokenScope.START_RUNS})
_MAX_REQUEST = 100_000
"""Bytes of an output that becomes an environment variable, of which the system takes 131,072."""


class JobConversations:
    """`github_app.ports.conversations.Conversations` in memory: what must outlive the job lies on GitHub, behind our markers."""

    def __init__(self) -> None:
        self._records: dict[tuple[int, int], Conversation] = {}

    def get(self, repository_id: int, issue: int) -> Conversation | None:
        """The record as this job knows it."""
        return self._records.get((repository_id, issue))

    def put(self, conversation: Conversation) -> bool:
        """Keep a record. No other process has this store."""
        self._records[(conversation.repository_id, conversation.issue)] = conversation
        return True

    def forget(self) -> None:
        """Start again from what GitHub shows."""
        self._records.clear()

    def issue_of_run(self, repository_id: int, run_id: int) -> int | None:
        """Nothing is known by run: a job knows its own issue from its event."""
        return None

    def issue_of_pull_request(self, repository_id: int, number: int) -> int | None:
        """Nothing is known by pull request: its branch tells, and the record that is recalled must say the same."""
        return None


class NoTimers:
    """`github_app.ports.conversations.Timers` where no process runs in between: a reply checks whether the question has expired."""

    def set(self, place: Place, name: TimerName, about: str, at: datetime) -> None:
        """Nothing happens by itself."""

    def cancel(self, place: Place, name: TimerName, about: str) -> None:
        """Nothing was set."""


class ThisRun:
    """`github_app.ports.github.Workflows` where the run that took the reply goes on as the run that was wanted.

    So one reply can start one run, ever: GitHub starts one workflow for one comment. `request` is what the pipeline's
    job is to be told, None while no run is wanted.
    """

    def __init__(self, run_id: int, workflows: Workflows) -> None:
        self._run_id = run_id
        self._workflows = workflows
        self.request: Mapping[str, str] | None = None

    def dispatch(self, repository: Repository, inputs: Mapping[str, str]) -> int | None:
        """Let this run go on with these inputs. It needs no nonce: its id is known.

        Raises:
            GitHubRefused: the inputs are too long for a job.
        """
        request = {**inputs, "nonce": ""}
        if len(json.dumps(request)) > _MAX_REQUEST:
            raise GitHubRefused(422, "the answers of this conversation are too long for one run")
        self.request = request
        return self._run_id

    def find(self, repository: Repository, run_name: str) -> WorkflowRun | None:
        """No other run carries on what this one took."""
        return None

    def run(self, repository: Repository, run_id: int) -> WorkflowRun | None:
        """The current state of one run."""
        return self._workflows.run(repository, run_id)

    def step(self, repository: Repository, run_id: int) -> str | None:
        """A job shows no progress."""
        return None

    def source(self, repository: Repository, commit: str) -> str:
        """A job shows no progress."""
        return ""

    def cancel(self, repository: Repository, run_id: int) -> None:
        """Stop an earlier run; this one goes on with another answer."""
        if run_id != self._run_id:
            self._workflows.cancel(repository, run_id)

    def rerun(self, repository: Repository, run_id: int, attempt: int) -> None:
        """Nothing waits for another day where no store counts dollars."""


class JobConnections:
    """Connections under the tokens of a job. Runs and artifacts are of the `GITHUB_TOKEN`; all that people see is of the
    App where the job has its key, else of the `GITHUB_TOKEN`, too. What that may do, the workflow file says.
    """

    def __init__(self, settings: GitHubAddress, token: str, app_token: str | None = None) -> None:
        pace = Pace(settings.seconds_between_writes)
        self._of_job, self._of_app = (
            Rest(Token(text), settings, before_write=lambda _is_receipt: pace.wait(0), has_operator=False)
            for text in (token, app_token or token)
        )

    def to(self, repository: Repository, scope: TokenScope) -> Rest:
        """The connection for one kind of call."""
        return self._of_job if scope in _OF_RUNS else self._of_app

    @contextlib.contextmanager
    def lent(self, repository: Repository, scope: TokenScope) -> Iterator[Rest]:
        """The same: a job's token ends with the job."""
        yield self.to(repository, scope)


class StartedChecks(GitHubPullRequests):
    """Pull requests of an App, whose checks start as those of a person do."""

    def checks(self, repository: Repository, commit: str) -> Sequence[str]:
        """No check waits for an approval."""
        return ()
