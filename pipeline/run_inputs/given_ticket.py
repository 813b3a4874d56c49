"""A ticket that was prepared elsewhere: a `ticket.json` in the directory that is resumed, without a run around it."""

from pathlib import Path

from pydantic import ValidationError

from pipeline.contract.artifact import TICKET_FILE
from pipeline.contract.ticket import Ticket
from pipeline.contract.wire import RunIdentity
from pipeline.domain.errors import PreconditionFailed, TicketUnreadable
from pipeline.run_record.run_directory import GIVEN_TICKET_FILE, JOURNAL_FILE


def read_given_ticket(resume: Path | None) -> Ticket | None:
    """The prepared ticket; None where the directory holds a run that found its ticket out itself.

    Raises:
        TicketUnreadable: the file is no ticket.
    """
    if resume is None:
        return None
    path = resume / GIVEN_TICKET_FILE
    if not path.is_file():
        path = resume / TICKET_FILE
        if not path.is_file() or (resume / JOURNAL_FILE).exists():
            return None
    try:
        return Ticket.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise TicketUnreadable(
            f"{path} is not a ticket.",
            why=str(error).splitlines()[0],
            what_to_do="Write one with: askfirst run --definition gate --repository DIR --issue FILE",
        ) from error


def refuse_another_ticket(ticket: Ticket, run: RunIdentity) -> None:
    """Let nothing be built from a ticket about another text or another commit.

    Raises:
        PreconditionFailed: it is about another one.
    """
    if ticket.run.ticket_sha256 != run.ticket_sha256:
        raise PreconditionFailed(
            "The prepared ticket was made from another text than the issue has.",
            why=f"The hash of its title and body is {ticket.run.ticket_sha256[:12]}…, and that of the issue {run.ticket_sha256[:12]}….",
            what_to_do="Pass the issue that the ticket was made from.",
        )
    if ticket.run.commit != run.commit:
        raise PreconditionFailed(
            f"The prepared ticket is about commit {ticket.run.commit[:7]}, and the checkout is at {run.commit[:7]}.",
            why="Its targets name lines of that commit.",
            what_to_do=f"git checkout {ticket.run.commit}",
        )
