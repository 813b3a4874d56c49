"""An agent that makes 200 calls: what is sent stays bounded, all of it is stored once, and the summary stays readable."""

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from inline_snapshot import snapshot

from tests.journeys.commands import SCRIPT
from tests.journeys.conftest import make_repository
from tests.journeys.messages_server import command_line, messages_api
from tests.journeys.scripts import ADDS_DRY_RUN, Call, approves, completes, edits, planned

TICKET = "# Add a dry_run flag to POST /actions/stream\n\nPlease add a `dry_run` flag.\n"
FORMS = {"reading": [ADDS_DRY_RUN], "plans": [planned(None)]}
CONFIGURATION = "test_command: python3 check.py\nbudget: {turns: 300}\n"
LINES = "".join(
    f"{number:05} = 'a line as long as lines of code often are, or so'\n" for number in range(4000)
)


@dataclass(frozen=True)
class Long:
    """A build whose coder makes some calls, and what it took."""

    directory: Path
    requests: list[dict[str, Any]]
    peak_kib: int

    def size(self, name: str) -> int:
        return (self.directory / name).stat().st_size


def calls(number: int) -> Iterator[list[Call]]:
    """Reads of 400 lines each, every tenth call an edit."""
    for at in range(number):
        if at % 10 == 9:
            yield [edits("README.md", "# parcels\n", f"# parcels\n\nNote {at}.\n")]
        else:
            yield [("read_file", {"path": "lines.txt", "start": 1 + at * 7 % 3500, "lines": 400})]


def build(number: int, folder: Path) -> Long:
    more = {".github/askfirst/config.yml": CONFIGURATION, "check.py": "", "lines.txt": LINES}
    repository = make_repository("parcels_flask", folder / "parcels", more=more)
    turns = {"coder": [*calls(number), [completes()]], "reviewer": [[approves()]]}
    with messages_api(turns, FORMS) as server:
        arguments, environment = command_line(repository, TICKET, folder, server, "--definition", "build")
        # The script itself: the memory of a fork is partly that of another process.
        running = subprocess.Popen(
            [SCRIPT, *arguments], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        assert running.stdout is not None
        with running.stdout:
            said = running.stdout.read().decode()
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
        assert running.returncode == 0, said
        asked = zip(server.asked, server.bodies, strict=True)
        bodies = [json.loads(body) for what, body in asked if what.startswith("coder")]
    return Long(folder / "run", bodies, used.ru_maxrss)


def bare(request: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages without the marks that end what is kept in the provider's cache."""
    for message in request["messages"]:
        for block in message["content"]:
            block.pop("cache_control", None)
    messages: list[dict[str, Any]] = request["messages"]
    return messages


def test_two_hundred_calls_cost_bounded_memory_disk_and_context(tmp_path: Path) -> None:
    (tmp_path / "short").mkdir()
    (tmp_path / "long").mkdir()
    short, long = build(20, tmp_path / "short"), build(200, tmp_path / "long")

    # Some 24 KB a read: without a bound the last request would be above 4 MB.
    assert len(long.requests) == 201
    sizes = [len(json.dumps(request)) for request in long.requests]
    assert max(sizes) < 500_000
    messages = [bare(request) for request in long.requests]
    steps = sum(now[: len(was)] != was for was, now in pairwise(messages))
    assert 10 <= steps <= 40

    # The transcript holds each result once, whole.
    stored = (long.directory / "transcripts/coder-1.jsonl").read_text().splitlines()
    done = [json.loads(line) for line in stored if json.loads(line)["event"] == "done"]
    assert len(done) == 200
    assert sum(len(one["result"]["content"]) > 20_000 for one in done) == 180
    assert long.size("transcripts/coder-1.jsonl") < 12 * short.size("transcripts/coder-1.jsonl")
    assert long.size("journal.jsonl") < 1.2 * short.size("journal.jsonl")
    assert long.peak_kib < 1.35 * short.peak_kib, (long.peak_kib, short.peak_kib)

    summary = (long.directory / "summary.md").read_text()
    agents = summary[summary.index("| agent |") :].partition("\n\n")[0]
    assert agents == snapshot("""\
| agent | turns | tool calls | refused or failed | tokens |
| --- | ---: | --- | ---: | ---: |
| `plans`, agent 1 | 1 | none | 0 | 120 |
| `coder`, round 1 | 201 | 180 `read_file`, 20 `edit_file` | 0 | 24,120 |
| `reviewer`, round 1 | 1 | none | 0 | 120 |\
""")
