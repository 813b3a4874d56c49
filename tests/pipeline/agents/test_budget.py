"""The budget: looked at before money is spent, and never overdrawn by a call that it let through."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.agents.budget import (
    RESERVE,
    SHORTEST_REPLY,
    BudgetExhausted,
    BudgetUse,
    Limits,
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
    Limits,
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


@given(limits, used, st.sampled_from(sorted(PRICES)), st.integers(0, 10**6))
def test_a_reply_that_fits_its_room_overdraws_nothing(
    limits: Limits, used: BudgetUse, model: str, prompt_bytes: int
) -> None:
    if reached_limit(limits, used):
        return
    price = PRICES[model]
    room = room_for_reply(limits, used, price, prompt_bytes)
    if isinstance(room, BudgetExhausted):
        return
    assert SHORTEST_REPLY <= room <= limits.reply_tokens
    prompt = prompt_bytes // 2
    reply = Usage(cache_write_tokens=prompt, output_tokens=room)
    if limits.tokens is not None:
        assert used.spend.usage.tokens + reply.tokens <= limits.tokens
    if limits.dollars is not None and used.spend.dollars is not None:
        assert used.spend.dollars + price.rates_for(prompt).dollars(reply) <= limits.dollars + 1e-9


@given(limits, used, st.sampled_from(sorted(PRICES)), st.integers(0, 10**6))
def test_work_leaves_what_is_kept_for_the_question_to_a_person(
    limits: Limits, used: BudgetUse, model: str, prompt: int
) -> None:
    if reached_limit(limits, used):
        return
    room = room_for_reply(limits, used, PRICES[model], prompt)
    if isinstance(room, BudgetExhausted):
        return
    if limits.tokens is not None:
        tokens_left = limits.tokens - used.spend.usage.tokens - prompt - room
        assert tokens_left >= int(limits.tokens * RESERVE)
    if limits.dollars is not None and used.spend.dollars is not None:
        cost = PRICES[model].rates_for(prompt).dollars(Usage(cache_write_tokens=prompt, output_tokens=room))
        assert limits.dollars - used.spend.dollars - cost >= limits.dollars * RESERVE - 1e-9


@given(limits, used)
def test_a_budget_that_is_granted_again_is_no_smaller(limits: Limits, used: BudgetUse) -> None:
    if reached_limit(limits, used) is None:
        assert reached_limit(limits.for_budgets(2), used) is None


@given(used)
def test_without_a_limit_of_a_kind_nothing_of_that_kind_is_exhausted(used: BudgetUse) -> None:
    free = Limits(failures=9, failed_calls=99, turns=99, tokens=None, dollars=None, minutes=99)
    assert reached_limit(free, used) is None
    assert room_for_reply(free, used, None, 10**6) == free.reply_tokens


@pytest.mark.parametrize(("turns", "is_told"), [(2, True), (3, False)])
def test_an_agent_that_ends_with_its_budget_is_told_before_its_last_turn(turns: int, is_told: bool) -> None:
    world = World(tree=TreeInMemory(files={"a.py": "x = 1"}), limits=Limits(turns=turns))
    model = TalkingModel(says(call("read_file", path="a.py")), completes())
    world.start(model, asks_nobody=True).run()
    (result,) = (entry.result.content for entry in world.entries if isinstance(entry, ToolFinished))
    assert ("(One turn is left: end with `complete` or `fail` now.)" in result) is is_told


def test_an_agent_that_asks_nobody_is_not_asked_for_a_last_word() -> None:
    world = World(tree=TreeInMemory(files={"a.py": "x = 1"}), limits=Limits(turns=1))
    model = TalkingModel(says(call("read_file", path="a.py")))
    with pytest.raises(Blocked) as stopped:
        world.start(model, asks_nobody=True).run()
    assert len(model.asked) == 1
    assert stopped.value.ask.reason.splitlines()[0] == (
        "BLOCKED: agent `coder` of stage `coder`: 1 of 1 turns are used"
    )
