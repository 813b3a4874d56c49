"""A run of a few milliseconds: fills a document that was made beforehand with what only the run knows.

Arguments: the run directory, a question, a ticket; the last two are files without their `run`.
"""

import json
import os
import sys
from pathlib import Path


def main(directory: Path, question: Path, ticket: Path) -> int:
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    inputs = event.get("inputs", {})
    answers = json.loads(inputs.get("answers") or "{}").get("answers", [])
    document = json.loads((ticket if answers else question).read_text(encoding="utf-8"))
    document["run"] |= {
        "repository": os.environ["GITHUB_REPOSITORY"],
        "issue": int(inputs.get("issue") or event["issue"]["number"]),
        "commit": inputs.get("commit") or os.environ["GITHUB_SHA"],
        "run_id": os.environ["GITHUB_RUN_ID"],
        "attempt": int(os.environ["GITHUB_RUN_ATTEMPT"]),
        "nonce": inputs.get("nonce") or None,
    }
    if answers:
        document |= {"answers": answers, "selected_because": "you said " + answers[-1]["choice"]}
    directory.mkdir()
    name = "ticket.json" if answers else "clarification.json"
    (directory / name).write_text(json.dumps(document), encoding="utf-8")
    return 0 if answers else 2


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
