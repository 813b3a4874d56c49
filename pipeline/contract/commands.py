"""Commands in a person's own words: `/answer`, `/go`, `/revise`, or a mention such as `@askfirst keep the default off`.

The App and the run read them alike, out of what `own_words` leaves of a comment: what the App accepts is what a run gets.
"""

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum

from pipeline.contract.own_words import OwnWords
from pipeline.contract.wire import Sha256

MAX_WORDS = 2_000
"""Longest answer or note that is handed on, in characters."""

_COMMAND = re.compile(
    r"[ ]{0,3}/(go|answer|cancel|stop|help|decide)(?=[\s:,.!]|$)[:,]?[ \t]*(.*)", re.IGNORECASE
)
_REVISE = re.compile(
    r"^[ ]{0,3}/(?:askfirst[ \t]+)?revise(?=[\s:,.!]|$)[:,]?[ \t]*", re.IGNORECASE | re.MULTILINE
)
_MENTION = re.compile(r"(?:@askfirst(?:\[bot\])?|/askfirst)(?![\w/.-]*\w)[,:]?[ \t]*", re.IGNORECASE)
_ADDRESS = re.compile(r"@([A-Za-z0-9][A-Za-z0-9-]*)(?:\[bot\])?(?:/[\w.-]+)?[,:]?(?!\w)")
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


def read_mention(words: OwnWords) -> Mention | None:
    """The mention that a comment begins with; None for every other comment."""
    match = _MENTION.match(words)
    if match is None:
        return None
    beyond = words[match.end() :].strip()
    phrase = beyond.casefold().strip(" .!")
    if phrase in _START:
        return Mention(Wish.START, beyond)
    if phrase in _STOP:
        return Mention(Wish.STOP, beyond)
    is_command = _OTHER_COMMAND.match(beyond) is not None
    return Mention(Wish.COMMAND if is_command else Wish.NOTE, beyond[:MAX_WORDS])


def may_mention(comment: str) -> bool:
    """Whether a comment may hold a mention. Looked at before GitHub is asked for what stands there now."""
    return "askfirst" in comment.casefold()


def read_address(words: OwnWords) -> tuple[str | None, str]:
    """The login that a comment begins with, as in `@octocat 2`, and what follows. It is "" for `/askfirst`, which is always us."""
    if words.startswith("/"):
        match = _MENTION.match(words)
        return ("", words[match.end() :].strip()) if match else (None, words)
    match = _ADDRESS.match(words)
    return (match[1], words[match.end() :].strip()) if match else (None, words)


def commands_in(words: OwnWords) -> frozenset[str]:
    """Our commands at the start of a line: `go`, `answer`, `decide`, …"""
    commands, _rest = split_commands(words)
    return frozenset(command.casefold() for command, _argument in commands)


def split_commands(text: str) -> tuple[list[tuple[str, str]], str]:
    """Commands with their arguments, and the text outside of them. An `/answer` goes on to the next command."""
    commands: list[tuple[str, str]] = []
    rest: list[str] = []
    for line in text.split("\n"):
        if match := _COMMAND.match(line):
            commands.append((match.group(1), match.group(2)))
        elif commands and commands[-1][0].casefold() == "answer":
            commands[-1] = ("answer", f"{commands[-1][1]}\n{line}")
        else:
            rest.append(line)
    return commands, "\n".join(rest).strip()


def answer_text(words: OwnWords) -> str:
    """The words with which a comment answers: those behind `/answer`, else all of them."""
    _name, text = read_address(words)
    commands, _rest = split_commands(text)
    arguments = (argument for command, argument in commands if command.casefold() == "answer")
    return next(arguments, text).strip()[:MAX_WORDS]


def revision_text(words: OwnWords) -> str | None:
    """The changes that a comment on a pull request asks for with `/revise`; None without that command."""
    return _REVISE.sub("", words).strip() if _REVISE.search(words) else None


def text_sha256(text: str) -> Sha256:
    """Hash of words that a run fetches again, and compares."""
    return hashlib.sha256(text.encode()).hexdigest()
