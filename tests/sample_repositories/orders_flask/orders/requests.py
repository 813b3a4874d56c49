"""Reading requests."""

from flask import abort


def require_fields(body: dict[str, object], names: tuple[str, ...]) -> None:
    """Refuse a request whose body lacks one of the fields."""
    for name in names:
        if name not in body:
            abort(400, f"{name} is missing")
