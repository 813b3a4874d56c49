"""An agent that is killed goes on where it was, from its transcript."""

from pathlib import Path

import pytest
from pydantic import TypeAdapter

from pipeline.agents.task import AgentCompleted
from pipeline.agents.transcript import Entry
from pipeline.gate.decision_log import GateLogEntry
from pipeline.run_record.line_file import LineFile
from pipeline.run_record.redaction import Redactor
from tests.pipeline.agents.agent_world import (
    EDIT,
    Killed,
    TalkingModel,
    TreeInMemory,
    World,
    call,
    completes,
    results,
    says,
)


def test_a_killed_run_pays_for_no_finished_reply_again() -> None:
    world = World()
    said = [
        says(call("read_file", path="src/app.py")),
        says(EDIT.model_copy(update={"id": "t2"})),
        completes(),
    ]
    asked = 0
    for reply in said:
        model = TalkingModel(reply)
        try:
            ending = world.start(model).run()
        except Killed:
            asked += len(model.asked) - 1
        else:
            asked += len(model.asked)
    assert isinstance(ending, AgentCompleted)
    assert asked == len(said)
    assert (ending.spend.calls, world.tree.files["src/app.py"]) == (3, "flag = True\n")
    assert len(world.tree.made) == 2


def test_a_run_killed_at_a_tool_goes_on_at_that_tool() -> None:
    class FallingTree(TreeInMemory):
        def call(self, arguments):
            if len(self.made) == 1:
                raise Killed
            return super().call(arguments)

    world = World(tree=FallingTree())
    both = says(call("read_file", "a", path="src/app.py"), EDIT.model_copy(update={"id": "b"}))
    with pytest.raises(Killed):
        world.start(TalkingModel(both)).run()
    world.tree = TreeInMemory()
    model = TalkingModel(completes())
    world.start(model).run()
    assert results(model) == ["flag = False\n", "edited"]
    assert [arguments.tool for arguments in world.tree.made] == ["edit_file"]


def test_a_saved_transcript_about_something_else_is_not_taken_up() -> None:
    world = World()
    with pytest.raises(Killed):
        world.start(TalkingModel(says(EDIT))).run()
    model = TalkingModel(completes())
    ending = world.start(model, prompt="Remove the flag.").run()
    assert len(model.asked[0].turns) == 1
    assert ending.spend.calls == 1


def test_a_transcript_on_disk_survives_a_torn_line(tmp_path: Path) -> None:
    def on_disk(secret: str) -> World:
        redactor = Redactor([secret])
        return World(
            transcript=LineFile(tmp_path / "transcripts" / "coder-1.jsonl", TypeAdapter(Entry), redactor),
            gate=LineFile(tmp_path / "gate.jsonl", TypeAdapter(GateLogEntry), redactor),
        )

    secret = "hunter2-hunter2-hunter2"
    with pytest.raises(Killed):
        on_disk(secret).start(TalkingModel(says(EDIT, words=f"The key is {secret}."))).run()
    path = tmp_path / "transcripts" / "coder-1.jsonl"
    with path.open("ab") as file:
        file.write(b'{"event":"repl')
    world = on_disk(secret)
    model = TalkingModel(completes())
    ending = world.start(model).run()
    assert (ending.spend.calls, world.tree.made) == (2, [])
    assert secret not in path.read_text()
    assert [line.rule for line in world.decisions] == ["edit-the-tree"]
