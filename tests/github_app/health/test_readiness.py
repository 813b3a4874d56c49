"""`/readyz` says what keeps the App from its work, and what to do."""

import socket
import time

import pytest
from inline_snapshot import snapshot

from github_app.health.probes import Probing, Signs, problems


def test_an_app_whose_worker_lives_and_whom_github_answers_is_ready() -> None:
    assert problems(Signs(store=True, worker=4.0, github=400.0, queue=2.0)) == []


@pytest.mark.parametrize(
    ("signs", "said"),
    [
        (Signs(store=False), "The database does not answer"),
        (Signs(store=True, github=1.0), "The worker was never heard"),
        (Signs(store=True, worker=90.0, github=1.0), "The worker was for 90 s not heard"),
        (Signs(store=True, worker=1.0), "GitHub has not yet answered"),
        (Signs(store=True, worker=1.0, github=3600.0), "askfirst-app check"),
        (
            Signs(store=True, worker=1.0, github=1.0, refusal="Compare the key"),
            "Compare the key.",
        ),
        (Signs(store=True, worker=1.0, github=1.0, queue=900.0), "has been due for 900 s"),
    ],
)
def test_what_is_missing_is_said_with_what_to_do(signs: Signs, said: str) -> None:
    [problem] = problems(signs)
    assert said in problem


def test_a_store_that_hangs_is_given_up() -> None:
    """A server that takes connections and says nothing, as one that is frozen does."""
    with socket.create_server(("127.0.0.1", 0)) as frozen:
        url = f"postgresql://askfirst@127.0.0.1:{frozen.getsockname()[1]}/askfirst?connect_timeout=30"
        probing = Probing(url, patience=0.1)
        for _ in range(3):
            began = time.monotonic()
            assert probing.problems() == problems(Signs(store=False))
            assert time.monotonic() - began < 15


def test_a_web_server_without_a_worker_names_the_command() -> None:
    assert problems(Signs(store=True, queue=0.0))[0] == snapshot(
        "The worker was never heard: start `askfirst-app worker`, and look at its log."
    )
