"""Ports of the App that look at runs, checks, artifacts and timers of the fake GitHub."""

import dataclasses
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from github_app.conversation.checks import Check
from github_app.conversation.effects import TimerName
from github_app.ports.github import (
    ArtifactRefused,
    Ending,
    GitHubRefused,
    GitHubUnavailable,
    Place,
    Repository,
    WorkflowRun,
)
from tests.github_app.fakes.people import APP_BOT

if TYPE_CHECKING:
    from tests.github_app.fakes.world import World


@dataclasses.dataclass(frozen=True)
class Workflows:
    world: "World"

    def dispatch(self, repository: Repository, inputs: Mapping[str, str]) -> int | None:
        if self.world.refuses_dispatch is not None:
            raise self.world.refuses_dispatch
        self.world.dispatched.append(dict(inputs))
        title = f"askfirst #{inputs['issue']} {inputs['nonce']}"
        run_id = self.world.new_run("workflow_dispatch", title, APP_BOT)
        if self.world.run_shown_after:
            raise GitHubUnavailable("got no answer")
        return run_id if self.world.tells_run_id else None

    def find(self, repository: Repository, run_name: str) -> WorkflowRun | None:
        latest = self.world.clock.now() - self.world.run_shown_after
        found = [
            run
            for run in self.world.runs.values()
            if run.display_title == run_name and self.world.created[run.id] <= latest
        ]
        return found[-1] if found else None

    def run(self, repository: Repository, run_id: int) -> WorkflowRun | None:
        return self.world.runs.get(run_id)

    def step(self, repository: Repository, run_id: int) -> str | None:
        return self.world.step

    def source(self, repository: Repository, commit: str) -> str:
        return self.world.workflow

    def cancel(self, repository: Repository, run_id: int) -> None:
        if run_id not in self.world.cancelled:
            self.world.cancelled.append(run_id)

    def rerun(self, repository: Repository, run_id: int, attempt: int) -> None:
        if self.world.refuses_rerun is not None:
            raise self.world.refuses_rerun
        run = self.world.runs[run_id]
        if run.attempt <= attempt:
            again = dataclasses.replace(run, attempt=attempt + 1, status="queued", conclusion=None)
            self.world.runs[run_id] = again


@dataclasses.dataclass(frozen=True)
class Checks:
    world: "World"

    def of(self, repository: Repository, commit: str) -> list[Check]:
        return self.world.checks.get(commit, [])


@dataclasses.dataclass(frozen=True)
class Artifacts:
    world: "World"

    def ending(self, repository: Repository, run_id: int, attempt: int) -> Ending | None:
        found = self.world.endings.get((run_id, attempt))
        if isinstance(found, ArtifactRefused):
            raise found
        return found

    def memo_sha256(self, repository: Repository, run_id: int, attempt: int) -> str | None:
        return f"{run_id:064x}"

    def cost(self, repository: Repository, run_id: int, attempt: int) -> float | None:
        found = self.world.costs_in_records.get((run_id, attempt))
        if isinstance(found, ArtifactRefused | GitHubRefused):
            raise found
        return found


@dataclasses.dataclass(frozen=True)
class Timers:
    world: "World"

    def set(self, place: Place, name: TimerName, about: str, at: datetime) -> None:
        self.world.set_timers.setdefault((name, about), at)

    def cancel(self, place: Place, name: TimerName, about: str) -> None:
        self.world.set_timers.pop((name, about), None)
