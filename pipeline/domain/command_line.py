"""Read a command as its words. There is no shell: what only a shell understands is refused, never passed on."""

import shlex
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from pipeline.domain.models import ClosedModel

_OPERATORS = frozenset("();<>|&")
_LONGEST = 8_000


class CommandRefused(Exception):
    """A command that is empty, cannot be read, or needs a shell; the message says what to write instead."""


def words_of(command: str) -> tuple[str, ...]:
    """The words of a command, quotes removed: the program and its arguments.

    Raises:
        CommandRefused: it is empty, too long, quoted wrongly, or holds an operator of the shell outside of quotes.
    """
    if len(command) > _LONGEST:
        raise CommandRefused(f"The command is longer than {_LONGEST} characters.")
    if "\n" in command.strip() or "\0" in command:
        raise CommandRefused("A command is one line. Run one command at a time.")
    try:
        words = tuple(shlex.split(command))
        lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        lexer.commenters = ""
        tokens = list(lexer)
    except ValueError as error:
        raise CommandRefused(f"The command cannot be read: {error}. Check its quotes.") from error
    if not words:
        raise CommandRefused("The command is empty.")
    operator = next((token for token in tokens if token and set(token) <= _OPERATORS), None)
    if operator is not None:
        raise CommandRefused(
            f"`{operator}` means something to a shell only, and there is no shell: run one command at a time, "
            "or quote it if it belongs to an argument."
        )
    if "=" in words[0]:
        raise CommandRefused(f"`{words[0]}` is no program. Variables cannot be set in front of a command.")
    return words


def _one_program(command: str) -> str:
    try:
        words_of(command)
    except CommandRefused as refusal:
        raise ValueError(
            f"{refusal} Put what needs a shell into a script, and name it: ./run-tests.sh"
        ) from refusal
    return command


Command = Annotated[str, StringConstraints(min_length=1, max_length=1000), AfterValidator(_one_program)]
"""One program with its words, started without a shell."""


def _for_others(name: str) -> str:
    if name.startswith(("ACTIONS_", "ASKFIRST_")) or name == "GITHUB_TOKEN":
        raise ValueError(f"{name} is this run's own, and no other program gets it")
    return name


_Variable = Annotated[str, StringConstraints(pattern=r"^[A-Z_][A-Z0-9_]{0,99}$"), AfterValidator(_for_others)]


class CoderCommand(ClosedModel):
    """Another coding agent in place of ours: its command, and the variables of this run's environment that it sees."""

    command: Command
    environment: Annotated[tuple[_Variable, ...], Field(max_length=20)] = ()
