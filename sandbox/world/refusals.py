"""Why the sandbox's GitHub says no: raised where the rule is known, turned into HTTP in one place."""


class Refusal(Exception):
    """Something that GitHub would not do; the message is what its answer says."""


class NotFound(Refusal):
    """It does not exist, or the caller may not know that it does."""

    def __init__(self) -> None:
        super().__init__("Not Found")


class Forbidden(Refusal):
    """The caller is known and may not do this. `permissions` names the permissions that would have sufficed."""

    def __init__(self, message: str, permissions: str | None = None) -> None:
        super().__init__(message)
        self.permissions = permissions


class NoCredentials(Refusal):
    """No credentials, or bad ones."""


class Invalid(Refusal):
    """The request has the wrong content. `errors` is GitHub's list of details, if it gives one."""

    def __init__(self, message: str, errors: list[dict[str, str]] | None = None) -> None:
        super().__init__(message)
        self.errors = errors


class UnreadableRequest(Refusal):
    """The request cannot be read at all."""


class Conflict(Refusal):
    """It cannot be done in the present state."""


class ResourceGone(Refusal):
    """It existed and has expired or was deleted."""
