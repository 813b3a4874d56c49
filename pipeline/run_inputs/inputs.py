"""Everything a run is started with, read and checked: the ticket, the answers, the identity, the memo."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from pipeline.contract.answers import Answers
from pipeline.contract.artifact import TICKET_FILE
from pipeline.contract.ticket import Ticket
from pipeline.contract.wire import RunIdentity
from pipeline.domain.errors import GitHubUnreadable, MemoRefused, PreconditionFailed, TicketUnreadable
from pipeline.domain.ticket import IncomingTicket
from pipeline.domain.wanted_changes import WantedChanges
from pipeline.github_read.reader import GitHubReader
from pipeline.run_inputs.answers import parse_answers, read_answers, with_texts
from pipeline.run_inputs.event import DispatchInputs, Event, read_event
from pipeline.run_inputs.issue_comments import ROLES_THAT_WRITE, with_comments, with_same_comments
from pipeline.run_inputs.issue_source import (
    STANDARD_INPUT,
    IssueName,
    api_of_environment,
    issue_name,
    origin_of,
    reader_of,
    repository_of_origin,
    token_of_environment,
)
from pipeline.run_inputs.memo import comments_in_memo
from pipeline.run_inputs.notes import Notes
from pipeline.run_inputs.wanted_changes import read_wanted_changes
from pipeline.run_record.run_directory import GIVEN_TICKET_FILE, JOURNAL_FILE

_RequiredT = TypeVar("_RequiredT", str, GitHubReader)

_MARKDOWN_MAX_BYTES = 1 << 20
_NAME_IT_WHOLE = "Give its full name, --issue OWNER/REPOSITORY#12, or its address."


@dataclass(frozen=True)
class Start:
    """What a run starts from.

    `memo` is the zip of an earlier run's results, verified by its digest, or None. `wanted_changes` is None unless the run is to
    change a pull request again.
    """

    ticket: IncomingTicket
    answers: Answers
    run_id: str
    attempt: int
    nonce: str | None = None
    expected_commit: str | None = None
    memo: bytes | None = None
    memo_note: str | None = None
    wanted_changes: WantedChanges | None = None

    def identity(self, commit: str) -> RunIdentity:
        """Which run this is, on that commit."""
        return RunIdentity(
            repository=self.ticket.repository,
            issue=self.ticket.number,
            commit=commit,
            run_id=self.run_id,
            attempt=self.attempt,
            nonce=self.nonce,
            ticket_sha256=self.ticket.sha256,
        )


def read_start(issue: str, *, root: Path, answers: Path | None, environment: Mapping[str, str]) -> Start:
    """Read what a run was started with.

    `issue` is a Markdown file, `-` for standard input, an event file, or an issue: number, address, `owner/repo#12`.

    Raises:
        PipelineError: one of `TicketUnreadable`, `AnswersInvalid`, `PreconditionFailed`, `GitHubUnreadable`.
    """
    answers_so_far = read_answers(answers) if answers is not None else Answers()
    name = issue_name(issue)
    if issue.isdecimal():
        name = IssueName(_repository_of_number(root, environment, issue), int(issue))
    if name is not None:
        reader = reader_of(name, environment)
        ticket = reader.ticket(name.number)
        if reader.has_token:  # without one GitHub does not tell roles
            ticket = with_comments(ticket, reader.issue_comments(name.number), reader.role_of, None)
        return _start(ticket, with_texts(answers_so_far, reader), environment)
    path = Path(issue)
    if path.suffix.lower() == ".json":
        return _from_event(read_event(path), answers_so_far, root, environment)
    ticket = _from_standard_input() if issue == STANDARD_INPUT else _from_markdown(path)
    # The name of the checkout's repository tells which links of the text are its own.
    ticket = ticket.model_copy(update={"repository": _repository_name(root, environment)})
    return _start(ticket, with_texts(answers_so_far, None), environment)


def issue_reader(start: Start, root: Path, environment: Mapping[str, str]) -> GitHubReader | None:
    """The repository of a run on GitHub, for agents that look at its issues. None without a token or a repository."""
    return _reader_for(start.ticket.repository or _repository_name(root, environment), environment)


def notes_reader(
    start: Start, directory: Path, began: datetime, environment: Mapping[str, str]
) -> Notes | None:
    """What people write to a run while it works: on the pull request that it changes again, else on its issue."""
    number = start.wanted_changes.pull_request if start.wanted_changes is not None else start.ticket.number
    reader = _reader_for(start.ticket.repository, environment)
    if reader is None or number is None:
        return None
    run_id = int(start.run_id) if start.run_id.isdecimal() else None
    used_comments = frozenset(
        answer.comment_id for answer in start.answers.answers if answer.comment_id is not None
    )
    return Notes(reader, number, run_id, began, directory / "notes.json", used_comments)


def read_given_ticket(resume: Path | None) -> Ticket | None:
    """The ticket that was prepared elsewhere; None where the resumed directory holds a run that found its ticket out itself.

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


def _from_event(event: Event, answers: Answers, root: Path, environment: Mapping[str, str]) -> Start:
    name = event.repository.full_name if event.repository else _repository_name(root, environment)
    reader = _reader_for(name, environment)
    if event.inputs is not None:
        return _from_dispatch(event.inputs, answers, reader, environment)
    issue = event.labelled_issue()
    ticket = IncomingTicket(
        title=issue.title,
        body=issue.body or "",
        number=issue.number,
        repository=name,
        author=issue.user.login if issue.user else None,
        labelled_by=event.sender.login if event.sender else None,
        labels=tuple(label.name for label in issue.labels),
    )
    if reader is not None and ticket.labelled_by is not None:
        _refuse_unless_may_start(ticket.labelled_by, reader.role_of(ticket.labelled_by))
        _refuse_if_changed(reader.ticket(issue.number), ticket.sha256)
        if issue.comments and issue.updated_at is not None:
            comments = reader.issue_comments(issue.number)
            ticket = with_comments(ticket, comments, reader.role_of, issue.updated_at)
    elif environment.get("GITHUB_ACTIONS") == "true":
        raise PreconditionFailed(
            "The role of the person who set the label cannot be checked.",
            why="A label alone proves no permission, and there is no GITHUB_TOKEN in this job or no sender in the event.",
            what_to_do="Pass the token to the step: github-token: ${{ github.token }}",
        )
    return _start(ticket, with_texts(answers, reader), environment)


def _from_dispatch(
    inputs: DispatchInputs,
    default_answers: Answers,
    reader: GitHubReader | None,
    environment: Mapping[str, str],
) -> Start:
    client = _require(reader, str(inputs.issue))
    ticket = client.ticket(inputs.issue)
    if inputs.ticket_sha256 is not None:
        _refuse_if_changed(ticket, inputs.ticket_sha256)
    answers = parse_answers(inputs.answers) if inputs.answers else default_answers
    memo, note = _memo(inputs, client)
    ticket = _with_comments_of_dispatch(ticket, inputs, client, memo)
    return replace(
        _start(ticket, with_texts(answers, client), environment),
        nonce=inputs.nonce,
        expected_commit=inputs.commit,
        memo=memo,
        memo_note=note,
        wanted_changes=read_wanted_changes(inputs.revise, client) if inputs.revise else None,
    )


def _with_comments_of_dispatch(
    ticket: IncomingTicket, inputs: DispatchInputs, client: GitHubReader, memo: bytes | None
) -> IncomingTicket:
    """The ticket with its comments: those of the run that is resumed, or all that belong to it where none is.

    If the list of comments of the resumed run is lost, it is unknown which of them the labeller has seen.
    """
    comments = client.issue_comments(inputs.issue)
    if inputs.ticket_sha256 is None:
        return with_comments(ticket, comments, client.role_of, None)
    earlier = comments_in_memo(memo) if memo is not None else None
    if earlier is not None:
        return with_same_comments(ticket, comments, earlier)
    if not with_comments(ticket, comments, client.role_of, None).comments:
        return ticket
    note = "The comments of the issue were left out: the memo that lists those from before the label is not there."
    return ticket.model_copy(update={"notes": (note,)})


def _memo(inputs: DispatchInputs, client: GitHubReader) -> tuple[bytes | None, str | None]:
    """The memo, or why there is none: what is missing is computed again, so a lost memo costs time and nothing else."""
    if inputs.memo_run_id is None or inputs.memo_sha256 is None:
        return None, None
    try:
        return client.memo(inputs.memo_run_id, inputs.memo_sha256), None
    except (MemoRefused, GitHubUnreadable) as error:
        return None, f"{error.message} Everything is computed again."


def _start(ticket: IncomingTicket, answers: Answers, environment: Mapping[str, str]) -> Start:
    return Start(
        ticket=ticket,
        answers=answers,
        run_id=environment.get("GITHUB_RUN_ID") or "local",
        attempt=int(environment.get("GITHUB_RUN_ATTEMPT") or 1),
    )


def _from_markdown(path: Path) -> IncomingTicket:
    try:
        if path.stat().st_size > _MARKDOWN_MAX_BYTES:
            raise TicketUnreadable(
                f"{path} is larger than 1 MiB.", why="GitHub's issues end at 65,536 characters."
            )
        return IncomingTicket.from_markdown(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise TicketUnreadable(
            f"There is no ticket {str(path)!r}.",
            why="A ticket is a Markdown file, - for standard input, an event file (.json), or an issue: 12, owner/repo#12,"
            " or its address.",
            what_to_do="For example: askfirst run --repository . --issue ticket.md",
        ) from error
    except OSError as error:
        raise TicketUnreadable(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise _no_ticket(str(path), error) from error


def _from_standard_input() -> IncomingTicket:
    text = sys.stdin.buffer.read(_MARKDOWN_MAX_BYTES + 1)
    if len(text) > _MARKDOWN_MAX_BYTES:
        raise TicketUnreadable(
            "Standard input is larger than 1 MiB.", why="GitHub's issues end at 65,536 characters."
        )
    try:
        return IncomingTicket.from_markdown(text.decode("utf-8"))
    except ValueError as error:
        raise _no_ticket("Standard input", error) from error


def _no_ticket(source: str, error: ValueError) -> TicketUnreadable:
    reason = "it is not text in UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
    return TicketUnreadable(
        f"{source} is not a ticket: {reason}.",
        what_to_do="Begin the file with a line such as: # Add a dry_run flag to the bulk action",
    )


def _refuse_unless_may_start(login: str, role: str) -> None:
    """Check the role. GitHub lets triage apply labels, too, so the label proves nothing."""
    if role not in ROLES_THAT_WRITE:
        raise PreconditionFailed(
            f"{login} may not start a run here.",
            why=f"Their role in this repository is {role!r}; a run needs one of {', '.join(sorted(ROLES_THAT_WRITE))}.",
            what_to_do="Somebody with write access removes the label `askfirst` and sets it again.",
        )


def _refuse_if_changed(now: IncomingTicket, expected_sha256: str) -> None:
    if now.sha256 != expected_sha256:
        raise PreconditionFailed(
            f"Issue #{now.number} was edited after it was labelled.",
            why="A run works on the text that somebody with write access has labelled, and on no other.",
            what_to_do="Read the text again. If it is right, remove the label `askfirst` and set it again.",
        )


def reader_of_ticket(ticket: IncomingTicket, environment: Mapping[str, str]) -> GitHubReader | None:
    """GitHub as it may be asked about the ticket's issue; None without a token, or for a ticket that is no issue."""
    return _reader_for(ticket.repository, environment) if ticket.number is not None else None


def _reader_for(repository: str | None, environment: Mapping[str, str]) -> GitHubReader | None:
    token = token_of_environment(environment)
    if not token or not repository:
        return None
    return GitHubReader(api_url=api_of_environment(environment), token=token, repository=repository)


def _require(value: _RequiredT | None, issue: str) -> _RequiredT:
    """The repository of an issue, or what reads it; both take something that the environment lacks."""
    if value is None:
        raise TicketUnreadable(
            f"Issue #{issue} cannot be read.",
            why="Reading an issue by its number takes its repository, and in a job of GitHub Actions a token.",
            what_to_do=f"{_NAME_IT_WHOLE} In a job: github-token: ${{{{ github.token }}}}",
        )
    return value


def _repository_of_number(root: Path, environment: Mapping[str, str], issue: str) -> str:
    repository = _repository_name(root, environment)
    if repository is None and (origin := origin_of(root)):
        raise TicketUnreadable(
            f"Issue #{issue} cannot be read.",
            # Before `@` there may be a token.
            why=f"The remote `origin` of the checkout names no repository on GitHub: {origin.rpartition('@')[2]}",
            what_to_do=_NAME_IT_WHOLE,
        )
    return _require(repository, issue)


def _repository_name(root: Path, environment: Mapping[str, str]) -> str | None:
    return environment.get("GITHUB_REPOSITORY") or repository_of_origin(root, environment)
