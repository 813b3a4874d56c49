"""What is set up on GitHub itself, through the `gh` program where it is there and signed in."""

import json
import secrets
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

LABEL = "askfirst"
LABEL_COLOUR = "5319e7"
LABEL_TEXT = "Ask before any code is written"
MARKER_KEY = "ASKFIRST_MARKER_KEY"

_TIMEOUT_SECONDS = 60


@dataclass(frozen=True)
class OpenIssue:
    """An issue as a ticket file holds it."""

    number: int
    title: str
    body: str


class GitHubCommand:
    """The `gh` program in one checkout. Every method answers None or False where `gh` cannot do it."""

    def __init__(self, checkout: Path) -> None:
        self._checkout = checkout
        self._program = shutil.which("gh")

    def is_ready(self) -> bool:
        """Whether `gh` is there and somebody is signed in."""
        return self._program is not None and self._run("auth", "status") is not None

    def has_label(self) -> bool:
        """Whether the repository has the label."""
        listed = self._run("label", "list", "--search", LABEL, "--json", "name")
        return listed is not None and any(one.get("name") == LABEL for one in json.loads(listed))

    def create_label(self) -> bool:
        """Create the label; one that is there stays as it is."""
        if self.has_label():
            return True
        made = self._run("label", "create", LABEL, "--color", LABEL_COLOUR, "--description", LABEL_TEXT)
        return made is not None

    def secret_names(self) -> frozenset[str]:
        """Names of the repository's secrets for Actions."""
        listed = self._run("secret", "list", "--json", "name")
        return frozenset(one.get("name", "") for one in json.loads(listed)) if listed else frozenset()

    def set_marker_key(self) -> bool:
        """Set a fresh secret that signs the markers. It goes through standard input and is kept nowhere else."""
        return self._run("secret", "set", MARKER_KEY, said=secrets.token_hex(32)) is not None

    def open_issues(self, most: int) -> tuple[OpenIssue, ...]:
        """The newest open issues."""
        listed = self._run(
            "issue", "list", "--state", "open", "--limit", str(most), "--json", "number,title,body"
        )
        return tuple(
            OpenIssue(one["number"], one["title"], one.get("body") or "")
            for one in json.loads(listed or "[]")
        )

    def open_pull_request(self, branch: str, title: str, body: str) -> str | None:
        """Open a pull request from a branch that has been pushed; its address."""
        made = self._run("pr", "create", "--head", branch, "--title", title, "--body", body)
        return made.strip().splitlines()[-1] if made and made.strip() else None

    def _run(self, *arguments: str, said: str | None = None) -> str | None:
        if self._program is None:
            return None
        try:
            done = subprocess.run(
                [self._program, *arguments],
                cwd=self._checkout,
                input=said or "",
                capture_output=True,
                text=True,
                timeout=_TIMEOUT_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout if done.returncode == 0 else None
