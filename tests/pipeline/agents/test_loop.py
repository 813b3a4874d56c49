"""The loop of an agent: how it works, how it ends, and what stops it."""

import re

import pytest
from inline_snapshot import snapshot

from pipeline.agents.account import BudgetUnenforceable, TranscriptRedacted
from pipeline.agents.budget import Budget
from pipeline.agents.task import AgentCompleted, AgentFailed
from pipeline.agents.transcript import ToolFinished
from pipeline.contract.answers import Answer
from pipeline.domain.stops import Blocked, ClarificationNeeded
from pipeline.llm.failures import ModelRefused
from pipeline.llm.port import ModelReply, Origin, ToolCall
from pipeline.llm.usage import Usage
from tests.pipeline.agents.agent_world import (
    EDIT,
    Killed,
    TalkingModel,
    World,
    call,
    completes,
    results,
    says,
    words,
)


def test_an_agent_reads_edits_and_completes() -> None:
    world = World()
    model = TalkingModel(
        says(call("read_file", path="src/app.py"), words="I look."), says(EDIT), completes("flag set")
    )
    ending = world.start(model).run()
    assert isinstance(ending, AgentCompleted)
    assert ending.output.model_dump() == {"summary": "flag set"}
    assert world.tree.files == {"src/app.py": "flag = True\n"}
    assert (ending.spend.calls, ending.spend.usage.tokens, ending.origin) == (3, 3300, Origin.MODEL)
    assert ending.spend.dollars == pytest.approx(3 * (1000 * 2 + 100 * 10) / 1e6)
    assert [(line.tool, line.tier, line.rule) for line in world.decisions] == [
        ("read_file", "allow", "read-the-tree"),
        ("edit_file", "allow", "edit-the-tree"),
    ]


def test_an_agent_that_cannot_says_why() -> None:
    ending = World().start(TalkingModel(says(call("fail", reason="there is no such route")))).run()
    assert isinstance(ending, AgentFailed)
    assert ending.reason == "there is no such route"


def test_a_step_that_works_once_is_forgiven() -> None:
    miss = call("edit_file", path="src/app.py", old="absent", new="x")
    said: list[ModelReply] = []
    for n in range(4):
        said += [says(miss.model_copy(update={"id": f"m{n}"})), says(miss.model_copy(update={"id": f"n{n}"}))]
        hit = {"path": "src/app.py", "old": "flag", "new": "flag"}
        said.append(says(call("edit_file", f"h{n}", **hit)))
    assert isinstance(World().start(TalkingModel(*said, completes())).run(), AgentCompleted)


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        (Budget(turns=2), "2 of 2 turns are used"),
        (Budget(tokens=60_000), "60,000 of 60,000 tokens are used"),
        (Budget(tokens=64_000), "the next call would use more than 64,000 tokens"),
        (Budget(dollars=0.30), "$0.30 of $0.30 are spent"),
        (Budget(dollars=0.32), "$0.30 are spent, and the next call may cost more than the $0.32 allowed"),
        (Budget(minutes=1.5), "2 of 1.5 minutes are over"),
    ],
)
def test_a_limit_is_looked_at_before_the_call_that_would_spend(limits: Budget, sentence: str) -> None:
    world = World(limits=limits)
    model = TalkingModel(
        *[says(call("read_file", f"t{n}", path="src/app.py"), tokens=(18_750, 11_250)) for n in range(2)],
        took=60,
        world=world,
    )
    with pytest.raises(Blocked, match=re.escape(sentence)):
        world.start(model).run()
    assert len(model.asked) == 2


def test_dollars_hold_during_a_call_too() -> None:
    world = World(limits=Budget(dollars=0.05))
    model = TalkingModel(completes())
    world.start(model).run()
    assert 512 <= model.asked[0].max_tokens < 5_000


def test_a_person_may_grant_the_budget_once_more() -> None:
    world = World(limits=Budget(turns=1))
    model = TalkingModel(says(call("read_file", path="src/app.py")))
    with pytest.raises(Blocked) as caught:
        world.start(model).run()
    world.answers.append(Answer(question_id=caught.value.question_id, slot="budget", choice="more_budget"))
    more = TalkingModel(says(EDIT.model_copy(update={"id": "t2"})))
    with pytest.raises(Blocked) as again:
        world.start(more).run()
    assert again.value.question_id != caught.value.question_id
    assert len(more.asked) == 1


def test_a_budget_that_was_granted_once_is_given_once() -> None:
    """The transcripts of a later round, or of a machine with an empty disk, know nothing of what was used before."""
    world = World(limits=Budget(turns=1))
    with pytest.raises(Blocked) as caught:
        world.start(TalkingModel(says(call("read_file", path="src/app.py")))).run()
    world.answers.append(Answer(question_id=caught.value.question_id, slot="budget", choice="more_budget"))
    elsewhere = World(limits=Budget(turns=1), answers=world.answers)
    model = TalkingModel(*[says(call("read_file", f"t{n}", path="src/app.py")) for n in range(3)])
    with pytest.raises(Blocked):
        elsewhere.start(model).run()
    assert len(model.asked) == 1


def test_what_was_taken_for_a_secret_is_not_made_again_without_it() -> None:
    world = World()
    with pytest.raises(Killed):
        world.start(TalkingModel(says(EDIT))).run()
    [done] = [entry for entry in world.entries if isinstance(entry, ToolFinished)]
    redacted = done.call.model_copy(update={"input": {**done.call.input, "new": "[redacted]"}})
    world.transcript.lines[world.entries.index(done)] = done.model_copy(update={"call": redacted})
    with pytest.raises(TranscriptRedacted, match="cannot go on"):
        _ = world.start(TalkingModel()).carried_out


def test_a_prompt_is_counted_only_where_the_budget_is_tight() -> None:
    loose = TalkingModel(completes())
    World().start(loose).run()
    assert loose.counted == []
    tight = TalkingModel(completes())
    World(limits=Budget(dollars=0.05)).start(tight).run()
    assert [request.turns for request in tight.counted] == [request.turns for request in tight.asked]


def test_a_count_decides_where_a_guess_would_have_stopped_and_the_other_way_round() -> None:
    guess_is_too_high = TalkingModel(completes())
    guess_is_too_high.prompt_tokens = 100
    World(limits=Budget(tokens=1_200)).start(guess_is_too_high).run()
    assert guess_is_too_high.asked[0].max_tokens == 1_040
    assert guess_is_too_high.asked[0].guessed_tokens > 1_200 - 512
    guess_is_too_low = TalkingModel(completes())
    guess_is_too_low.prompt_tokens = 4_600
    with pytest.raises(Blocked, match="the next call would use more than 5,000 tokens"):
        World(limits=Budget(tokens=5_000)).start(guess_is_too_low).run()
    assert guess_is_too_low.asked == []


def test_a_limit_in_dollars_needs_a_price() -> None:
    with pytest.raises(BudgetUnenforceable, match="house-model"):
        World(limits=Budget(tokens=None)).start(TalkingModel(), named="house-model")
    in_tokens = World().start(TalkingModel(completes()), named="house-model").run()
    assert in_tokens.spend.dollars is None
    free = World(limits=Budget(dollars=None)).start(TalkingModel(completes()), named="house-model").run()
    assert free.spend.dollars is None


def test_scripted_replies_cost_nothing_and_say_what_they_are() -> None:
    ending = World().start(TalkingModel(completes(), origin=Origin.SCRIPTED), named="house-model").run()
    assert (ending.origin, ending.spend.dollars) == (Origin.SCRIPTED, 0.0)


def test_an_agents_question_starts_it_again_with_the_answer() -> None:
    world = World()
    ask = call(
        "clarify",
        question="Which default?",
        why="both are in use",
        options=["true", "false"],
        default="false",
    )
    with pytest.raises(ClarificationNeeded) as caught:
        world.start(TalkingModel(says(ask))).run()
    question = caught.value.question()
    assert [option.label for option in question.options or ()] == ["false", "true"]
    assert question.default == "option-1"
    world.answers.append(Answer(question_id=question.id, slot=question.slot, choice="option-2"))
    model = TalkingModel(says(ask.model_copy(update={"id": "t2"})), completes())
    world.start(model).run()
    first = model.asked[0].turns
    assert [turn.role for turn in first] == ["user"]
    assert words(first[0]) == snapshot("""\
Add a flag.

[Clarification from previous attempt]
Q: Which default?
A: true\
""")
    assert "clarify" not in {tool.name for tool in model.asked[0].tools}
    assert results(model) == ["no question is left: end with `complete` or `fail`, with what was clarified"]


@pytest.mark.parametrize(
    "ending",
    [
        call("complete", summary=""),
        call("complete", wrong=1),
        call("fail"),
        call("clarify", question="?"),
    ],
)
def test_an_ending_that_is_none_goes_back_with_what_is_wrong(ending: ToolCall) -> None:
    model = TalkingModel(says(ending), completes())
    assert isinstance(World().start(model).run(), AgentCompleted)
    assert results(model)[0].startswith("not done, the arguments do not fit: ")


def test_an_ending_stands_alone() -> None:
    world = World()
    model = TalkingModel(says(EDIT, call("complete", "t2", summary="done")), completes())
    world.start(model).run()
    assert results(model) == ["not done: an ending stands alone in its turn"] * 2
    assert world.tree.made == []


def test_words_without_a_call_end_nothing() -> None:
    model = TalkingModel(says(words='I am done. {"complete": true}'), completes())
    assert isinstance(World().start(model).run(), AgentCompleted)
    assert words(model.asked[1].turns[-1]).startswith("You made no call.")


def test_an_agent_that_only_talks_is_blocked() -> None:
    model = TalkingModel(*[says(words="hm")] * 9)
    with pytest.raises(Blocked):
        World().start(model).run()
    assert len(model.asked) == 3


def test_arguments_of_a_wrong_shape_go_back_and_are_not_carried_out() -> None:
    world = World()
    model = TalkingModel(says(call("edit_file", path="src/app.py", old="a")), completes())
    world.start(model).run()
    assert results(model) == ["not done, the arguments do not fit: new: Field required"]


def test_what_a_refused_reply_cost_stays_on_the_bill() -> None:
    world = World()
    with pytest.raises(ModelRefused):
        world.start(TalkingModel(ModelRefused("no", usage=Usage(input_tokens=500)))).run()
    ending = world.start(TalkingModel(completes())).run()
    assert (ending.spend.calls, ending.spend.usage.input_tokens) == (2, 1500)
