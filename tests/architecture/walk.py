"""Walk through the code: `python -m tests.architecture.walk` prints how many files each request leads through.

A *file* counts if a function of it runs, a *move* is a call from a function into one of another file: each pair of functions
counts once, however often one calls the other. Only files of the two programs count, and importing them does not. The
label, the reply and the press of a button go from their delivery to their last effect, over ports in memory; the ticket
goes from `askfirst run` on a sample repository to the exit code, with an empty cache.
"""

import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple

from tests.architecture.measure import PACKAGES, ROOT
from tests.workflow.act import commit_all

SAMPLE = ROOT / "tests/sample_repositories/parcels_flask"
TICKET = "# Add a dry_run flag to the bulk action\n\nThe bulk action should take `dry_run`.\n"

Deed = Callable[[], None]


class Walk(NamedTuple):
    """The files whose functions ran, and the calls of a function by one of another file."""

    files: frozenset[str]
    moves: frozenset[tuple[CodeType, CodeType]]


FIRST_STAGE = "ticket to first stage"
_RUNS_STAGES = "_run_wave"
"""The function of the engine with which the first stage begins."""


@contextmanager
def recorded_calls() -> Iterator[list[Walk]]:
    """Record the calls of a block, in all its threads. The list holds one walk when the block has ended.

    If the block runs a pipeline, the way to its first stage is a walk in front of that.
    """
    prefixes = tuple(f"{ROOT / package}/" for package in PACKAGES)
    files: set[str] = set()
    moves: set[tuple[CodeType, CodeType]] = set()
    walks: list[Walk] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        callee = frame.f_code
        if event != "call" or not callee.co_filename.startswith(prefixes):
            return
        if callee.co_name == _RUNS_STAGES and not walks:
            walks.append(Walk(frozenset(files), frozenset(moves)))
        files.add(callee.co_filename)
        caller = frame.f_back
        # Calls through libraries (pydantic, click) are moves of the file that called the library.
        while caller is not None and not caller.f_code.co_filename.startswith(prefixes):
            caller = caller.f_back
        if caller is not None and caller.f_code.co_filename != callee.co_filename:
            moves.add((caller.f_code, callee))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield walks
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        walks.append(Walk(frozenset(files), frozenset(moves)))


def walks_of(prepare: Callable[[Path], Deed]) -> list[Walk]:
    """The walks of one deed, without what it prints. It is done once before, so that imports do not count."""
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()), tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder, "before"))()
        deed = prepare(Path(folder, "recorded"))
        with recorded_calls() as walks:
            deed()
    return walks


def label(_: Path) -> Deed:
    """A label is delivered, its run asks, and the question stands on the issue."""
    from tests.github_app.conversation.questions import two_routes
    from tests.github_app.fakes.world import World

    world = World()

    def deed() -> None:
        world.labels_it()
        world.run_ends(world.label_run(), two_routes())
        assert len(world.new_comments()) == 1

    return deed


def reply(_: Path) -> Deed:
    """A reply to the question is delivered, and a run is started with the answer."""
    from tests.github_app.conversation.questions import two_routes
    from tests.github_app.fakes.world import World

    world = World()
    world.labels_it()
    world.run_ends(world.label_run(), two_routes())

    def deed() -> None:
        world.says("2")
        assert len(world.dispatched) == 1

    return deed


def press(_: Path) -> Deed:
    """Somebody presses a button in Slack, and a run is started with the answer."""
    from tests.github_app.fakes.slack import Channel

    channel = Channel()
    channel.calls()

    def deed() -> None:
        channel.presses("choose:2")
        assert len(channel.world.dispatched) == 1

    return deed


def ticket(folder: Path) -> Deed:
    """A ticket on a sample repository ends with a question."""
    from pipeline.cli import run

    repository = folder / "checkout"
    shutil.copytree(SAMPLE, repository)
    commit_all(repository)
    (folder / "ticket.md").write_text(TICKET, encoding="utf-8")
    arguments = ["--repository", str(repository), "--issue", str(folder / "ticket.md"), "--json"]

    def deed() -> None:
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        exit_code = run(["run", *arguments, "--run-directory", str(folder / "askfirst-run")])
        assert exit_code == 2, f"the ticket ended with {exit_code}"

    return deed


WALKS: Mapping[str, Callable[[Path], Deed]] = {
    "label to comment": label,
    "reply to run": reply,
    "press in Slack to run": press,
    "ticket to exit code": ticket,
}

if __name__ == "__main__":
    for name, prepare in WALKS.items():
        for row, walk in zip((name, FIRST_STAGE), reversed(walks_of(prepare)), strict=False):
            print(f"{row:22} {len(walk.files):5,} files {len(walk.moves):6,} moves")
