"""Walk through the code: `python -m tests.architecture.walk` prints how many files one label and one ticket lead through.

A *file* counts if a function of it runs, a *move* is a call from a function into one of another file: each pair of functions
counts once, however often one calls the other. Only files of the two programs count, and importing them does not. The label goes from its delivery to the question on the
issue, over ports in memory; the ticket from `askfirst run` on a sample repository to the exit code, with an empty cache.
"""

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple

from tests.architecture.measure import PACKAGES, ROOT

SAMPLE = ROOT / "tests/sample_repositories/parcels_flask"
TICKET = "# Add a dry_run flag to the bulk action\n\nThe bulk action should take `dry_run`.\n"


class Walk(NamedTuple):
    """The files whose functions ran, and the calls of a function by one of another file."""

    files: frozenset[str]
    moves: frozenset[tuple[CodeType, CodeType]]


@contextmanager
def recorded_calls() -> Iterator[list[Walk]]:
    """Record the calls of a block, in all its threads; the list holds one walk when the block has ended."""
    prefixes = tuple(f"{ROOT / package}/" for package in PACKAGES)
    files: set[str] = set()
    moves: set[tuple[CodeType, CodeType]] = set()
    walks: list[Walk] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        callee = frame.f_code
        if event != "call" or not callee.co_filename.startswith(prefixes):
            return
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


def walk_of(deed: Callable[[], object]) -> Walk:
    """The walk of one deed, without what it prints. It is done once before, so that imports do not count."""
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        deed()
        with recorded_calls() as walks:
            deed()
    return walks[0]


def ask_by_label() -> None:
    """A label is delivered, its run asks, and the question stands on the issue."""
    from tests.github_app.conversation.questions import two_routes
    from tests.github_app.fakes.world import World

    world = World()
    world.labels_it()
    world.run_ends(world.label_run(), two_routes())
    assert len(world.new_comments()) == 1


def ask_by_ticket() -> None:
    """A ticket on a sample repository ends with a question."""
    from pipeline.cli import run

    with tempfile.TemporaryDirectory() as folder:
        repository = Path(folder, "checkout")
        subprocess.run(["cp", "-r", str(SAMPLE), str(repository)], check=True)
        git = [
            "git",
            "-C",
            str(repository),
            "-c",
            "user.name=octocat",
            "-c",
            "user.email=octocat@example.com",
        ]
        for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "Sample"]):
            subprocess.run([*git, *arguments], check=True)
        Path(folder, "ticket.md").write_text(TICKET, encoding="utf-8")
        os.environ["XDG_CACHE_HOME"] = f"{folder}/cache"
        arguments = ["--repository", str(repository), "--issue", f"{folder}/ticket.md", "--json"]
        exit_code = run(["run", *arguments, "--run-directory", f"{folder}/askfirst-run"])
    assert exit_code == 2, f"the ticket ended with {exit_code}"


if __name__ == "__main__":
    for name, deed in {"label to comment": ask_by_label, "ticket to exit code": ask_by_ticket}.items():
        walk = walk_of(deed)
        print(f"{name:20} {len(walk.files):5,} files {len(walk.moves):6,} moves")
