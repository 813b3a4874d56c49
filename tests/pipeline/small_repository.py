"""Git repositories that tests write commit by commit."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

_ENVIRONMENT = {
    "GIT_AUTHOR_NAME": "octocat",
    "GIT_AUTHOR_EMAIL": "octocat@example.com",
    "GIT_COMMITTER_NAME": "octocat",
    "GIT_COMMITTER_EMAIL": "octocat@example.com",
    "GIT_CONFIG_GLOBAL": "/dev/null",
}


class SmallRepository:
    """A checkout on disk. `commit` writes files and commits all there is."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def commit(self, message: str, files: Mapping[str, str | bytes | None]) -> str:
        """Write files (None removes one), commit, and return the commit's id."""
        for name, text in files.items():
            file = self.root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                file.unlink()
            elif isinstance(text, bytes):
                file.write_bytes(text)
            else:
                file.write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD").strip()

    def git(self, *arguments: str) -> str:
        """What git prints."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            env=os.environ | _ENVIRONMENT,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout
