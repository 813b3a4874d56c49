"""Read a memo artifact: stage results of an earlier run, checked by digest before a byte of them is read."""

import io
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, ValidationError

from pipeline.contract.wire import Sha256
from pipeline.domain.errors import MemoRefused

_MAX_FILES = 500
_MAX_BYTES = 64 << 20


_DAMAGES = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)
"""What `zipfile` raises about archives that are damaged, encrypted, packed in ways of their own, or named impossibly."""

_SNAPSHOT = "snapshot/output.json"
_SNAPSHOT_MAX_BYTES = 4 << 20


class _CommentDigest(BaseModel):
    id: int
    sha256: Sha256


class _SnapshotTicket(BaseModel):
    comments: tuple[_CommentDigest, ...] = ()


class _SnapshotOutput(BaseModel):
    ticket: _SnapshotTicket


class _StoredSnapshot(BaseModel):
    output: _SnapshotOutput


def comments_in_memo(archive_bytes: bytes) -> dict[int, Sha256] | None:
    """The comments that an earlier run took into its ticket: their hashes by id. None where the memo does not say."""
    try:
        with zipfile.ZipFile(io.BytesIO(archive_bytes)) as archive:
            name = next((name for name in archive.namelist() if f"/{name}".endswith(f"/{_SNAPSHOT}")), None)
            if name is None or archive.getinfo(name).file_size > _SNAPSHOT_MAX_BYTES:
                return None
            with archive.open(name) as file:
                snapshot = _StoredSnapshot.model_validate_json(file.read(_SNAPSHOT_MAX_BYTES))
    except (*_DAMAGES, ValidationError):
        return None
    return {comment.id: comment.sha256 for comment in snapshot.output.ticket.comments}


def unpack_memo(archive_bytes: bytes, into: Path) -> Path:
    """Unpack the zip of a memo artifact into a directory and return it.

    Raises:
        MemoRefused: it is no zip, has links, paths that lead out, too many files or too many bytes.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(archive_bytes)) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            _check(members)
            for member in members:
                target = into / member.filename
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(member) as source:
                    target.write_bytes(source.read(member.file_size + 1)[: member.file_size])
    except _DAMAGES as error:
        raise MemoRefused(f"The memo cannot be unpacked: {error}") from error
    return into


def _check(members: list[zipfile.ZipInfo]) -> None:
    names = [member.filename for member in members]
    if len(members) > _MAX_FILES or len(set(names)) != len(names):
        raise MemoRefused(f"The memo holds {len(members)} files, or one of them twice.")
    if sum(member.file_size for member in members) > _MAX_BYTES:
        raise MemoRefused("The memo unpacks to more bytes than a memo ever has.")
    for member in members:
        path = PurePosixPath(member.filename)
        is_plain = (member.external_attr >> 16) & 0o170000 in (0, 0o100000)
        if path.is_absolute() or ".." in path.parts or "\\" in member.filename or not is_plain:
            raise MemoRefused(f"The memo holds {member.filename!r}, which is not a plain file inside it.")
