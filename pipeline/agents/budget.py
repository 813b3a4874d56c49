"""The budget of one agent: what it may use, and whether it may go on. Asked before the call that would spend, never after."""

from dataclasses import dataclass, replace
from enum import StrEnum

from pipeline.llm.usage import Price, Spent

SHORTEST_REPLY = 512
"""A reply with less room than this in tokens is not worth asking for."""


class Limit(StrEnum):
    """What can be spent."""

    FAILURES = "failures"
    TURNS = "turns"
    TOKENS = "tokens"
    DOLLARS = "dollars"
    MINUTES = "minutes"


@dataclass(frozen=True)
class Limits:
    """What an agent may use. None means: no limit of this kind.

    `failures` counts one step, which is a tool with its path, command or arguments, until it works once. `minutes` is
    time on the clock while the agent runs. `reply_tokens` bounds a single reply.
    """

    failures: int = 3
    turns: int = 40
    tokens: int | None = 2_000_000
    dollars: float | None = 2.0
    minutes: float = 20.0
    reply_tokens: int = 16_000

    def granted(self, times: int) -> "Limits":
        """The limits after a person has granted the whole budget this many times (1: the first)."""
        return replace(
            self,
            failures=self.failures * times,
            turns=self.turns * times,
            tokens=None if self.tokens is None else self.tokens * times,
            dollars=None if self.dollars is None else self.dollars * times,
            minutes=self.minutes * times,
        )


@dataclass(frozen=True)
class Used:
    """What an agent has used so far. `failures` is the count of the step that failed most often since it last worked."""

    spent: Spent
    failures: int
    turns: int
    minutes: float


@dataclass(frozen=True)
class Exhausted:
    """The limit that stands in the way of the next call, with the numbers in a sentence."""

    limit: Limit
    sentence: str


def exhausted(limits: Limits, used: Used) -> Exhausted | None:
    """The limit that is reached, or None."""
    dollars = used.spent.dollars
    if used.failures >= limits.failures:
        return Exhausted(Limit.FAILURES, f"the same step failed {used.failures} times")
    if used.turns >= limits.turns:
        return Exhausted(Limit.TURNS, f"{used.turns} of {limits.turns} turns are used")
    if limits.tokens is not None and used.spent.usage.tokens >= limits.tokens:
        return Exhausted(Limit.TOKENS, f"{used.spent.usage.tokens:,} of {limits.tokens:,} tokens are used")
    if limits.dollars is not None and dollars is not None and dollars >= limits.dollars:
        return Exhausted(Limit.DOLLARS, f"${dollars:.2f} of ${limits.dollars:.2f} are spent")
    if used.minutes >= limits.minutes:
        return Exhausted(Limit.MINUTES, f"{used.minutes:.0f} of {limits.minutes:g} minutes are over")
    return None


def room_for_reply(limits: Limits, used: Used, price: Price | None, prompt: int) -> int | Exhausted:
    """How long the next reply to a prompt of so many tokens may be, so that tokens and dollars hold during the call too."""
    rooms = [limits.reply_tokens]
    if limits.tokens is not None:
        rooms.append(limits.tokens - used.spent.usage.tokens - prompt)
        if rooms[-1] < SHORTEST_REPLY:
            return Exhausted(Limit.TOKENS, f"the next call would use more than {limits.tokens:,} tokens")
    if limits.dollars is not None and price is not None and used.spent.dollars is not None:
        rates = price.rates_for(prompt)
        left = limits.dollars - used.spent.dollars - float(max(rates.input, rates.cache_write)) * prompt / 1e6
        rooms.append(int(left * 1e6 / float(rates.output)) if rates.output else limits.reply_tokens)
        if rooms[-1] < SHORTEST_REPLY:
            return Exhausted(
                Limit.DOLLARS,
                f"${used.spent.dollars:.2f} are spent, and the next call may cost more than the ${limits.dollars:.2f} allowed",
            )
    return min(rooms)
