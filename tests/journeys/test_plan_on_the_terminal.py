"""`plan: ask` on the terminal and in `answers.json`: a person sees the plan, and what they decide is in the ticket."""

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from tests.journeys.conftest import CHECK, Run, make_repository
from tests.journeys.scripts import ADDS_DRY_RUN, answered, completes, planned, point, write_script

TICKET = "# Add a dry_run flag to POST /actions/stream\n\nPlease add a `dry_run` flag.\n"
WHO = point(
    "interface",
    question="Who may ask?",
    options=[
        {"label": "Everybody", "effect": "As for the action."},
        {"label": "Admins \x1b[2J", "effect": "Others get 403."},
    ],
    taken=1,
)
PLAN = planned(None, open_points=[point("edge_case"), WHO])


@pytest.fixture
def careful(tmp_path: Path) -> Path:
    """A repository whose maintainers want to see each plan."""
    configuration = "test_command: python3 check.py\nplan: ask\n"
    files = {"check.py": CHECK, ".github/askfirst/config.yml": configuration}
    return make_repository("parcels_flask", tmp_path / "careful", more=files)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return write_script(tmp_path / "s.jsonl", {}, {"reading": ADDS_DRY_RUN, "plans/1": PLAN})


def test_the_plan_is_printed_and_one_point_is_changed(careful: Path, askfirst: Run, script: Path) -> None:
    ended = askfirst(careful, TICKET, "--replay", script, "--ask", stdin="2\n2a\n")
    assert ended.exit_code == 0, ended.stderr
    _, _, shown = ended.stderr.partition("Is this the right plan?")
    assert shown.partition("and nothing was started.")[0] == snapshot("""\


  A person sees each plan before anything is built: `plan: ask` in .github/askfirst/config.yml.

  Add the flag.
  - parcels/actions.py: Take the flag.

  a. Who may ask?
     1a  Everybody  (as planned)
         As for the action.
     2a  Admins \\x1b[2J
         Others get 403.

  b. What does a dry run answer?
     1b  202
         The caller gets 202, and nothing is queued.
     2b  A list  (as planned)
         The caller gets 200 with a list of what would be done.
Reply go for the plan as it stands, 2a to change a point (several: 2a, 1b), or /answer and one sentence, or /cancel to stop: “2” is no option of the plan, \
""")
    assert "\x1b" not in ended.stderr + ended.stdout
    assert ended.stages()["plans"] == "reused"
    assert "decided    Who may ask? Admins" in ended.stdout
    plan = ended.document("ticket.json")["plan"]
    assert [(decision["text"], decision["label"]) for decision in plan["decisions"]] == snapshot(
        [("Who may ask?", "Admins \\x1b[2J"), ("What does a dry run answer?", "A list")]
    )


def test_points_of_answers_json_are_decisions_with_who(
    careful: Path, askfirst: Run, script: Path, tmp_path: Path
) -> None:
    ended = askfirst(careful, TICKET, "--replay", script)
    assert ended.exit_code == 2
    question = ended.document("clarification.json")
    assert (question["stage"], question["question"]["slot"]) == ("plans", "plan")
    answers = answered(question, tmp_path / "answers.json", points={"b": "1"})
    ended = askfirst(careful, TICKET, "--replay", script, "--answers", answers, resume=ended.directory)
    assert ended.exit_code == 0, ended.stderr
    ticket = ended.document("ticket.json")
    assert [(decision["label"], decision["decided_by"]) for decision in ticket["plan"]["decisions"]] == [
        ("Everybody", "octocat"),
        ("202", "octocat"),
    ]
    assert ticket["assumptions"] == snapshot(
        ["octocat decided “202” and the plan was made for “A list”: the decision goes before the plan."]
    )


def test_an_option_that_the_plan_does_not_have_is_a_failure_that_says_what_it_has(
    careful: Path, askfirst: Run, script: Path, tmp_path: Path
) -> None:
    ended = askfirst(careful, TICKET, "--replay", script)
    answers = answered(ended.document("clarification.json"), tmp_path / "answers.json", points={"b": "9"})
    ended = askfirst(careful, TICKET, "--replay", script, "--answers", answers, resume=ended.directory)
    assert ended.exit_code == 1
    assert "the plan has a: 1, 2; b: 1, 2." in ended.document("failure.json")["why"]


def test_without_a_model_there_is_no_plan_to_ask_about(careful: Path, askfirst: Run) -> None:
    assert askfirst(careful, TICKET).exit_code == 0


def test_nothing_is_built_from_replies_that_hold_no_plan(
    careful: Path, askfirst: Run, tmp_path: Path
) -> None:
    script = write_script(tmp_path / "c.jsonl", {"coder/1": [[completes()]]})
    ended = askfirst(careful, TICKET, "--replay", script, "--definition", "build")
    assert ended.exit_code == 1
    assert ended.document("failure.json")["message"] == snapshot(
        "`plan: ask` in .github/askfirst/config.yml needs a plan, and the file of replies has none."
    )


def test_what_was_decided_about_an_earlier_plan_holds_for_the_plan_of_a_later_run(
    quick: Path, askfirst: Run, script: Path, tmp_path: Path
) -> None:
    """As when a pull request is changed again: the code is explored anew, and nobody is asked about the plan again."""
    earlier = {"question": {"id": "q-earlier", "slot": "plan"}}
    told = {"points": {"a": "2"}, "label": "Who may ask? Admins."}
    answers = answered(earlier, tmp_path / "answers.json", **told)
    ended = askfirst(quick, TICKET, "--replay", script, "--answers", answers)
    assert ended.exit_code == 0, ended.stderr
    assert ended.document("ticket.json")["acceptance_criteria"][0] == (
        "What octocat decided about the plan before this one holds: Who may ask? Admins."
    )
