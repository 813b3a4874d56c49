"""Small git repositories, made on the spot."""

import subprocess
from pathlib import Path

_OCTOCAT = ("-c", "user.name=octocat", "-c", "user.email=octocat@example.org")

SERVICE = {
    "README.md": "# Orders\n",
    "src/orders.py": "def total(items):\n    return sum(items)\n\n\ndef count(items):\n    return len(items)\n",
    "tests/test_orders.py": "def test_sum():\n    assert sum([1, 2]) == 3\n",
    "run.sh": "#!/bin/sh\necho ran\n",
    ".gitignore": "*.log\nbuild/\n",
}


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *_OCTOCAT, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def make_repository(folder: Path, files: dict[str, str] | None = None) -> str:
    """Commit these files (`run.sh` executable) and return the commit's id."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    for path, text in (SERVICE if files is None else files).items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode())
        if path == "run.sh":
            place.chmod(0o755)
    return commit(folder, "First")


def commit(folder: Path, message: str) -> str:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", message)
    return git(folder, "rev-parse", "HEAD")
