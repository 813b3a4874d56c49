"""What is a test and what is a route's pattern: conventions about paths that hold for every language."""

import re
from functools import lru_cache

_TEST_FOLDERS = frozenset(
    {"test", "tests", "testing", "testdata", "test_data", "fixtures", "__tests__", "__mocks__", "e2e", "spec"}
)
_PARAMETER = re.compile(
    r"\{[^{}]*\}|<[^<>]*>|(?<=/):[A-Za-z_]\w*(?:\{[^{}]*\}|\([^()]*\))?[?*+]?|(?<=/)\*\w*"
)
PARAMETER = "{}"


@lru_cache(maxsize=65_536)
def is_test_path(path: str) -> bool:
    """Whether a file belongs to the tests, by where it is and how it is called."""
    *folders, name = path.split("/")
    if any(folder.lower() in _TEST_FOLDERS for folder in folders):
        return True
    stem = name.partition(".")[0]
    if stem.startswith("test_") or stem.endswith("_test") or stem == "conftest":
        return True
    return any(mark in name for mark in (".test.", ".spec.", "-spec.", ".cy."))


def segments(path: str) -> tuple[str, ...]:
    """The segments of a route's path or of a URL in prose; parameters become `{}`, a query is dropped."""
    plain = path.partition("?")[0].partition("#")[0]
    return tuple(part for part in pattern(f"/{plain}").split("/") if part)


def pattern(path: str) -> str:
    """A route's path with its parameters as `{}`."""
    return _PARAMETER.sub(PARAMETER, path)


def fits(pattern_segments: tuple[str, ...], asked: tuple[str, ...]) -> bool:
    """Whether segments match one by one; a parameter matches anything."""
    return len(pattern_segments) == len(asked) and all(
        have == want or PARAMETER in have or want == PARAMETER
        for have, want in zip(pattern_segments, asked, strict=True)
    )


def escaped(path: str) -> str:
    """A path on one line, whatever its name holds."""
    return path if path.isprintable() else path.encode("unicode_escape", "backslashreplace").decode("ascii")
