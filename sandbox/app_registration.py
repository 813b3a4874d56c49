"""The one App of the sandbox: its name, permissions, events and secrets."""

import secrets
from functools import cache

from sandbox.world.state import AccountType, RegisteredApp
from sandbox.world.world import World

PERMISSIONS = {
    "actions": "write", "checks": "read", "contents": "write", "issues": "write", "pull_requests": "write",
    "metadata": "read",
}  # fmt: skip
"""What the App may do where it is installed."""

EVENTS = ("issues", "issue_comment", "workflow_run", "pull_request", "pull_request_review", "check_suite")


def register_app(world: World) -> RegisteredApp:
    """An App with fresh ids and webhook secret; it belongs to the organization `acme`."""
    return RegisteredApp(
        id=world.next_id(),
        client_id="Iv23li" + secrets.token_hex(7),
        slug="askfirst",
        name="askfirst",
        owner=world.account("acme", AccountType.ORGANIZATION),
        bot=world.account("askfirst[bot]", AccountType.BOT),
        private_key_pem=_first_key(),
        webhook_secret=secrets.token_hex(20),
        permissions=dict(PERMISSIONS),
        events=EVENTS,
        created_at=world.clock.now(),
    )


@cache
def _first_key() -> str:
    """One key for all sandboxes of a process: making one takes as long as starting everything else."""
    return new_private_key()


def new_private_key() -> str:
    """A key as the App's page makes one: the PEM that GitHub offers for download."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    ).decode()
