"""What is sent of a long conversation: bounded, cut in steps, and never at the cost of what is stored."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from pipeline.agents.trimming import turns_to_send
from pipeline.llm.port import TextBlock, ToolCall, ToolResult, Turn


def conversation(*sizes: int) -> list[Turn]:
    turns = [Turn.of_user("Add a flag.")]
    for number, size in enumerate(sizes):
        call = ToolCall(id=f"t{number}", name="read_file", input={"path": "a.py"})
        text = f"a.py, lines 1 to {size}\n" + "x" * size
        result = ToolResult(tool_use_id=call.id, content=text)
        turns += [Turn(role="assistant", content=(call,)), Turn(role="user", content=(result,))]
    return turns


def results(turns: tuple[Turn, ...]) -> list[ToolResult]:
    return [block for turn in turns for block in turn.content if isinstance(block, ToolResult)]


def test_a_short_conversation_is_sent_as_it_is() -> None:
    turns = conversation(1000, 2000)
    assert turns_to_send(turns) == tuple(turns)


def test_old_results_shrink_to_their_first_line_and_a_note() -> None:
    contents = results(
        turns_to_send(conversation(900, 100, 900, 900), max_characters=2000, kept_characters=1000)
    )
    assert [len(result.content) > 500 for result in contents] == [False, False, False, True]
    assert contents[0].content == snapshot("""\
a.py, lines 1 to 900
[1 more lines were here; they are left out to save room. Call again to see them.]\
""")
    assert contents[1].content.endswith("x" * 100)


@given(st.lists(st.integers(0, 3000), max_size=40))
def test_what_is_sent_is_bounded_whole_in_its_calls_and_the_same_for_the_same_turns(sizes: list[int]) -> None:
    turns = conversation(*sizes)
    sent_turns = turns_to_send(turns, max_characters=6000, kept_characters=2000)
    assert sent_turns == turns_to_send(turns, max_characters=6000, kept_characters=2000)
    assert [turn for turn in sent_turns if turn.role == "assistant"] == [
        t for t in turns if t.role == "assistant"
    ]
    assert [result.tool_use_id for result in results(sent_turns)] == [f"t{n}" for n in range(len(sizes))]
    assert sum(len(result.content) for result in results(sent_turns)) <= 6000 + 450 * len(sizes)
    if sizes:
        assert results(sent_turns)[-1] == results(tuple(turns))[-1]


@given(st.lists(st.integers(0, 3000), max_size=60))
def test_between_two_steps_each_request_begins_with_the_one_before(sizes: list[int]) -> None:
    turns = conversation(*sizes)
    requests = [
        turns_to_send(turns[: 2 * n + 1], max_characters=9000, kept_characters=3000)
        for n in range(len(sizes) + 1)
    ]
    steps = sum(now[: len(was)] != was for was, now in pairwise(requests))
    # A step leaves at most `kept` and the newest result, so the next one comes when as much has been read again.
    assert steps <= sum(sizes) // (9000 - 3000 - 3100) + 1


def test_words_and_errors_are_never_cut() -> None:
    turns = [Turn(role="assistant", content=(TextBlock(text="y" * 9000),)), *conversation(900, 900)]
    assert turns_to_send(turns, max_characters=100, kept_characters=0)[0] == turns[0]


def test_what_other_agents_said_is_sent_whole_because_it_was_paid_for() -> None:
    delegated = ToolCall(id="d1", name="delegate", input={"agent": "formatter", "task": "Write it."})
    said = ToolResult(tool_use_id="d1", content="=== begin ===\n" + "the report\n" * 90)
    turns = [
        Turn(role="assistant", content=(delegated,)),
        Turn(role="user", content=(said,)),
        *conversation(900, 900, 900)[1:],
    ]
    assert results(turns_to_send(turns, max_characters=2000, kept_characters=1000))[0] == said
