"""A run with a model: it reads the ticket, plans it from the same text, asks where the plans differ, and pays once."""

import json
import os
import shutil
import signal
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from pipeline.contract.clarification import Clarification
from tests.journeys.commands import SCRIPT
from tests.journeys.conftest import Ended, Run, scrubbed
from tests.journeys.messages_server import KEY, messages_api, start_run
from tests.journeys.scripts import ADDS_DRY_RUN, planned, write_script

TICKET = "# Add a dry_run flag to POST /actions/stream\n\nPlease add a `dry_run` flag.\n"
ACCEPTED, REFUSED = planned(202, summary="Accept it, and do nothing."), planned(409, summary="Refuse it.")
DIFFERING = {"reading": ADDS_DRY_RUN, "plans/1": ACCEPTED, "plans/2": REFUSED, "plans/3": REFUSED}


def journal(ended: Ended) -> list[dict[str, Any]]:
    lines = (ended.directory / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def notes(ended: Ended) -> list[str]:
    return [event["text"] for event in journal(ended) if event["event"] == "note"]


def answer_to(ended: Ended, path: Path, **said: str) -> Path:
    question = ended.document("clarification.json")["question"]
    given = {"question_id": question["id"], "slot": question["slot"], "answered_by": "octocat", **said}
    path.write_text(json.dumps({"version": 1, "answers": [given]}), encoding="utf-8")
    return path


def test_plans_that_differ_end_in_one_question_with_both_readings(
    quick: Path, askfirst: Run, tmp_path: Path
) -> None:
    script = write_script(tmp_path / "s.jsonl", {}, DIFFERING)
    ended = askfirst(quick, TICKET, "--replay", script)
    assert ended.exit_code == 2, ended.stderr
    asked = ended.document("clarification.json")
    assert (asked["kind"], asked["stage"]) == ("ClarificationNeeded", "semantics")
    assert [one["label"] for one in asked["candidates"]] == snapshot(
        ["POST /actions/stream: status 409", "POST /actions/stream: status 202"]
    )
    assert asked["question"]["default"] == asked["candidates"][0]["id"]
    assert asked["question"]["probe"] == snapshot(
        {"policy": "balanced", "k": 3, "groups": [[1], [2, 3]], "slots": ["effects"], "fired": []}
    )
    assert Clarification.model_validate(asked).has_its_own_id()
    assert ended.document("run.json")["model"] == "claude-sonnet-5-5 (scripted replies)"


def test_the_answer_goes_into_the_ticket_and_the_same_plans_are_compared(
    quick: Path, askfirst: Run, tmp_path: Path
) -> None:
    script = write_script(tmp_path / "s.jsonl", {}, DIFFERING)
    ended = askfirst(quick, TICKET, "--replay", script)
    chosen = ended.document("clarification.json")["candidates"][1]["id"]
    answers = answer_to(ended, tmp_path / "answers.json", choice=chosen)
    ended = askfirst(quick, TICKET, "--replay", script, "--answers", answers, resume=ended.directory)
    assert ended.exit_code == 0, ended.stderr
    assert ended.stages()["plans"] == "reused"
    ticket = ended.document("ticket.json")
    assert [target["id"] for target in ticket["targets"]] == ["route:POST /actions/stream"]
    assert [answer["choice"] for answer in ticket["answers"]] == [chosen]
    assert ticket["assumptions"] == snapshot(
        [
            "Of 3 plans by a model: operation: add; target: POST /actions/stream; effects: POST /actions/stream: status 202. octocat chose this reading."
        ]
    )


def test_an_answer_beside_the_readings_leaves_the_ticket_without_targets(
    quick: Path, askfirst: Run, tmp_path: Path
) -> None:
    script = write_script(tmp_path / "s.jsonl", {}, DIFFERING)
    ended = askfirst(quick, TICKET, "--replay", script)
    answers = answer_to(ended, tmp_path / "answers.json", text="Ask the depot first.")
    ended = askfirst(quick, TICKET, "--replay", script, "--answers", answers, resume=ended.directory)
    assert ended.exit_code == 0, ended.stderr
    ticket = ended.document("ticket.json")
    assert (ticket["targets"], ticket["ready"]) == ("unknown", False)
    assert "A person answered: “Ask the depot first.”" in ticket["assumptions"]


def test_without_a_model_nothing_is_planned_and_the_journal_says_why(quick: Path, askfirst: Run) -> None:
    ended = askfirst(quick, TICKET)
    assert ended.exit_code == 0, ended.stderr
    skipped = {
        event["stage"]: event["reason"] for event in journal(ended) if event["event"] == "stage_skipped"
    }
    assert skipped == snapshot(
        {
            "plans": "its condition does not hold: there is a language model: ANTHROPIC_API_KEY, or --replay FILE",
            "semantics": "it needs 'plans', which was skipped",
        }
    )


def test_a_file_of_replies_for_the_coder_alone_leaves_reading_and_planning_as_without_a_model(
    quick: Path, askfirst: Run, tmp_path: Path
) -> None:
    ended = askfirst(quick, TICKET, "--replay", write_script(tmp_path / "s.jsonl", {"coder/1": []}))
    assert ended.exit_code == 0, ended.stderr
    assert "plans" not in ended.stages()
    assert any("read without a model" in one for one in ended.document("ticket.json")["assumptions"])


def test_what_the_ticket_does_not_say_and_the_code_does_not_have_is_dropped_and_journaled(
    quick: Path, askfirst: Run, tmp_path: Path
) -> None:
    made_up = {**ADDS_DRY_RUN, "things_named": [{"name": "force", "quote": "a force flag"}]}
    nowhere = planned(None, "route:DELETE /everything")
    forms = {"reading": made_up, "plans/1": nowhere, "plans/2": planned(None), "plans/3": planned(None)}
    ended = askfirst(
        quick, TICKET + "<!-- a force flag -->\n", "--replay", write_script(tmp_path / "s.jsonl", {}, forms)
    )
    assert ended.exit_code == 0, ended.stderr
    assert notes(ended)[1:] == snapshot(
        [
            "Left out of the issue: 1 hidden piece.",
            "Dropped: name “force”: the issue does not say “a force flag”",
            "Plan 1 was dropped: it names “route:DELETE /everything”, which the code does not have",
        ]
    )


@pytest.mark.kill
def test_a_run_that_is_killed_at_every_question_pays_for_none_twice_and_neither_does_one_with_an_answer(
    quick: Path, tmp_path: Path
) -> None:
    forms = {"reading": [ADDS_DRY_RUN], "plans": [ACCEPTED, ACCEPTED, REFUSED, REFUSED, REFUSED]}
    with messages_api({}, forms) as server:
        running: list[subprocess.Popen[bytes]] = []

        def kill_at_odd_times(asked: str) -> None:
            if server.asked.count(asked) % 2:
                os.kill(running[-1].pid, signal.SIGKILL)
                running[-1].wait()

        server.before = kill_at_odd_times
        for _ in range(8):
            running.append(start_run(quick, TICKET, tmp_path, server))
            said = running[-1].communicate(timeout=120)[0].decode()
            if running[-1].returncode != -signal.SIGKILL:
                break
        assert running[-1].returncode == 2, said
        # Once when it was killed, and once when it was answered: the reading and three plans are paid.
        assert Counter(server.asked) == {"reading": 2, "plans": 6}
        ended = Ended(2, "", "", tmp_path / "run")
        dollars = {
            event["stage"]: event["dollars"]
            for event in journal(ended)
            if event["event"] == "stage_finished" and event.get("dollars") is not None
        }
        # 100 and 20 tokens a reply, at 2 and 10 dollars a million, those of processes that died among them.
        assert dollars == pytest.approx({"reading": 4e-4, "plans": 3 * 4e-4})

        # The next run is on another disk, with the results of stages and nothing else, and with an answer.
        later = tmp_path / "later"
        shutil.copytree(tmp_path / "run" / "stages", later / "memo")
        chosen = ended.document("clarification.json")["candidates"][1]["id"]
        answers = answer_to(ended, later / "answers.json", choice=chosen)
        environment = scrubbed(
            HOME=str(later), ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=server.url, XDG_CACHE_HOME=str(later)
        )
        given: list[str | Path] = [
            "--repository",
            quick,
            "--issue",
            tmp_path / "ticket.md",
            "--answers",
            answers,
        ]
        done = subprocess.run(
            [SCRIPT, "run", *given, "--resume", later / "memo"],
            env=environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        assert Counter(server.asked) == {"reading": 2, "plans": 6}
    # The plans are asked for with the same words, and read from the cache; the reading is asked for once.
    kept = ["cache_control" in body for body in server.bodies]
    assert kept == [asked == "plans" for asked in server.asked]


def test_a_provider_that_cannot_be_reached_leaves_the_reading_by_rule_and_the_ticket_says_so(
    quick: Path, askfirst: Run
) -> None:
    nobody = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}
    ended = askfirst(quick, TICKET, **nobody)
    assert ended.exit_code == 0, ended.stderr
    assert ended.document("ticket.json")["assumptions"] == snapshot(
        [
            "The issue was read by rules, because of ModelUnreachable: the provider cannot be reached",
            "Readings were not compared: ModelUnreachable: the provider cannot be reached.",
        ]
    )
