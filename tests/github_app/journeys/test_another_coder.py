"""From the label to the pull request with another coding agent, which asks a model of its own over the machine's network."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from sandbox.demo import SAMPLE
from tests.github_app.journeys.conftest import COLLABORATORS, Issues
from tests.github_app.journeys.dialogue import Dialogue, Stage, model_program
from tests.journeys.messages_server import messages_api
from tests.journeys.scripts import ADDS_DRY_RUN, approves, planned
from tests.local_http import ANY_PORT, QuietHandler, run_server

OTHER_KEY = "sk-of-another-agent-0123456789abcdef"
CODER = """
import json, os, pathlib, sys, urllib.request
ask = urllib.request.Request(os.environ["OTHER_URL"], sys.stdin.read().encode(), {"x-api-key": os.environ["OTHER_KEY"]})
with urllib.request.urlopen(ask) as answer:
    for path, text in json.load(answer).items():
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(path).write_text(text)
print("I made the change; my model is a stranger to you.")
"""
CONFIGURATION = """test_command: pytest -q
coder: {command: python3 .github/askfirst/coder.py, environment: [OTHER_URL, OTHER_KEY]}
"""

Labelled = Callable[[str, dict[str, str]], Dialogue]


@pytest.fixture
def labelled(opens_issue: Issues, stage: Stage, tmp_path: Path) -> Iterator[Labelled]:
    """A labelled issue in a repository whose coder is another agent; its model has it write these files."""
    with ExitStack() as ends:

        def label(name: str, writes: dict[str, str]) -> Dialogue:
            class OtherModel(QuietHandler):
                def do_POST(self) -> None:
                    task = self.rfile.read(int(self.headers["Content-Length"])).decode()
                    may_ask = self.headers["x-api-key"] == OTHER_KEY and "dry_run" in task
                    self.send_response(200 if may_ask else 403)
                    self.end_headers()
                    self.wfile.write(json.dumps(writes).encode())

            url = ends.enter_context(run_server(ThreadingHTTPServer(ANY_PORT, OtherModel)))
            forms = {"reading": [ADDS_DRY_RUN], "plans": [planned(None)]}
            reviews = ends.enter_context(messages_api({"reviewer": [[approves()]]}, forms))
            files = tmp_path / name
            shutil.copytree(SAMPLE, files)
            (files / ".github" / "askfirst").mkdir(parents=True)
            (files / ".github" / "askfirst" / "config.yml").write_text(CONFIGURATION)
            (files / ".github" / "askfirst" / "coder.py").write_text(CODER)
            repository = stage.github.create_repository(
                name, from_directory=files, collaborators=COLLABORATORS
            )
            stage.runs.scripted[repository.full_name] = model_program(
                reviews.url, "--definition", "build", OTHER_URL=url, OTHER_KEY=OTHER_KEY
            )
            dialogue = opens_issue(
                "Add a dry_run flag to POST /actions/stream",
                "Please add a `dry_run` flag.",
                repository=repository,
            )
            dialogue.label(by="maintainer")
            return dialogue

        yield label


def test_what_another_agent_writes_becomes_a_tested_and_reviewed_pull_request(labelled: Labelled) -> None:
    dialogue = labelled("harbour", {"parcels/notes.py": "DRY_RUN = False\n"})
    assert dialogue.hears().startswith("**The change is there:")
    assert dialogue.endings == [("issues", 0)]
    pull = dialogue.pull_request
    assert pull.file("parcels/notes.py") == "DRY_RUN = False\n"
    assert pull.issue.body is not None
    for words in ("I made the change", "python3 .github/askfirst/coder.py", "`pytest -q` | passed"):
        assert words in pull.issue.body
    assert OTHER_KEY not in "".join([pull.issue.body, *(one.body for one in dialogue.issue.comments)])


def test_what_it_must_not_write_never_becomes_a_pull_request(labelled: Labelled, stage: Stage) -> None:
    dialogue = labelled("lighthouse", {".github/workflows/evil.yml": "on: push\n"})
    assert ".github/workflows/evil.yml" in dialogue.hears()
    assert dialogue.endings == [("issues", 1)]
    assert stage.github.pull_requests(dialogue.repository) == []
