"""A build with the real client that is killed again and again: no reply that was finished is asked for a second time."""

import json
import os
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.journeys.conftest import scrubbed
from tests.journeys.forked import Forked
from tests.journeys.messages_server import CHAT, MESSAGES, messages_api, start_run
from tests.journeys.scripts import ADDS_DRY_RUN, approves, completes, edits, planned, reads

TICKET = "# Add a dry_run flag to POST /actions/stream\n\nPlease add a `dry_run` flag.\n"
TURNS = {
    "coder": [
        [reads("parcels/bulk.py")],
        [
            edits("README.md", "python3 -m pytest", "pytest"),
            edits("README.md", "--app parcels", "-A parcels"),
        ],
        [reads("README.md")],
        [completes()],
    ],
    "reviewer": [[reads("README.md")], [approves()]],
}
FORMS = {"reading": [ADDS_DRY_RUN], "plans": [planned(None)]}
BUILD = ("--definition", "build")
SLOW = "import time\ntime.sleep(3)\n"


@pytest.mark.parametrize(
    ("provider", "prompt_dollars"), [(MESSAGES, 100 * 2), (CHAT, 60 * 2 + 40 * 0.1)], ids=[MESSAGES, CHAT]
)
def test_a_build_that_is_killed_at_every_question_asks_each_of_them_once_more_and_no_other(
    provider: str, prompt_dollars: float, quick: Path, tmp_path: Path
) -> None:
    with messages_api(TURNS, FORMS) as server:
        server.provider = provider
        running: list[Forked] = []

        def kill_at_the_first_time(asked: str) -> None:
            if server.asked.count(asked) == 1:
                os.kill(running[-1].pid, signal.SIGKILL)
                running[-1].wait()

        server.before = kill_at_the_first_time
        for _ in range(10):
            running.append(start_run(quick, TICKET, tmp_path, server, *BUILD))
            said = str(running[-1].communicate())
            if running[-1].returncode != -signal.SIGKILL:
                break
        assert running[-1].returncode == 0, said
        # Each question once when it was killed, and once when it was answered.
        assert Counter(server.asked) == {
            "reading": 2,
            "plans": 2,
            **{f"coder turn {turn}": 2 for turn in range(4)},
            **{f"reviewer turn {turn}": 2 for turn in range(2)},
        }
    change = json.loads((tmp_path / "run" / "change.json").read_text())
    assert [file["path"] for file in change["files"]] == ["README.md"]
    # Six replies of 100 and 20 tokens, at 2 and 10 dollars a million: what was paid in processes that died is counted.
    # Over Chat Completions 40 of the 100 were cached, at 0.10 dollars.
    assert change["work"]["dollars"] == pytest.approx(6 * (prompt_dollars + 20 * 10) / 1e6)
    assert change["work"]["replies"] == "model"


def test_a_build_that_is_killed_while_its_tests_run_asks_nothing_again(quick: Path, tmp_path: Path) -> None:
    (quick / "check.py").write_text(SLOW)
    commit = ["git", "-c", "user.name=octocat", "-c", "user.email=o@example.org", "commit", "-qam", "Slow"]
    subprocess.run(commit, cwd=quick, env=scrubbed(HOME=str(tmp_path)), check=True)
    with messages_api(TURNS, FORMS) as server:
        first = start_run(quick, TICKET, tmp_path, server, *BUILD)
        journal = tmp_path / "run" / "journal.jsonl"
        until = time.monotonic() + 60
        while not (journal.exists() and '"event":"stage_started","stage":"tests"' in journal.read_text()):
            assert time.monotonic() < until
            time.sleep(0.02)
        first.kill()
        first.communicate()
        assert server.asked == ["reading", "plans", *(f"coder turn {turn}" for turn in range(4))]
        second = start_run(quick, TICKET, tmp_path, server, *BUILD)
        said = str(second.communicate())
        assert second.returncode == 0, said
        assert server.asked[6:] == ["reviewer turn 0", "reviewer turn 1"]
        assert "coder          reused" in said
