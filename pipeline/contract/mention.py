"""What a comment that begins with `@askfirst` or `/askfirst` wants. The App and the run read it alike."""

import re
from dataclasses import dataclass
from enum import StrEnum

LONGEST_NOTE = 2_000
"""So many characters of a note are handed on."""

_LONGEST_COMMENT = 65_536
"""GitHub's own limit for a comment, in characters; of a longer one only so much is looked at."""

_MENTION = re.compile(r"(?:@askfirst(?:\[bot\])?|/askfirst)(?![\w/.-]*\w)[,:]?[ \t]*", re.IGNORECASE)
_START = frozenset({"", "start", "run", "go"})
_STOP = frozenset({"stop", "cancel"})
_OTHER_COMMAND = re.compile(r"/|(?:revise|answer|decide|help)\b", re.IGNORECASE)


class Wish(StrEnum):
    """What a mention wants."""

    START = "start"
    STOP = "stop"
    NOTE = "note"
    COMMAND = "command"


@dataclass(frozen=True)
class Mention:
    """A comment to askfirst. `words` are what it says beyond the mention: data, and never an instruction."""

    wish: Wish
    words: str


def read_mention(visible: str) -> Mention | None:
    """The mention that a comment begins with, below quoted lines; None for every other comment.

    `visible` is the comment as people see it.
    """
    lines = visible[:_LONGEST_COMMENT].splitlines()
    while lines and (not lines[0].strip() or lines[0].lstrip().startswith(">")):
        del lines[0]
    text = "\n".join(lines).strip()
    match = _MENTION.match(text)
    if match is None:
        return None
    words = text[match.end() :].strip()
    phrase = words.casefold().strip(" .!")
    if phrase in _START:
        return Mention(Wish.START, words)
    if phrase in _STOP:
        return Mention(Wish.STOP, words)
    is_command = _OTHER_COMMAND.match(words) is not None
    return Mention(Wish.COMMAND if is_command else Wish.NOTE, words[:LONGEST_NOTE])
