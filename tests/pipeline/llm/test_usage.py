"""Tokens and dollars: counted per stage, priced by a dated list, unknown where nobody has told a price."""

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.llm.failures import ReplyCut
from pipeline.llm.metered import MeteredModel
from pipeline.llm.prices import IN_A_REGION, PricesInvalid, load_prices
from pipeline.llm.usage import Ledger, Usage, dollars
from tests.pipeline.llm.messages_api import MODEL, MessagesApi, message, request, text

counts = st.builds(Usage, input_tokens=st.integers(0, 10**6), output_tokens=st.integers(0, 10**6))


def test_every_shipped_price_has_a_source_and_a_day() -> None:
    for price in load_prices().values():
        assert price.source.startswith("https://")
        assert price.as_of < date(2100, 1, 1)


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
    spent = ledger.spend_of("coder")
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
    ("sent", "factor"),
    [
        ("claude-sonnet-5-5", 1),
        ("global.anthropic.claude-sonnet-5-5", 1),
        ("eu.anthropic.claude-sonnet-5-5", 1.1),
        ("us-gov.anthropic.claude-sonnet-5-5", 1.1),
        ("anthropic.claude-sonnet-5-5", 1.1),
        ("anthropic.claude-sonnet-5-5-20260801-v1:0", 1.1),
        ("anthropic.claude-sonnet-5-5-v1", 1.1),
        (
            "arn:aws:bedrock:us-east-1:123456789012:inference-profile/global.anthropic.claude-sonnet-5-5",
            1,
        ),
        ("claude-sonnet-5-5@20260801", 1),
        ("claude-sonnet-5-5@default", 1),
    ],
)
def test_the_names_that_providers_give_a_model_have_its_price(sent: str, factor: float) -> None:
    cost = dollars(load_prices(), sent, Usage(output_tokens=1_000_000))
    assert cost == pytest.approx(10 * factor)


@pytest.mark.parametrize(
    "sent",
    [
        "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3",
        "anthropic.claude-sonnet-4-20250514-v1:0",
        "meta.llama3-70b-instruct-v1:0",
        "claude-sonnet-5-5-preview",
        "someone.anthropic.claude-sonnet-5-5.else",
        "claude-sonnet-4@20250514",
    ],
)
def test_a_name_that_stands_for_no_listed_model_has_no_price(sent: str) -> None:
    assert sent not in load_prices()
    assert dollars(load_prices(), sent, Usage(output_tokens=1)) is None


def test_an_address_in_a_region_is_dearer_and_long_prompts_there_too() -> None:
    there = load_prices().with_premium(IN_A_REGION)
    for used in (Usage(input_tokens=1_000), Usage(input_tokens=200_000, output_tokens=500)):
        here = dollars(load_prices(), "claude-haiku-5-5", used)
        assert here is not None
        assert dollars(there, "claude-haiku-5-5", used) == pytest.approx(here * 1.1)


def test_ones_own_price_holds_for_exactly_the_name_that_is_sent(tmp_path: Path) -> None:
    own = tmp_path / "prices.yml"
    own.write_text(
        "models:\n  eu.anthropic.claude-sonnet-5-5:\n"
        "    {input: 1, output: 2, cache_write: 1, cache_read: 1, source: contract, as_of: 2026-01-31}\n"
    )
    prices = load_prices(own)
    used = Usage(output_tokens=1_000_000)
    assert dollars(prices, "eu.anthropic.claude-sonnet-5-5", used) == 2
    assert dollars(prices, "us.anthropic.claude-sonnet-5-5", used) == pytest.approx(11)
    assert {"eu.anthropic.claude-sonnet-5-5", "claude-opus-5"} < set(prices)


def test_a_wrong_list_is_told_with_the_line(tmp_path: Path) -> None:
    own = tmp_path / "prices.yml"
    own.write_text("models:\n  mine:\n    input: free\n    output: 1\n")
    with pytest.raises(PricesInvalid, match=r"prices.yml:3: `input` must be a number; found 'free'\."):
        load_prices(own)


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
    spent = ledger.spend_of("coder")
    assert spent is not None
    assert (spent.calls, spent.usage.input_tokens) == (2, 200)
    assert spent.dollars == pytest.approx(2 * (100 * 2 + 20 * 10) / 1e6)
    assert ledger.spend_of("reading") is None


@given(st.lists(counts))
def test_usage_adds_up(parts: list[Usage]) -> None:
    assert sum(part.tokens for part in parts) == sum(parts, Usage()).tokens
