"""Replies from a file: recorded ones fit only their question, scripted ones say what they are."""

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.llm.failures import RepliesUnusable
from pipeline.llm.port import Origin, ToolDeclaration, Turn
from pipeline.llm.replay import RecordingModel, ReplayModel
from pipeline.run_record.redaction import Redactor
from tests.pipeline.llm.messages_api import MessagesApi, call, counted, message, request, text

SCRIPTED = '{"format": "askfirst-replies", "version": 1, "kind": "scripted", "about": "wiring"}\n'


def scripted(path: Path, *replies: dict[str, object]) -> ReplayModel:
    path.write_text(SCRIPTED + "".join(json.dumps(reply) + "\n" for reply in replies))
    return ReplayModel(path)


def words(said: str) -> dict[str, object]:
    return {"content": [{"type": "text", "text": said}], "stop_reason": "end_turn"}


def test_what_was_recorded_is_replayed(tmp_path: Path) -> None:
    api = MessagesApi(
        message(text("I read."), call("read_file", {"path": "a"}), stop="tool_use"), message(text("b"))
    )
    recording = RecordingModel(api.client(), tmp_path / "replies.jsonl", Redactor())
    said = [recording.reply(request()), recording.reply(request())]
    recording.close()
    replay = ReplayModel(tmp_path / "replies.jsonl")
    replayed = [replay.reply(request()), replay.reply(request(max_tokens=7))]
    assert [reply.content for reply in replayed] == [reply.content for reply in said]
    assert {reply.origin for reply in replayed} == {Origin.RECORDED}


def test_a_changed_question_is_never_answered_with_a_recorded_reply(tmp_path: Path) -> None:
    recording = RecordingModel(
        MessagesApi(message(text("done"))).client(), tmp_path / "replies.jsonl", Redactor()
    )
    recording.reply(request())
    recording.close()
    other = request().model_copy(update={"turns": (Turn.of_user("Remove the flag."),)})
    with pytest.raises(RepliesUnusable, match="recorded for another question"):
        ReplayModel(tmp_path / "replies.jsonl").reply(other)


@pytest.mark.parametrize(
    "changed",
    [
        {"system": "You review code."},
        {"model": "claude-opus-5-5"},
        {"tools": (ToolDeclaration(name="run_tests", description="Run.", input_schema={}),)},
        {"output_schema": {"type": "object"}},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_whatever_the_model_is_told_is_part_of_the_question(tmp_path: Path, changed: dict[str, Any]) -> None:
    recording = RecordingModel(
        MessagesApi(message(text("done"))).client(), tmp_path / "replies.jsonl", Redactor()
    )
    recording.reply(request())
    recording.close()
    replay = ReplayModel(tmp_path / "replies.jsonl")
    with pytest.raises(RepliesUnusable) as caught:
        replay.reply(request().model_copy(update=changed))
    assert caught.value.why == "the reply for `coder/1`, turn 0 was recorded for another question"
    assert caught.value.what_to_do.startswith("Record one with a key: --record replies.jsonl")
    assert replay.reply(request(max_tokens=7, once=True)).text == "done"


def test_a_prompt_is_as_long_in_a_replay_as_it_was_billed_and_else_it_is_guessed(tmp_path: Path) -> None:
    api = MessagesApi(message(text("done"), usage=(1_234, 20)), counted(1_200))
    recording = RecordingModel(api.client(), tmp_path / "replies.jsonl", Redactor())
    recording.reply(request())
    assert recording.count_tokens(request()) == 1_224
    recording.close()
    replay = ReplayModel(tmp_path / "replies.jsonl")
    assert replay.count_tokens(request()) == 1_234
    replay.reply(request())
    assert replay.count_tokens(request()) == request().guessed_tokens
    model = scripted(tmp_path / "scripted.jsonl", {"for": "coder/1", "reply": words("only one")})
    assert model.count_tokens(request()) == request().guessed_tokens


def test_a_recording_goes_on_where_a_killed_one_ended(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    for words_said in ("a", "b"):
        recording = RecordingModel(MessagesApi(message(text(words_said))).client(), path, Redactor())
        recording.reply(request())
        recording.close()
    replay = ReplayModel(path)
    assert [replay.reply(request()).text for _ in range(2)] == ["a", "b"]


def test_nothing_recorded_holds_a_secret(tmp_path: Path) -> None:
    secret = "hunter2-hunter2-hunter2"
    recording = RecordingModel(
        MessagesApi(message(text(f"The key is {secret}."))).client(),
        tmp_path / "replies.jsonl",
        Redactor([secret]),
    )
    assert secret in recording.reply(request()).text
    recording.close()
    assert secret not in (tmp_path / "replies.jsonl").read_text()


def test_scripted_replies_say_so_and_come_by_purpose_and_turn(tmp_path: Path) -> None:
    model = scripted(
        tmp_path / "replies.jsonl",
        {"for": "reviewer/1", "reply": words("reviewed")},
        {"for": "coder/1", "turn": 1, "reply": words("second")},
        {"for": "coder/1", "reply": words("first")},
    )
    first = model.reply(request())
    turns = (*request().turns, first.as_turn(), Turn.of_user("Go on."))
    second = model.reply(request().model_copy(update={"turns": turns}))
    assert [first.text, second.text] == ["first", "second"]
    assert (model.origin, second.origin) == (Origin.SCRIPTED, Origin.SCRIPTED)


def test_a_reply_that_nobody_wrote_is_not_made_up(tmp_path: Path) -> None:
    model = scripted(tmp_path / "replies.jsonl", {"for": "coder/1", "reply": words("only one")})
    model.reply(request())
    with pytest.raises(RepliesUnusable, match="no reply is left for `coder/1`, turn 0"):
        model.reply(request())


def test_recorded_replies_do_not_go_among_scripted_ones(tmp_path: Path) -> None:
    scripted(tmp_path / "replies.jsonl")
    with pytest.raises(RepliesUnusable, match="scripted"):
        RecordingModel(MessagesApi().client(), tmp_path / "replies.jsonl", Redactor())


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{}\n",
        '{"format": "askfirst-replies", "kind": "model"}\n',
        SCRIPTED + '{"for": "x"}\n',
        SCRIPTED + "{\n",
    ],
)
def test_a_file_that_is_none_is_refused_with_a_line_to_copy(tmp_path: Path, content: str) -> None:
    (tmp_path / "replies.jsonl").write_text(content)
    with pytest.raises(RepliesUnusable, match='"kind": "scripted"'):
        ReplayModel(tmp_path / "replies.jsonl")


def test_a_recorded_reply_without_a_digest_is_refused(tmp_path: Path) -> None:
    lines = SCRIPTED.replace("scripted", "recorded") + json.dumps({"for": "coder/1", "reply": words("x")})
    (tmp_path / "replies.jsonl").write_text(lines)
    with pytest.raises(RepliesUnusable, match="no digest"):
        ReplayModel(tmp_path / "replies.jsonl")
