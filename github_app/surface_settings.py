"""Where questions are shown besides GitHub, and who is who there, by the operator's file (`surface_file`)."""

import base64
import binascii
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, ClassVar, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_SITE_BY_ID = re.compile(r"/ex/jira/[0-9a-f-]{36}/?")
"""Below api.atlassian.com, where tokens with scopes count. Source: developer.atlassian.com, "Scoped API tokens"."""


def _safe_address(address: str) -> str:
    """An address to which secrets may go: encrypted, or on this machine."""
    parts = urlsplit(address)
    is_encrypted = parts.scheme == "https" and bool(parts.hostname)
    if not is_encrypted and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise ValueError("must begin with https://")
    if parts.username is not None or parts.fragment:
        raise ValueError("must be an address without a name before @ and without a part behind #")
    return address


def _address_of_site(address: str) -> str:
    """The address of a whole site. On this machine several may share a host."""
    parts = urlsplit(_safe_address(address))
    is_site = parts.path in {"", "/"} or _SITE_BY_ID.fullmatch(parts.path) or parts.hostname in _LOOPBACK
    if not is_site or parts.query:
        raise ValueError(f"must be the address of the site alone: {parts.scheme}://{parts.netloc}")
    return address


def _address_of_app(address: str) -> str:
    """Where the App is reached; a proxy may have put it below a path."""
    parts = urlsplit(_safe_address(address))
    if parts.query or parts.path.rstrip("/").endswith(("/webhook", "/reply", "/surfaces")):
        path = parts.path.rstrip("/").rpartition("/")[0]
        raise ValueError(f"must be what stands before /webhook: {parts.scheme}://{parts.netloc}{path}")
    return address


def _shape(pattern: str, sentence: str) -> AfterValidator:
    """Requires that the whole text has a shape; the sentence says which, in words of the operator."""
    shape = re.compile(pattern)

    def check(text: str) -> str:
        if shape.fullmatch(text) is None:
            raise ValueError(f"must be {sentence}")
        return text

    return AfterValidator(check)


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
SiteAddress = Annotated[str, AfterValidator(_address_of_site)]
AppAddress = Annotated[str, AfterValidator(_address_of_app)]


class _Setting(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Surface(_Setting):
    """What all surfaces have. `name` stands in addresses and in the comments on GitHub; `repositories` (`owner/name`) are
    those whose questions are shown, all of them where it is left out.
    """

    is_tracker: ClassVar[bool] = False
    account_pattern: ClassVar[re.Pattern[str]] = re.compile(r".+")
    account_example: ClassVar[str] = "a name that the program knows"
    name: Annotated[
        str, _shape(r"[a-z][a-z0-9-]{0,38}", "a word of small letters, digits and -, such as slack")
    ]
    repositories: (
        tuple[Annotated[str, _shape(r"[A-Za-z0-9_-]+/[\w.-]+", "owner/name, such as acme/orders")], ...]
        | None
    ) = None

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


class _SigningSurface(_Surface):
    """A surface that signs what it sends with `secret`."""

    secret: Annotated[str, Field(repr=False, min_length=16)]


class SlackSetting(_SigningSurface):
    """A channel of Slack. `token` is the bot's, `secret` the app's signing secret; accounts are ids of members (`U…`)."""

    account_pattern: ClassVar[re.Pattern[str]] = re.compile(r"[UW][A-Z0-9]{2,30}")
    account_example: ClassVar[str] = "the id of a member, such as U012AB3CD (profile, ⋮, Copy member ID)"
    kind: Literal["slack"]
    channel: Annotated[
        str, _shape(r"[CG][A-Z0-9]{2,30}", "the id of a channel, such as C012AB3CD (its details, at the end)")
    ]
    token: Annotated[
        str,
        Field(repr=False),
        _shape(r"xoxb-[!-~]+", "the Bot User OAuth Token of the app: it begins with xoxb-"),
    ]
    url: Address = "https://slack.com/api"


class _Tracker(_SigningSurface):
    """A surface whose questions stand on tickets: on the first one of its project or team that the issue on GitHub names."""

    is_tracker: ClassVar[bool] = True

    @property
    def key(self) -> str:
        """What the keys of its tickets begin with: `OPS` of `OPS-12`."""
        raise NotImplementedError

    def ticket_among(self, keys: Iterable[str]) -> str | None:
        """The first ticket of it."""
        return next((key for key in keys if key.startswith(f"{self.key}-")), None)


Key = Annotated[
    str,
    _shape(r"[A-Z][A-Z0-9]{1,9}", "what the keys of its tickets begin with: OPS, where a ticket is OPS-12"),
]


class JiraSetting(_Tracker):
    """A project of Jira Cloud. `token` is an API token of the account with `email`, `secret` that of the webhook; accounts are
    ids of Atlassian accounts.
    """

    account_pattern: ClassVar[re.Pattern[str]] = re.compile(r"[A-Za-z0-9:_-]{5,128}")
    account_example: ClassVar[str] = (
        "the id at the end of the address of the person's profile, such as 557058:…"
    )
    kind: Literal["jira"]
    project: Key
    url: SiteAddress
    email: Annotated[
        str, _shape(r"[^@\s:]+@[^@\s:]+", "the mail address of the account whose API token it is")
    ]
    token: Annotated[str, Field(repr=False, min_length=1)]

    @property
    def key(self) -> str:
        """The project's."""
        return self.project


class LinearSetting(_Tracker):
    """A team of Linear. `client_id` and `client_secret` are those of an application with client credentials, `secret` that of
    its webhook; accounts are ids of users.
    """

    account_pattern: ClassVar[re.Pattern[str]] = re.compile(r"[A-Za-z0-9-]{5,128}")
    account_example: ClassVar[str] = (
        "the id of a user: { users { nodes { id email } } } in Linear's API explorer"
    )
    kind: Literal["linear"]
    team: Key
    client_id: Annotated[str, Field(min_length=1)]
    client_secret: Annotated[str, Field(repr=False, min_length=1)]
    url: SiteAddress = "https://api.linear.app"

    @property
    def key(self) -> str:
        """The team's."""
        return self.team


SurfaceSetting = WebhookSetting | SlackSetting | JiraSetting | LinearSetting


class MappedPerson(_Setting):
    """A person of GitHub, by number and login, and the same person's account on surfaces, by the surface's name."""

    login: Annotated[
        str, _shape(r"[A-Za-z0-9][A-Za-z0-9_-]{0,98}", "a login of GitHub without @, such as octocat")
    ]
    id: Annotated[int, Field(gt=0)]
    accounts: Mapping[str, Annotated[str, Field(min_length=1)]]


class SurfaceSettings(_Setting):
    """All surfaces. `public_url` is where people and programs reach the App."""

    public_url: AppAddress
    surfaces: tuple[Annotated[SurfaceSetting, Field(discriminator="kind")], ...]
    people: tuple[MappedPerson, ...] = ()

    @model_validator(mode="after")
    def _names_mean_one_thing(self) -> Self:
        if problems := list(clashes(self.model_dump())):
            raise ValueError("\n".join(problems))
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
        """The person behind an account; None if the account is not mapped."""
        return next((person for name, person in self.people_on(surface) if name == account), None)


_CLASSES: Mapping[object, type[_Surface]] = {
    "webhook": WebhookSetting,
    "slack": SlackSetting,
    "jira": JiraSetting,
    "linear": LinearSetting,
}


def clashes(document: object) -> Iterator[str]:
    """What in a document of settings, right or not, does not fit together: names and ids that mean two things, and accounts
    that no surface has, or not of this shape.
    """
    surfaces, people = _mappings_of(document, "surfaces"), _mappings_of(document, "people")
    kinds = {_word(surface.get("name")): _CLASSES.get(_word(surface.get("kind"))) for surface in surfaces}
    yield from (f"two surfaces have the name {name}" for name in _repeated_values(surfaces, "name"))
    for key in ("login", "id"):
        yield from (f"two people have the {key} {value}" for value in _repeated_values(people, key))
    owners: Counter[tuple[str, str]] = Counter()
    for person in people:
        accounts = person.get("accounts")
        for name, account in accounts.items() if isinstance(accounts, Mapping) else ():
            owners[_word(name), _word(account)] += 1
    for (name, account), count in owners.items():
        kind = kinds.get(name)
        if name not in kinds:
            yield f"people have the account {account} on {name}, and there is no such surface"
        elif count > 1:
            yield f"two people have the same account on {name}: {account}"
        elif kind is not None and not kind.account_pattern.fullmatch(account):
            yield f"{account or 'nothing'} is no account on {name}: it must be {kind.account_example}"


def _mappings_of(document: object, key: str) -> list[Mapping[object, object]]:
    values = document.get(key) if isinstance(document, Mapping) else None
    return [value for value in values if isinstance(value, Mapping)] if isinstance(values, Sequence) else []


def _word(value: object) -> str:
    return str(value) if isinstance(value, str | int) else ""


def _repeated_values(mappings: Iterable[Mapping[object, object]], key: str) -> list[str]:
    counts = Counter(_word(mapping.get(key)).casefold() for mapping in mappings)
    return [value for value, count in counts.items() if value and count > 1]
