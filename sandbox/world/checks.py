"""Checks as state: the suites of a commit, their runs, and the logs of those that are jobs of GitHub Actions."""

from collections.abc import Mapping, Sequence

from sandbox.world.refusals import NotFound
from sandbox.world.state import CheckRun, CheckSuite, Repository, RunStatus
from sandbox.world.world import Happening, World

ACTIONS = "github-actions"
"""Slug of the App whose checks are jobs, with logs."""

_RED = ("failure", "timed_out", "cancelled", "action_required")


class CheckOperations:
    """What CI services report on commits. A suite is one workflow run, or all that another App reports on a commit."""

    def __init__(self, world: World) -> None:
        self._world = world

    def start(
        self, repository: Repository, branch: str, names: Sequence[str], *, app: str = ACTIONS
    ) -> CheckSuite:
        """A suite on the head of a branch, all its checks in progress."""
        with self._world.lock:
            now = self._world.clock.now()
            commit = repository.git.resolve(f"refs/heads/{branch}")
            suite = CheckSuite(self._world.next_id(), branch, commit, app, now, now)
            suite.runs += [
                CheckRun(self._world.next_id(), suite.id, name, commit, app, RunStatus.IN_PROGRESS, now)
                for name in names
            ]
            repository.check_suites[suite.id] = suite
            return suite

    def finish(
        self, repository: Repository, suite: CheckSuite, ends: Mapping[str, tuple[str, str]]
    ) -> CheckSuite:
        """End checks of a suite: conclusion and log by name. The last one completes the suite, which is announced."""
        with self._world.lock:
            now = self._world.clock.now()
            for run in suite.runs:
                if run.name in ends and run.status is not RunStatus.COMPLETED:
                    run.status, run.completed_at = RunStatus.COMPLETED, now
                    run.conclusion, run.log = ends[run.name]
            suite.updated_at = now
            if conclusion_of(suite) is not None:
                sender = self._world.actions_bot
                self._world.tell(Happening("check_suite", "completed", sender, repository, check_suite=suite))
            return suite

    def rerun(self, suite: CheckSuite, name: str) -> None:
        """Run one check of a suite again: a new check run, which stands for the earlier one from now on."""
        with self._world.lock:
            now = self._world.clock.now()
            run = CheckRun(
                self._world.next_id(), suite.id, name, suite.head_sha, suite.app, RunStatus.IN_PROGRESS, now
            )
            suite.runs.append(run)

    def of_commit(self, repository: Repository, commit: str) -> list[CheckRun]:
        """The newest run of every check on a commit, the newest suite first."""
        return [
            run
            for suite in reversed(repository.check_suites.values())
            if suite.head_sha == commit
            for run in newest_of(suite)
        ]

    def job(self, repository: Repository, job_id: int) -> CheckRun:
        """The job of that id."""
        for suite in repository.check_suites.values():
            for run in suite.runs:
                if run.id == job_id and run.app == ACTIONS:
                    return run
        raise NotFound


def newest_of(suite: CheckSuite) -> list[CheckRun]:
    """Of every check of a suite its newest run."""
    return list({run.name: run for run in suite.runs}.values())


def conclusion_of(suite: CheckSuite) -> str | None:
    """What GitHub says of the whole: None while something runs, the first red end, else success."""
    conclusions = [run.conclusion for run in newest_of(suite)]
    if None in conclusions:
        return None
    return next((conclusion for conclusion in conclusions if conclusion in _RED), "success")
