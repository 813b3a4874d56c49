"""A resumed run takes what is still true from the runs before it, and computes the rest."""

import json
import shutil
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from pydantic import BaseModel, ConfigDict

from pipeline.engine.memo import result_key
from pipeline.run_record.events import MemoIgnored
from tests.pipeline.engine.declared_stages import RunIn, Stages, Text, stop


def gate(*, reading: str = "1", answered: bool = False, snapshot_key: str | None = "1") -> Stages:
    """The shape of the gate: `decomposition` stops until it is answered; the answer is an input that it declares."""
    return (
        Stages()
        .add("snapshot", key=snapshot_key)
        .add("registry", "snapshot")
        .add("reading", "snapshot", key=reading)
        .add("existing", "registry", "reading")
        .add(
            "decomposition",
            "registry",
            "reading",
            key=f"answered {answered}",
            raises=None if answered else stop("decomposition"),
        )
        .add("ticket", "existing", "decomposition")
    )


def test_on_an_empty_disk_with_only_the_memo_only_changed_stages_run(run_in: RunIn, tmp_path: Path) -> None:
    run_in.run(gate(), memo_from=())
    memo = tmp_path / "unpacked"
    shutil.copytree(run_in.path / "stages", memo)
    second = RunIn(tmp_path / "second")
    stages = gate(answered=True)
    result = second.run(stages, memo_from=(memo,))
    assert stages.ran == ["decomposition", "ticket"]
    assert result.outputs["ticket"] == Text(
        text="ticket(existing(registry(snapshot()), reading(snapshot())), decomposition(registry(snapshot()), reading(snapshot())))"
    )
    assert second.journal() == snapshot(
        [
            "stage_reused snapshot",
            "stage_reused registry",
            "stage_reused reading",
            "stage_reused existing",
            "stage_started decomposition",
            "stage_finished decomposition",
            "stage_started ticket",
            "stage_finished ticket",
        ]
    )


def test_a_resumed_run_hands_on_a_whole_memo(run_in: RunIn, tmp_path: Path) -> None:
    run_in.run(gate(), memo_from=())
    RunIn(tmp_path / "second").run(gate(), memo_from=(run_in.path,))
    shutil.rmtree(run_in.path)
    stages = gate(answered=True)
    RunIn(tmp_path / "third").run(stages, memo_from=(tmp_path / "second",))
    assert stages.ran == ["decomposition", "ticket"]


def test_after_a_crash_on_the_same_disk_everything_that_finished_is_reused(run_in: RunIn) -> None:
    run_in.run(gate(), memo_from=())
    with (run_in.path / "journal.jsonl").open("ab") as journal:
        journal.write(b'{"seq":99,"ti')
    stages = gate(answered=True)
    run_in.run(stages, memo_from=(run_in.path,))
    assert stages.ran == ["decomposition", "ticket"]
    assert run_in.journal()[-5:] == snapshot(
        [
            "stage_reused existing",
            "stage_started decomposition",
            "stage_finished decomposition",
            "stage_started ticket",
            "stage_finished ticket",
        ]
    )


def test_a_changed_stage_runs_again_with_all_that_need_it_and_nothing_else(run_in: RunIn) -> None:
    run_in.run(gate(answered=True), memo_from=())
    stages = gate(answered=True, reading="2")
    run_in.run(stages, memo_from=(run_in.path,))
    assert sorted(stages.ran) == ["decomposition", "existing", "reading", "ticket"]


def test_a_stage_without_a_key_always_runs_and_counts_by_what_it_says(run_in: RunIn) -> None:
    run_in.run(gate(answered=True, snapshot_key=None), memo_from=())
    stages = gate(answered=True, snapshot_key=None)
    run_in.run(stages, memo_from=(run_in.path,))
    assert stages.ran == ["snapshot"]


def test_a_result_whose_optional_need_was_skipped_is_not_the_one_where_it_ran(run_in: RunIn) -> None:
    def with_semantics(runs: bool) -> Stages:
        stages = Stages().add("semantics", when=lambda _: runs)
        return stages.add("ticket", "semantics", optional=frozenset({"semantics"}))

    run_in.run(with_semantics(runs=False), memo_from=())
    stages = with_semantics(runs=True)
    run_in.run(stages, memo_from=(run_in.path,))
    assert stages.ran == ["semantics", "ticket"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"version":1,"stage":"reading","key":"KEY","output":{"text":7}}',
        b'{"version":2,"stage":"reading","key":"KEY","output":{"text":"x"}}',
        b'{"version":1,"stage":"registry","key":"KEY","output":{"text":"x"}}',
        b'{"version":1,"stage":"reading","key":"other","output":{"text":"x"}}',
    ],
)
def test_a_damaged_or_foreign_result_is_ignored_said_and_computed_again(
    run_in: RunIn, tmp_path: Path, content: bytes
) -> None:
    stored = tmp_path / "memo" / "reading" / "output.json"
    stored.parent.mkdir(parents=True)
    stored.write_bytes(content.replace(b"KEY", result_key("reading 1", ()).encode()))
    stages = Stages().add("reading")
    run_in.run(stages, memo_from=(tmp_path / "memo",))
    assert stages.ran == ["reading"]
    assert [event for event in run_in.events() if isinstance(event, MemoIgnored)]


def test_a_good_result_behind_a_damaged_one_is_found(run_in: RunIn, tmp_path: Path) -> None:
    run_in.run(Stages().add("reading"), memo_from=())
    damaged = tmp_path / "damaged" / "reading" / "output.json"
    damaged.parent.mkdir(parents=True)
    damaged.write_bytes(b"{")
    stages = Stages().add("reading")
    RunIn(tmp_path / "second").run(stages, memo_from=(tmp_path / "damaged", run_in.path))
    assert stages.ran == []


def test_a_result_that_redaction_would_alter_is_not_stored(run_in: RunIn) -> None:
    run_in.secrets = ('hunter2"hunter2"hunter2',)
    stages = Stages().add("reading", does=lambda _: Text(text=f"the key is {run_in.secrets[0]}"))
    run_in.run(stages, memo_from=())
    assert run_in.journal() == [
        "stage_started reading",
        "result_not_stored reading",
        "stage_finished reading",
    ]
    assert not list(run_in.path.rglob("output.json"))


def test_a_result_that_is_no_json_is_not_stored_and_what_needs_it_still_runs(run_in: RunIn) -> None:
    class Handle(BaseModel):
        model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

        thing: object

    stages = Stages().add("registry", output=Handle, does=lambda _: Handle(thing=object()), key=None)
    stages.add("index", output=Handle, does=lambda _: Handle(thing=object())).add(
        "ticket", "registry", "index"
    )
    run_in.run(stages, memo_from=())
    stages.ran.clear()
    run_in.run(stages, memo_from=(run_in.path,))
    assert sorted(stages.ran) == ["index", "registry", "ticket"]


def test_the_envelope_names_its_stage_and_key(run_in: RunIn) -> None:
    run_in.run(Stages().add("reading"), memo_from=())
    stored = json.loads((run_in.path / "stages/reading/output.json").read_text())
    assert stored == {
        "version": 1,
        "stage": "reading",
        "key": result_key("reading 1", ()),
        "output": {"text": "reading()"},
    }


def test_keys_differ_when_anything_does() -> None:
    keys = {
        result_key("a", ()),
        result_key("b", ()),
        result_key("a", (("x", "1"),)),
        result_key("a", (("y", "1"),)),
        result_key("a", (("x", "2"),)),
        result_key("a", (("x", None),)),
        result_key("a", (("x", "1"), ("y", "2"))),
        result_key("a", (("y", "2"), ("x", "1"))),
    }
    assert len(keys) == 8
