"""Replace a piece of a text that stands there exactly once, and say precisely what is wrong where it does not. Pure."""

import difflib
import re
from collections.abc import Callable

from pipeline.workspace.paths import CallRefused

_MOST_LINES = 20_000
_MOST_LINES_SHOWN = 8
_NEAR = 0.5
_MOST_COMPARISONS = 20
_NUMBER = re.compile(r"^\d+: ?")


def replace_text(path: str, text: str, old: str, new: str) -> str:
    """The text with the one place of `old` replaced by `new`.

    A file that ends its lines with CRLF keeps doing so: line ends of `old` and `new` are fitted to it.

    Raises:
        Refused: `old` is empty, equal to `new`, not there (it says in what the nearest lines differ), or there more than
            once.
    """
    if not old:
        raise CallRefused("The text to replace is empty. create_file makes a new file.")
    if "\r\n" in text and "\r" not in old and "\r" not in new and old not in text:
        old, new = old.replace("\n", "\r\n"), new.replace("\n", "\r\n")
    elif "\r\n" in text and "\r" not in new and _all_crlf(text):
        new = new.replace("\n", "\r\n")
    if old == new:
        raise CallRefused("The new text is the old one: nothing would change.")
    places = _places(text, old)
    if not places:
        raise CallRefused(f"The text to replace is not in {path}.\n{_why_not(text, old)}")
    if len(places) > 1:
        lines = ", ".join(str(_line_at(text, place)) for place in places[:_MOST_LINES_SHOWN])
        more_text = " and more" if len(places) > _MOST_LINES_SHOWN else ""
        raise CallRefused(
            f"The text to replace is {len(places)} times in {path}, on lines {lines}{more_text}. "
            "Take more lines around the one that is meant."
        )
    return text[: places[0]] + new + text[places[0] + len(old) :]


def changed_lines(before: str, after: str) -> tuple[int, int]:
    """The first and the last line of a text that are new or changed; the last is before the first where lines only went."""
    was, now = before.splitlines(), after.splitlines()
    shorter = min(len(was), len(now))
    same_before = next((at for at in range(shorter) if was[at] != now[at]), shorter)
    limit = shorter - same_before
    same_after = next((at for at in range(limit) if was[-1 - at] != now[-1 - at]), limit)
    return same_before + 1, len(now) - same_after


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
    wanted_lines = old.strip("\r\n").splitlines(keepends=True)
    for differs, bare in _DIFFERENCES:
        start = _window(lines, wanted_lines, bare)
        if start is not None:
            return f"{differs} The lines are:\n{_number_lines(lines, start, len(wanted_lines), exact=True)}"
    lines_without_numbers = [_NUMBER.sub("", line) for line in wanted_lines]
    if lines_without_numbers != wanted_lines and _window(lines, lines_without_numbers, str.strip) is not None:
        return (
            "The line numbers that read_file puts before each line are no part of the file: leave them out."
        )
    near = _nearest(lines, wanted_lines)
    if near is None:
        return "No line is like it. Read the file again: it may have changed."
    return f"The nearest lines are these; blanks and line ends count too:\n{_number_lines(lines, near, len(wanted_lines))}"


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


def _window(lines: list[str], wanted_lines: list[str], bare: Callable[[str], str]) -> int | None:
    """Where these lines follow each other, once each is made bare; None where they do not."""
    bare_lines, bare_wanted = [bare(line) for line in lines], [bare(line) for line in wanted_lines]
    if not any(bare_wanted):
        return None
    ends = len(bare_lines) - len(bare_wanted) + 1
    return next((at for at in range(ends) if bare_lines[at : at + len(bare_wanted)] == bare_wanted), None)


def _nearest(lines: list[str], wanted_lines: list[str]) -> int | None:
    """Where the lines begin that are most like the ones looked for, by the first that is not empty."""
    bare_lines, bare_wanted = [line.strip() for line in lines], [line.strip() for line in wanted_lines]
    offset, first = next(((at, line) for at, line in enumerate(bare_wanted) if line), (0, ""))
    near = difflib.get_close_matches(first, {line for line in bare_lines if line}, n=1, cutoff=_NEAR)
    if not near:
        return None
    starts = [max(0, at - offset) for at, line in enumerate(bare_lines) if line == near[0]][
        :_MOST_COMPARISONS
    ]
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2("\n".join(bare_wanted[:_MOST_LINES_SHOWN]))

    def likeness(at: int) -> float:
        matcher.set_seq1("\n".join(bare_lines[at : at + min(len(bare_wanted), _MOST_LINES_SHOWN)]))
        return matcher.ratio()

    return max(starts, key=likeness)


def _number_lines(lines: list[str], start: int, count: int, *, exact: bool = False) -> str:
    """Lines with their numbers; `exact` shows tabs, line ends and blanks at the end as escapes."""
    excerpt = lines[start : start + min(count, _MOST_LINES_SHOWN)]
    texts = [_with_escapes(line) if exact else line.rstrip("\r\n") for line in excerpt]
    return "\n".join(f"{start + offset + 1}: {line}" for offset, line in enumerate(texts))


def _with_escapes(line: str) -> str:
    return line.replace("\t", "\\t").replace("\r", "\\r").replace("\n", "\\n")
