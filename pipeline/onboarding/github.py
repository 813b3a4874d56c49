"""Set up GitHub itself, through the `gh` program where it is there and signed in."""

import json
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
        labels = self._run("label", "list", "--search", LABEL, "--json", "name")
        return labels is not None and any(
            label.get("name", "").lower() == LABEL for label in json.loads(labels)
        )

    def create_label(self) -> bool:
        """Create the label, unless it exists."""
        if self.has_label():
            return True
        output = self._run("label", "create", LABEL, "--color", LABEL_COLOUR, "--description", LABEL_TEXT)
        return output is not None

    def secret_names(self) -> frozenset[str]:
        """Names of the repository's secrets for Actions."""
        secrets = json.loads(self._run("secret", "list", "--json", "name") or "[]")
        return frozenset(secret.get("name", "") for secret in secrets)

    def open_issues(self, limit: int) -> tuple[OpenIssue, ...]:
        """The newest open issues."""
        issues = self._run(
            "issue", "list", "--state", "open", "--limit", str(limit), "--json", "number,title,body"
        )
        return tuple(
            OpenIssue(issue["number"], issue["title"], issue.get("body") or "")
            for issue in json.loads(issues or "[]")
        )

    def open_pull_request(self, branch: str, title: str, body: str) -> str | None:
        """Open a pull request from a branch that has been pushed; its address."""
        output = self._run("pr", "create", "--head", branch, "--title", title, "--body", body)
        return output.strip().splitlines()[-1] if output and output.strip() else None

    def _run(self, *arguments: str) -> str | None:
        if self._program is None:
            return None
        try:
            process = subprocess.run(
                [self._program, *arguments],
                cwd=self._checkout,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_TIMEOUT_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return process.stdout if process.returncode == 0 else None
