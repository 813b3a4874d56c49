"""Replace a piece of a text that stands there exactly once, and say precisely what is wrong where it does not. Pure."""

import difflib

from pipeline.workspace.paths import Refused

_MOST_LINES = 20_000
_SHOWN = 8
_NEAR = 0.5


def replaced(path: str, text: str, old: str, new: str) -> str:
    """The text with the one place of `old` replaced by `new`.

    A file that ends its lines with CRLF keeps doing so: line ends of `old` and `new` are fitted to it.

    Raises:
        Refused: `old` is empty, equal to `new`, not there (the nearest lines are shown), or there more than once.
    """
    if not old:
        raise Refused("The text to replace is empty. create_file makes a new file.")
    if "\r\n" in text and "\r" not in old and "\r" not in new:
        old, new = old.replace("\n", "\r\n"), new.replace("\n", "\r\n")
    if old == new:
        raise Refused("The new text is the old one: nothing would change.")
    places = _places(text, old)
    if not places:
        raise Refused(f"The text to replace is not in {path}.\n{_nearest(text, old)}")
    if len(places) > 1:
        lines = ", ".join(str(text.count("\n", 0, place) + 1) for place in places[:_SHOWN])
        more = " and more" if len(places) > _SHOWN else ""
        raise Refused(
            f"The text to replace is {len(places)} times in {path}, on lines {lines}{more}. "
            "Take more lines around the one that is meant."
        )
    return text[: places[0]] + new + text[places[0] + len(old) :]


def _places(text: str, old: str) -> list[int]:
    """Where it begins, overlapping places too."""
    places, at = [], text.find(old)
    while at >= 0:
        places.append(at)
        at = text.find(old, at + 1)
    return places


def _nearest(text: str, old: str) -> str:
    """The lines that are most like the ones looked for, with their numbers."""
    wanted = old.strip("\r\n").splitlines()
    lines = text.splitlines()[:_MOST_LINES]
    first = next((line.strip() for line in wanted if line.strip()), "")
    near = difflib.get_close_matches(
        first, {line.strip() for line in lines if line.strip()}, n=1, cutoff=_NEAR
    )
    if not near:
        return "No line is like it. Read the file again: it may have changed."
    start = next(number for number, line in enumerate(lines) if line.strip() == near[0])
    shown = lines[start : start + min(len(wanted), _SHOWN)]
    numbered = "\n".join(f"{start + offset + 1}: {line}" for offset, line in enumerate(shown))
    return f"The nearest lines are these; blanks and line ends count too:\n{numbered}"
