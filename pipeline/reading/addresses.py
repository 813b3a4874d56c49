"""What an address of the repository itself points at: a file, a line, an issue or a commit."""

import re
from urllib.parse import unquote

from pipeline.domain.issue import CitationKind

_HOST = re.compile(r"^https?://[^/\s]+")
_BLOB = re.compile(r"^/(?:blob|tree|raw|blame)/[^/?#]+/(?P<path>[^?#]+)(?:\?[^#]*)?(?:#L(?P<line>\d{1,7}))?")
_NUMBER = re.compile(r"^/(?:issues|pull|pulls|discussions)/(?P<number>[1-9]\d{0,6})(?!\d)")
_COMMIT = re.compile(r"^/commits?/(?P<sha>[0-9a-f]{7,40})(?![\w.-])")


def own_address(address: str, repository: str) -> tuple[CitationKind, str, int | None] | None:
    """What the address is of, its name and its line; None for an address of anything else.

    A ref may hold slashes, and they look like those of the path. So the path may begin with a part of the ref, and is
    looked up by its longest tail.
    """
    path = _HOST.sub("", address, count=1)
    repository_path = f"/{repository}/"
    if not path.lower().startswith(repository_path.lower()):
        return None
    path = path[len(repository_path) - 1 :]
    if (blob := _BLOB.match(path)) is not None:
        line = int(blob["line"]) if blob["line"] else None
        return (
            (CitationKind.FILE if line is None else CitationKind.LINE),
            unquote(blob["path"]).rstrip("/"),
            line,
        )
    if (number := _NUMBER.match(path)) is not None:
        return CitationKind.ISSUE, f"#{number['number']}", None
    if (commit := _COMMIT.match(path)) is not None:
        return CitationKind.COMMIT, commit["sha"], None
    return None
