"""Builds of real issues, judged by the tests of the fix that they had: `make bench-builds CASES=DIR`.

A case is a folder. Cases are fetched, and never committed here:

    issue.md        the issue; its first line is `# title`
    checkout/       a git checkout at the parent of the fix, with what its tests need installed by `setup`
    case.yml        `setup`: commands that install it, run once; `test`: the command that runs the hidden tests
    hidden/         the tests of the fix, by their paths in the repository
    replies.jsonl   replies in the place of a model (`askfirst run --replay`), `bare.jsonl` those of the bare loop
    answers.txt     what a person replies to the questions, a line each; `go` where no line is left

Whatever answers is asked: the model of the environment, or the case's replies. The same issue goes to a bare loop as well:
one prompt with the tools of the coder, no stages, no review and no questions. What both hand on, the hidden tests judge.
"""

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter

import pipeline
from pipeline.agents.transcript import Entry, agent_work
from pipeline.contract.artifact import CHANGE_FILE, RUN_FILE
from pipeline.contract.change import Change, FileChange
from pipeline.contract.run import RunRecord
from pipeline.contract.ticket import Ticket
from pipeline.contract.wire import RunIdentity, ticket_sha256

_SECONDS = 3_600
_ASKFIRST = str(Path(sys.executable).with_name("askfirst"))
_BUILD = Path(pipeline.__file__).with_name("definitions") / "build.yml"


@dataclass(frozen=True)
class Result:
    """How one way to build one case ended. `passed` is None where no change came out; `stages` are minutes."""

    case: str
    way: str
    exit_code: int | None
    passed: bool | None
    questions: int
    requests: int
    tokens: int
    dollars: float
    minutes: float
    stages: dict[str, float]


def run_case(case: Path, results: Path) -> Iterator[Result]:
    """Build a case by askfirst, then by the bare loop."""
    settings: dict[str, Any] = yaml.safe_load((case / "case.yml").read_text())
    for command in settings.get("setup", ()):
        subprocess.run(shlex.split(command), cwd=case / "checkout", check=True, timeout=_SECONDS)
    for way, replies in (("askfirst", "replies.jsonl"), ("bare", "bare.jsonl")):
        directory = results / case.name / way
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        definition: tuple[str, ...] = ("build",)
        if way == "bare":
            (directory.parent / "bare.yml").write_text(_bare_definition())
            (directory / "ticket.json").write_text(_bare_ticket(case).model_dump_json())
            definition = (str(directory.parent / "bare.yml"), "--resume", str(directory))
        replay = ("--replay", str(case / replies)) if (case / replies).exists() else ()
        words = ["run", "--ask", "--repository", str(case / "checkout"), "--issue", str(case / "issue.md")]
        words += ["--run-directory", str(directory), "--definition", *definition, *replay]
        begun = time.monotonic()
        exit_code = _run(words, case, directory)
        yield _result(case, way, directory, exit_code, time.monotonic() - begun, settings["test"])


def _run(words: Sequence[str], case: Path, directory: Path) -> int | None:
    answers = case / "answers.txt"
    replies = (answers.read_text() if answers.exists() else "") + "go\n" * 10
    with (directory.parent / f"{directory.name}.log").open("w") as log:
        try:
            return subprocess.run(
                [_ASKFIRST, *words], input=replies, text=True, stdout=log, stderr=log, timeout=_SECONDS, check=False
            ).returncode  # fmt: skip
        except subprocess.TimeoutExpired:
            return None


def _bare_definition() -> str:
    """The shipped build with one round and without a review. With a ticket that is given, nothing before it runs."""
    definition = yaml.safe_load(_BUILD.read_text()) | {"name": "bare"}
    for stage in definition["stages"]:
        stage.pop("when", None)
        stage["needs"] = [need for need in stage.get("needs", ()) if need != "reviewer"]
        if "repeat" in stage:
            coder, tests, _ = stage["repeat"]["stages"]
            del coder["previous"]
            stage["repeat"] = {"stages": [coder, tests], "until": "tests.green || !tests.green", "max": 1}
    return yaml.safe_dump(definition, sort_keys=False)


def _bare_ticket(case: Path) -> Ticket:
    """The issue alone as a prepared ticket: nothing was found out about it."""
    title, _, body = (case / "issue.md").read_text().partition("\n")
    title, body = title.removeprefix("# ").strip(), body.strip()
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=case / "checkout", check=True, capture_output=True, text=True
    )
    identity = RunIdentity(
        repository=None, issue=None, commit=head.stdout.strip(), run_id="bench", ticket_sha256=ticket_sha256(title, body)
    )  # fmt: skip
    return Ticket(
        run=identity, title=title, body=body, operation="unknown", targets="unknown", ready=False, selected_because="",
        acceptance_criteria=("The change does what the issue asks for.",),
    )  # fmt: skip


def _result(
    case: Path, way: str, directory: Path, exit_code: int | None, seconds: float, test: str
) -> Result:
    work = [
        agent_work(map(TypeAdapter[Entry](Entry).validate_json, path.read_text().splitlines()), path.stem, 1)
        for path in (directory / "transcripts").glob("*-*.jsonl")
    ]
    questions = directory / "transcripts" / "questions.jsonl"
    asked_once = (
        [json.loads(line) for line in questions.read_text().splitlines()] if questions.exists() else []
    )
    record = directory / RUN_FILE
    stages = RunRecord.model_validate_json(record.read_text()).stages if record.exists() else ()
    answers = directory / "answers.json"
    return Result(
        case=case.name,
        way=way,
        exit_code=exit_code,
        passed=_passes_hidden_tests(case, directory / CHANGE_FILE, test),
        questions=len(json.loads(answers.read_text())["answers"]) if answers.exists() else 0,
        requests=sum(agent.turns for agent in work) + len(asked_once),
        tokens=sum(agent.tokens for agent in work)
        + sum(sum((line["reply"].get("usage") or {}).values()) for line in asked_once),
        dollars=round(sum(stage.dollars or 0 for stage in stages), 4),
        minutes=round(seconds / 60, 1),
        stages={
            f"{stage.id}{stage.round or ''}": round(stage.seconds / 60, 2)
            for stage in stages
            if stage.seconds > 1
        },
    )


def _passes_hidden_tests(case: Path, change_file: Path, test: str) -> bool | None:
    """Whether the hidden tests pass on the checkout with the change; the checkout is as it was afterwards."""
    if not change_file.exists():
        return None
    checkout = case / "checkout"
    try:
        for file in Change.model_validate_json(change_file.read_text()).files:
            _write(checkout, file)
        shutil.copytree(case / "hidden", checkout, dirs_exist_ok=True)
        return subprocess.run(shlex.split(test), cwd=checkout, timeout=_SECONDS, check=False).returncode == 0
    finally:
        for words in (("checkout", "--quiet", "."), ("clean", "--quiet", "-fd")):
            subprocess.run(["git", *words], cwd=checkout, check=True)


def _write(checkout: Path, file: FileChange) -> None:
    place = checkout / file.path
    if file.content is None:
        place.unlink()
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(file.content)
    place.chmod(0o755 if file.mode == "100755" else 0o644)


def main() -> None:
    """Run all cases of a folder, print a line for each build, and write them as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", type=Path)
    parser.add_argument("--results", type=Path, default=Path("bench-builds"))
    arguments = parser.parse_args()
    results = []
    for case in sorted(path.parent for path in arguments.cases.resolve().glob("*/case.yml")):
        for result in run_case(case, arguments.results.resolve()):
            results.append(asdict(result))
            print(json.dumps(results[-1]), flush=True)
    for way in ("askfirst", "bare"):
        built = [result for result in results if result["way"] == way]
        passed = sum(result["passed"] is True for result in built)
        made = sum(result["passed"] is not None for result in built)
        sums = {name: round(sum(result[name] for result in built), 2) for name in ("questions", "requests", "tokens", "dollars", "minutes")}  # fmt: skip
        print(f"{way}: {made} of {len(built)} reach a change, {passed} pass the hidden tests; {sums}")
    (arguments.results / "builds.json").write_text(json.dumps(results, indent=2))


if __name__ == "__main__":
    os.environ.setdefault("PYTHONSAFEPATH", "1")
    main()
