"""Attack 39: the archive of a memo is read as if an attacker had written it."""

import io
import stat
import zipfile
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.domain.errors import MemoRefused
from pipeline.run_inputs.memo import comments_in_memo, unpack_memo


def archive(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members:
            file.writestr(name, content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def link() -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("snapshot/output.json")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


def damaged(content: bytes) -> bytes:
    """The first block of the packed data has a type that deflate does not have."""
    at = 30 + len("snapshot/output.json")
    return content[:at] + b"\xff" + content[at + 1 :]


HOSTILE_ARCHIVES = {
    "outside": archive(("../../evil.json", b"x")),
    "absolute": archive(("/tmp/evil.json", b"x")),
    "backslashes": archive(("..\\evil.json", b"x")),
    "link": archive((link(), b"/etc/passwd")),
    "bomb": archive(("snapshot/output.json", bytes(65 << 20))),
    "many files": archive(*((f"stage-{number}/output.json", b"{}") for number in range(501))),
    "a file that is a folder, too": archive(("a", b"x"), ("a/b", b"x")),
    "damaged data": damaged(archive(("snapshot/output.json", b'{"output": {}}' * 40))),
    "no archive": b"PK no archive",
    "nothing": b"",
}


@pytest.mark.parametrize("name", HOSTILE_ARCHIVES)
def test_attack_39_a_hostile_archive_is_refused_and_writes_nothing_outside(name: str, tmp_path: Path) -> None:
    into = tmp_path / "deep" / "memo"
    with pytest.raises(MemoRefused):
        unpack_memo(HOSTILE_ARCHIVES[name], into)
    assert comments_in_memo(HOSTILE_ARCHIVES[name]) is None
    assert [path for path in tmp_path.rglob("*") if path.is_file() and into not in path.parents] == []
    assert not Path("/tmp/evil.json").exists()


SOUND = archive(
    ("snapshot/output.json", b'{"output": {"ticket": {"comments": []}}}' * 40), ("gate/output.json", b"{}")
)


@given(st.integers(0, len(SOUND) - 1), st.integers(0, 255), st.integers(0, len(SOUND)))
def test_attack_39_a_damaged_archive_is_refused_or_read_and_never_ends_the_program(
    at: int, byte: int, length: int
) -> None:
    spoilt = (SOUND[:at] + bytes([byte]) + SOUND[at + 1 :])[: length or None]
    comments_in_memo(spoilt)
    with TemporaryDirectory() as into, suppress(MemoRefused):
        unpack_memo(spoilt, Path(into))
