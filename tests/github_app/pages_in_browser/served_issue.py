"""The issue of the demo on a sandbox that the real App serves, whose runs execute the real pipeline."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sandbox import Sandbox
from sandbox.actions.job import building_program
from sandbox.demo import BODY, SAMPLE, TITLE, replies_for
from sandbox.served_app import ServedApp


@dataclass
class Place:
    """An issue on a served sandbox."""

    github: Sandbox
    app: ServedApp
    address: str


@contextmanager
def served_issue(folder: Path) -> Iterator[Place]:
    """Serve it until the end; the App's files lie in the folder."""
    folder.mkdir()
    with Sandbox.start(program=building_program(replies_for)) as github, ServedApp(github, folder) as app:
        parcels = github.create_repository("parcels", owner="acme", from_directory=SAMPLE)
        yield Place(github, app, github.url_of(github.open_issue(parcels, TITLE, BODY)))
