"""Every example of the README and of the pages on changes and agents runs as it stands there, on a sample repository; replies of a model are scripted."""

import json
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tests.journeys.commands import SCRIPT
from tests.journeys.conftest import job_path, make_repository, scrubbed
from tests.journeys.messages_server import KEY, messages_api
from tests.journeys.scripts import (
    ADDS_DRY_RUN,
    REPLIES,
    Call,
    approves,
    completes,
    edits,
    planned,
    write_script,
)
from tests.pipeline.github_read.issues_server import REPOSITORY, issues_on_github

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
AGENTS = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
PAGES = [(ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "docs/build.md")] + [AGENTS]
FENCES = [token for page in PAGES for token in MarkdownIt().parse(page) if token.type == "fence"]
COMMANDS = [
    line.partition("#")[0].strip()
    for fence in FENCES
    if fence.content.startswith(("askfirst run", ".venv/bin/askfirst", "make "))
    for line in fence.content.splitlines()
]
AMBIGUOUS = "# Add a dry_run flag to the bulk action\n"
NAMED = "# Add a dry_run flag to POST /actions/stream\n\nAdd a dry_run flag.\n"
CHANGE = {
    "coder": [[edits("README.md", "# parcels", "# Parcels")], [completes()]],
    "reviewer": [[approves()]],
}


def commands(*words: str) -> list[str]:
    """The commands of the pages that hold all the words."""
    return [command for command in COMMANDS if all(word in command for word in words)]


def run(
    command: str, place: Path, *, reply: str = "", **environment: str
) -> "subprocess.CompletedProcess[str]":
    """Run a command as a shell does, with the installed script in the place of that of `.venv`."""
    script = command.replace(".venv/bin/askfirst", "askfirst")
    path = f"{SCRIPT.parent}{os.pathsep}{job_path()}"
    return subprocess.run(
        ["bash", "-euc", script], cwd=place, input=reply, env=scrubbed(PATH=path, HOME=str(place), **environment),
        capture_output=True, text=True, timeout=240,
    )  # fmt: skip


def prepared(into: Path, ticket: str, more: Mapping[str, str] | None = None) -> Path:
    """A checkout with a ticket beside its files."""
    place = make_repository("parcels_flask", into, more=more)
    (place / "ticket.md").write_text(ticket, encoding="utf-8")
    return place


def test_no_command_is_left_out() -> None:
    words = ("make ", "explain", "--ask", "decide", "build", "triage")
    assert sorted(command for word in words for command in commands(word)) == sorted(COMMANDS)
    assert len(COMMANDS) == 9


@pytest.mark.parametrize("command", commands("make "))
def test_what_is_made_can_be_made(command: str) -> None:
    told = subprocess.run([*command.split(), "--dry-run"], cwd=ROOT, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr


def test_a_wish_is_explained_asked_about_answered_and_kept(tmp_path: Path) -> None:
    make_repository("parcels_flask", tmp_path / "path/to/checkout")
    (tmp_path / "ticket.md").write_text(AMBIGUOUS, encoding="utf-8")
    (explain,), (ask,), (decide,) = commands("explain"), commands("--ask"), commands("decide")
    explained = run(explain, tmp_path)
    assert "Which route should get dry_run?" in explained.stdout, explained.stderr
    unanswered = run(ask, tmp_path)
    assert unanswered.returncode == 2, unanswered.stderr
    kept = run(decide, tmp_path)
    assert kept.returncode == 0, kept.stderr
    decisions = tmp_path / "path/to/checkout/.github/askfirst/decisions.yml"
    assert "POST /actions/stream" in decisions.read_text(encoding="utf-8")
    answered = run(ask.replace("ticket.md", "ticket.md --run-directory again"), tmp_path, reply="2\n")
    assert answered.returncode == 0, answered.stderr
    assert "target     POST /actions/stream" in answered.stdout


def test_a_change_is_made_with_a_key_written_down_and_made_from_what_was_written(tmp_path: Path) -> None:
    plain, record, replay = commands("build")
    written = tmp_path / "replies.jsonl"
    with messages_api(CHANGE, {"reading": [ADDS_DRY_RUN], "plans": [planned(None)]}) as server:
        for number, command in enumerate((plain, record)):
            place = prepared(tmp_path / str(number), NAMED)
            keyed = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": server.url}
            ended = run(command.replace("FILE", str(written)), place, **keyed)
            assert ended.returncode == 0, ended.stdout + ended.stderr
            assert (place / "askfirst-run" / "change.json").exists()
    place = prepared(tmp_path / "replayed", NAMED)
    ended = run(replay.replace("FILE", str(written)), place)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert (place / "askfirst-run" / "change.json").exists()


def test_an_issue_is_triaged(tmp_path: Path) -> None:
    (command,) = commands("triage")
    place = prepared(
        tmp_path / "parcels", "# An unknown action answers 500\n\nIt should say which there are.\n"
    )
    with issues_on_github() as server:
        server.add(3, "The stream ends early", "With 1,000 parcels.")
        server.found = (3,)
        token = {"GITHUB_TOKEN": "ghs_test", "GITHUB_REPOSITORY": REPOSITORY, "GITHUB_API_URL": server.url}
        ended = run(f"{command} --replay {REPLIES / 'parcels_flask_triage.jsonl'}", place, **token)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.parametrize("urgent", [True, False])
def test_the_pipeline_of_ones_own_runs_with_the_agents_beside_it(tmp_path: Path, urgent: bool) -> None:
    (pipeline,) = (fence.content for fence in FENCES if fence.info == "yaml" and "stages:" in fence.content)
    agents = dict(
        re.findall(r"^`([\w./]+\.md)`:\n\n```markdown\n(.*?)^```", AGENTS, re.DOTALL | re.MULTILINE)
    )
    own = {".github/askfirst/pipeline.yml": pipeline, **agents}
    place = prepared(tmp_path / "parcels", AMBIGUOUS, own)
    checked = run("askfirst plan --definition .github/askfirst/pipeline.yml", place)
    assert checked.returncode == 0, checked.stderr
    labelled: Call = ("complete", {"area": "bulk", "urgent": urgent})
    looked_at: Call = ("complete", {"look_at": "the stream"})
    turns = {"area/1": [[labelled]], "on-call/1": [[looked_at]]}
    replies = write_script(tmp_path / "replies.jsonl", turns)
    ended = run(
        f"askfirst run --issue ticket.md --definition .github/askfirst/pipeline.yml --replay {replies}", place
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    ticket = json.loads((place / "askfirst-run" / "ticket.json").read_text(encoding="utf-8"))
    assert [conclusion["stage"] for conclusion in ticket["conclusions"]] == [
        "area",
        *(["on-call"] if urgent else []),
    ]
