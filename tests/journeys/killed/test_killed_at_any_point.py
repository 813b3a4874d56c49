"""A build that is killed around every single reply and every single call, its confirmation among them."""

import json
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pipeline.contract.change import Change
from tests.journeys.forked import Forked
from tests.journeys.killed import dying_run
from tests.journeys.messages_server import CHAT, MESSAGES, MessagesServer, messages_api
from tests.journeys.scripts import answered, approves, completes, creates, edits, reads
from tests.journeys.test_change_in_other_languages import BODY, TITLE, prepared

TURNS = {
    "coder": [
        [reads("parcels/bulk.py")],
        [edits("README.md", "# parcels\n", "# parcels\n\nOne line.\n"), creates("uv.lock", "version = 1\n")],
        [edits("README.md", "One line.\n", "One line, and another.\n")],
        [completes()],
    ],
    "reviewer": [[reads("README.md")], [approves()]],
}
QUESTIONS = [*(f"coder turn {turn}" for turn in range(4)), *(f"reviewer turn {turn}" for turn in range(2))]


class Dying:
    """Processes on one disk, one after the other, each of which dies around the next line of a transcript."""

    def __init__(self, repository: Path, folder: Path, server: MessagesServer, when: str) -> None:
        self.directory = prepared(repository, folder / "run", "parcels/bulk.py")
        (folder / "ticket.md").write_text(f"# {TITLE}\n\n{BODY}\n")
        self._line = [
            *(when, "run", "--repository", str(repository)),
            *("--issue", str(folder / "ticket.md"), "--definition", "build", "--resume", str(self.directory)),
        ]
        self._environment = server.environment(folder)
        self.deaths = 0

    def until_it_ends(self, *more: str) -> int:
        """Start it again and again; the exit code of the one that was not killed."""
        for _ in range(30):
            process = Forked([*self._line, *more], self._environment, module=dying_run.__name__)
            said = process.communicate()
            if process.returncode != -signal.SIGKILL:
                assert process.returncode in (0, 2), said
                return process.returncode
            self.deaths += 1
        raise AssertionError("it makes no headway")

    def document(self, name: str) -> Any:
        return json.loads((self.directory / name).read_text())


@pytest.mark.parametrize(("when", "most", "provider"), [("after", 1, CHAT), ("before", 2, MESSAGES)])
def test_every_reply_is_paid_once_and_every_call_leaves_its_mark_once(
    when: str, most: int, provider: str, quick: Path, tmp_path: Path
) -> None:
    """A reply that never reached the disk must be asked for again; one that did, never."""
    with messages_api(TURNS, keeps_connections=False) as server:
        server.provider = provider
        dying = Dying(quick, tmp_path, server, when)
        assert dying.until_it_ends() == 2
        asked = dying.document("clarification.json")
        assert (asked["kind"], asked["question"]["subject"]["arguments"]["path"]) == (
            "ConfirmationNeeded",
            "uv.lock",
        )
        assert set(server.asked) == set(QUESTIONS[:2])
        answers = answered(asked, tmp_path / "answers.json", verdict="approve")
        assert dying.until_it_ends("--answers", str(answers)) == 0
        counted = Counter(server.asked)
    assert set(counted) == set(QUESTIONS)
    assert max(counted.values()) <= most, counted
    # Two beginnings, six replies, five results: the process died at each of them but the one at which it stopped.
    assert dying.deaths >= 11
    change = Change.model_validate(dying.document("change.json"))
    files = {file.path: (file.content or b"").decode() for file in change.files}
    assert files["uv.lock"] == "version = 1\n"
    assert files["README.md"].startswith("# parcels\n\nOne line, and another.\n\n")
    replies = [
        json.loads(line)
        for path in sorted((dying.directory / "transcripts").iterdir())
        for line in path.read_text().splitlines()
    ]
    assert Counter(line["event"] for line in replies) == {"began": 2, "replied": 6, "done": 5}
