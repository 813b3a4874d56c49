"""Who calls and what they may: App JWTs, installation tokens with their permissions, people's tokens with their roles.

Stricter than GitHub on purpose in one point: a token without a permission is refused even where GitHub would answer
from public data, so that a missing permission shows in a test.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import jwt

from sandbox.world.refusals import Forbidden, Invalid, NoCredentials, NotFound
from sandbox.world.state import Account, RegisteredApp, Repository, Role, Token, TokenKind
from sandbox.world.world import Actor, World

_MAX_JWT_LIFE = 600
"""Seconds between `iat` and `exp` that GitHub takes, plus its tolerance of a minute for clocks that differ."""

_JWT_TOLERANCE = 60
_LEVELS = ("read", "write", "admin")


@dataclass(frozen=True)
class Access:
    """What a route demands.

    `any_of` are pairs of permission and level, one of which an App's token must hold; `role` is what a person needs.
    """

    any_of: tuple[tuple[str, str], ...]
    role: Role

    @property
    def header(self) -> str:
        """The value of `X-Accepted-GitHub-Permissions`."""
        return "; ".join(f"{permission}={level}" for permission, level in self.any_of)


METADATA = Access((("metadata", "read"),), Role.READ)
READ_CONTENTS = Access((("contents", "read"),), Role.READ)
WRITE_CONTENTS = Access((("contents", "write"),), Role.WRITE)
READ_ISSUES = Access((("issues", "read"), ("pull_requests", "read")), Role.READ)
COMMENT = Access((("issues", "write"), ("pull_requests", "write")), Role.READ)
TRIAGE_ISSUES = Access((("issues", "write"), ("pull_requests", "write")), Role.TRIAGE)
READ_ACTIONS = Access((("actions", "read"),), Role.READ)
READ_CHECKS = Access((("checks", "read"),), Role.READ)
WRITE_ACTIONS = Access((("actions", "write"),), Role.WRITE)
READ_PULLS = Access((("pull_requests", "read"),), Role.READ)
WRITE_PULLS = Access((("pull_requests", "write"),), Role.WRITE)


def credentials(header: str | None) -> str:
    """The secret of an `Authorization` header. A JWT is only taken after `Bearer`."""
    scheme, _, value = (header or "").partition(" ")
    if scheme.lower() not in ("bearer", "token") or not value:
        raise NoCredentials("Requires authentication")
    return value.strip()


def authenticate_app(world: World, header: str | None) -> RegisteredApp:
    """The App that signed the JWT.

    Raises:
        NoCredentials: not a JWT, a wrong signature or issuer, or times that GitHub does not take.
    """
    app = world.the_app
    secret = credentials(header)
    if secret.count(".") != 2 or secret.startswith("ghs_"):
        raise NoCredentials("A JSON web token could not be decoded")
    try:
        claims = _claims(secret, (app.private_key_pem, *app.other_keys))
    except jwt.ExpiredSignatureError as error:
        raise NoCredentials(
            "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"
        ) from error
    except jwt.PyJWTError as error:
        raise NoCredentials("A JSON web token could not be decoded") from error
    if claims["exp"] - claims["iat"] > _MAX_JWT_LIFE + _JWT_TOLERANCE:
        raise NoCredentials("'Expiration time' claim ('exp') is too far in the future")
    if str(claims["iss"]) not in (str(app.id), app.client_id):
        raise NoCredentials("Integration not found")
    return app


def _claims(secret: str, private_keys: Sequence[str]) -> dict[str, Any]:
    """What a JWT says that one of the keys has signed.

    Raises:
        PyJWTError: none has, or it says too little.
    """
    *others, last = private_keys
    for key in others:
        try:
            return _signed_claims(secret, key)
        except jwt.InvalidSignatureError:
            continue
    return _signed_claims(secret, last)


def _signed_claims(secret: str, private_key_pem: str) -> dict[str, Any]:
    return jwt.decode(
        secret,
        _public_key(private_key_pem),
        algorithms=["RS256"],
        options={"require": ["exp", "iat", "iss"]},
    )


def authenticate(world: World, header: str | None) -> Token:
    """The token that stands in the header, if it is still good."""
    token = world.tokens.get(credentials(header))
    now = world.clock.now()
    if token is None or token.is_revoked or (token.expires_at is not None and token.expires_at <= now):
        raise NoCredentials("Bad credentials")
    if token.installation_id is not None:
        installation = world.installations.get(token.installation_id)
        if installation is None:
            raise NoCredentials("Bad credentials")
        if installation.suspended_at is not None:
            raise Forbidden("This installation has been suspended")
    return token


def authorize(world: World, token: Token, repository: Repository, access: Access) -> None:
    """Whether a token may do this here.

    Raises:
        NotFound: the token does not reach the repository.
        Forbidden: it does, and lacks the permission or the role.
    """
    if token.kind is TokenKind.USER:
        role = world.role(repository, token.account)
        if role is Role.NONE:
            raise NotFound
        if role < access.role:
            raise Forbidden(
                "Must have admin rights to Repository."
                if access.role is Role.ADMIN
                else "Resource not accessible by personal access token"
            )
        return
    if not _reaches(world, token, repository):
        raise NotFound
    if not any(_holds(token.permissions, permission, level) for permission, level in access.any_of):
        raise Forbidden("Resource not accessible by integration", access.header)


def actor_of(token: Token) -> Actor:
    """Who acts with this token. What an installation does is shown as done via the App."""
    return Actor(token.account, via_app=token.kind is TokenKind.INSTALLATION)


def may_change(world: World, repository: Repository, token: Token, author: Account) -> None:
    """Whether somebody may change what an author wrote: themselves, writers, and Apps with the permission."""
    stranger = token.kind is TokenKind.USER and token.account is not author
    if stranger and world.role(repository, token.account) < Role.WRITE:
        raise Forbidden("Must have write access to change what others wrote")


def narrow(ceiling: dict[str, str], request: dict[str, str] | None) -> dict[str, str]:
    """The permissions of a new token: what the installation has, or the part that was asked for.

    An empty object asks for nothing: clients that send it without being told to get what they asked for.

    Raises:
        Invalid: more was asked for than was granted.
    """
    if request is None:
        return dict(ceiling)
    for permission, level in request.items():
        if not _holds(ceiling, permission, level):
            raise Invalid("The permissions requested are not granted to this installation.")
    return {**request, "metadata": "read"}


def _holds(permissions: dict[str, str], permission: str, level: str) -> bool:
    actual_level = permissions.get(permission)
    return (
        actual_level is not None and level in _LEVELS and _LEVELS.index(actual_level) >= _LEVELS.index(level)
    )


def _reaches(world: World, token: Token, repository: Repository) -> bool:
    if token.kind is TokenKind.INSTALLATION:
        installation = world.installation_of(repository)
        if installation is None or installation.id != token.installation_id:
            return False
    return token.repository_ids is None or repository.id in token.repository_ids


@cache
def _public_key(private_key_pem: str) -> str:
    from cryptography.hazmat.primitives import serialization

    private = serialization.load_pem_private_key(private_key_pem.encode(), password=None)
    encoding, form = serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    return private.public_key().public_bytes(encoding, form).decode()
