"""A journal can be read whatever happened to the process that wrote it, and holds no secret."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import get_args

import pytest

from pipeline.contract.run import Outcome
from pipeline.domain.errors import RunDirectoryUnusable
from pipeline.run_record import events
from pipeline.run_record.events import Event, Note, RunFinished, StageSkipped, StageStarted
from pipeline.run_record.journal import Journal, read_journal
from pipeline.run_record.redaction import REDACTION_MARK, Redactor

SECRET = 'correct"horse"battery\nstaple'


def test_what_is_written_can_be_read(tmp_path: Path) -> None:
    told: list[Event] = [
        StageStarted(stage="reading"),
        Note(text="é \u2028 \x00"),
        RunFinished(outcome=Outcome.DONE, exit_code=0),
    ]
    with Journal(tmp_path / "journal.jsonl", Redactor()) as journal:
        for event in told:
            journal.write(event)
    found = read_journal(tmp_path / "journal.jsonl")
    assert [entry.event for entry in found.entries] == told
    assert [entry.seq for entry in found.entries] == [1, 2, 3]
    assert all(str(entry.time.tzinfo) == "UTC" for entry in found.entries)
    assert not found.is_torn


def test_a_line_is_flat_json_that_a_person_can_filter(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal.jsonl", Redactor()) as journal:
        journal.write(StageSkipped(stage="semantics", reason="no model"))
    line = json.loads((tmp_path / "journal.jsonl").read_text())
    assert line.pop("time").endswith("Z")
    assert line == {"seq": 1, "event": "stage_skipped", "stage": "semantics", "reason": "no model"}


def test_every_event_can_be_written_and_each_has_a_name_of_its_own() -> None:
    names = [kind.model_fields["event"].default for kind in get_args(Event)]
    assert len(set(names)) == len(names)
    declared = {
        kind
        for kind in vars(events).values()
        if isinstance(kind, type) and issubclass(kind, events.JournalEvent)
    }
    bases = {events.JournalEvent, events.StageEvent, events.StageEnded}
    assert declared - bases == set(get_args(Event))


def test_secrets_reach_neither_the_file_nor_a_listener(tmp_path: Path) -> None:
    heard: list[Event] = []
    with Journal(tmp_path / "journal.jsonl", Redactor([SECRET]), listeners=[heard.append]) as journal:
        journal.write(Note(text=f"using {SECRET}"))
        journal.write(Note(text="nothing"))
    assert "battery" not in (tmp_path / "journal.jsonl").read_text()
    assert heard == [Note(text=f"using {REDACTION_MARK}"), Note(text="nothing")]


def test_a_torn_last_line_is_left_out_and_cut_off_when_the_run_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal(path, Redactor()) as journal:
        journal.write(Note(text="one"))
    whole = path.read_bytes()
    for torn in (whole + whole[: len(whole) // 2], whole + b"\x00" * 40, whole + b"{"):
        path.write_bytes(torn)
        assert [entry.event for entry in read_journal(path).entries] == [Note(text="one")]
        assert read_journal(path).is_torn
        with Journal(path, Redactor()) as journal:
            journal.write(Note(text="two"))
        assert [entry.seq for entry in read_journal(path).entries] == [1, 2]
        assert path.read_bytes().startswith(whole)


def test_a_journal_cut_at_any_byte_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal(path, Redactor()) as journal:
        for number in range(3):
            journal.write(Note(text=f"é{number}"))
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert len(read_journal(path).entries) == whole[:length].count(b"\n")


def test_a_file_that_is_no_journal_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text('{"seq": 1, "time": "2026-10-01T10:00:00Z", "event": "moon_landing"}\nx\n')
    with pytest.raises(RunDirectoryUnusable, match=r"journal\.jsonl:1 is not a journal entry"):
        Journal(path, Redactor())


def test_a_journal_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunDirectoryUnusable, match="cannot be written"):
        Journal(tmp_path / "missing" / "journal.jsonl", Redactor())


def test_threads_write_whole_lines_in_one_order(tmp_path: Path) -> None:
    heard: list[Event] = []
    with Journal(tmp_path / "journal.jsonl", Redactor(), listeners=[heard.append]) as journal:

        def write(name: int) -> None:
            for number in range(50):
                journal.write(Note(text=f"{name} {number}" * 20))

        threads = [threading.Thread(target=write, args=(name,)) for name in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    entries = read_journal(tmp_path / "journal.jsonl").entries
    assert [entry.seq for entry in entries] == list(range(1, 201))
    assert [entry.event for entry in entries] == heard


KILLED = """
import itertools, pathlib, sys
from pipeline.run_record.events import Note
from pipeline.run_record.journal import Journal
from pipeline.run_record.redaction import Redactor
journal = Journal(pathlib.Path(sys.argv[1]), Redactor())
for number in itertools.count():
    journal.write(Note(text=str(number)))
"""


@pytest.mark.kill
def test_a_killed_process_leaves_every_line_it_wrote(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    root = str(Path(__file__).parents[3])
    process = subprocess.Popen([sys.executable, "-c", KILLED, path], env={**os.environ, "PYTHONPATH": root})
    deadline = time.monotonic() + 60
    while not path.exists() or path.stat().st_size < 10_000:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=30)
    entries = read_journal(path).entries
    assert [entry.event for entry in entries] == [Note(text=str(number)) for number in range(len(entries))]
