"""Tokens and dollars: counted per stage, priced by a dated list, unknown where nobody has told a price."""

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.llm.failures import ReplyCut
from pipeline.llm.metered import MeteredModel
from pipeline.llm.prices import PricesInvalid, load_prices
from pipeline.llm.usage import Ledger, Usage, dollars
from tests.pipeline.llm.messages_api import MODEL, MessagesApi, message, request, text

counts = st.builds(Usage, input_tokens=st.integers(0, 10**6), output_tokens=st.integers(0, 10**6))


def test_every_shipped_price_has_a_source_and_a_day() -> None:
    for price in load_prices().values():
        assert price.source.startswith("https://")
        assert date.fromisoformat(price.as_of) < date(2100, 1, 1)


def test_a_reply_costs_what_the_list_says() -> None:
    used = Usage(
        input_tokens=1_000_000, output_tokens=100_000, cache_write_tokens=10_000, cache_read_tokens=50_000
    )
    assert dollars(load_prices(), "claude-sonnet-5-5", used) == pytest.approx(2 + 1 + 0.025 + 0.005)


def test_a_long_prompt_has_its_own_rates() -> None:
    prices = load_prices()
    assert dollars(prices, "claude-haiku-5-5", Usage(input_tokens=100_000)) == pytest.approx(0.01)
    assert dollars(prices, "claude-haiku-5-5", Usage(input_tokens=100_001)) == pytest.approx(0.05, rel=1e-3)


def test_a_model_without_a_price_has_an_unknown_cost() -> None:
    assert dollars(load_prices(), "house-model", Usage(input_tokens=1)) is None
    ledger = Ledger(load_prices())
    ledger.add("coder/1", MODEL, Usage(input_tokens=10))
    ledger.add("coder/2", "house-model", Usage(input_tokens=10))
    spent = ledger.spent("coder")
    assert spent is not None
    assert (spent.calls, spent.usage.tokens, spent.dollars) == (2, 20, None)


def test_a_list_of_ones_own_replaces_single_models(tmp_path: Path) -> None:
    own = tmp_path / "prices.yml"
    own.write_text(
        "models:\n  house-model: {input: 1, output: 2, cache_write: 1, cache_read: 1, source: contract, as_of: 2026-01-31}\n"
    )
    prices = load_prices(own)
    assert dollars(prices, "house-model", Usage(output_tokens=500_000)) == 1.0
    assert MODEL in prices


@pytest.mark.parametrize(
    "content", ["models: 3", "models: {x: {input: -1}}", "{", "models: {x: {input: free}}"]
)
def test_a_wrong_list_is_refused_with_an_example(tmp_path: Path, content: str) -> None:
    own = tmp_path / "prices.yml"
    own.write_text(content)
    with pytest.raises(PricesInvalid, match="my-model"):
        load_prices(own)


def test_what_a_failed_reply_cost_is_noted() -> None:
    ledger = Ledger(load_prices())
    api = MessagesApi(message(text("and so on"), stop="max_tokens"), message(text("done")))
    model = MeteredModel(api.client(), ledger)
    with pytest.raises(ReplyCut):
        model.reply(request())
    model.reply(request())
    spent = ledger.spent("coder")
    assert spent is not None
    assert (spent.calls, spent.usage.input_tokens) == (2, 200)
    assert spent.dollars == pytest.approx(2 * (100 * 2 + 20 * 10) / 1e6)
    assert ledger.spent("intent") is None


@given(st.lists(counts))
def test_usage_adds_up(parts: list[Usage]) -> None:
    assert sum(part.tokens for part in parts) == sum(parts, Usage()).tokens
