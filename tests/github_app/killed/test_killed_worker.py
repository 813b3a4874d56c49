"""`kill -9` of the worker at every request it makes, before and after GitHub has done it: the same world each time.

The boundaries are not chosen: they are all requests that one undisturbed conversation makes. Each gets a conversation of
its own. A worker does several conversations at once, so one kill strikes several of them, each exactly at its boundary:
its request is held until the worker is dead.
"""

import itertools
import json
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from flask import g
from inline_snapshot import snapshot
from werkzeug.exceptions import BadGateway

from github_app.sandbox.faults import Moment, RequestFault
from github_app.sandbox.server import HttpExchange
from github_app.sandbox.world.state import Repository
from github_app.serving.lanes import LANES
from tests.github_app.journeys.dialogue import SECONDS
from tests.github_app.killed.conftest import Conversation, Theatre, World

_OWNERS = ("acme", "octo-org", "octo-labs")
_TOGETHER = LANES * len(_OWNERS)
"""Conversations that the worker does side by side: as many of each installation as it has lanes for."""

_PATIENCE = 3.0
"""Seconds for which a request is held while others of the same kill come to their boundaries. Clients wait longer."""


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
    deadline = time.monotonic() + SECONDS
    while not all(trap.is_sprung and trap.conversation.has_ended() for trap in traps):
        assert time.monotonic() < deadline, [trap.boundary for trap in traps if not trap.is_sprung]
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


@pytest.mark.timeout(900)
def test_a_worker_killed_at_any_request_leaves_the_world_as_if_it_had_lived(
    theatre: Theatre, undisturbed: World
) -> None:
    first = theatre.opens()
    assert theatre.plays(first) == undisturbed
    mine = [exchange for exchange in theatre.github.requests if of_repository(exchange, first.repository)]
    all_boundaries = list(boundaries(mine))
    sent = [kind_of(exchange) for exchange in mine if exchange.method != "GET"]
    # Who asks for a token first is a matter of threads.
    writes = [kind for kind in sent if not kind.endswith("/access_tokens")]
    assert writes == snapshot(
        [
            "POST /repos/*/issues/*/reactions",
            "POST /repos/*/issues/*/comments",
            "POST /repos/*/labels",
            "POST /repos/*/issues/*/labels",
            "POST /repos/*/issues/comments/*/reactions",
            "POST /repos/*/actions/workflows/askfirst.yml/dispatches",
            "PATCH /repos/*/issues/comments/*",
            "POST /repos/*/issues/comments/*/reactions",
            "DELETE /repos/*/issues/*/labels/askfirst:needs-answer",
            "POST /repos/*/issues/*/comments",
            "POST /repos/*/labels",
            "POST /repos/*/issues/*/labels",
        ]
    )

    ends: dict[Boundary, World] = {}
    for start in range(0, len(all_boundaries), _TOGETHER):
        batch = zip(all_boundaries[start : start + _TOGETHER], itertools.cycle(_OWNERS), strict=False)
        traps = [Trap(theatre.opens(owner), boundary) for boundary, owner in batch]
        set_traps(theatre, traps)
        play_and_kill(theatre, traps)
        theatre.github.faults.clear()
        ends |= {trap.boundary: trap.conversation.world() for trap in traps}

    assert {boundary: end for boundary, end in ends.items() if end != undisturbed} == {}
    assert len(ends) == len(all_boundaries)
