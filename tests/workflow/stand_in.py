"""Stands in for `askfirst` where the Action's own steps are tested: the input `definition` says how it ends.

It uses the standard library only, so that the Action with it is installed in seconds.
"""

import json
import os
import signal
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

RECORD = ("run.json", "journal.jsonl", "summary.md", "gate.jsonl", "transcripts/reading.jsonl")
STAGES = ("stages/snapshot/output.json", "stages/registry/output.json")
_LOOKED_FOR = ("PYTHON", "ANTHROPIC", "ACTIONS_ID", "AWS_SESSION")
ENDINGS = {
    "asks": ("clarification", "clarification.json", 2),
    "writes a ticket": ("done", "ticket.json", 0),
    "writes a ticket and a change": ("done", "ticket.json", 0),
    "fails": ("error", "failure.json", 1),
}


def main() -> NoReturn:
    arguments = dict(zip(sys.argv[2::2], sys.argv[3::2], strict=True))
    directory = Path(arguments["--run-directory"])
    match arguments["--definition"]:
        case "ends with 2":
            sys.exit(2)
        case "ends with 2 and leaves a question":
            _write(directory, "clarification.json", *RECORD, *STAGES)
            sys.exit(2)
        case "is killed after it wrote a question":
            _write(directory, "clarification.json", *RECORD, *STAGES)
            os.kill(os.getpid(), signal.SIGKILL)
        case "says clarification and ends with 0":
            _say("clarification", "")
            sys.exit(0)
        case "is called wrongly":
            sys.exit(64)
        case "prints what looks like workflow commands":
            print("::error::a line of the ticket\n::add-path::/tmp\n::add-mask::askfirst", flush=True)
            _end(directory, "asks")
        case sees if sees == "writes down what it sees" or sees.endswith(".yml"):
            _write(directory, "ticket.json", *STAGES)
            (directory / "run.json").write_text(json.dumps(_seen(arguments)))
            _say("done", "::notice title=askfirst::It looked around.")
            sys.exit(0)
        case ending:
            _end(directory, ending)
    raise AssertionError(arguments)


def _seen(arguments: dict[str, str]) -> dict[str, object]:
    repository = Path(arguments["--repository"])
    return {
        "imports from the checkout": [path for path in sys.path if Path(path).is_relative_to(repository)],
        "runs in the checkout": Path.cwd().is_relative_to(repository),
        "variables": sorted(name for name in os.environ if name.startswith(_LOOKED_FOR)),
        "provider": [os.environ.get("ASKFIRST_PROVIDER"), os.environ.get("AWS_REGION")],
        "session": os.environ.get("AWS_SESSION_TOKEN"),
        "has a library of the cloud's": find_spec("jmespath") is not None,
        "definition": arguments["--definition"],
        "repository": arguments["--repository"],
        "commit": (repository / ".git" / "HEAD").read_text().strip(),
        "event": json.loads(Path(arguments["--issue"]).read_text()),
    }


def _end(directory: Path, how: str) -> NoReturn:
    outcome, document, code = ENDINGS[how]
    change = ("change.json",) if how in {"writes a ticket and a change", "fails"} else ()
    _write(directory, document, *change, *RECORD, *STAGES)
    _say(outcome, f"::notice title=askfirst::It {how}.")
    Path(os.environ["GITHUB_STEP_SUMMARY"]).write_text(f"# It {how}\n")
    sys.exit(code)


def _write(directory: Path, *names: str) -> None:
    for name in names:
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"file": name}))


def _say(outcome: str, annotation: str) -> None:
    said = {
        "outcome": outcome,
        "annotation": annotation,
        "ready": "false",
        "question-id": "",
        "clarification": "",
    }
    with Path(os.environ["GITHUB_OUTPUT"]).open("a") as file:
        file.writelines(f"{name}={value}\n" for name, value in said.items())
