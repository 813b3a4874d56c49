"""The budget of one agent: what it may use, and whether it may go on. Asked before the call that would spend, never after."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Self

from pydantic import Field

from pipeline.domain.models import ClosedModel

if TYPE_CHECKING:
    from pipeline.llm.usage import ModelSpend, Price

RESERVE = 0.05
"""Part of the tokens and dollars of a budget that no work may use: it pays for the question to a person at the end."""

LAST_TURN = "One turn is left: end with `complete` or `fail` now."
"""The message to an agent that cannot ask, before the last turn that its budget allows."""

LONGEST_REPLY = 16_000
"""The most tokens of a single reply."""

SHORTEST_REPLY = 512
"""A reply with less room than this in tokens is not worth asking for."""


class Budget(ClosedModel):
    """What one agent may use in one round. Null means no limit of that kind."""

    # `failures` counts one step, which is a tool with its path, command or arguments, until it works once. `failed_calls`
    # counts all calls that failed, whatever worked in between. `minutes` is time on the clock while the agent runs.
    failures: Annotated[int, Field(ge=1, le=20)] = 3
    failed_calls: Annotated[int, Field(ge=1, le=500)] = 15
    turns: Annotated[int, Field(ge=1, le=500)] = 40
    tokens: Annotated[int, Field(ge=1)] | None = 2_000_000
    dollars: Annotated[float, Field(gt=0)] | None = 2.0
    minutes: Annotated[float, Field(gt=0, le=360)] = 20.0

    def for_budgets(self, times: int) -> Self:
        """The budget after a person has granted all of it this many times (1: the first)."""
        amounts = {name: None if amount is None else amount * times for name, amount in self}
        return self.model_copy(update=amounts)


@dataclass(frozen=True)
class BudgetUse:
    """What an agent has used so far. `failures` is the count of the step that failed most often since it last worked.

    `failed_calls` is the count of all calls that failed in this run, those of agents that it started among them.
    """

    spend: "ModelSpend"
    failures: int
    failed_calls: int
    turns: int
    minutes: float


@dataclass(frozen=True)
class BudgetExhausted:
    """A limit stands in the way of the next call; `sentence` says which, with the numbers."""

    sentence: str


def reached_limit(limits: Budget, use: BudgetUse) -> BudgetExhausted | None:
    """The limit that is reached, or None. A part of tokens and dollars (`RESERVE`) is not there for work."""
    dollars = use.spend.dollars
    reserve_note = ", and the rest is kept for this question"
    if use.failures >= limits.failures:
        return BudgetExhausted(f"the same step failed {use.failures} times")
    if use.failed_calls >= limits.failed_calls:
        return BudgetExhausted(f"{use.failed_calls} calls failed in this run")
    if use.turns >= limits.turns:
        return BudgetExhausted(f"{use.turns} of {limits.turns} turns are used")
    tokens = use.spend.usage.tokens
    if limits.tokens is not None and tokens >= limits.tokens * (1 - RESERVE):
        rest = reserve_note if tokens < limits.tokens else ""
        return BudgetExhausted(f"{tokens:,} of {limits.tokens:,} tokens are used{rest}")
    if limits.dollars is not None and dollars is not None and dollars >= limits.dollars * (1 - RESERVE):
        rest = reserve_note if dollars < limits.dollars else ""
        return BudgetExhausted(f"${dollars:.2f} of ${limits.dollars:.2f} are spent{rest}")
    if use.minutes >= limits.minutes:
        return BudgetExhausted(f"{use.minutes:.0f} of {limits.minutes:g} minutes are over")
    return None


def room_for_reply(
    limits: Budget, use: BudgetUse, price: "Price | None", prompt: int, *, reserve: float = RESERVE
) -> int | BudgetExhausted:
    """How long the next reply to a prompt of so many tokens may be, so that tokens and dollars hold during the call too.

    `reserve` is the part of the budget that this call may not use.
    """
    rooms = [LONGEST_REPLY]
    if limits.tokens is not None:
        rooms.append(int(limits.tokens * (1 - reserve)) - use.spend.usage.tokens - prompt)
        if rooms[-1] < SHORTEST_REPLY:
            return BudgetExhausted(f"the next call would use more than {limits.tokens:,} tokens")
    if limits.dollars is not None and price is not None and use.spend.dollars is not None:
        rates = price.rates_for(prompt)
        tokens_left = (
            limits.dollars * (1 - reserve)
            - use.spend.dollars
            - float(max(rates.input, rates.cache_write)) * prompt / 1e6
        )
        rooms.append(int(tokens_left * 1e6 / float(rates.output)) if rates.output else LONGEST_REPLY)
        if rooms[-1] < SHORTEST_REPLY:
            return BudgetExhausted(
                f"${use.spend.dollars:.2f} are spent, and the next call may cost more than the ${limits.dollars:.2f} allowed"
            )
    return min(rooms)
