"""Rows by their key."""

from typing import TypeVar

from flask_restx import abort

from helpdesk.models import Case, db

Row = TypeVar("Row", bound=db.Model)


def one_or_404(model: type[Row], key: int) -> Row:
    """The row, or the answer 404; every resource below a number goes through here."""
    row = db.session.get(model, key)
    if row is None:
        abort(404, f"there is no {model.__name__.lower()} {key}")
    return row


def case_by_token(token: str) -> Case:
    """The case a customer's link speaks of."""
    case = db.session.scalar(db.select(Case).where(Case.token == token))
    if case is None:
        abort(404, "this link is not valid any more")
    return case
