"""What runs end with: a ticket, a change, a failure."""

import base64

from pipeline.contract.change import Change, FileChange, Work
from pipeline.contract.failure import Failure
from pipeline.contract.ticket import Ticket
from pipeline.contract.wire import RunIdentity


def a_ticket(*, ready: bool = True) -> Ticket:
    from tests.github_app.conversation.questions import run

    place = {
        "id": "route:POST /actions/stream",
        "label": "POST /actions/stream",
        "location": {"path": "app/api/stream.py", "start_line": 22, "end_line": 47},
    }
    return Ticket.model_validate(
        {
            "run": run(), "title": "Limit the action endpoint", "body": "Please rate-limit the action endpoint.",
            "operation": "add", "targets": [place] if ready else "unknown", "ready": ready,
            "selected_because": "You chose it.", "chain": [place], "acceptance_criteria": ["The 11th request is refused."],
        }
    )  # fmt: skip


def a_change(path: str = "app/api/stream.py", **work: object) -> Change:
    """A change of one file; a world puts its run in."""
    file = FileChange(path=path, content=base64.b64encode(b"limit = 10\n"))
    told = Work.model_validate(
        {
            "summary": "The stream endpoint takes any number of requests.", "assumptions": ["Ten a minute are enough."],
            "tests": {"command": "pytest -q", "green": True, "exit_code": 0, "seconds": 1.5, "passed": 12, "failed": 0},
            "replies": "scripted", "dollars": 0.0, "model": "scripted", "rounds": 1, **work,
        }
    )  # fmt: skip
    identity = RunIdentity(repository=None, issue=None, commit="0" * 40, run_id="0", ticket_sha256="0" * 64)
    return Change(
        run=identity, base_commit="0" * 40, message="Limit the stream endpoint", files=(file,), work=told
    )


def a_failure(kind: str = "PipelineError") -> Failure:
    return Failure(
        kind=kind, stage="registry", message="src/broken.py cannot be read", why="It is not UTF-8.",
        what_to_do="Save the file as UTF-8.", run=None,
    )  # fmt: skip
