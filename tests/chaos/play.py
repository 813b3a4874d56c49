"""Many conversations at once, with an App whose processes are killed and a GitHub that fails.

A conversation is an issue that is labelled, a question, the reply `2`, and a ticket. Kills come by progress, not by the
clock, so that a slow machine has as many as a fast one. What GitHub could not bring is looked for as in operation, by the
App's own sweep, but not every ten minutes: half a minute after something could not be brought.
"""

import math
import random
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from github_app.gateway.system_clock import SystemClock
from github_app.intake.delivery import UnusableDelivery, parse_delivery
from github_app.storage.database import prepare
from github_app.storage.deliveries import Deliveries
from github_app.storage.health import Health
from github_app.sweep.sweep import sweep_delivery, sweep_key
from sandbox import Sandbox
from sandbox.world.state import Issue, Repository
from tests.chaos.machines import ROLES, Machine
from tests.chaos.verdict import ConversationEnd, Verdict, judge, tries
from tests.chaos.weather import Weather
from tests.github_app.journeys.dialogue import ASKED, READY
from tests.github_app.killed.conftest import BODY, TITLE, quick_programs

_OWNERS, _TOGETHER = 8, 24
_SWEEP_EVERY, _LOOK_EVERY, _REPORT_EVERY = 30.0, 0.1, 30.0
_UNFINISHED = ("ENQUEUED", "PENDING")


@dataclass(frozen=True)
class Scale:
    """How much of it. `machines` is 1 on SQLite; of several, one is lost on the way and never comes back.

    After so many `seconds` no conversation begins any more: those that did are played to their ends, and judged.
    """

    conversations: int
    kills: int
    seed: int
    machines: int = 1
    seconds: float = math.inf


@dataclass(frozen=True)
class Outcome:
    """What happened, and the verdict on it.

    `sent` counts all deliveries of GitHub, `unheard` those of them that it could not bring, `deliveries` those that the App
    has to handle.
    """

    verdict: Verdict
    conversations: int
    deliveries: int
    sent: int
    unheard: int
    kills: dict[str, int]
    lost_machines: int
    weather: Weather
    seconds: float


class OutOfTime(Exception):
    """It did not end in time; the message says what was left."""


@dataclass
class _Talk:
    """One issue and the person in front of it."""

    repository: Repository
    issue: Issue
    has_replied: bool = False

    def goes_on(self, github: Sandbox) -> bool:
        """Reply once asked; whether there is more to come."""
        labels = github.labels(self.issue)
        if not self.has_replied and ASKED in labels:
            github.comment(self.issue, "2")
            self.has_replied = True
        return READY not in labels


@dataclass
class _Stage:
    """A GitHub, its weather, and the machines of the App."""

    github: Sandbox
    weather: Weather
    machines: list[Machine]
    deliveries: Deliveries
    random: random.Random
    deadline: float
    repositories: list[Repository] = field(default_factory=list)
    kills: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ROLES, 0))
    swept_at: float = field(default_factory=time.monotonic)
    swept: int = 0

    def opens(self) -> _Talk:
        """Somebody opens an issue and labels it."""
        repository = self.random.choice(self.repositories)
        issue = self.github.open_issue(repository, TITLE, BODY)
        self.github.label(issue)
        return _Talk(repository, issue)

    def tick(self, unfinished: Callable[[], object]) -> None:
        """Let time pass with what goes on beside the conversations: process managers, a load balancer, and sweeps."""
        if time.monotonic() > self.deadline:
            raise OutOfTime(f"left: {unfinished()}")
        for machine in self.machines:
            machine.keep_alive()
        balanced = [machine for machine in self.machines if machine.seems_well]
        self.github.webhook_url = self.random.choice(balanced).address
        if time.monotonic() - self.swept_at > _SWEEP_EVERY:
            self._sweep()
        time.sleep(_LOOK_EVERY)

    def _sweep(self) -> None:
        """Order a look for missed deliveries if there are new ones and none waits, as the worker itself does."""
        self.swept_at = time.monotonic()
        attempts = self.github.deliveries.attempts
        missed = sum(attempt.status != "pending" and not attempt.is_acknowledged for attempt in attempts)
        if missed > self.swept and not self.deliveries.waits(sweep_key("deliveries")):
            self.swept = missed
            self.deliveries.accept(sweep_delivery("deliveries", SystemClock()))

    def kill(self) -> bool:
        """End a process of a machine, both by chance; whether it was running."""
        role = self.random.choice(ROLES)
        was_running = self.random.choice(self.machines).kill(role)
        self.kills[role] += was_running
        return was_running


def play(
    scale: Scale, database_url: str, directory: Path, report: Callable[[str], None], *, seconds: float
) -> Outcome:
    """Play all conversations to their ends and judge them.

    Args:
        scale: how many, and what happens to them.
        database_url: of an empty database.
        directory: for the logs of the machines.
        report: is told from time to time how far it is.
        seconds: after which it is given up.

    Raises:
        OutOfTime: it did not end by then.
    """
    prepare(database_url)
    began = time.monotonic()
    with _stage(scale, database_url, directory, began + seconds) as stage:
        calm = _converse(stage, Scale(1, 0, scale.seed), report)
        expected = _ends(stage.github, calm)[0]
        stage.weather.is_calm = False
        talks = _converse(stage, replace(scale, conversations=scale.conversations - 1), report)
        report("all conversations have ended, and the weather clears; what is in hand is finished")
        stage.weather.is_calm = True
        _settle(stage, database_url)
    log = [entry for machine in stage.machines for entry in tries(machine.log())]
    attempts, of_the_app = stage.github.deliveries.attempts, _of_the_app(stage.github)
    return Outcome(
        verdict=judge(_ends(stage.github, calm + talks), expected, of_the_app, log),
        conversations=len(calm + talks),
        deliveries=len(of_the_app),
        sent=len(attempts),
        unheard=sum(not attempt.is_acknowledged for attempt in attempts),
        kills=stage.kills,
        lost_machines=sum(machine.is_lost for machine in stage.machines),
        weather=stage.weather,
        seconds=time.monotonic() - began,
    )


@contextmanager
def _stage(scale: Scale, database_url: str, directory: Path, deadline: float) -> Iterator[_Stage]:
    weather = Weather(scale.seed)
    weather.is_calm = True
    deliveries = Deliveries(database_url)
    asks, _builds = quick_programs(directory)
    with Sandbox.start(program=asks, faults=weather) as github:
        machines = [Machine(github, directory / f"machine-{n}", database_url) for n in range(scale.machines)]
        stage = _Stage(github, weather, machines, deliveries, random.Random(scale.seed), deadline)
        stage.repositories += [github.create_repository(owner=f"acme-{n}") for n in range(_OWNERS)]
        try:
            while not all(machine.listens() for machine in machines):
                stage.tick(lambda: "the machines have not started")
            yield stage
        finally:
            for machine in machines:
                machine.stop()
            deliveries.close()


def _converse(stage: _Stage, scale: Scale, report: Callable[[str], None]) -> list[_Talk]:
    """Play so many conversations, some side by side, with the kills spread over them.

    A machine is lost in the middle, by count or by time.
    """
    count, kills = scale.conversations, scale.kills
    middle, ends_at = (time.monotonic() + share * scale.seconds for share in (0.5, 1.0))
    talks: list[_Talk] = []
    going_on: list[_Talk] = []
    moments = sorted(stage.random.uniform(0, count) for _ in range(kills))
    will_lose = len(stage.machines) > 1 and kills > 0
    reported = time.monotonic()
    while going_on or len(talks) < count:
        if time.monotonic() > ends_at:
            count = len(talks)
        if len(talks) < count and len(going_on) < _TOGETHER:
            talks.append(stage.opens())
            going_on.append(talks[-1])
        stage.tick(f"{len(going_on)} of {len(talks)} conversations".format)
        going_on = [talk for talk in going_on if talk.goes_on(stage.github)]
        progress = len(talks) - len(going_on) / 2
        if moments and progress >= moments[0] and stage.kill():
            moments.pop(0)
        if will_lose and (progress >= scale.conversations / 2 or time.monotonic() > middle):
            will_lose = False
            stage.random.choice(stage.machines).lose()
        if time.monotonic() - reported > _REPORT_EVERY:
            reported = time.monotonic()
            sent = len(stage.github.deliveries.attempts)
            killed = sum(stage.kills.values())
            report(f"{len(talks) - len(going_on)} conversations, {sent} deliveries, {killed} kills")
    return talks


def _settle(stage: _Stage, database_url: str) -> None:
    """Wait until no run is unfinished, everything that was announced is known, and nothing waits in the store."""
    health, known = Health(database_url), set[str]()

    def unfinished_work() -> list[str]:
        if runs := stage.github.actions.unfinished_runs():
            return [f"{len(runs)} runs"]
        unknown = [guid for guid in _of_the_app(stage.github) if guid not in known]
        known.update(guid for guid in unknown if stage.deliveries.is_known(guid))
        rows = health.deliveries()
        return [
            *(f"delivery {guid} is unknown" for guid in unknown if guid not in known),
            *(f"delivery {entry.id} waits: {entry.error}" for entry in stage.deliveries.waiting_deliveries()),
            *(f"{rows[status]:.0f} rows are {status}" for status in _UNFINISHED if rows.get(status)),
        ]

    try:
        while unfinished_work():
            stage.tick(unfinished_work)
    finally:
        health.close()


def _ends(github: Sandbox, talks: Sequence[_Talk]) -> list[ConversationEnd]:
    runs: dict[tuple[int, str], list[tuple[str, int | None]]] = defaultdict(list)
    for repository in {talk.repository.id: talk.repository for talk in talks}.values():
        for run in github.runs(repository):
            number = re.match(r"askfirst #(\d+)\b", run.name)
            runs[repository.id, number[1] if number else ""].append((run.event, run.exit_code))
    return [
        ConversationEnd(
            conversation=f"{talk.repository.id}#{talk.issue.number}",
            comments=sum(comment.via_app for comment in github.comments(talk.issue)),
            runs=runs[talk.repository.id, str(talk.issue.number)],
            labels=frozenset(github.labels(talk.issue)),
        )
        for talk in talks
    ]


def _of_the_app(github: Sandbox) -> dict[str, str]:
    """The ids of all deliveries that the App has to handle, and what each was."""
    accepted = {}
    for attempt in github.deliveries.attempts:
        try:
            is_ours = parse_delivery(attempt.event, attempt.body) is not None
        except UnusableDelivery:
            is_ours = False
        if is_ours:
            accepted[attempt.guid] = f"{attempt.event} {attempt.action}"
    return accepted
