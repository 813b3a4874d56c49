"""Runs that ended in each of the three ways."""

from datetime import UTC, datetime

from pipeline.contract.clarification import Candidate, Clarification
from pipeline.contract.failure import Failure
from pipeline.contract.run import Outcome, RunRecord, StageRecord, StageStatus
from pipeline.contract.ticket import CodePlace, Ticket
from pipeline.contract.wire import Location, RunIdentity
from pipeline.domain.stops import Ask, ClarificationNeeded


def identity() -> RunIdentity:
    return RunIdentity(
        repository="acme/orders", issue=418, commit="c" * 40, run_id="7001", ticket_sha256="a" * 64
    )


def a_question(label: str = "POST /actions", text: str = "Which route should get the flag?") -> Clarification:
    candidates = tuple(
        Candidate(
            handler_symbol=f"<route:{name}>",
            body_field_count=3,
            id=f"route:{name}",
            label=name,
            location=Location(path="src/actions.py", start_line=line, end_line=line + 9),
        )
        for name, line in ((label, 12), ("POST /actions/stream", 40))
    )
    asked = ClarificationNeeded(
        Ask(
            stage="decomposition",
            slot="entry_route",
            reason="2 routes reach the chain leaf 'processItem' with matching body schemas.",
            text=text,
            suggestion="Name the route by method and path in the ticket prose.",
            candidates=candidates,
            default=candidates[0].id,
        )
    )
    return asked.clarification(identity(), round_=1)


def a_failure() -> Failure:
    return Failure(
        kind="PreconditionFailed",
        stage="preconditions",
        message="the working tree differs from the commit",
        why="src/orders.py was changed",
        what_to_do="git stash",
        run=identity(),
    )


def a_ticket(title: str = "Add a dry_run flag to the bulk action") -> Ticket:
    place = CodePlace(
        id="route:POST /actions",
        label="POST /actions",
        location=Location(path="src/actions.py", start_line=12, end_line=21),
    )
    return Ticket(
        run=identity(),
        title=title,
        body="",
        operation="add",
        targets=(place,),
        ready=True,
        selected_because="octocat answered: POST /actions",
    )


def a_run(outcome: Outcome = Outcome.CLARIFICATION, *stages: StageRecord) -> RunRecord:
    return RunRecord(
        askfirst="0.1.0",
        definition="gate",
        definition_sha256="d" * 64,
        identity=identity(),
        model=None,
        resumed_from=None,
        started_at=datetime(2026, 10, 1, 10, 0, 0, tzinfo=UTC),
        finished_at=datetime(2026, 10, 1, 10, 0, 4, tzinfo=UTC),
        outcome=outcome,
        exit_code={Outcome.DONE: 0, Outcome.ERROR: 1, Outcome.CLARIFICATION: 2}[outcome],
        stages=stages
        or (
            StageRecord(id="snapshot", status=StageStatus.REUSED),
            StageRecord(id="reading", status=StageStatus.DONE, seconds=2.5, attempts=1, dollars=0.0123),
            StageRecord(
                id="decomposition", status=StageStatus.STOPPED, seconds=0.25, attempts=1, reason="2 routes"
            ),
            StageRecord(
                id="semantics", status=StageStatus.SKIPPED, reason="its condition does not hold: a || b"
            ),
            StageRecord(
                id="ticket", status=StageStatus.NOT_REACHED, reason="the run ended at 'decomposition'"
            ),
        ),
    )
