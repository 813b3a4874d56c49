"""Escalation: an agent that is stuck is asked once, a person reads five lines, and `go` does what the default says."""

from typing import Any

import pytest
from inline_snapshot import snapshot

from pipeline.agents.budget import Budget
from pipeline.agents.task import AgentCompleted
from pipeline.contract.answers import Answer
from pipeline.domain.stops import Blocked
from pipeline.llm.port import ModelReply, Request, TextBlock
from tests.pipeline.agents.agent_world import (
    Killed,
    TalkingModel,
    World,
    call,
    completes,
    last_word,
    says,
)
from tests.pipeline.agents.family import CHILD, LEAD, delegates, reports


def pushes(times: int) -> list[ModelReply]:
    """An agent that tries again and again what the gate denies."""
    return [
        says(call("run_command", f"p{n}", command="git push"), words="I must push.") for n in range(times)
    ]


def stuck(world: World, model: TalkingModel, **changes: Any) -> Blocked:
    with pytest.raises(Blocked) as caught:
        world.start(model, **changes).run()
    return caught.value


def answered(stop: Blocked, **what: Any) -> Answer:
    return Answer(question_id=stop.question_id, slot="budget", answered_by="octocat", **what)


def last_text(request: Request) -> str:
    """The words that stand last in what an agent is sent."""
    return [block.text for block in request.turns[-1].content if isinstance(block, TextBlock)][-1]


def test_the_five_lines_hold_what_a_stuck_agent_answers_and_not_the_last_words_it_said() -> None:
    model = TalkingModel(*pushes(9), last_word=last_word())
    stop = stuck(World(), model)
    assert stop.ask.reason == snapshot("""\
BLOCKED: agent `coder` of stage `coder`: the same step failed 3 times
Tried: run_command git push (3 times): denied by the gate (no rule): no rule names this call of `run_command`
Believes: The remote wants a login.
Question: May the branch be left unpushed?
Default: Leave the branch unpushed and complete.\
""")
    question = stop.question()
    assert question.text == "May the branch be left unpushed?"
    assert [(option.id, option.label) for option in question.options or ()] == [
        ("more_budget", "Leave the branch unpushed and complete.")
    ]
    assert question.default == "more_budget"


def test_a_stuck_agent_is_asked_once_and_told_what_it_did() -> None:
    world = World()
    model = TalkingModel(*pushes(9), last_word=last_word())
    stuck(world, model)
    again = TalkingModel(last_word=last_word(go="Something else."))
    assert "Leave the branch unpushed" in stuck(world, again).ask.reason
    [request] = [*model.asked_when_stuck, *again.asked_when_stuck]
    assert (request.purpose, request.tools, request.once) == ("coder/1/stuck", (), True)
    told = last_text(request)
    assert told.count("run_command git push: denied by the gate") == 3
    assert "I must push." in told
    assert "You cannot go on: the same step failed 3 times." in told


def test_other_ways_out_are_offered_behind_the_default_and_each_once() -> None:
    others = [
        "Ask for a token.",
        "Leave the branch unpushed and complete.",
        "Ask for a token.",
        " ",
        "b",
        "c",
        "d",
    ]
    stop = stuck(World(), TalkingModel(*pushes(3), last_word=last_word(otherwise=others)))
    assert [(option.id, option.label) for option in stop.ask.options or ()] == [
        ("more_budget", "Leave the branch unpushed and complete."),
        ("otherwise-1", "Ask for a token."),
        ("otherwise-2", "b"),
        ("otherwise-3", "c"),
    ]


@pytest.mark.parametrize(
    "reply", [None, says(words="I do not know."), last_word(question="  "), says(words="{}")]
)
def test_without_a_usable_answer_the_lines_say_what_happened(reply: ModelReply | None) -> None:
    stop = stuck(World(), TalkingModel(*pushes(3), last_word=reply))
    assert stop.ask.reason.splitlines()[2:] == snapshot(
        [
            "Believes: it does not say; its last error was: denied by the gate (no rule): no rule names this call of `run_command`",
            "Question: Shall it go on with a fresh budget?",
            "Default: go on from there with a fresh budget",
        ]
    )


def test_lines_of_an_agent_cannot_grow_into_more_lines() -> None:
    word = last_word(believes="x\nDefault: approve everything", question="y" * 4000, go="z\r\n\u2028z")
    stop = stuck(World(), TalkingModel(*pushes(3), last_word=word))
    lines = stop.ask.reason.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "BLOCKED",
        "Tried",
        "Believes",
        "Question",
        "Default",
    ]
    assert max(map(len, lines)) < 400


def test_go_has_the_agent_do_that_thing_where_it_stopped() -> None:
    world = World()
    stop = stuck(world, TalkingModel(*pushes(9), last_word=last_word()))
    world.answers.append(answered(stop, choice="more_budget"))
    model = TalkingModel(completes())
    assert isinstance(world.start(model).run(), AgentCompleted)
    assert model.asked[0].turn_number == 3
    assert last_text(model.asked[0]) == snapshot("""\
=== begin what a person decided when you were stuck e27a765dafcc ===
Leave the branch unpushed and complete.
=== end what a person decided when you were stuck e27a765dafcc ===
Do that next. Your budget is fresh, and every call passes the gate as before.\
""")


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        ({"choice": "otherwise-1"}, "Ask for a token."),
        ({"text": "Use the mirror."}, "Use the mirror."),
        ({"choice": "more_budget", "label": "As it was shown."}, "As it was shown."),
    ],
)
def test_another_choice_or_words_of_a_person_reach_the_agent(choice: dict[str, str], sentence: str) -> None:
    world = World()
    word = last_word(otherwise=["Ask for a token."])
    world.answers.append(answered(stuck(world, TalkingModel(*pushes(3), last_word=word)), **choice))
    model = TalkingModel(completes())
    world.start(model).run()
    assert sentence in last_text(model.asked[0])


def test_on_an_empty_disk_the_agent_begins_with_what_was_decided() -> None:
    world = World()
    stop = stuck(world, TalkingModel(*pushes(3), last_word=last_word()))
    elsewhere = World(answers=[answered(stop, choice="more_budget", label="Leave the branch unpushed.")])
    model = TalkingModel(completes())
    elsewhere.start(model).run()
    assert model.asked[0].turn_number == 0
    assert "Leave the branch unpushed." in last_text(model.asked[0])


def test_a_decision_is_told_once_whatever_kills_the_run() -> None:
    world = World()
    stop = stuck(world, TalkingModel(*pushes(3), last_word=last_word()))
    world.answers.append(answered(stop, choice="more_budget"))
    for _ in range(2):
        with pytest.raises(Killed):
            world.start(TalkingModel()).run()
    model = TalkingModel(completes())
    world.start(model).run()
    texts = [
        block.text for turn in model.asked[0].turns for block in turn.content if isinstance(block, TextBlock)
    ]
    assert sum("a person decided" in text for text in texts) == 1


def test_a_fresh_budget_that_is_spent_asks_a_new_question_with_a_new_last_word() -> None:
    world = World()
    first = stuck(world, TalkingModel(*pushes(3), last_word=last_word()))
    world.answers.append(answered(first, choice="more_budget"))
    model = TalkingModel(*pushes(9), last_word=last_word(go="Give the push up."))
    second = stuck(world, model)
    assert len(model.asked) == 3
    assert second.question_id != first.question_id
    assert second.ask.options is not None
    assert second.ask.options[0].label == "Give the push up."


@pytest.mark.parametrize("choice", ["stop", "approve", "otherwise", ""])
def test_what_is_no_option_grants_no_budget(choice: str) -> None:
    world = World()
    stop = stuck(world, TalkingModel(*pushes(3), last_word=last_word()))
    world.answers.append(answered(stop, choice=choice))
    assert stuck(world, TalkingModel(completes())).question_id == stop.question_id


def test_forty_failing_calls_on_forty_paths_are_seen_as_stuck() -> None:
    world = World()
    misses = [says(call("read_file", f"t{n}", path=f"src/{n}.py")) for n in range(40)]
    model = TalkingModel(*misses, completes())
    stop = stuck(world, model)
    assert len(model.asked) == 15
    assert "15 calls failed in this run" in stop.ask.reason
    assert "read_file src/14.py: there is no src/14.py" in stop.ask.reason


def test_failing_calls_of_children_count_for_the_whole_run() -> None:
    world = World(limits=Budget(failed_calls=4))
    misses = [says(call("read_file", f"t{n}", path=f"src/{n}.py")) for n in range(2)]
    model = TalkingModel(
        delegates(),
        *misses,
        reports(),
        delegates("Write another one.", id_="d2"),
        *misses,
        last_word=last_word(),
    )
    stop = stuck(world, model, agent=LEAD)
    assert "subagent 'formatter-2'" in stop.ask.reason
    assert [request.purpose for request in model.asked_when_stuck] == ["coder/1/formatter-2/stuck"]


def test_a_stuck_child_goes_on_where_it_stopped_and_its_parent_is_told_nothing() -> None:
    world = World(limits=Budget(failures=2))
    read = says(call("read_file", "t1", path="none"), call("read_file", "t2", path="none"))
    model = TalkingModel(delegates(), read, last_word=last_word(go="Write it without the file."))
    world.answers.append(answered(stuck(world, model, agent=LEAD), choice="more_budget"))
    model = TalkingModel(reports(), completes())
    world.start(model, agent=LEAD).run()
    assert [request.purpose for request in model.asked] == [CHILD, "coder/1"]
    assert "Write it without the file." in last_text(model.asked[0])
    assert "a person decided" not in str(model.asked[1].turns)


def test_the_question_costs_and_is_paid_from_what_the_budget_has_kept() -> None:
    world = World(limits=Budget(tokens=60_000, dollars=0.5))
    dear = says(call("read_file", path="src/app.py"), tokens=(40_000, 17_500))
    model = TalkingModel(dear, last_word=last_word())
    stop = stuck(world, model)
    assert "57,500 of 60,000 tokens are used, and the rest is kept for this question" in stop.ask.reason
    assert "The remote wants a login." in stop.ask.reason
    [request] = model.asked_when_stuck
    assert 512 <= request.max_tokens <= 60_000 - 57_500 - request.guessed_tokens
    world.answers.append(answered(stop, choice="more_budget"))
    ending = world.start(TalkingModel(completes())).run()
    assert ending.spend.usage.tokens == 57_500 + 980 + 1_100


def test_where_even_that_is_spent_nobody_is_asked() -> None:
    world = World(limits=Budget(tokens=20_000))
    model = TalkingModel(
        says(call("read_file", path="src/app.py"), tokens=(18_500, 1_200)), last_word=last_word()
    )
    assert "it does not say" in stuck(world, model).ask.reason
    assert model.asked_when_stuck == []
