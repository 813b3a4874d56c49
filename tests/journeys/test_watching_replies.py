"""Somebody watches a run whose model takes its time: on a terminal a line that says so, in a log a line for each turn."""

import json
import os
import pty
import subprocess
import time
from pathlib import Path
from threading import Thread

from tests.journeys.commands import SCRIPT
from tests.journeys.conftest import scrubbed
from tests.journeys.messages_server import KEY, MessagesServer, messages_api
from tests.journeys.scripts import ADDS_DRY_RUN, planned

TICKET = "# Add a dry_run flag to POST /actions/stream\n\nPlease add a `dry_run` flag.\n"
SUMMARY = "Zebras accept the flag."
FORMS = {"reading": [ADDS_DRY_RUN], "plans": [planned(202, summary=SUMMARY)]}


def run_of(
    repository: Path, folder: Path, server: MessagesServer, stderr: int, **environment: str
) -> tuple[int, str]:
    """The exit code, and what stood on stdout."""
    (folder / "ticket.md").write_text(TICKET)
    ended = subprocess.run(
        [SCRIPT, "run", "--repository", repository, "--issue", "ticket.md", "--json"],
        cwd=folder,
        env=scrubbed(
            HOME=str(folder),
            XDG_CACHE_HOME=str(folder / "cache"),
            ANTHROPIC_API_KEY=KEY,
            ANTHROPIC_BASE_URL=server.url,
            **environment,
        ),
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    )
    return ended.returncode, ended.stdout


class Screen:
    """The side of a terminal on which a person sits."""

    def __init__(self) -> None:
        self._ours, self.theirs = pty.openpty()
        self.seen = b""
        self._reading = Thread(target=self._read)
        self._reading.start()

    def _read(self) -> None:
        while True:
            try:
                piece = os.read(self._ours, 4096)
            except OSError:  # the other side is closed
                return
            if not piece:
                return
            self.seen += piece

    def closed(self) -> str:
        """All that was seen."""
        os.close(self.theirs)
        self._reading.join(20)
        os.close(self._ours)
        return self.seen.decode()


def takes_its_time(server: MessagesServer) -> None:
    server.before = lambda _asked: time.sleep(1.5)


def test_on_a_terminal_a_line_says_that_a_reply_is_awaited_and_stdout_stays_one_document(
    quick: Path, tmp_path: Path
) -> None:
    screen = Screen()
    with messages_api({}, FORMS) as server:
        takes_its_time(server)
        code, stdout = run_of(quick, tmp_path, server, screen.theirs, TERM="xterm-256color")
    seen = screen.closed()
    assert code == 0, seen
    assert "reading  turn 1: about 0 tokens, $0.00 so far, 1 s" in seen
    assert "plans/1  turn 1: about 0 tokens" in seen
    assert "turn 1: 20 tokens" not in seen
    assert json.loads(stdout)["operation"] == "add"
    assert seen.count("\x1b[?25h") >= seen.count("\x1b[?25l") > 0  # the cursor is there again
    assert "Zebras" not in seen


def test_in_a_log_each_turn_is_a_line_and_none_of_its_words(quick: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with messages_api({}, FORMS) as server, log.open("w") as stderr:
        code, stdout = run_of(quick, tmp_path, server, stderr.fileno(), CI="true")
    assert code == 0, log.read_text()
    lines = log.read_text().splitlines()
    assert "· reading        turn 1: 20 tokens, $0.00 so far" in lines
    assert sum(line.startswith("· plans/") for line in lines) == 1
    assert "\x1b" not in log.read_text()
    assert "Zebras" not in log.read_text()
    assert json.loads(stdout)["operation"] == "add"
    assert "Zebras" not in (tmp_path / "askfirst-run" / "journal.jsonl").read_text()
