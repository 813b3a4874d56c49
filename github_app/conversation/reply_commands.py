"""Commands in a reply: a word behind a slash at the start of a line, and what a person wrote beside it."""

import re

from github_app.conversation.reply_cleaning import clean

_COMMAND = re.compile(
    r"[ ]{0,3}/(go|answer|cancel|stop|help|decide)(?=[\s:,.!]|$)[:,]?[ \t]*(.*)", re.IGNORECASE
)


def commands_in(comment: str) -> frozenset[str]:
    """Our commands that a person's own words hold at the start of a line: `go`, `answer`, `decide`, …"""
    commands, _rest = split_commands(clean(comment))
    return frozenset(command.casefold() for command, _argument in commands)


def split_commands(text: str) -> tuple[list[tuple[str, str]], str]:
    """Commands with their arguments, and what stands beside them. An `/answer` goes on to the next command."""
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
