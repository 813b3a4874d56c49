"""A run of a few milliseconds: fills a document that was made beforehand with what only the run knows.

Arguments: the run directory, a question, a ticket, and a change where the run makes one; files without their `run`.
"""

import json
import os
import sys
from pathlib import Path


def main(directory: Path, question: Path, ticket: Path, change: Path | None = None) -> int:
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    inputs = event.get("inputs", {})
    answers = json.loads(inputs.get("answers") or "{}").get("answers", [])
    run = {
        "repository": os.environ["GITHUB_REPOSITORY"],
        "issue": int(inputs.get("issue") or event["issue"]["number"]),
        "commit": inputs.get("commit") or os.environ["GITHUB_SHA"],
        "run_id": os.environ["GITHUB_RUN_ID"],
        "attempt": int(os.environ["GITHUB_RUN_ATTEMPT"]),
        "nonce": inputs.get("nonce") or None,
    }

    def write(name: str, template: Path, more: dict[str, object]) -> None:
        document = json.loads(template.read_text(encoding="utf-8"))
        document["run"] |= run
        (directory / name).write_text(json.dumps(document | more), encoding="utf-8")

    directory.mkdir()
    if not answers:
        write("clarification.json", question, {})
        return 2
    write(
        "ticket.json", ticket, {"answers": answers, "selected_because": "you said " + answers[-1]["choice"]}
    )
    if change is not None:
        write("change.json", change, {"base_commit": run["commit"]})
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
