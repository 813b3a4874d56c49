"""A run that decides nothing: without answers it asks which route, with one it writes the ticket. Wiring is under test."""

import json
import os
import sys
from pathlib import Path

from pipeline.contract.answers import Answer
from pipeline.contract.artifact import CLARIFICATION_FILE, TICKET_FILE
from pipeline.contract.clarification import Candidate, Clarification, Question, StopKind
from pipeline.contract.exit_codes import ExitCode
from pipeline.contract.identity import question_id, ticket_sha256
from pipeline.contract.ticket import CodePlace, Ticket
from pipeline.contract.wire import RunIdentity

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
    answers = json.loads(inputs.get("answers") or "{}").get("answers", [])
    if answers:
        (directory / TICKET_FILE).write_text(
            ticket(run, Answer.model_validate(answers[-1])).model_dump_json()
        )
        return ExitCode.DONE
    (directory / CLARIFICATION_FILE).write_text(question(run).model_dump_json())
    return ExitCode.PERSON_ASKED


def question(run: RunIdentity) -> Clarification:
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
