"""A run that decides nothing: without answers it asks, with one it writes the ticket. Wiring is under test."""

import base64
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from pipeline.contract.answers import Answer
from pipeline.contract.artifact import CLARIFICATION_FILE, RUN_FILE, TICKET_FILE
from pipeline.contract.change import Change, FileChange, TestsReport, Work
from pipeline.contract.clarification import Candidate, Clarification, Question, StopKind
from pipeline.contract.exit_codes import ExitCode
from pipeline.contract.run import Outcome, RunRecord, StageRecord, StageStatus
from pipeline.contract.ticket import CodePlace, Ticket
from pipeline.contract.wire import RunIdentity, question_id, ticket_sha256

ROUTES = ("POST /actions", "POST /actions/stream")


def main(directory: Path) -> ExitCode:
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    inputs = event.get("inputs", {})
    issue = event.get("issue", {})
    hashed = inputs.get("ticket_sha256") or ticket_sha256(issue["title"], issue["body"])
    run = RunIdentity(
        repository=os.environ["GITHUB_REPOSITORY"],
        issue=int(inputs.get("issue") or issue["number"]),
        commit=inputs.get("commit") or os.environ["GITHUB_SHA"],
        run_id=os.environ["GITHUB_RUN_ID"],
        attempt=int(os.environ["GITHUB_RUN_ATTEMPT"]),
        nonce=inputs.get("nonce") or None,
        ticket_sha256=hashed,
    )
    directory.mkdir()
    if dollars := os.environ.get("SCRIPTED_DOLLARS"):
        (directory / RUN_FILE).write_text(record(run, float(dollars)).model_dump_json())
    answers = json.loads(inputs.get("answers") or "{}").get("answers", [])
    if answers:
        (directory / TICKET_FILE).write_text(
            ticket(run, Answer.model_validate(answers[-1])).model_dump_json()
        )
        return ExitCode.DONE
    (directory / CLARIFICATION_FILE).write_text(which_route(run).model_dump_json())
    return ExitCode.PERSON_ASKED


def record(run: RunIdentity, dollars: float) -> RunRecord:
    now = datetime.now(UTC)
    stage = StageRecord(id="reading", status=StageStatus.DONE, dollars=dollars)
    return RunRecord(
        askfirst="0", definition="gate", definition_sha256="0" * 64, identity=run, model="scripted", resumed_from=None,
        started_at=now, finished_at=now, outcome=Outcome.DONE, exit_code=0, stages=(stage,),
    )  # fmt: skip


def which_route(run: RunIdentity) -> Clarification:
    ids = [f"route:{route}" for route in ROUTES]
    kind = StopKind.CLARIFICATION_NEEDED
    return Clarification(
        kind=kind,
        stage="decomposition",
        reason="2 routes reach 'processItem'. Prose did not name which.",
        candidates=tuple(
            Candidate(handler_symbol=f"<route:{route}>", body_field_count=3, id=f"route:{route}", label=route)
            for route in ROUTES
        ),
        suggestion="Name the route by method and path.",
        question=Question(
            id=question_id(kind.value, "entry_route", ids, None),
            slot="entry_route",
            text="Which route should get the flag?",
            default=ids[0],
        ),
        run=run,
    )


def change(run: RunIdentity) -> Change:
    return Change(
        run=run,
        base_commit=run.commit,
        message="Add a dry_run flag",
        files=(FileChange(path="src/actions.py", content=base64.b64encode(b"dry_run = False\n")),),
        work=Work(
            summary="The bulk action cannot be tried out.",
            model="scripted",
            replies="scripted",
            rounds=1,
            tests=TestsReport(command="pytest -q", green=True, exit_code=0, seconds=1.5, passed=3, failed=0),
            dollars=0.0,
        ),
    )


def ticket(run: RunIdentity, answer: Answer) -> Ticket:
    chosen = answer.choice or "unknown"
    return Ticket(
        run=run,
        title="Add a dry_run flag",
        body="",
        operation="add",
        targets=(CodePlace(id=chosen, label=chosen),),
        ready=True,
        selected_because="you said so",
        answers=(answer,),
    )


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
