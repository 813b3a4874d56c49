"""Where questions are shown besides GitHub, and who is who there: a file of the operator, all its mistakes reported together."""

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self
from urllib.parse import urlsplit

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class SurfacesInvalid(ValueError):
    """The file of surfaces has mistakes. One line for each, with where it is and what would be accepted."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def _safe_address(address: str) -> str:
    """An address to which secrets may go: encrypted, or on this machine."""
    parts = urlsplit(address)
    if parts.scheme == "https" and parts.hostname:
        return address
    if parts.scheme == "http" and parts.hostname in _LOOPBACK:
        return address
    raise ValueError("must begin with https://")


def webhook_key(secret: str) -> bytes:
    """The bytes that a secret of Standard Webhooks stands for.

    Raises:
        ValueError: it is none.
    """
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error as error:
        raise ValueError(_NO_KEY) from error
    if not secret.startswith("whsec_") or not 24 <= len(key) <= 64:
        raise ValueError(_NO_KEY)
    return key


_NO_KEY = "must be whsec_ and 24 to 64 bytes in base64: echo whsec_$(openssl rand -base64 32)"

Address = Annotated[str, AfterValidator(_safe_address)]


class _Setting(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Surface(_Setting):
    """What all surfaces have. `name` stands in addresses and in the comments on GitHub; `repositories` (`owner/name`) are
    those whose questions are shown, all of them where it is left out.
    """

    is_tracker: ClassVar[bool] = False
    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,38}$")]
    repositories: tuple[str, ...] | None = None

    def shows(self, repository: str) -> bool:
        """Whether questions of a repository (`owner/name`, in any case) are shown here."""
        names = None if self.repositories is None else {name.casefold() for name in self.repositories}
        return names is None or repository.casefold() in names

    def ticket_among(self, _keys: Iterable[str]) -> str | None:
        """The ticket on which a question is shown; None for surfaces that show it in a place of their own."""
        return None


class WebhookSetting(_Surface):
    """Any program that takes Standard Webhooks."""

    kind: Literal["webhook"]
    url: Address
    secret: Annotated[str, Field(repr=False)]

    @model_validator(mode="after")
    def _has_a_secret_of_its_kind(self) -> Self:
        webhook_key(self.secret)
        return self


class SlackSetting(_Surface):
    """A channel of Slack. `token` is the bot's, `secret` the app's signing secret; accounts are ids of members (`U…`)."""

    kind: Literal["slack"]
    channel: Annotated[str, Field(pattern=r"^[CG][A-Z0-9]{2,30}$")]
    token: Annotated[str, Field(repr=False, pattern=r"^xoxb-[!-~]+$")]
    secret: Annotated[str, Field(repr=False, min_length=16)]
    url: Address = "https://slack.com/api"


class _Tracker(_Surface):
    """A surface whose questions stand on tickets: on the first one of its project or team that the issue on GitHub names."""

    is_tracker: ClassVar[bool] = True

    @property
    def key(self) -> str:
        """What the keys of its tickets begin with: `OPS` of `OPS-12`."""
        raise NotImplementedError

    def ticket_among(self, keys: Iterable[str]) -> str | None:
        """The first ticket of it."""
        return next((key for key in keys if key.startswith(f"{self.key}-")), None)


def _ticket_key(key: str) -> str:
    if re.fullmatch(r"[A-Z][A-Z0-9]{1,9}", key) is None:
        raise ValueError("must be what the keys of its tickets begin with: OPS, where a ticket is OPS-12")
    return key


def _mail_address(address: str) -> str:
    if re.fullmatch(r"[^@\s:]+@[^@\s:]+", address) is None:
        raise ValueError("must be the mail address of the account whose API token it is")
    return address


Key = Annotated[str, AfterValidator(_ticket_key)]


class JiraSetting(_Tracker):
    """A project of Jira Cloud. `token` is an API token of the account with `email`, `secret` that of the webhook; accounts are
    ids of Atlassian accounts.
    """

    kind: Literal["jira"]
    project: Key
    url: Address
    email: Annotated[str, AfterValidator(_mail_address)]
    token: Annotated[str, Field(repr=False, min_length=1)]
    secret: Annotated[str, Field(repr=False, min_length=16)]

    @property
    def key(self) -> str:
        """The project's."""
        return self.project


class LinearSetting(_Tracker):
    """A team of Linear. `client_id` and `client_secret` are those of an application with client credentials, `secret` that of
    its webhook; accounts are ids of users.
    """

    kind: Literal["linear"]
    team: Key
    client_id: Annotated[str, Field(min_length=1)]
    client_secret: Annotated[str, Field(repr=False, min_length=1)]
    secret: Annotated[str, Field(repr=False, min_length=16)]
    url: Address = "https://api.linear.app"

    @property
    def key(self) -> str:
        """The team's."""
        return self.team


SurfaceSetting = WebhookSetting | SlackSetting | JiraSetting | LinearSetting


class MappedPerson(_Setting):
    """A person of GitHub, by number and login, and the same person's account on surfaces, by the surface's name."""

    login: Annotated[str, Field(min_length=1)]
    id: Annotated[int, Field(gt=0)]
    accounts: Mapping[str, Annotated[str, Field(min_length=1)]]


class SurfaceSettings(_Setting):
    """All surfaces. `public_url` is where people and programs reach the App."""

    public_url: Address
    surfaces: tuple[Annotated[SurfaceSetting, Field(discriminator="kind")], ...]
    people: tuple[MappedPerson, ...] = ()

    @model_validator(mode="after")
    def _names_mean_one_thing(self) -> Self:
        names = [surface.name for surface in self.surfaces]
        if len(set(names)) < len(names):
            raise ValueError("two surfaces have the same name")
        missing_surfaces = {name for person in self.people for name in person.accounts} - set(names)
        if missing_surfaces:
            raise ValueError(
                f"people have accounts on {', '.join(sorted(missing_surfaces))}, and there is no such surface"
            )
        accounts = [pair for person in self.people for pair in person.accounts.items()]
        if len(set(accounts)) < len(accounts):
            raise ValueError("two people have the same account on one surface")
        if len({person.id for person in self.people}) < len(self.people):
            raise ValueError("two people have the same id")
        return self

    def surface(self, name: str) -> SurfaceSetting | None:
        """The surface of that name."""
        return next((surface for surface in self.surfaces if surface.name == name), None)

    def people_on(self, surface: str) -> tuple[tuple[str, MappedPerson], ...]:
        """Account and person of everybody who can answer on a surface."""
        return tuple(
            (person.accounts[surface], person) for person in self.people if surface in person.accounts
        )

    def person(self, surface: str, account: str) -> MappedPerson | None:
        """The person behind an account; None for one that nobody has mapped."""
        return next((person for name, person in self.people_on(surface) if name == account), None)


def read_surfaces(path: Path) -> SurfaceSettings:
    """The surfaces that a file describes.

    Raises:
        SurfacesInvalid: it cannot be read, or it has mistakes.
    """
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise SurfacesInvalid((f"{path} cannot be read: {error}",)) from error
    except ValueError:
        raise SurfacesInvalid(
            (f"{path} cannot be read: a date or a number in it is none; put it in quotes",)
        ) from None
    except yaml.YAMLError as error:
        # The words of the error quote the line, and with it the secret that stands there.
        raise SurfacesInvalid((f"{path} cannot be read: {_position(error)} is not YAML",)) from None
    try:
        return SurfaceSettings.model_validate(document)
    except ValidationError as error:
        raise SurfacesInvalid(
            tuple(
                f"{path}: {'.'.join(str(part) for part in problem['loc']) or 'the file'}: {problem['msg']}"
                for problem in error.errors()
            )
        ) from error


def _position(error: yaml.YAMLError) -> str:
    """The place of a mistake, counted from 1."""
    mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
    return "the file" if mark is None else f"line {mark.line + 1}, column {mark.column + 1}"
