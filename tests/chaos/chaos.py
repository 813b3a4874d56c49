"""`make chaos`: the App under kills and a failing GitHub, on SQLite and on Postgres. Ends with 1 if anything went wrong.

`make chaos DELIVERIES=10000`, or `.venv/bin/python -m tests.chaos.chaos --deliveries 500 --store sqlite --seed 7`. Five hundred
on SQLite take four minutes of processor time, ten thousand on both stores hours. A small form is in the tests:
`tests/github_app/killed/test_chaos.py`.
"""

import secrets
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from tests.chaos.play import Outcome, OutOfTime, Scale, play
from tests.postgres_server import PostgresServer
from tests.termination import end_descendants_on_sigterm

STORES = ("sqlite", "postgres")
MACHINES = {"sqlite": 1, "postgres": 3}
"""On SQLite there is one worker, so no machine can be lost there for good."""
_PER_CONVERSATION, _PER_KILL = 10, 100
_PATIENCE = 3600.0
"""Seconds in which the last conversations end. After that they are said to stand still."""


@click.command()
@click.option(
    "--deliveries", default=500, show_default=True, help="At least so many: a tenth are conversations."
)
@click.option(
    "--store", "stores", type=click.Choice(STORES), multiple=True, default=STORES, help="Repeatable."
)
@click.option("--seed", type=int, help="Of all that is random; without it a new one, which is printed.")
@click.option(
    "--hours", default=12.0, show_default=True, help="After which no conversation begins, for each store."
)
def chaos(deliveries: int, stores: tuple[str, ...], seed: int | None, hours: float) -> None:
    """Play conversations while processes are killed, one kill for ten conversations."""
    end_descendants_on_sigterm()
    seed = secrets.randbelow(2**31) if seed is None else seed
    holds = True
    for store in stores:
        scale = Scale(
            max(2, deliveries // _PER_CONVERSATION),
            max(1, deliveries // _PER_KILL),
            seed,
            MACHINES[store],
            hours * 3600,
        )
        click.echo(
            f"{store}: {scale.conversations} conversations, {scale.kills} kills, {scale.machines} machines, seed {seed}"
        )
        with _directory() as directory, _database(store, directory) as url:
            try:
                outcome = play(scale, url, directory, _report, seconds=hours * 3600 + _PATIENCE)
            except OutOfTime as problem:
                holds = False
                click.echo(f"{store}: it did not come to an end; {problem}")
                continue
        holds &= outcome.verdict.holds
        click.echo("\n".join(_lines(store, outcome)))
    sys.exit(0 if holds else 1)


def _report(progress: str) -> None:
    click.echo(f"  {time.strftime('%H:%M:%S')} {progress}")


def _lines(store: str, outcome: Outcome) -> Iterator[str]:
    weather, verdict = outcome.weather, outcome.verdict
    kills = ", ".join(f"{role} {count}" for role, count in outcome.kills.items())
    yield (
        f"{store}: {outcome.conversations} conversations, {outcome.deliveries} deliveries for the App, {outcome.sent} sent, {outcome.unheard} not acknowledged;"
        f" {outcome.seconds:.0f} s"
    )
    yield f"  {weather.duplicates} came twice, {weather.delays} came late; kills: {kills}; machines lost: {outcome.lost_machines}"
    yield f"  {weather.errors} of {weather.answers} answers of GitHub failed ({weather.errors / weather.answers:.0%})"
    for what, problems in vars(verdict).items():
        yield f"  {what}: {len(problems)}"
        yield from (f"    {problem}" for problem in problems[:20])


@contextmanager
def _directory() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="askfirst-chaos-") as folder:
        yield Path(folder)


@contextmanager
def _database(store: str, directory: Path) -> Iterator[str]:
    if store == "sqlite":
        yield f"sqlite:///{directory / 'askfirst.sqlite'}"
        return
    server = PostgresServer()
    try:
        yield server.new_database(is_prepared=False)
    finally:
        server.stop()


if __name__ == "__main__":
    chaos()
