"""What was read before, by its text."""

from typing import TypeVar

_T = TypeVar("_T")


class Memory(dict[bytes, _T]):
    """What is nothing but its text, by the text. Most of what a repository says it says often: a third of all lists of
    arguments and half of all keywords were read before. Each is made once in a process, up to a bound.
    """

    _MOST_ENTRIES = 100_000

    def __init__(self, longest: int) -> None:
        self._longest = longest

    def learn(self, text: bytes, value: _T) -> _T:
        """Know a value the next time, unless its text is long, or missing in the source."""
        if 0 < len(text) <= self._longest:
            if len(self) >= self._MOST_ENTRIES:
                self.clear()
            self[text] = value
        return value
