"""`kill -9` of the worker at every request it makes, before and after GitHub has done it: the same world each time.

The boundaries are not chosen: they are all requests that one undisturbed conversation makes. Each gets a conversation of
its own.
"""

import re

import pytest
from inline_snapshot import snapshot

from sandbox.faults import Moment
from tests.github_app.killed.conftest import Publication, Theatre, World
from tests.github_app.killed.traps import boundaries, kill_at_each, kind_of, of_repository


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

    played = kill_at_each(theatre, all_boundaries, theatre.opens)
    ends = {boundary: conversation.world() for boundary, conversation in played.items()}
    assert {boundary: end for boundary, end in ends.items() if end != undisturbed} == {}


def test_a_worker_killed_while_it_publishes_makes_each_commit_and_the_pull_request_once(
    theatre: Theatre,
) -> None:
    first = theatre.opens_build()
    theatre.plays(first)
    undisturbed = first.publication()
    assert undisturbed == snapshot(
        Publication(
            comments=[True, False, True],
            labels=set(),
            runs=[("issues", 2), ("workflow_dispatch", 0)],
            branches=["refs/heads/askfirst/1-add-a-dry-run-flag"],
            commits=["Add a dry_run flag", "Keep what was answered in #1 for later tickets"],
            pulls=["Add a dry_run flag"],
        )
    )
    mine = [exchange for exchange in theatre.github.requests if of_repository(exchange, first.repository)]
    publishing = [
        boundary
        for boundary in boundaries(mine)
        if re.match(r"(POST|PATCH) .*/(git/(commits|refs)|pulls)\b", boundary.request)
    ]
    assert [boundary.request for boundary in publishing if boundary.moment is Moment.BEFORE] == snapshot(
        [
            "POST /repos/*/git/commits",
            "POST /repos/*/git/refs",
            "POST /repos/*/git/commits",
            "PATCH /repos/*/git/refs/heads/askfirst/*-add-a-dry-run-flag",
            "POST /repos/*/pulls",
        ]
    )
    played = kill_at_each(theatre, publishing, theatre.opens_build)
    ends = {boundary: build.publication() for boundary, build in played.items()}
    assert {boundary: end for boundary, end in ends.items() if end != undisturbed} == {}
