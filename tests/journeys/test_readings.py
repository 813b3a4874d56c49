"""A run with a model: explorers read the code and plan, what they leave open is asked or assumed, and it is paid once."""

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
from tests.journeys.forked import Forked
from tests.journeys.messages_server import KEY, messages_api, start_run
from tests.journeys.scripts import ADDS_DRY_RUN, READS_NOTHING, Call, planned, point, reads, write_script

TICKET = "# Add a dry_run flag to POST /actions/stream\n\nPlease add a `dry_run` flag.\n"
VAGUE = "# Say it in nicer words\n\nCustomers find the texts hard to read.\n"
OPEN = planned(None, open_points=[point()])
ASKING = {"reading": ADDS_DRY_RUN, "plans/1": OPEN, "plans/2": planned(None)}


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


def test_what_a_plan_leaves_open_is_one_question_that_says_what_each_option_would_do(
    quick: Path, askfirst: Run, tmp_path: Path
) -> None:
    script = write_script(tmp_path / "s.jsonl", {}, ASKING)
    ended = askfirst(quick, TICKET, "--replay", script)
    assert ended.exit_code == 2, ended.stderr
    asked = ended.document("clarification.json")
    assert (asked["kind"], asked["stage"]) == ("ClarificationNeeded", "semantics")
    assert asked["question"]["options"] == snapshot(
        [
            {
                "id": "option-2",
                "label": "A list",
                "effect": "The caller gets 200 with a list of what would be done.",
                "needs_text": False,
            },
            {
                "id": "option-1",
                "label": "202",
                "effect": "The caller gets 202, and nothing is queued.",
                "needs_text": False,
            },
        ]
    )
    assert asked["question"]["default"] == "option-2"
    assert asked["question"]["asked_of"] == "maintainer"
    assert Clarification.model_validate(asked).has_its_own_id()
    assert ended.document("run.json")["model"] == "claude-sonnet-5-5 (scripted replies)"
    assert ended.stdout == snapshot("""\

What does a dry run answer?

  The ticket leaves a public name or shape open, and others will depend on it.

  1. A list  (default)
     The caller gets 200 with a list of what would be done.
  2. 202
     The caller gets 202, and nothing is queued.

  Why the default: The plan would build “A list”.

  The plan that it belongs to:
  Add the flag.
  - parcels/actions.py: Take the flag.
""")


def test_an_option_goes_into_the_ticket_and_nobody_explores_again(
    quick: Path, askfirst: Run, tmp_path: Path
) -> None:
    script = write_script(tmp_path / "s.jsonl", {}, ASKING)
    ended = askfirst(quick, TICKET, "--replay", script)
    answers = answer_to(ended, tmp_path / "answers.json", choice="option-1")
    ended = askfirst(quick, TICKET, "--replay", script, "--answers", answers, resume=ended.directory)
    assert ended.exit_code == 0, ended.stderr
    assert ended.stages()["plans"] == "reused"
    ticket = ended.document("ticket.json")
    assert [target["id"] for target in ticket["targets"]] == ["route:POST /actions/stream"]
    assert ticket["acceptance_criteria"][0] == snapshot(
        "octocat decided: 202. The caller gets 202, and nothing is queued. (The question: What does a dry run answer?)"
    )
    assert ticket["plan"] == snapshot(
        {
            "summary": "Add the flag.",
            "changes": [
                {
                    "path": "parcels/actions.py",
                    "what": "Take the flag.",
                    "entry": "route:POST /actions/stream",
                    "is_new": False,
                }
            ],
            "effects": [],
            "left_out": [],
            "read": [],
            "decisions": [
                {
                    "text": "What does a dry run answer?",
                    "label": "202",
                    "effect": "The caller gets 202, and nothing is queued.",
                    "instead_of": ["A list"],
                    "decided_by": "octocat",
                    "overrules_plan": True,
                    "changes": [],
                }
            ],
        }
    )


def test_an_answer_in_words_has_the_code_explored_again_with_these_words(
    quick: Path, askfirst: Run, tmp_path: Path
) -> None:
    script = write_script(tmp_path / "s.jsonl", {}, ASKING)
    ended = askfirst(quick, TICKET, "--replay", script)
    answers = answer_to(ended, tmp_path / "answers.json", text="Answer 204.")
    again = write_script(tmp_path / "again.jsonl", {}, {"plans/1": OPEN, "plans/2": planned(None)})
    ended = askfirst(quick, TICKET, "--replay", again, "--answers", answers, resume=ended.directory)
    assert ended.exit_code == 0, ended.stderr
    assert ended.stages()["plans"] == "done"
    ticket = ended.document("ticket.json")
    assert ticket["assumptions"] == snapshot(
        [
            "The issue was read without a model: only what is written was understood.",
            "A person answered: “Answer 204.”",
            "What does a dry run answer? A list, instead of: 202.",
        ]
    )


def test_a_vague_ticket_gets_the_targets_that_its_plan_found(
    quick: Path, askfirst: Run, tmp_path: Path
) -> None:
    forms = {"reading": {**READS_NOTHING, "kind_quote": "Say"}, "plans/1": planned(None)}
    ended = askfirst(quick, VAGUE, "--replay", write_script(tmp_path / "s.jsonl", {}, forms))
    assert ended.exit_code == 0, ended.stderr
    ticket = ended.document("ticket.json")
    assert (ticket["confidence"], ticket["ready"]) == ("planned", True)
    assert [target["id"] for target in ticket["targets"]] == ["route:POST /actions/stream"]
    assert ticket["selected_because"] == snapshot("Add the flag.")


def test_without_a_model_nothing_is_planned_and_the_journal_says_why(quick: Path, askfirst: Run) -> None:
    ended = askfirst(quick, TICKET)
    assert ended.exit_code == 0, ended.stderr
    skipped = {
        event["stage"]: event["reason"] for event in journal(ended) if event["event"] == "stage_skipped"
    }
    assert skipped == snapshot(
        {
            "plans": "no model is configured: set ANTHROPIC_API_KEY or ASKFIRST_PROVIDER, or use --replay FILE",
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
    nowhere = [{"path": "parcels/actions.py", "entry": "route:DELETE /everything", "what": "Drop it."}]
    forms = {"reading": made_up, "plans/1": planned(None, changes=nowhere)}
    ended = askfirst(
        quick, TICKET + "<!-- a force flag -->\n", "--replay", write_script(tmp_path / "s.jsonl", {}, forms)
    )
    assert ended.exit_code == 0, ended.stderr
    assert notes(ended)[1:] == snapshot(
        [
            "Left out of the issue: 1 hidden piece.",
            "Dropped: name “force”: the issue does not say “a force flag”",
            "Plan 1, left out: “route:DELETE /everything”, which parcels/actions.py does not have",
        ]
    )


def test_an_explorer_reads_ranks_and_looks_into_the_history_and_writes_nothing(
    quick: Path, askfirst: Run, tmp_path: Path
) -> None:
    looks: list[Call] = [
        ("find_places", {"words": "dry run of parcels"}),
        ("history", {"file": "parcels/bulk.py"}),
        ("read_file", {"path": "parcels/bulk.py", "start": 1, "lines": 5}),
        ("edit_file", {"path": "parcels/bulk.py", "old": "import", "new": "export"}),
    ]
    turns = {"plans/1": [looks, [("complete", planned(None))]]}
    ended = askfirst(
        quick, TICKET, "--replay", write_script(tmp_path / "s.jsonl", turns, {"reading": ADDS_DRY_RUN})
    )
    assert ended.exit_code == 0, ended.stderr
    lines = (ended.directory / "transcripts" / "plans-1.jsonl").read_text().splitlines()
    results = {
        entry["call"]["name"]: entry["result"]["content"]
        for entry in map(json.loads, lines)
        if entry["event"] == "done"
    }
    assert "parcels/bulk.py" in results["find_places"]
    assert "Start" in results["history"]
    assert results["edit_file"] == snapshot(
        "denied by the gate (no rule): `edit_file` is not among this agent's tools"
    )
    assert ended.document("ticket.json")["plan"]["read"] == snapshot(
        [{"path": "parcels/bulk.py", "start_line": 1, "end_line": 5}]
    )


@pytest.mark.kill
def test_an_explorer_that_is_killed_at_every_turn_pays_for_none_twice(quick: Path, tmp_path: Path) -> None:
    looks: list[list[Call]] = [[reads("parcels/bulk.py")], [("find_places", {"words": "dry run"})]]
    quoting = planned(None, open_points=[point("edge_case", words="a `dry_run` flag", would_ask=True)])
    turns = {"plans": [*looks, [("complete", quoting)]]}
    forms = {"reading": [ADDS_DRY_RUN], "check": [{"excluded": [], "same": []}]}
    with messages_api(turns, forms) as server:
        running: list[Forked] = []

        def kill_at_odd_times(asked: str) -> None:
            if len(server.asked) % 2:
                os.kill(running[-1].pid, signal.SIGKILL)
                running[-1].wait()

        server.before = kill_at_odd_times
        for _ in range(10):
            running.append(start_run(quick, TICKET, tmp_path, server))
            said = str(running[-1].communicate())
            if running[-1].returncode != -signal.SIGKILL:
                break
        assert running[-1].returncode == 2, said
        # Each question once when it was killed, and once when it was answered.
        assert Counter(server.asked) == {
            "reading": 2,
            **{f"plans turn {turn}": 2 for turn in range(3)},
            "check": 2,
        }
        plans = json.loads((tmp_path / "run" / "stages" / "plans" / "output.json").read_text())["output"]
        # Three replies of 100 and 20 tokens, at 2 and 10 dollars a million, those of processes that died among them.
        assert [plan["dollars"] for plan in plans["plans"]] == pytest.approx([3 * 4e-4])

        # The next run is on another disk, with the results of stages and nothing else, and with an answer.
        ended = Ended(2, "", "", tmp_path / "run")
        later = tmp_path / "later"
        shutil.copytree(tmp_path / "run" / "stages", later / "memo")
        answers = answer_to(ended, later / "answers.json", choice="option-1")
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
        assert len(server.asked) == 10


def test_a_provider_that_cannot_be_reached_leaves_the_reading_by_rule_and_the_ticket_says_so(
    quick: Path, askfirst: Run
) -> None:
    nobody = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}
    ended = askfirst(quick, TICKET, **nobody)
    assert ended.exit_code == 0, ended.stderr
    assert ended.document("ticket.json")["assumptions"] == snapshot(
        [
            "No model read the issue, so rules did: the provider cannot be reached at http://127.0.0.1:9 ([Errno 111] Connection refused).",
            "There is no plan: the provider cannot be reached at http://127.0.0.1:9 ([Errno 111] Connection refused).",
        ]
    )


def test_a_model_reads_which_routes_an_issue_leaves_open_and_the_reply_goes_on_with_one(
    quick: Path, askfirst: Run, tmp_path: Path
) -> None:
    ticket = "# Nobody sees why\n\nWho has parcels moved in bulk should be able to leave a word on why.\n"
    means = {
        "changes_request": True,
        "routes": [1, 2],
        "for_each": False,
        "exists": 0,
        "new_thing": "a word on why",
        "quote": "has parcels moved in bulk",
    }
    script = write_script(
        tmp_path / "s.jsonl", {}, {"reading": READS_NOTHING, "decomposition": means, "plans/1": planned(None)}
    )
    ended = askfirst(quick, ticket, "--replay", script)
    assert ended.exit_code == 2, ended.stderr
    question = ended.document("clarification.json")
    assert (question["stage"], question["question"]["slot"]) == ("decomposition", "entry_route")
    assert question["question"]["text"] == "Which route should get a word on why?"
    assert question["question"]["quotes"] == ["has parcels moved in bulk"]
    answers = answer_to(ended, tmp_path / "answers.json", choice=question["candidates"][0]["id"])
    done = askfirst(quick, ticket, "--replay", script, "--answers", str(answers))
    assert done.exit_code == 0, done.stderr
    assert done.document("ticket.json")["answers"][0]["choice"] == question["candidates"][0]["id"]
