"""Files of lines that only grow: whole lines survive a kill, secrets never arrive, and nothing else is taken for a line."""

from pathlib import Path

import pytest
from pydantic import BaseModel, TypeAdapter

from pipeline.domain.errors import RunDirectoryUnusable
from pipeline.run_record.line_file import LineFile
from pipeline.run_record.redaction import Redactor


class Said(BaseModel):
    words: str


def lines(path: Path, *secrets: str) -> LineFile[Said]:
    return LineFile(path, TypeAdapter(Said), Redactor(secrets))


def test_what_is_appended_is_read_by_the_next_process(tmp_path: Path) -> None:
    path = tmp_path / "transcripts" / "coder-1.jsonl"
    assert lines(path).read() == ()
    lines(path).append(Said(words="a\nb"))
    lines(path).append(Said(words="é"))
    assert [said.words for said in lines(path).read()] == ["a\nb", "é"]


def test_a_line_that_a_kill_tore_is_left_out_and_written_over(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    lines(path).append(Said(words="whole"))
    with path.open("ab") as file:
        file.write(b'{"words":"to')
    assert [said.words for said in lines(path).read()] == ["whole"]
    lines(path).append(Said(words="next"))
    assert path.read_text() == '{"words":"whole"}\n{"words":"next"}\n'


def test_a_secret_is_written_redacted(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    lines(path, "hunter2-hunter2-hunter2").append(Said(words="key: hunter2-hunter2-hunter2"))
    assert [said.words for said in lines(path).read()] == ["key: [redacted]"]


def test_a_damaged_line_in_the_middle_is_told_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text('{"words":"a"}\n{"word":"b"}\n{"words":"c"}\n')
    with pytest.raises(RunDirectoryUnusable, match="line 2"):
        lines(path).read()


def test_a_place_that_cannot_be_written_is_a_typed_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunDirectoryUnusable):
        lines(tmp_path / "file" / "lines.jsonl").append(Said(words="a"))
