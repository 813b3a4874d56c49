"""Kill the worker of the App exactly at requests that it makes: a request is held until the worker is dead.

A worker does several conversations at once, so one kill strikes several of them, each at its own boundary.
"""

import itertools
import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from flask import g
from werkzeug.exceptions import BadGateway

from github_app.serving.lanes import LANES
from sandbox.faults import Moment, RequestFault
from sandbox.server import HttpExchange
from sandbox.world.state import Repository
from tests.github_app.journeys.dialogue import SECONDS
from tests.github_app.killed.conftest import Conversation, Theatre

Played = TypeVar("Played", bound=Conversation)

_OWNERS = ("acme", "octo-org", "octo-labs")
_TOGETHER = LANES * len(_OWNERS)
"""Conversations that the worker does side by side: as many of each installation as it has lanes for."""

_PATIENCE = 3.0
"""Seconds for which a request is held while others of the same kill come to their boundaries. Clients wait longer."""

_BATCH_SECONDS = 400.0
"""The deadline of a batch: up to eighteen kills one after another, on a machine that does other work as well. 40 s when idle."""


@dataclass(frozen=True)
class Boundary:
    """A moment in a conversation: before or after its n-th request of one kind."""

    request: str
    nth: int
    moment: Moment


def of_repository(exchange: HttpExchange, repository: Repository) -> bool:
    """Whether a request is about one repository, or for a token to it."""
    if exchange.path.endswith("/access_tokens"):
        return repository.id in json.loads(exchange.request_body).get("repository_ids", [])
    return f"{exchange.path}/".startswith(
        (f"/repos/{repository.full_name}/", f"/repositories/{repository.id}/")
    )


def kind_of(exchange: HttpExchange) -> str:
    path = re.sub(r"/repos/[^/]+/[^/]+", "/repos/*", exchange.path)
    return f"{exchange.method} {re.sub(r'/[0-9]+', '/*', path)}"


def boundaries(exchanges: list[HttpExchange]) -> Iterator[Boundary]:
    """Every boundary between the requests of one conversation, in their order."""
    counts: dict[str, int] = {}
    for exchange in exchanges:
        kind = kind_of(exchange)
        counts[kind] = counts.get(kind, 0) + 1
        for moment in Moment:
            yield Boundary(kind, counts[kind], moment)


class Trap:
    """Holds the request of one conversation at its boundary until it is let go."""

    def __init__(self, conversation: Conversation, boundary: Boundary) -> None:
        self.conversation = conversation
        self.boundary = boundary
        self.held_since: float | None = None
        self.is_sprung = False
        self.dead = threading.Event()
        self._count = 0

    def strikes(self, exchange: HttpExchange, moment: Moment) -> bool:
        """Whether this is the moment; counts."""
        fits = kind_of(exchange) == self.boundary.request and moment is self.boundary.moment
        if self.is_sprung or not fits or not of_repository(exchange, self.conversation.repository):
            return False
        self._count += 1
        self.is_sprung = self._count == self.boundary.nth
        return self.is_sprung

    def hold(self, moment: Moment) -> None:
        """Keep the request until whoever made it is dead. One that came before its effect never has it."""
        self.held_since = time.monotonic()
        assert self.dead.wait(SECONDS)
        if moment is Moment.BEFORE:
            raise BadGateway


def set_traps(theatre: Theatre, traps: list[Trap]) -> None:
    def look(moment: Moment) -> None:
        struck = [trap for trap in traps if trap.strikes(g.exchange, moment)]
        for trap in struck:
            trap.hold(moment)

    for moment in Moment:
        theatre.github.faults.add(
            RequestFault("* *", moment, call=lambda moment=moment: look(moment), times=1_000_000)  # type: ignore[misc]
        )


def play_and_kill(theatre: Theatre, traps: list[Trap]) -> None:
    """Play the conversations, killing the worker when all that can be held are held."""
    for trap in traps:
        trap.conversation.label()
    deadline = time.monotonic() + _BATCH_SECONDS
    while unfinished := [trap for trap in traps if not (trap.is_sprung and trap.conversation.has_ended())]:
        assert time.monotonic() < deadline, [
            (trap.boundary, trap.conversation.world()) for trap in unfinished
        ]
        for trap in traps:
            trap.conversation.goes_on()
        held = [trap for trap in traps if trap.held_since is not None and not trap.dead.is_set()]
        missing = [trap for trap in traps if trap.held_since is None]
        if held and (not missing or time.monotonic() - min(t.held_since or 0 for t in held) > _PATIENCE):
            theatre.apart.kill("worker")
            for trap in held:
                trap.dead.set()
            theatre.apart.start("worker")
        time.sleep(0.02)
    theatre.settle()


def kill_at_each(
    theatre: Theatre, boundaries: Sequence[Boundary], opens: Callable[[str], Played]
) -> dict[Boundary, Played]:
    """A conversation for each boundary, played to its end with the worker killed there."""
    ended: dict[Boundary, Played] = {}
    for start in range(0, len(boundaries), _TOGETHER):
        owners = itertools.cycle(_OWNERS)
        batch = {boundary: opens(next(owners)) for boundary in boundaries[start : start + _TOGETHER]}
        traps = [Trap(conversation, boundary) for boundary, conversation in batch.items()]
        set_traps(theatre, traps)
        play_and_kill(theatre, traps)
        theatre.github.faults.clear()
        ended |= batch
    return ended
