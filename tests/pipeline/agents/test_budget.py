"""The budget: looked at before money is spent, and never overdrawn by a call that it let through."""

from hypothesis import given
from hypothesis import strategies as st

from pipeline.agents.budget import SHORTEST_REPLY, Exhausted, Limits, Used, exhausted, room_for_reply
from pipeline.llm.prices import load_prices
from pipeline.llm.usage import Spent, Usage

PRICES = load_prices()

limits = st.builds(
    Limits,
    failures=st.integers(1, 5),
    turns=st.integers(1, 50),
    tokens=st.none() | st.integers(1, 10**6),
    dollars=st.none() | st.floats(0.001, 10),
    minutes=st.floats(0.1, 60),
)
used = st.builds(
    Used,
    spent=st.builds(
        Spent,
        calls=st.integers(0, 50),
        usage=st.builds(Usage, input_tokens=st.integers(0, 10**6), output_tokens=st.integers(0, 10**5)),
        dollars=st.floats(0, 10),
    ),
    failures=st.integers(0, 5),
    turns=st.integers(0, 50),
    minutes=st.floats(0, 60),
)


@given(limits, used, st.sampled_from(sorted(PRICES)), st.integers(0, 10**6))
def test_a_reply_that_fits_its_room_overdraws_nothing(
    limits: Limits, used: Used, model: str, prompt_bytes: int
) -> None:
    if exhausted(limits, used):
        return
    price = PRICES[model]
    room = room_for_reply(limits, used, price, prompt_bytes)
    if isinstance(room, Exhausted):
        return
    assert SHORTEST_REPLY <= room <= limits.reply_tokens
    prompt = prompt_bytes // 2
    reply = Usage(cache_write_tokens=prompt, output_tokens=room)
    if limits.tokens is not None:
        assert used.spent.usage.tokens + reply.tokens <= limits.tokens
    if limits.dollars is not None and used.spent.dollars is not None:
        assert used.spent.dollars + price.rates_for(prompt).dollars(reply) <= limits.dollars + 1e-9


@given(limits, used)
def test_a_budget_that_is_granted_again_is_no_smaller(limits: Limits, used: Used) -> None:
    if exhausted(limits, used) is None:
        assert exhausted(limits.granted(2), used) is None


@given(used)
def test_without_a_limit_of_a_kind_nothing_of_that_kind_is_exhausted(used: Used) -> None:
    free = Limits(failures=9, turns=99, tokens=None, dollars=None, minutes=99)
    assert exhausted(free, used) is None
    assert room_for_reply(free, used, None, 10**6) == free.reply_tokens
