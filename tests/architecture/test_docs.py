"""Every command of the docs runs as it stands there, in a fresh repository, and what they show is what it prints."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.github_app.pages_in_browser.pictures import FOLDER, LARGEST, NAMES
from tests.workflow.act import git

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = {name: (DOCS / name).read_text(encoding="utf-8") for name in ("start.md", "questions.md")}
BLOCKS = [
    pytest.param(block, id=f"{name}: {block.strip().splitlines()[-1][:40]}")
    for name, text in PAGES.items()
    for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
]
ELSEWHERE = ("make install", "export PATH=", "cd path/to/your/repository")
"""What makes the place in which the other commands run; the test has made it."""

SHOWN = 5


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """The sample repository of the docs, with a few commits to look back on."""
    repository = tmp_path / "orders"
    shutil.copytree(ROOT / "tests" / "sample_repositories" / "orders_fastapi", repository)
    git(repository, "init", "--quiet", "--initial-branch=main")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message", "Orders")
    return repository


def run(script: str, repository: Path) -> str:
    """What a script prints, with `askfirst` on the path and no key or token in sight."""
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(repository.parent),
        "GIT_AUTHOR_NAME": "octocat", "GIT_AUTHOR_EMAIL": "octocat@users.noreply.github.com",
        "GIT_COMMITTER_NAME": "octocat", "GIT_COMMITTER_EMAIL": "octocat@users.noreply.github.com",
    }  # fmt: skip
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=repository, env=environment, capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_of_commands_runs(block: str, repository: Path) -> None:
    if "evaluate --history" in block:
        archive = repository / "app" / "archive.py"
        for number in range(6):
            more = "".join(f"\n\ndef archive_{number}_{part}(): ...\n" for part in "abc")
            archive.write_text(archive.read_text(encoding="utf-8") + more, encoding="utf-8")
            git(
                repository,
                "commit",
                "--quiet",
                "--all",
                "--message",
                f"Let orders be archived again, {number}",
            )
    lines = [line for line in block.splitlines() if not line.startswith(ELSEWHERE)]
    script = "\n".join(lines)
    named = "OWNER/askfirst@$(git ls-remote https://github.com/OWNER/askfirst HEAD | cut -f1)"
    script = script.replace(named, f"octocat/askfirst@{'c3' * 20}")
    assert run(script, repository).strip()


def test_the_table_of_places_is_what_explain_finds(repository: Path) -> None:
    command = re.findall(r"```sh\n(echo .*)\n```", PAGES["questions.md"])[0]
    found = json.loads(run(f"{command} --json", repository))
    assert (found["asks"], [one["label"] for one in found["candidates"]]) == (
        "ClarificationNeeded",
        ["POST /actions", "POST /actions/stream"],
    )
    rows = [
        f"| `{place['path']}` | {place['probability']:.2f} | {'; '.join(place['because'])} |"
        for place in found["places"][:SHOWN]
    ]
    table = "\n".join(("| file | probability | why |", "|---|---|---|", *rows))
    shown = re.findall(
        r"<!-- begin: places -->\n(.*?)\n<!-- end: places -->", PAGES["questions.md"], re.DOTALL
    )
    assert shown == [table], f"docs/questions.md shows another table; paste this one:\n{table}"


def test_there_are_blocks_and_every_link_leads_somewhere() -> None:
    assert len(BLOCKS) >= 6
    for text in PAGES.values():
        links = re.findall(r"\]\((?!https?:)([^)#]+)[)#]", text)
        assert [link for link in links if not (DOCS / link).exists()] == []


def test_every_picture_is_there_small_and_shown_somewhere() -> None:
    pages = "".join((*PAGES.values(), (ROOT / "README.md").read_text(encoding="utf-8")))
    for name in NAMES:
        picture = FOLDER / f"{name}.webp"
        assert picture.stat().st_size <= LARGEST, "take it anew: make pictures"
        assert f"pictures/{picture.name})" in pages
    assert {path.stem for path in FOLDER.iterdir()} == set(NAMES)
