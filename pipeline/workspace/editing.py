"""Replace a piece of a text that stands there exactly once, and say precisely what is wrong where it does not. Pure."""

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass

from pipeline.workspace.paths import Refused

_MOST_LINES = 20_000
_SHOWN = 8
_NEAR = 0.5
_COMPARED = 20
_NUMBER = re.compile(r"^\d+: ?")


@dataclass(frozen=True)
class Edited:
    """A text after an edit, and which of its lines are new or changed; `end` is before `start` where lines only went."""

    text: str
    start: int
    end: int


def replaced(path: str, text: str, old: str, new: str) -> Edited:
    """The text with the one place of `old` replaced by `new`.

    A file that ends its lines with CRLF keeps doing so: line ends of `old` and `new` are fitted to it.

    Raises:
        Refused: `old` is empty, equal to `new`, not there (it says in what the nearest lines differ), or there more than
            once.
    """
    if not old:
        raise Refused("The text to replace is empty. create_file makes a new file.")
    if "\r\n" in text and "\r" not in old and "\r" not in new and old not in text:
        old, new = old.replace("\n", "\r\n"), new.replace("\n", "\r\n")
    elif "\r\n" in text and "\r" not in new and _all_crlf(text):
        new = new.replace("\n", "\r\n")
    if old == new:
        raise Refused("The new text is the old one: nothing would change.")
    places = _places(text, old)
    if not places:
        raise Refused(f"The text to replace is not in {path}.\n{_why_not(text, old)}")
    if len(places) > 1:
        lines = ", ".join(str(_line_at(text, place)) for place in places[:_SHOWN])
        more = " and more" if len(places) > _SHOWN else ""
        raise Refused(
            f"The text to replace is {len(places)} times in {path}, on lines {lines}{more}. "
            "Take more lines around the one that is meant."
        )
    return _edited(text, places[0], old, new)


def _edited(text: str, place: int, old: str, new: str) -> Edited:
    """The edit with the lines that differ: what `old` and `new` have in common at both ends is not among them."""
    after = text[:place] + new + text[place + len(old) :]
    was, now = text.splitlines(), after.splitlines()
    shorter = min(len(was), len(now))
    same_before = next((at for at in range(shorter) if was[at] != now[at]), shorter)
    most = shorter - same_before
    same_after = next((at for at in range(most) if was[-1 - at] != now[-1 - at]), most)
    return Edited(after, same_before + 1, len(now) - same_after)


def _all_crlf(text: str) -> bool:
    return text.count("\r\n") == text.count("\n")


def _places(text: str, old: str) -> list[int]:
    """Where it begins, overlapping places too."""
    places, at = [], text.find(old)
    while at >= 0:
        places.append(at)
        at = text.find(old, at + 1)
    return places


def _line_at(text: str, place: int) -> int:
    """The number of the line in which a place is, as read_file counts them."""
    return len(f"{text[:place]}x".splitlines())


def _why_not(text: str, old: str) -> str:
    """In what the text looked for differs from lines that are there, or else which lines are most like it."""
    lines = text.splitlines(keepends=True)[:_MOST_LINES]
    wanted = old.strip("\r\n").splitlines(keepends=True)
    for differs, bare in _DIFFERENCES:
        found = _window(lines, wanted, bare)
        if found is not None:
            return f"{differs} The lines are:\n{_numbered(lines, found, len(wanted), exact=True)}"
    unnumbered = [_NUMBER.sub("", line) for line in wanted]
    if unnumbered != wanted and _window(lines, unnumbered, str.strip) is not None:
        return (
            "The line numbers that read_file puts before each line are no part of the file: leave them out."
        )
    near = _nearest(lines, wanted)
    if near is None:
        return "No line is like it. Read the file again: it may have changed."
    return (
        f"The nearest lines are these; blanks and line ends count too:\n{_numbered(lines, near, len(wanted))}"
    )


def _without_end(line: str) -> str:
    return line.rstrip("\r\n")


def _without_trailing_blanks(line: str) -> str:
    return line.rstrip()


def _words(line: str) -> str:
    return " ".join(line.split())


_DIFFERENCES: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("Only the line ends differ, CRLF (\\r\\n) and LF (\\n).", _without_end),
    ("Only blanks at the ends of lines differ.", _without_trailing_blanks),
    ("Only the indentation differs: count blanks and tabs (\\t).", str.strip),
    ("Only blanks differ, in number or kind: count blanks and tabs (\\t).", _words),
)
"""What two texts may differ in though they look alike, from the smallest difference on."""


def _window(lines: list[str], wanted: list[str], bare: Callable[[str], str]) -> int | None:
    """Where these lines follow each other, once each is made bare; None where they do not."""
    seen, sought = [bare(line) for line in lines], [bare(line) for line in wanted]
    if not any(sought):
        return None
    ends = len(seen) - len(sought) + 1
    return next((at for at in range(ends) if seen[at : at + len(sought)] == sought), None)


def _nearest(lines: list[str], wanted: list[str]) -> int | None:
    """Where the lines begin that are most like the ones looked for, by the first that is not empty."""
    seen, sought = [line.strip() for line in lines], [line.strip() for line in wanted]
    offset, first = next(((at, line) for at, line in enumerate(sought) if line), (0, ""))
    near = difflib.get_close_matches(first, {line for line in seen if line}, n=1, cutoff=_NEAR)
    if not near:
        return None
    starts = [max(0, at - offset) for at, line in enumerate(seen) if line == near[0]][:_COMPARED]
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2("\n".join(sought[:_SHOWN]))

    def likeness(at: int) -> float:
        matcher.set_seq1("\n".join(seen[at : at + min(len(sought), _SHOWN)]))
        return matcher.ratio()

    return max(starts, key=likeness)


def _numbered(lines: list[str], start: int, count: int, *, exact: bool = False) -> str:
    """Lines with their numbers; `exact` shows tabs, line ends and blanks at the end as escapes."""
    shown = lines[start : start + min(count, _SHOWN)]
    told = [_seen(line) if exact else line.rstrip("\r\n") for line in shown]
    return "\n".join(f"{start + offset + 1}: {line}" for offset, line in enumerate(told))


def _seen(line: str) -> str:
    return line.replace("\t", "\\t").replace("\r", "\\r").replace("\n", "\\n")
