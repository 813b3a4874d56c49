"""Where the ticket of a command comes from: a file, standard input, or an issue named by number, address or short form.

Examples: `ticket.md`, `-`, `418`, `acme/orders#418`, `https://github.com/acme/orders/issues/418`.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pipeline.domain.errors import TicketUnreadable
from pipeline.git import run_git
from pipeline.github_read.reader import GitHubReader

GITHUB = "github.com"
STANDARD_INPUT = "-"

_SHORT = re.compile(r"([\w.-]+/[\w.-]+)#([1-9]\d{0,17})", re.ASCII)
_PATH = re.compile(r"/([\w.-]+/[\w.-]+)/issues/([1-9]\d{0,17})/?", re.ASCII)
_SCP_LIKE = re.compile(r"(?:[^@/:]+@)?([^@/:]+):(?!//)(.+)")
_REMOTE_PATH = re.compile(r"/?([\w.-]+/[\w.-]+?)(?:\.git)?/?", re.ASCII)
_DATA_RESIDENCY = re.compile(r"[a-z0-9-]+\.ghe\.com", re.ASCII)
_GH_SECONDS = 10
_PUBLIC_API = "https://api.github.com"
_TOKEN_VARIABLES = frozenset({"GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"})


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
    host, url_path = _host_and_path(text)
    path = _PATH.fullmatch(url_path)
    if path is None or not host:
        raise TicketUnreadable(
            f"{text} is not the address of an issue.",
            why="Its path should be /OWNER/REPOSITORY/issues/NUMBER.",
            what_to_do="For example: --issue https://github.com/acme/orders/issues/418",
        )
    return IssueName(path[1], int(path[2]), host)


def repository_of_remote(url: str, environment: Mapping[str, str], host: str | None = None) -> str | None:
    """`OWNER/REPOSITORY` of a remote's address on the GitHub that the environment speaks of, or on another host.

    `git@github.com:acme/orders.git` has a host and a path as `https://github.com/acme/orders` has. Of another host, and of a folder
    on this machine, the last two names would be a stranger's repository on GitHub.
    """
    known_hosts = _hosts_of(environment)
    hosts = known_hosts if host is None or host in known_hosts else {host}
    if scp_like := _SCP_LIKE.fullmatch(url):
        host, path = scp_like.groups()
    else:
        host, path = _host_and_path(url)
        # Neither a name nor a port is part of the host.
        host = host.rpartition("@")[2].partition(":")[0]
    is_ours = bool(host) and host.lower().removeprefix("ssh.").removeprefix("www.") in hosts
    repository = _REMOTE_PATH.fullmatch(path) if is_ours else None
    return repository[1] if repository is not None else None


def _host_and_path(url: str) -> tuple[str, str]:
    """The host of an address, with a name and a port if it has them, and its path; both empty where it cannot be read."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.netloc, parts.path


def origin_of(root: Path) -> str:
    """The address that a checkout was cloned from; empty where there is none."""
    return run_git(root, "remote", "get-url", "origin").stdout.decode("utf-8", "replace").strip()


def repository_of_origin(root: Path, environment: Mapping[str, str], host: str | None = None) -> str | None:
    """The repository on GitHub that a checkout was cloned from; None where it is on none, or not on this one."""
    return repository_of_remote(origin_of(root), environment, host)


def reader_of(name: IssueName, environment: Mapping[str, str]) -> GitHubReader:
    """GitHub as this machine may read it: with its token, or with that of `gh`; a public issue without any.

    A token goes only to the GitHub that it is of.

    Raises:
        TicketUnreadable: it is on no GitHub that is supported.
    """
    if name.host is None or name.host in _hosts_of(environment):
        api_url = api_of_environment(environment)
        token = token_of_environment(environment) or _token_of_gh(name.host or GITHUB, environment)
    else:
        api_url, token = _api_of(name.host), _token_of_gh(name.host, environment)
    return GitHubReader(api_url=api_url, token=token, repository=name.repository)


def token_of_environment(environment: Mapping[str, str]) -> str | None:
    """The token for the GitHub that the environment speaks of."""
    return environment.get("GITHUB_TOKEN") or environment.get("GH_TOKEN")


def api_of_environment(environment: Mapping[str, str]) -> str:
    """The REST address of the GitHub that the environment speaks of."""
    return environment.get("GITHUB_API_URL") or _PUBLIC_API


def _api_of(host: str) -> str:
    """The REST address of a GitHub, by the host on which people read it.

    Raises:
        TicketUnreadable: it is neither github.com nor an enterprise with data residency.
    """
    if host == GITHUB:
        return _PUBLIC_API
    if _DATA_RESIDENCY.fullmatch(host):
        return f"https://api.{host}"
    raise TicketUnreadable(
        f"{host} is not asked for issues.",
        why="Issues are read from github.com and from ghe.com (data residency).",
        what_to_do="Save the issue as a file whose first line is `# its title`, and pass that: --issue ticket.md",
    )


def _hosts_of(environment: Mapping[str, str]) -> set[str]:
    """The hosts of the GitHub that the environment speaks of."""
    api_url = api_of_environment(environment)
    hosts = {urlsplit(environment.get("GITHUB_SERVER_URL", "")).netloc, urlsplit(api_url).netloc}
    return hosts | ({GITHUB} if api_url == _PUBLIC_API else set())


def _token_of_gh(host: str, environment: Mapping[str, str]) -> str | None:
    """The token with which `gh` is signed in there, if it is.

    `gh` takes GH_ENTERPRISE_TOKEN for a token of any host but github.com, so it sees the tokens of the environment only
    for GitHubs that the environment names.
    """
    is_named = host in {GITHUB, environment.get("GH_HOST"), *_hosts_of(environment)}
    hidden_variables = frozenset() if is_named else _TOKEN_VARIABLES
    program = shutil.which("gh")
    if program is None:
        return None
    try:
        process = subprocess.run(
            [program, "auth", "token", "--hostname", host],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_GH_SECONDS,
            env={name: value for name, value in os.environ.items() if name not in hidden_variables},
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return process.stdout.strip() or None if process.returncode == 0 else None
