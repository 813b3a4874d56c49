"""`askfirst-app parse-reply`, as a process."""

import json
import subprocess
import sys

import pytest

from tests.github_app.conversation.questions import two_routes

pytestmark = pytest.mark.process

PROGRAM = [sys.executable, "-c", "from github_app.cli import main; main()", "parse-reply", "--question"]


@pytest.fixture
def question(tmp_path):
    path = tmp_path / "clarification.json"
    path.write_text(two_routes().model_dump_json(), encoding="utf-8")
    return path


def test_it_prints_one_json_document(question):
    done = subprocess.run([*PROGRAM, str(question)], input="b) please", capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {
        "kind": "choice",
        "choice": "route:POST /actions/stream",
        "note": "please",
    }


def test_it_reads_bytes_that_are_no_text(question):
    done = subprocess.run([*PROGRAM, str(question)], input=b"\xff\xfe2", capture_output=True)
    assert json.loads(done.stdout)["kind"] == "unclear"


def test_a_file_that_is_no_question_is_a_usage_error(tmp_path):
    path = tmp_path / "other.json"
    path.write_text('{"kind": "Ticket"}', encoding="utf-8")
    done = subprocess.run([*PROGRAM, str(path)], input="2", capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (64, "")
    assert "is no clarification.json: kind" in done.stderr
