"""Where the ticket of a command comes from: a file, standard input, or an issue named by number, address or short form.

Examples: `ticket.md`, `-`, `418`, `acme/orders#418`, `https://github.com/acme/orders/issues/418`.
"""

import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from pipeline.domain.errors import TicketUnreadable
from pipeline.github_read.reader import GitHubReader

GITHUB = "github.com"
STANDARD_INPUT = "-"

_SHORT = re.compile(r"([\w.-]+/[\w.-]+)#([1-9]\d{0,17})", re.ASCII)
_PATH = re.compile(r"/([\w.-]+/[\w.-]+)/issues/([1-9]\d{0,17})/?", re.ASCII)
_GH_SECONDS = 10


@dataclass(frozen=True)
class IssueName:
    """An issue on a GitHub. `host` is where people read it; None for the one that the environment speaks of."""

    repository: str
    number: int
    host: str | None = None


def issue_name(text: str) -> IssueName | None:
    """The issue that a text names with its repository; None for a plain number and for a file."""
    if short := _SHORT.fullmatch(text):
        return IssueName(short[1], int(short[2]))
    if not text.startswith(("https://", "http://")):
        return None
    parts = urlsplit(text)
    path = _PATH.fullmatch(parts.path)
    if path is None or not parts.netloc:
        raise TicketUnreadable(
            f"{text} is not the address of an issue.",
            why="Its path should be /OWNER/REPOSITORY/issues/NUMBER.",
            what_to_do="For example: --issue https://github.com/acme/orders/issues/418",
        )
    return IssueName(path[1], int(path[2]), parts.netloc)


def reader_of(name: IssueName, environment: Mapping[str, str]) -> GitHubReader:
    """GitHub as this machine may read it: with its token, or with that of `gh`; a public issue without any.

    A token goes only to the GitHub that it is of.
    """
    api_url = environment.get("GITHUB_API_URL") or "https://api.github.com"
    known = {urlsplit(environment.get("GITHUB_SERVER_URL", "")).netloc, urlsplit(api_url).netloc}
    known |= {GITHUB} if api_url == "https://api.github.com" else set()
    if name.host is None or name.host in known:
        token = (
            environment.get("GITHUB_TOKEN")
            or environment.get("GH_TOKEN")
            or _token_of_gh(name.host or GITHUB)
        )
        return GitHubReader(api_url=api_url, token=token, repository=name.repository)
    base = "https://api.github.com" if name.host == GITHUB else f"https://{name.host}/api/v3"
    return GitHubReader(api_url=base, token=_token_of_gh(name.host), repository=name.repository)


def _token_of_gh(host: str) -> str | None:
    """The token with which `gh` is signed in there, if it is."""
    program = shutil.which("gh")
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, "auth", "token", "--hostname", host],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_GH_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None
