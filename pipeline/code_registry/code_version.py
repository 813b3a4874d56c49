"""Versions of the registry's own code: what was made by other code is never used again."""

import hashlib
from functools import cache
from pathlib import Path

_ROOM = Path(__file__).parent
_CODE = {".py", ".scm"}


@cache
def code_version(*parts: str) -> str:
    """A digest of files and folders of this room, by their path inside it; of all its code without any."""
    digest = hashlib.sha256()
    for part in parts or (".",):
        path = _ROOM / part
        for file in (
            sorted(file for file in path.rglob("*") if file.suffix in _CODE) if path.is_dir() else (path,)
        ):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
