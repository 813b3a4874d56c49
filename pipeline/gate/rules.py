"""The rules of the gate as data: which tool calls are allowed, which wait for a person, which are denied.

A rule matches a call by its tool, and by a pattern on its path or its command. The order of rules means nothing.
"""

import fnmatch
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from pipeline.domain.models import ClosedModel
from pipeline.gate.plain_call import NotPlain, plain_command, plain_path
from pipeline.gate.tool_names import PATH_TOOLS, Tool


class Tier(StrEnum):
    """What becomes of a call. The strictest tier wins: deny before confirm before allow."""

    ALLOW = "allow"
    CONFIRM = "confirm"
    DENY = "deny"

    @property
    def strictness(self) -> int:
        """Higher wins."""
        return list(Tier).index(self)


_PathPattern = Annotated[str, StringConstraints(pattern=r"^[^/\\~][^\\]*$", max_length=200)]
_Word = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_./:+-]+$", max_length=200)]
_Flag = Annotated[str, StringConstraints(pattern=r"^-[A-Za-z0-9-]+$", max_length=100)]
_NAME_OF_A_TEST = re.compile(r"\w+(?:::\w+)*", re.ASCII)
_RuleId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,63}$")]


class CommandPattern(ClosedModel):
    """A command: its first words exactly, then only the flags listed and, with `paths`, plain paths inside the tree."""

    words: Annotated[tuple[_Word, ...], Field(min_length=1)]
    flags: tuple[_Flag, ...] = ()
    paths: bool = False

    def matches(self, words: tuple[str, ...]) -> bool:
        """Whether the words of a command fit."""
        length = len(self.words)
        return words[:length] == self.words and all(self._fits(word) for word in words[length:])

    def _fits(self, word: str) -> bool:
        return word in self.flags or (self.paths and _is_path_argument(word))


class SingleCall(ClosedModel):
    """A tool with one path or one command, letter by letter: no pattern, and no other spelling of it."""

    tool: Tool
    path: Annotated[str, AfterValidator(plain_path)] | None = None
    command: str | None = None

    @model_validator(mode="after")
    def _names_one_call(self) -> Self:
        if (self.path is None) is (self.command is None):
            raise ValueError("it names either a `path` or a `command`")
        if self.command is not None:
            plain_command(self.command)
        return self

    def is_(self, call: "PlainCall") -> bool:
        """Whether it is this call; a path that leads over a link elsewhere is another one."""
        if call.tool is not self.tool:
            return False
        if self.command is not None:
            return call.words == plain_command(self.command)
        return call.paths == (self.path,)


class Rule(BaseModel):
    """One rule. `why` is told to the agent, and to the person who is asked.

    A rule that allows says what it allows, by path or by command; one that denies or confirms may take in all calls of
    its tools. One that confirms may leave out single calls on which people have settled. With `network`, what the call
    runs has the network of the machine; without, it has none, or a loopback of its own.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    id: _RuleId
    tier: Tier
    tools: Annotated[tuple[Tool, ...], Field(min_length=1)]
    paths: tuple[_PathPattern, ...] = ()
    commands: tuple[CommandPattern, ...] = ()
    except_: Annotated[tuple[SingleCall, ...], Field(alias="except")] = ()
    network: bool = False
    why: Annotated[str, StringConstraints(min_length=1, max_length=300)]

    @model_validator(mode="after")
    def _says_what_it_means(self) -> Self:
        tools = set(self.tools)
        if self.paths and not tools <= PATH_TOOLS:
            raise ValueError(f"`paths` goes with {', '.join(sorted(PATH_TOOLS))} only")
        if self.commands and tools != {Tool.RUN_COMMAND}:
            raise ValueError("`commands` goes with run_command only")
        if self.network and (self.tier is Tier.DENY or not tools <= {Tool.RUN_COMMAND, Tool.RUN_TESTS}):
            raise ValueError(
                "`network` goes with run_command and run_tests only, and not with a rule that denies"
            )
        if self.except_ and self.tier is not Tier.CONFIRM:
            raise ValueError("only a rule that confirms has an `except`")
        if self.tier is Tier.ALLOW and tools & PATH_TOOLS and not self.paths:
            raise ValueError("a rule that allows such a tool lists `paths`")
        if self.tier is Tier.ALLOW and Tool.RUN_COMMAND in tools and not self.commands:
            raise ValueError("a rule that allows run_command lists `commands`")
        return self

    def matches(self, call: "PlainCall") -> bool:
        """Whether the rule speaks about a call: an allowing one about all its paths, a stricter one about any."""
        if call.tool not in self.tools or any(single.is_(call) for single in self.except_):
            return False
        if self.paths:
            every_or_any = all if self.tier is Tier.ALLOW else any
            return bool(call.paths) and every_or_any(self._names(path) for path in call.paths)
        if self.commands:
            return any(pattern.matches(call.words) for pattern in self.commands)
        return True

    def _names(self, path: str) -> bool:
        return any(path_matches(pattern, path) for pattern in self.paths)


class RuleFile(ClosedModel):
    """A file of rules: `gate.yml`."""

    version: Literal[1]
    rules: tuple[Rule, ...]


@dataclass(frozen=True)
class PlainCall:
    """A tool call as rules see it. `paths` holds the path as written, and the path with links resolved."""

    tool: Tool
    paths: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


def strictest(rules: Iterable[Rule]) -> Rule | None:
    """The rule that decides; of equally strict ones the first by id, so that order means nothing."""
    return min(rules, key=lambda rule: (-rule.tier.strictness, rule.id), default=None)


def path_matches(pattern: str, path: str) -> bool:
    """Whether a path fits a pattern: `*` and `?` within a part, `**` over any number of parts. Case means nothing.

    Case means nothing because on some disks it does not: `.GitHub/Workflows/x.yml` may be the real one.
    """
    names = path.casefold().split("/")
    ends = {0}  # how many names the parts read so far can stand for
    for part in pattern.casefold().split("/"):
        if part == "**":
            ends = set(range(min(ends, default=len(names) + 1), len(names) + 1))
        else:
            expression = _expression(part)
            ends = {end + 1 for end in ends if end < len(names) and expression.fullmatch(names[end])}
    return len(names) in ends


@cache
def _expression(part: str) -> re.Pattern[str]:
    """Of a part without `/`. Python's own translation commits at each `*`, so its time is bounded; `[` is a plain letter."""
    return re.compile(fnmatch.translate(part.replace("[", "[[]")))


def _is_path_argument(word: str) -> bool:
    """A plain path, or a test in a file (`tests/test_a.py::test_b`), or Go's `./...`. `@file` would be read as arguments."""
    if word.startswith(("-", "@")) or {"'", '"'} & set(word):
        return False
    path, in_file, test = word.partition("::")
    if in_file and _NAME_OF_A_TEST.fullmatch(test) is None:
        return False
    path = path.removesuffix("/...")
    try:
        return path == "." or bool(plain_path(path))
    except NotPlain:
        return False
