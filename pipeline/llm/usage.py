"""What asking a model uses, in tokens and in dollars. No price is ever guessed: an unknown one stays unknown."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Annotated, Self

from pydantic import Field

from pipeline.domain.models import ClosedModel

_MILLION = Decimal(1_000_000)

Tokens = Annotated[int, Field(ge=0)]


class Usage(ClosedModel):
    """Tokens, counted as the provider bills them: the four kinds do not overlap."""

    input_tokens: Tokens = 0
    output_tokens: Tokens = 0
    cache_write_tokens: Tokens = 0
    cache_read_tokens: Tokens = 0

    def __add__(self, usage: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + usage.input_tokens,
            output_tokens=self.output_tokens + usage.output_tokens,
            cache_write_tokens=self.cache_write_tokens + usage.cache_write_tokens,
            cache_read_tokens=self.cache_read_tokens + usage.cache_read_tokens,
        )

    @property
    def prompt_tokens(self) -> int:
        """All that went in, cached or not."""
        return self.input_tokens + self.cache_write_tokens + self.cache_read_tokens

    @property
    def tokens(self) -> int:
        """All tokens together."""
        return self.prompt_tokens + self.output_tokens


_Rate = Annotated[Decimal, Field(ge=0)]


class Rates(ClosedModel):
    """Dollars per million tokens. `cache_write` is the rate of the five-minute cache, which is the one in use."""

    input: _Rate
    output: _Rate
    cache_write: _Rate
    cache_read: _Rate

    def times(self, factor: Decimal) -> Self:
        """The same, dearer or cheaper."""
        return self.model_copy(update={name: getattr(self, name) * factor for name in Rates.model_fields})

    def dollars(self, usage: Usage) -> float:
        """The price of this usage."""
        total = (
            usage.input_tokens * self.input
            + usage.output_tokens * self.output
            + usage.cache_write_tokens * self.cache_write
            + usage.cache_read_tokens * self.cache_read
        )
        return float(total / _MILLION)


class LongRates(Rates):
    """What every token of a request costs whose prompt has more than `above` tokens."""

    above: Annotated[int, Field(gt=0)]


class Price(Rates):
    """A model's price, with its source and the day on which it was read there; `long` where long prompts cost more."""

    source: Annotated[str, Field(min_length=1)]
    as_of: date
    long: LongRates | None = None

    def times(self, factor: Decimal) -> Self:
        """The same, dearer or cheaper, also for long prompts."""
        return super().times(factor).model_copy(update={"long": self.long and self.long.times(factor)})

    def rates_for(self, prompt_tokens: int) -> Rates:
        """The rates of a request with a prompt of this length."""
        return self.long if self.long is not None and prompt_tokens > self.long.above else self


PriceList = Mapping[str, Price]
"""Price by the model's name in requests to the provider."""


def dollars(prices: PriceList, model: str, usage: Usage) -> float | None:
    """What one reply cost, or None where the model's price is not known."""
    price = prices.get(model)
    return None if price is None else price.rates_for(usage.prompt_tokens).dollars(usage)


@dataclass(frozen=True)
class ModelSpend:
    """The usage so far. `dollars` is None once a part of it has no known price."""

    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    dollars: float | None = 0.0

    def plus(self, usage: Usage, cost: float | None) -> "ModelSpend":
        """This and one more call."""
        total = None if self.dollars is None or cost is None else self.dollars + cost
        return ModelSpend(self.calls + 1, self.usage + usage, total)


def how_to_price(model: str) -> str:
    """What a person writes so that the cost of a model is counted."""
    return (
        "Tell its price on the base branch, in dollars per million tokens, in .github/askfirst/prices.yml:\n"
        f"models:\n  {model}: {{input: 2, output: 10, cache_write: 2.5, cache_read: 0.1, source: my contract, as_of: 2026-01-31}}"
    )


class Ledger:
    """What each stage used, in all its rounds. Safe to use from several threads.

    `note` is told once of each model whose price is unknown.
    """

    def __init__(self, prices: PriceList, note: Callable[[str], None] = lambda _text: None) -> None:
        self.prices = prices
        self._note = note
        self._unpriced: set[str] = set()
        self._lock = threading.Lock()
        self._spend: dict[str, ModelSpend] = {}

    def add(self, purpose: str, model: str, usage: Usage, *, free: bool = False) -> None:
        """Note one call of a stage, such as `coder/2`. `free` is for replies that cost nothing, such as recorded ones."""
        cost = 0.0 if free else dollars(self.prices, model, usage)
        stage = purpose.partition("/")[0]
        with self._lock:
            self._spend[stage] = self._spend.get(stage, ModelSpend()).plus(usage, cost)
            is_news = cost is None and model not in self._unpriced
            self._unpriced |= {model} if is_news else set()
        if is_news:
            self._note(
                f"The price of `{model}` is unknown, so no dollars are counted, and only tokens limit what agents use. "
                + how_to_price(model)
            )

    def spend_of(self, purpose: str) -> ModelSpend | None:
        """What the stage of a purpose used in all its rounds, or None if it asked no model."""
        with self._lock:
            return self._spend.get(purpose.partition("/")[0])
