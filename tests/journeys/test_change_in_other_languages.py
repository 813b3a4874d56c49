"""TypeScript and Go: the work starts at an issue's words, or from a ticket that was prepared elsewhere."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from pipeline.contract.change import Change
from pipeline.contract.ticket import CodePlace, Ticket
from pipeline.contract.wire import Location, RunIdentity, ticket_sha256
from tests.journeys.conftest import Run, job_path, make_repository, scrubbed
from tests.journeys.scripts import REPLIES, answered

TITLE, BODY = "Preview a bulk action", "Say what it would do, and move nothing."


def prepared(repository: Path, folder: Path, target: str) -> Path:
    """A folder with a `ticket.json` for the commit of a repository."""
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"],
        cwd=repository,
        env=scrubbed(),
        capture_output=True,
        text=True,
        check=True,
    )
    run = RunIdentity(
        repository=None,
        issue=None,
        commit=head.stdout.strip(),
        run_id="prepared",
        ticket_sha256=ticket_sha256(TITLE, BODY),
    )
    place = CodePlace(
        id=f"symbol:{target}",
        label="the bulk action",
        location=Location(path=target, start_line=1, end_line=20),
    )
    ticket = Ticket(
        run=run,
        title=TITLE,
        body=BODY,
        operation="add",
        targets=(place,),
        ready=True,
        selected_because="It was prepared by hand.",
        acceptance_criteria=(
            "The depot is as it was after a preview.",
            "The tests that pass today still pass.",
        ),
    )
    folder.mkdir()
    (folder / "ticket.json").write_text(ticket.model_dump_json())
    return folder


def need(program: str, version: tuple[int, ...], argument: str) -> None:
    """Skip, and say so, where a toolchain is missing."""
    found = shutil.which(program, path=job_path())
    said = subprocess.run([found, argument], capture_output=True, text=True).stdout if found else ""
    numbers = tuple(
        int(part) for part in "".join(c if c.isdigit() else " " for c in said).split()[: len(version)]
    )
    if numbers < version:
        pytest.skip(f"{program} {'.'.join(map(str, version))} is not installed: make .venv/test-tools")


@pytest.mark.parametrize(
    ("sample", "target", "program", "version", "argument"),
    [
        ("parcels_go", "parcels/bulk.go", "go", (1, 24), "version"),
        ("parcels_ts", "src/bulk.ts", "node", (24,), "--version"),
    ],
)
def test_a_prepared_ticket_becomes_a_tested_change(
    sample: str,
    target: str,
    program: str,
    version: tuple[int, ...],
    argument: str,
    build: Run,
    tmp_path: Path,
) -> None:
    need(program, version, argument)
    repository = make_repository(sample, tmp_path / sample)
    folder = prepared(repository, tmp_path / "prepared", target)
    script = REPLIES / f"{sample}.jsonl"

    ended = build(repository, f"# {TITLE}\n\n{BODY}\n", "--replay", script, resume=folder)

    assert (ended.exit_code, ended.endings) == (0, {"ticket.json"}), ended.stderr
    assert {"registry", "reading", "existing", "decomposition"}.isdisjoint(ended.stages())
    change = Change.model_validate(ended.document("change.json"))
    assert target in [file.path for file in change.files]
    assert change.work is not None
    assert (change.work.tests.exit_code, change.work.tests.passed, change.work.tests.failed) == (0, 2, 0)
    again = build(repository, f"# {TITLE}\n\n{BODY}\n", "--replay", script, resume=folder)
    assert again.exit_code == 0
    assert again.document("change.json")["files"] == ended.document("change.json")["files"]


LINE_BREAK = """# Line break at the end

What `Render` writes should end with a line break. Our tools paste one output behind the other.
"""
PREVIEW = f"# {TITLE}\n\n`processAll` should offer a preview that says what it would do, and moves nothing.\n"


def test_a_go_ticket_that_fits_two_functions_asks_and_becomes_a_tested_change(
    build: Run, tmp_path: Path
) -> None:
    need("go", (1, 24), "version")
    repository = make_repository("parcels_nethttp", tmp_path / "parcels_nethttp")
    script = REPLIES / "parcels_nethttp.jsonl"
    first = build(repository, LINE_BREAK, "--replay", script)
    assert (first.exit_code, first.endings) == (2, {"clarification.json"}), first.stderr
    asked = first.document("clarification.json")
    assert [one["id"] for one in asked["candidates"]] == [
        "symbol:labels/labels.go::Render",
        "symbol:pricing/pricing.go::Render",
    ]
    answers = answered(asked, tmp_path / "answers.json", choice="symbol:labels/labels.go::Render")

    second = build(repository, LINE_BREAK, "--replay", script, "--answers", answers, resume=first.directory)

    assert (second.exit_code, second.endings) == (0, {"ticket.json"}), second.stderr
    change = Change.model_validate(second.document("change.json"))
    assert [file.path for file in change.files] == ["labels/labels.go", "labels/labels_test.go"]
    assert change.work is not None
    assert (change.work.tests.command, change.work.tests.exit_code) == ("go test -v ./...", 0)


def test_a_typescript_ticket_that_names_its_function_becomes_a_tested_change(
    build: Run, tmp_path: Path
) -> None:
    need("node", (24,), "--version")
    repository = make_repository("parcels_ts", tmp_path / "parcels_ts")
    ended = build(repository, PREVIEW, "--replay", REPLIES / "parcels_ts.jsonl")
    assert (ended.exit_code, ended.endings) == (0, {"ticket.json"}), ended.stderr
    [target] = ended.document("ticket.json")["targets"]
    assert target["id"] == "symbol:src/bulk.ts::processAll"
    change = Change.model_validate(ended.document("change.json"))
    assert change.work is not None
    assert (change.work.tests.exit_code, change.work.tests.passed, change.work.tests.failed) == (0, 2, 0)


@pytest.mark.parametrize(("key", "value"), [("commit", "1" * 40), ("ticket_sha256", "2" * 64)])
def test_a_ticket_about_something_else_is_refused(key: str, value: str, build: Run, tmp_path: Path) -> None:
    repository = make_repository("parcels_ts", tmp_path / "parcels_ts")
    folder = prepared(repository, tmp_path / "prepared", "src/bulk.ts")
    ticket = json.loads((folder / "ticket.json").read_text())
    ticket["run"][key] = value
    (folder / "ticket.json").write_text(json.dumps(ticket))
    ended = build(
        repository, f"# {TITLE}\n\n{BODY}\n", "--replay", REPLIES / "parcels_ts.jsonl", resume=folder
    )
    assert (ended.exit_code, ended.document("failure.json")["kind"]) == (1, "PreconditionFailed")
