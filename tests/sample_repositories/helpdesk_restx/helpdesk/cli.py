"""`helpdesk-admin`: what runs at night or by hand."""

from datetime import datetime, timedelta
from pathlib import Path

import click

from helpdesk import create_app
from helpdesk.models import Case, Reply, db


@click.group()
def admin() -> None:
    """Look after a helpdesk."""


@admin.command("purge-cases")
@click.option("--older-than", type=int, default=730, help="Days since the case was due.")
def purge_cases(older_than: int) -> None:
    """Remove closed cases for good."""
    with create_app().app_context():
        limit = datetime.utcnow() - timedelta(days=older_than)
        for case in db.session.scalars(db.select(Case).where(Case.status == "closed", Case.due_at < limit)):
            db.session.delete(case)
        db.session.commit()


@admin.command("purge-replies")
@click.option("--older-than", type=int, default=365, help="Days since the reply was written.")
def purge_replies(older_than: int) -> None:
    """Remove internal replies for good; customers never see them go."""
    with create_app().app_context():
        limit = datetime.utcnow() - timedelta(days=older_than)
        for reply in db.session.scalars(db.select(Reply).where(Reply.internal, Reply.created_at < limit)):
            db.session.delete(reply)
        db.session.commit()


@admin.command("export-cases")
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--status", default=None, help="Only cases in this status.")
def export_cases(target: Path, status: str | None) -> None:
    """Write cases to a file, a line each."""
    with create_app().app_context():
        query = db.select(Case)
        if status:
            query = query.where(Case.status == status)
        lines = [f"{case.id};{case.status};{case.subject}" for case in db.session.scalars(query)]
        target.write_text("\n".join(lines), encoding="utf-8")
