"""Replies to single questions are kept: a process that comes after a killed one asks only what is new."""

from pathlib import Path

import pytest
from pydantic import TypeAdapter

from pipeline.llm.caching_model import CachingModel
from pipeline.llm.failures import ModelOverloaded
from pipeline.llm.replay import Entry
from pipeline.run_record.line_file import LineFile
from pipeline.run_record.redaction import Redactor
from tests.pipeline.llm.messages_api import request
from tests.pipeline.llm.scripted_model import ScriptedModel

SECRET = "hunter2-hunter2-hunter2"


def kept(path: Path, model: ScriptedModel, *secrets: str) -> CachingModel:
    redactor = Redactor(secrets)
    return CachingModel(model, LineFile(path, TypeAdapter(Entry), redactor), redactor)


def test_a_question_that_was_answered_is_not_asked_again_and_costs_what_it_cost(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    first = ScriptedModel(coder__1="a flag")
    said = kept(path, first).reply(request())
    second = ScriptedModel(coder__1="another flag")
    again = kept(path, second).reply(request())
    assert (again.text, again.usage) == (said.text, said.usage) == ("a flag", said.usage)
    assert (len(first.asked), len(second.asked)) == (1, 0)


def test_another_question_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    kept(path, ScriptedModel(coder__1="a flag")).reply(request())
    changed = ScriptedModel(coder__1="a filter")
    assert (
        kept(path, changed).reply(request(max_tokens=9)).text == "a flag"
    )  # how long it may be is no question
    other = request().model_copy(update={"system": "You review code."})
    assert kept(path, changed).reply(other).text == "a filter"


def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    with pytest.raises(ModelOverloaded):
        kept(path, ScriptedModel(coder__1=ModelOverloaded("no capacity"))).reply(request())
    assert kept(path, ScriptedModel(coder__1="a flag")).reply(request()).text == "a flag"


def test_a_torn_last_line_is_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    kept(path, ScriptedModel(coder__1="a flag")).reply(request())
    path.write_bytes(path.read_bytes()[:-5])
    assert kept(path, ScriptedModel(coder__1="a filter")).reply(request()).text == "a filter"


def test_a_reply_that_holds_a_secret_is_given_and_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    assert kept(path, ScriptedModel(coder__1=f"use {SECRET}"), SECRET).reply(request()).text.endswith(SECRET)
    assert not path.exists()
