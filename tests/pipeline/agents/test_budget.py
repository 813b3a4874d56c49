"""The budget: looked at before money is spent, and never overdrawn by a call that it let through."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.agents.budget import (
    LONGEST_REPLY,
    RESERVE,
    SHORTEST_REPLY,
    Budget,
    BudgetUse,
    reached_limit,
    room_for_reply,
)
from pipeline.agents.transcript import ToolFinished
from pipeline.domain.stops import Blocked
from pipeline.llm.prices import load_prices
from pipeline.llm.usage import ModelSpend, Usage
from tests.pipeline.agents.agent_world import TalkingModel, TreeInMemory, World, call, completes, says

PRICES = load_prices()

limits = st.builds(
    Budget,
    failures=st.integers(1, 5),
    failed_calls=st.integers(1, 30),
    turns=st.integers(1, 50),
    tokens=st.none() | st.integers(1, 10**6),
    dollars=st.none() | st.floats(0.001, 10),
    minutes=st.floats(0.1, 60),
)
used = st.builds(
    BudgetUse,
    spend=st.builds(
        ModelSpend,
        calls=st.integers(0, 50),
        usage=st.builds(Usage, input_tokens=st.integers(0, 10**6), output_tokens=st.integers(0, 10**5)),
        dollars=st.floats(0, 10),
    ),
    failures=st.integers(0, 5),
    failed_calls=st.integers(0, 30),
    turns=st.integers(0, 50),
    minutes=st.floats(0, 60),
)


@st.composite
def unspent(draw: st.DrawFn) -> tuple[Budget, BudgetUse]:
    """A budget, and a use that reaches none of them and leaves room for a reply to a prompt of 20,000 tokens."""
    bounds = draw(limits)
    tokens = draw(st.none() | st.integers(100_000, 10**6))
    dollars = draw(st.none() | st.floats(2, 10))
    bounds = bounds.model_copy(update={"tokens": tokens, "dollars": dollars})
    spend = ModelSpend(
        calls=draw(st.integers(0, 50)),
        usage=Usage(input_tokens=draw(st.integers(0, (tokens or 10**6) // 2))),
        dollars=draw(st.floats(0, (dollars or 10.0) / 2)),
    )
    use = BudgetUse(
        spend=spend,
        failures=draw(st.integers(0, bounds.failures - 1)),
        failed_calls=draw(st.integers(0, bounds.failed_calls - 1)),
        turns=draw(st.integers(0, bounds.turns - 1)),
        minutes=draw(st.floats(0, bounds.minutes, exclude_max=True)),
    )
    return bounds, use


@given(unspent(), st.sampled_from(sorted(PRICES)), st.integers(0, 20_000))
def test_a_reply_that_fits_its_room_overdraws_nothing(
    budget: tuple[Budget, BudgetUse], model: str, prompt: int
) -> None:
    bounds, use = budget
    price = PRICES[model]
    room = room_for_reply(bounds, use, price, prompt)
    assert isinstance(room, int)
    assert SHORTEST_REPLY <= room <= LONGEST_REPLY
    reply = Usage(cache_write_tokens=prompt, output_tokens=room)
    if bounds.tokens is not None:
        tokens_left = bounds.tokens - use.spend.usage.tokens - reply.tokens
        assert tokens_left >= int(bounds.tokens * RESERVE)
    if bounds.dollars is not None and use.spend.dollars is not None:
        dollars_left = bounds.dollars - use.spend.dollars - price.rates_for(prompt).dollars(reply)
        assert dollars_left >= bounds.dollars * RESERVE - 1e-9


@given(unspent())
def test_a_budget_that_is_granted_again_is_no_smaller(budget: tuple[Budget, BudgetUse]) -> None:
    bounds, use = budget
    assert reached_limit(bounds, use) is None
    assert reached_limit(bounds.for_budgets(2), use) is None


@given(used)
def test_without_a_limit_of_a_kind_nothing_of_that_kind_is_exhausted(used: BudgetUse) -> None:
    free = Budget(failures=9, failed_calls=99, turns=99, tokens=None, dollars=None, minutes=99)
    assert reached_limit(free, used) is None
    assert room_for_reply(free, used, None, 10**6) == LONGEST_REPLY


@pytest.mark.parametrize(("turns", "is_told"), [(2, True), (3, False)])
def test_an_agent_that_ends_with_its_budget_is_told_before_its_last_turn(turns: int, is_told: bool) -> None:
    world = World(tree=TreeInMemory(files={"a.py": "x = 1"}), limits=Budget(turns=turns))
    model = TalkingModel(says(call("read_file", path="a.py")), completes())
    world.start(model, asks_nobody=True).run()
    (result,) = (entry.result.content for entry in world.entries if isinstance(entry, ToolFinished))
    assert ("(One turn is left: end with `complete` or `fail` now.)" in result) is is_told


def test_an_agent_that_asks_nobody_is_not_asked_for_a_last_word() -> None:
    world = World(tree=TreeInMemory(files={"a.py": "x = 1"}), limits=Budget(turns=1))
    model = TalkingModel(says(call("read_file", path="a.py")))
    with pytest.raises(Blocked) as stopped:
        world.start(model, asks_nobody=True).run()
    assert len(model.asked) == 1
    assert stopped.value.ask.reason.splitlines()[0] == (
        "BLOCKED: agent `coder` of stage `coder`: 1 of 1 turns are used"
    )
