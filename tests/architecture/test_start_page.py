"""Every command of docs/start.md runs as it stands there, in a fresh repository."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workflow.act import git

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
ELSEWHERE = ("pipx install askfirst", "cd path/to/your/repository")
"""What makes the place in which the other commands run; the test has made it."""


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.strip().splitlines()[-1][:40])
def test_a_block_of_commands_runs(block: str, tmp_path: Path) -> None:
    repository = tmp_path / "orders"
    shutil.copytree(ROOT / "tests" / "sample_repositories" / "orders_fastapi", repository)
    git(repository, "init", "--quiet", "--initial-branch=main")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message", "Orders")
    lines = [line for line in block.splitlines() if not line.startswith(ELSEWHERE)]
    script = "\n".join(lines).replace("OWNER/askfirst@SHA", "octocat/askfirst@" + "c3" * 20)
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "GIT_AUTHOR_NAME": "octocat", "GIT_AUTHOR_EMAIL": "octocat@users.noreply.github.com",
        "GIT_COMMITTER_NAME": "octocat", "GIT_COMMITTER_EMAIL": "octocat@users.noreply.github.com",
    }  # fmt: skip
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=repository, env=environment, capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip()


def test_there_are_blocks_and_every_link_leads_somewhere() -> None:
    assert len(BLOCKS) >= 3
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", PAGE)
    assert [link for link in links if not (ROOT / "docs" / link).exists()] == []
