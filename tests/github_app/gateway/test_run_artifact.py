"""Attack 15: an artifact is what an attacker made of it. Only the expected document comes out, and memory stays small."""

import base64
import io
import json
import stat
import struct
import tracemalloc
import zipfile
import zlib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from github_app.gateway.run_artifact import (
    LARGEST_CHANGE,
    LARGEST_MEMBER,
    MOST_DOLLARS,
    read_change,
    read_cost,
    read_ending,
)
from github_app.ports.github import ArtifactRefused
from pipeline.contract.failure import Failure
from pipeline.contract.run import Outcome, RunRecord

FAILURE = {
    "version": 1,
    "kind": "PreconditionFailed",
    "stage": "preconditions",
    "message": "No tests were found.",
    "why": "",
    "what_to_do": "Add one.",
    "run": None,
}


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


def failure(**changes: object) -> bytes:
    return json.dumps({**FAILURE, **changes}).encode()


def refusal_of(archive: bytes) -> str:
    with pytest.raises(ArtifactRefused) as caught:
        read_ending(archive)
    return str(caught.value)


def test_the_one_document_comes_out() -> None:
    ending = read_ending(zipped(("failure.json", failure())))
    assert isinstance(ending, Failure)
    assert ending.message == "No tests were found."


def test_attack_15_zip_slip_is_refused() -> None:
    assert refusal_of(zipped(("../../failure.json", failure()))) == snapshot(
        "the artifact holds '../../failure.json', which is not expected"
    )
    assert refusal_of(zipped(("failure.json", failure()), ("/etc/passwd", b"root"))) == snapshot(
        "the artifact holds '/etc/passwd', which is not expected"
    )


def test_attack_15_a_symlink_is_refused() -> None:
    link = zipfile.ZipInfo("failure.json")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    assert refusal_of(zipped((link, b"/proc/self/environ"))) == snapshot("failure.json is no plain file")


def test_attack_15_a_directory_in_place_of_the_document_is_refused() -> None:
    folder = zipfile.ZipInfo("failure.json")
    folder.external_attr = (stat.S_IFDIR | 0o755) << 16
    assert "no plain file" in refusal_of(zipped((folder, b"")))


def test_attack_15_many_files_are_refused() -> None:
    assert refusal_of(zipped(*((f"{n}.json", b"{}") for n in range(1000)))) == snapshot(
        "the artifact holds 1000 entries; at most 2 are expected"
    )


def test_attack_15_two_entries_of_one_name_are_refused() -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        archive = zipped(("failure.json", failure()), ("failure.json", failure(message="another")))
    assert refusal_of(archive) == snapshot("the artifact holds two entries of the same name")


def test_two_endings_are_no_ending() -> None:
    assert refusal_of(zipped(("failure.json", failure()), ("ticket.json", b"{}"))) == snapshot(
        "the artifact must hold exactly one of clarification.json, failure.json, ticket.json"
    )
    assert "exactly one" in refusal_of(zipped(("change.json", b"{}")))
    assert "exactly one" in refusal_of(zipped())


def test_attack_15_a_bomb_is_refused_without_memory_growth() -> None:
    archive = zipped(("failure.json", b" " * (200 << 20)))
    assert len(archive) < LARGEST_MEMBER
    assert 900 * len(archive) < 200 << 20
    tracemalloc.start()
    try:
        assert refusal_of(archive) == snapshot("failure.json unpacks to more than 1048576 bytes")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 << 20


def test_attack_15_a_bomb_that_lies_about_its_size_is_refused_without_memory_growth() -> None:
    archive = bytearray(zipped(("failure.json", b" " * (50 << 20))))
    struct.pack_into("<I", archive, archive.rindex(b"PK\x01\x02") + 24, 10)
    tracemalloc.start()
    try:
        refusal_of(bytes(archive))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 << 20


def test_attack_15_a_million_brackets_are_refused() -> None:
    assert refusal_of(zipped(("failure.json", b"[" * 1_000_000))) == snapshot(
        "failure.json is no JSON that we read: recursion limit exceeded at line 1 column 202"
    )
    deep = b'{"run": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"}"
    assert "recursion limit" in refusal_of(zipped(("failure.json", deep)))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_attack_15_numbers_that_are_none_are_refused(number: str) -> None:
    document = failure().replace(b'"version": 1', b'"version": 1, "x": ' + number.encode())
    assert "no JSON that we read" in refusal_of(zipped(("failure.json", document)))


def test_attack_15_text_that_is_not_utf_8_is_refused() -> None:
    wrong_byte = failure().replace(b"found", b"f\xffund")
    assert "no JSON that we read" in refusal_of(zipped(("failure.json", wrong_byte)))
    wrong_encoding = failure().decode().encode("utf-16")
    assert "no JSON that we read" in refusal_of(zipped(("failure.json", wrong_encoding)))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_unusual_packing_is_refused(method: int) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("failure.json", failure())
    assert "unusual way" in refusal_of(buffer.getvalue())


def test_an_encrypted_entry_is_refused() -> None:
    archive = bytearray(zipped(("failure.json", failure())))
    archive[6] |= 1
    archive[archive.rindex(b"PK\x01\x02") + 8] |= 1
    assert "encrypted" in refusal_of(bytes(archive))


def test_what_is_no_zip_is_refused() -> None:
    assert refusal_of(b"") == snapshot("the artifact is no plain zip archive: File is not a zip file")
    assert "no plain zip" in refusal_of(failure())
    assert "no plain zip" in refusal_of(zlib.compress(failure()))


def test_a_document_that_breaks_the_contract_is_refused_with_the_place() -> None:
    assert refusal_of(zipped(("failure.json", failure(message="")))) == snapshot(
        "failure.json is no valid document: message: String should have at least 1 character"
    )


@given(st.binary(max_size=400), st.integers(0, 400))
def test_no_damage_to_an_archive_gets_another_exception_out(noise: bytes, at: int) -> None:
    archive = zipped(("failure.json", failure()))
    damaged = archive[:at] + noise + archive[at + len(noise) :]
    try:
        read_ending(damaged)
    except ArtifactRefused:
        return


def change(**fields: object) -> bytes:
    run = {"repository": None, "issue": None, "commit": "c" * 40, "run_id": "1", "ticket_sha256": "0" * 64}
    file = {"path": "a.py", "content": base64.b64encode(b"print(1)\n").decode()}
    return json.dumps(
        {"run": run, "base_commit": "c" * 40, "message": "m", "files": [file], **fields}
    ).encode()


def record(*dollars: float | str | None) -> bytes:
    stages = [{"id": "reading", "status": "done", "dollars": cost} for cost in dollars]
    run = RunRecord(
        askfirst="1", definition="gate", definition_sha256="0" * 64, identity=None, model=None, resumed_from=None,
        started_at=datetime(2026, 11, 24, tzinfo=UTC), finished_at=datetime(2026, 11, 24, tzinfo=UTC),
        outcome=Outcome.DONE, exit_code=0, stages=(),
    )  # fmt: skip
    return json.dumps({**run.model_dump(mode="json"), "stages": stages}).encode()


@pytest.mark.parametrize(
    ("dollars", "cost"),
    [
        ((0.5, None, 0.25), 0.75),
        ((None,), None),
        ((), None),
        ((1.0, -5.0), 1.0),
        ((1e300, 1e300), MOST_DOLLARS),
    ],
)
def test_a_run_has_cost_what_its_stages_tell_and_never_less_than_nothing(
    dollars: tuple[float | str | None, ...], cost: float | None
) -> None:
    assert read_cost(zipped(("run.json", record(*dollars)), ("journal.jsonl", b"{}"))) == cost


@pytest.mark.parametrize("document", [record("much"), b'{"stages": [{"dollars": NaN}]}', b"[]"])
def test_attack_15_a_record_whose_dollars_are_none_is_refused(document: bytes) -> None:
    with pytest.raises(ArtifactRefused):
        read_cost(zipped(("run.json", document)))


@pytest.mark.parametrize("names", [("run.json", "run.json"), ("other.json",)])
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_attack_15_a_file_that_an_archive_holds_twice_or_not_at_all_is_refused(
    names: tuple[str, ...],
) -> None:
    with pytest.raises(ArtifactRefused, match="does not hold one"):
        read_cost(zipped(*((name, record(1.0)) for name in names)))


def test_a_change_is_read_beside_a_ticket_and_nowhere_else() -> None:
    read = read_change(zipped(("ticket.json", b"{}"), ("change.json", change())))
    assert read is not None
    assert [(file.path, file.content) for file in read.files] == [("a.py", b"print(1)\n")]
    assert read_change(zipped(("ticket.json", b"{}"))) is None
    with pytest.raises(ArtifactRefused, match=r"may only stand beside ticket\.json"):
        read_change(zipped(("failure.json", failure()), ("change.json", change())))


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", ".git/config", "a\\b", "a//b"])
def test_attack_25_a_change_that_leaves_the_tree_is_no_change(path: str) -> None:
    file = {"path": path, "content": ""}
    with pytest.raises(ArtifactRefused, match="not a plain path inside the repository"):
        read_change(zipped(("ticket.json", b"{}"), ("change.json", change(files=[file]))))


@pytest.mark.parametrize("mode", ["120000", "160000", "040000", "100600"])
def test_attack_25_a_change_makes_no_links(mode: str) -> None:
    file = {"path": "a", "content": "", "mode": mode}
    with pytest.raises(ArtifactRefused, match="mode"):
        read_change(zipped(("ticket.json", b"{}"), ("change.json", change(files=[file]))))


def test_attack_15_a_change_that_unpacks_to_too_much_is_refused() -> None:
    archive = zipped(("ticket.json", b"{}"), ("change.json", b" " * (LARGEST_CHANGE + 1)))
    with pytest.raises(ArtifactRefused, match="unpacks to more than"):
        read_change(archive)
