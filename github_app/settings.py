"""Everything the App is told by its operator, read once from the environment, all mistakes reported together."""

import contextlib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from github_app.surface_settings import SurfaceSettings

GITHUB_API_URL = "https://api.github.com"
_DATA_RESIDENCY = re.compile(r"https://api\.([a-z0-9-]+\.ghe\.com)", re.ASCII)
"""REST address of an enterprise with data residency, and where its people read. Source: docs.github.com, "Network details
for GHE.com"."""

API_VERSION = "2026-03-10"
"""The REST version the App speaks: the first that answers a dispatch with the id of the run it started."""

_SHORTEST_SECRET = 16
_SHORTEST_RETENTION, _LONGEST_RETENTION = 4, 3650
"""Days. GitHub can bring a delivery again for three, and our row of it is what makes that harmless."""

Number = TypeVar("Number", int, float)


class CannotStart(Exception):
    """Something that only the operator can put right. The message says what happened and what to do."""


class SettingsIncomplete(CannotStart):
    """The environment does not say all that the App must know. One line per problem, each with what to set."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        lines = "\n".join(f"  - {problem}" for problem in problems)
        super().__init__(
            f"Settings of the App are missing or wrong:\n{lines}\n"
            "They come from the environment. If `askfirst-app setup` wrote a file: set -a; . ./app.env; set +a"
        )
        self.problems = problems


@dataclass(frozen=True, kw_only=True)
class GitHubAddress:
    """Which GitHub, and how fast. `seconds_between_writes` spreads what we write, as GitHub's secondary rate limits ask
    for; `comment_lag` and `run_lag` are the seconds after which it shows what it took. A sandbox sets all of them to 0.
    """

    api_url: str = GITHUB_API_URL
    seconds_between_writes: float = 1.0
    comment_lag: float = 3.0
    run_lag: float = 60.0

    @property
    def server_url(self) -> str:
        """Where people read: `https://github.com`, `https://acme.ghe.com`, or the pages of a sandbox."""
        if self.api_url == GITHUB_API_URL:
            return "https://github.com"
        if residence := _DATA_RESIDENCY.fullmatch(self.api_url):
            return f"https://{residence[1]}"
        return self.api_url.removesuffix("/api/v3")


@dataclass(frozen=True, kw_only=True)
class AppKey(GitHubAddress):
    """What signs as the App. `client_id` is the issuer of its JWT; GitHub takes the App's id for it, too."""

    client_id: str
    private_key: str = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Settings(AppKey):
    """What the operator said. Secrets are kept out of `repr`, so that no log line can hold them.

    `app_id` is how the App knows its own comments. `database_url` is an
    SQLAlchemy URL. `polling_seconds` is how often a worker looks for work. `dollars_per_day` is what the runs of one repository
    may cost on a day.
    """

    app_id: int
    webhook_secret: str = field(repr=False)
    marker_key: str = field(repr=False)
    database_url: str = field(repr=False)
    host: str = "127.0.0.1"
    port: int = 8000
    polling_seconds: float = 0.5
    surfaces: "SurfaceSettings | None" = None
    log_format: str = "text"
    webhook_secret_before: str = field(default="", repr=False)
    marker_key_before: str = field(default="", repr=False)
    retention_days: int = 90
    allow_list: tuple[str, ...] = ()
    dollars_per_day: float | None = None

    @property
    def webhook_secrets(self) -> tuple[str, ...]:
        """Any of these proves a delivery: the secret, and the one before it while a rotation goes on."""
        return _with_former(self.webhook_secret, self.webhook_secret_before)

    @property
    def marker_keys(self) -> tuple[bytes, ...]:
        """The key that signs our comments and reply addresses, and the one before it while a rotation goes on."""
        return tuple(key.encode() for key in _with_former(self.marker_key, self.marker_key_before))

    def allows(self, full_name: str) -> bool:
        """Whether the App works for a repository: every one, or those of the list, by owner or by `owner/name`."""
        name = full_name.casefold()
        return not self.allow_list or bool({name, name.partition("/")[0]} & set(self.allow_list))


def _with_former(secret: str, former: str) -> tuple[str, ...]:
    return (secret, former) if former else (secret,)


def read_address(environment: Mapping[str, str] = os.environ) -> GitHubAddress:
    """Only which GitHub it is: for the commands that run in a job of GitHub Actions.

    Raises:
        SettingsIncomplete: something is malformed.
    """
    reader = _Reader(environment)
    address = reader.address()
    if reader.problems:
        raise SettingsIncomplete(tuple(reader.problems))
    return address


def read_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings that the environment describes.

    Raises:
        SettingsIncomplete: something is missing or malformed; it names every problem, not only the first.
    """
    reader = _Reader(environment)
    address = reader.address()
    settings = Settings(
        app_id=reader.whole_number("ASKFIRST_APP_ID", "the number under 'App ID' on the App's settings page"),
        client_id=reader.text("ASKFIRST_CLIENT_ID", "the 'Client ID' on the App's settings page"),
        private_key=reader.private_key(),
        webhook_secret=reader.secret("ASKFIRST_WEBHOOK_SECRET", "the 'Webhook secret' of the App"),
        marker_key=reader.secret(
            "ASKFIRST_MARKER_KEY", "a secret of your own that signs our comments: `openssl rand -hex 32`"
        ),
        database_url=environment.get("ASKFIRST_DATABASE_URL") or _default_database_url(environment),
        api_url=address.api_url,
        seconds_between_writes=address.seconds_between_writes,
        comment_lag=address.comment_lag,
        run_lag=address.run_lag,
        host=environment.get("ASKFIRST_HOST") or "127.0.0.1",
        port=reader.number("ASKFIRST_PORT", 8000, int, 1, 65_535),
        polling_seconds=reader.number("ASKFIRST_POLLING_SECONDS", 0.5, float, 0.01, 60),
        surfaces=reader.surfaces(),
        webhook_secret_before=reader.optional_secret("ASKFIRST_WEBHOOK_SECRET_BEFORE"),
        marker_key_before=reader.optional_secret("ASKFIRST_MARKER_KEY_BEFORE"),
        retention_days=reader.number(
            "ASKFIRST_RETENTION_DAYS", 90, int, _SHORTEST_RETENTION, _LONGEST_RETENTION
        ),
        allow_list=reader.words("ASKFIRST_ALLOW"),
        dollars_per_day=reader.dollars("ASKFIRST_DOLLARS_PER_DAY"),
        log_format=reader.one_of("ASKFIRST_LOG_FORMAT", ("text", "json")),
    )
    if reader.problems:
        raise SettingsIncomplete(tuple(reader.problems))
    return settings


def database_url(environment: Mapping[str, str] = os.environ) -> str:
    """Only where the database is: for the commands that need nothing else."""
    return environment.get("ASKFIRST_DATABASE_URL") or _default_database_url(environment)


def _default_database_url(environment: Mapping[str, str]) -> str:
    """An SQLite file in the data directory. It must be a local disk: SQLite's WAL does not work over a network."""
    data_home = environment.get("XDG_DATA_HOME") or str(Path("~/.local/share").expanduser())
    directory = Path(environment.get("ASKFIRST_DATA_DIRECTORY") or Path(data_home, "askfirst"))
    return f"sqlite:///{directory.absolute() / 'askfirst.sqlite'}"


class _Reader:
    """Reads single settings, remembering every problem instead of stopping at the first."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self.problems: list[str] = []

    def address(self) -> GitHubAddress:
        """Which GitHub, and how fast."""
        return GitHubAddress(
            api_url=self.url("GITHUB_API_URL", GITHUB_API_URL),
            seconds_between_writes=self.number("ASKFIRST_SECONDS_BETWEEN_WRITES", 1.0, float, 0, 60),
            comment_lag=self.number("ASKFIRST_COMMENT_LAG", 3.0, float, 0, 600),
            run_lag=self.number("ASKFIRST_RUN_LAG", 60.0, float, 0, 3600),
        )

    def text(self, name: str, meaning: str) -> str:
        value = self._environment.get(name, "").strip()
        if not value:
            self.problems.append(f"{name} is not set: set it to {meaning}")
        return value

    def secret(self, name: str, meaning: str) -> str:
        """A text of at least 16 characters: a shorter one can be guessed."""
        value = self.text(name, meaning)
        if value and len(value) < _SHORTEST_SECRET:
            self.problems.append(f"{name} is shorter than {_SHORTEST_SECRET} characters: set it to {meaning}")
        return value

    def optional_secret(self, name: str) -> str:
        """A secret that may be missing: the one before the last rotation."""
        value = self._environment.get(name, "").strip()
        if value and len(value) < _SHORTEST_SECRET:
            self.problems.append(
                f"{name} is shorter than {_SHORTEST_SECRET} characters: set it to the value before the rotation, or leave it"
                " out"
            )
        return value

    def words(self, name: str) -> tuple[str, ...]:
        """Words between commas or spaces, without case."""
        return tuple(self._environment.get(name, "").casefold().replace(",", " ").split())

    def whole_number(self, name: str, meaning: str) -> int:
        value = self.text(name, meaning)
        if value and not (value.isascii() and value.isdigit()):
            self.problems.append(f"{name} is {value!r}, which is not a number: set it to {meaning}")
            return 0
        return int(value or 0)

    def number(
        self, name: str, default: Number, parse: Callable[[str], Number], least: float, most: float
    ) -> Number:
        """A number within limits. `nan` is within none."""
        value = self._environment.get(name, "").strip()
        if not value:
            return default
        number: Number | None = None
        with contextlib.suppress(ValueError):
            number = parse(value)
        if number is None or not least <= number <= most:
            self.problems.append(
                f"{name} is {value!r}: set it to a number from {least:g} to {most:g}, such as {default}, or leave it out"
            )
            return default
        return number

    def dollars(self, name: str) -> float | None:
        """A limit in dollars; None where none is set."""
        is_set = bool(self._environment.get(name, "").strip())
        return self.number(name, 20.0, float, 0.01, 1_000_000) if is_set else None

    def one_of(self, name: str, words: tuple[str, ...]) -> str:
        """One of some words; the first one where nothing is said."""
        value = self._environment.get(name, "").strip() or words[0]
        if value not in words:
            self.problems.append(f"{name} is {value!r}: set it to {' or '.join(words)}, or leave it out")
        return value

    def url(self, name: str, default: str) -> str:
        value = (self._environment.get(name) or default).rstrip("/")
        parts = urlsplit(value)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            self.problems.append(
                f"{name} is {value!r}: set it to {default}, or https://api.SUBDOMAIN.ghe.com with data residency"
            )
        return value

    def surfaces(self) -> "SurfaceSettings | None":
        """The surfaces of the file that ASKFIRST_SURFACES_FILE names; None without one."""
        path = self._environment.get("ASKFIRST_SURFACES_FILE", "")
        if not path:
            return None
        from github_app.surface_file import SurfacesInvalid, read_surfaces

        try:
            return read_surfaces(Path(path))
        except SurfacesInvalid as error:
            self.problems += [f"ASKFIRST_SURFACES_FILE: {problem}" for problem in error.problems]
            return None

    def private_key(self) -> str:
        """The PEM from ASKFIRST_PRIVATE_KEY (a line break may be backslash-n) or from its `_FILE` setting."""
        inline = self._environment.get("ASKFIRST_PRIVATE_KEY", "")
        path = self._environment.get("ASKFIRST_PRIVATE_KEY_FILE", "")
        if bool(inline) == bool(path):
            self.problems.append(
                "set exactly one of ASKFIRST_PRIVATE_KEY (the PEM that GitHub gave you) and"
                " ASKFIRST_PRIVATE_KEY_FILE (the path of that file)"
            )
            return ""
        try:
            pem = inline.replace("\\n", "\n") if inline else Path(path).read_text(encoding="ascii")
        except (OSError, UnicodeDecodeError) as error:
            self.problems.append(f"ASKFIRST_PRIVATE_KEY_FILE is {path!r}, which cannot be read: {error}")
            return ""
        if "PRIVATE KEY-----" not in pem:
            self.problems.append(
                "the private key is no PEM: it must begin with -----BEGIN RSA PRIVATE KEY-----; download a new one"
                " under 'Private keys' on the App's settings page"
            )
        return pem
