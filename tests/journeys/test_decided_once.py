"""An answer that was kept: the same question is not asked again, and the ticket says where it was decided."""

import json
import subprocess
from pathlib import Path
from typing import Any

from inline_snapshot import snapshot

from tests.journeys.commands import SCRIPT
from tests.journeys.conftest import Run, scrubbed

FIRST = "# Add a dry_run flag to the bulk action\n\nPlease add a `dry_run` flag: nothing is written.\n"
LATER = (
    "# Let support skip the mail\n\n`process_item` should take an optional `no_mail` flag with the request.\n"
)
REMOVAL = "# Drop the mail of the bulk action\n\n`process_item` takes `notify` with the request. Drop it.\n"
NAMED = "# Let support skip the mail\n\nPOST /actions should take an optional `no_mail` flag.\n"


def decide(repository: Path, question: Path, choice: str, *options: str) -> subprocess.CompletedProcess[str]:
    given: list[str | Path] = [
        choice,
        "--question",
        question,
        "--repository",
        repository,
        "--by",
        "octocat",
        *options,
    ]
    return subprocess.run(
        [SCRIPT, "decide", *given], env=scrubbed(HOME=str(repository.parent)), capture_output=True, text=True
    )


def targets(ticket: Any) -> list[str]:
    return [one["label"] for one in ticket["targets"]]


def test_in_a_folder_of_the_checkout_every_command_is_about_the_whole_repository(
    orders: Path, askfirst: Run
) -> None:
    first = askfirst(orders / "app", FIRST)
    assert first.exit_code == 2
    assert f"note: app/ is a folder of {orders}, which is the repository." in first.stderr
    assert f"--repository {orders} " in first.stderr, "the command to copy names the top"
    done = decide(orders / "app", first.directory, "2", "--issue", "123")
    assert done.returncode == 0
    assert not (orders / "app" / ".github").exists()
    ended = askfirst(orders / "app", LATER)
    assert targets(ended.document("ticket.json")) == ["POST /actions/stream"]


def test_the_same_question_is_asked_once_whatever_the_tickets_say(orders: Path, askfirst: Run) -> None:
    first = askfirst(orders, FIRST)
    other = askfirst(orders, LATER)
    assert (first.exit_code, other.exit_code) == (2, 2)

    done = decide(orders, first.directory, "2", "--issue", "123")

    assert done.returncode == 0
    assert done.stdout.replace(today(done.stdout), "DATE").replace(str(orders), "DIR") == snapshot("""\
Where a ticket of the kind `add` leaves open POST /actions or POST /actions/stream, it means POST /actions/stream, as decided in #123 by octocat on DATE.
Until it is committed, only runs in this checkout know it.
Commit it to the base branch: git -C DIR add .github/askfirst/decisions.yml && git -C DIR commit -m 'Keep a decision'
""")
    for ticket in (FIRST, LATER):
        ended = askfirst(orders, ticket)
        assert ended.exit_code == 0
        found = ended.document("ticket.json")
        assert targets(found) == ["POST /actions/stream"]
        assert "as decided in #123 by octocat" in found["decisions"][0]
        assert "as decided in #123 by octocat" in found["selected_because"]


def test_another_kind_of_wish_between_the_same_things_is_asked(orders: Path, askfirst: Run) -> None:
    decide(orders, askfirst(orders, FIRST).directory, "2", "--issue", "123")
    ended = askfirst(orders, REMOVAL)
    assert ended.exit_code == 2
    question = ended.document("clarification.json")
    assert question["question"]["wish"] == "change"
    assert "which does not answer this: it was decided for another kind of wish." in question["reason"]


def test_where_a_decision_was_used_stands_how_to_undo_it(orders: Path, askfirst: Run) -> None:
    decide(orders, askfirst(orders, FIRST).directory, "2", "--issue", "123")
    [used] = askfirst(orders, LATER).document("ticket.json")["decisions"]
    assert used.endswith("To be asked again, remove the entry from .github/askfirst/decisions.yml.")


def test_the_words_of_a_ticket_go_before_a_decision(orders: Path, askfirst: Run) -> None:
    decide(orders, askfirst(orders, FIRST).directory, "2")
    ticket = askfirst(orders, NAMED).document("ticket.json")
    assert (targets(ticket), ticket["decisions"]) == (["POST /actions"], [])


def test_an_answer_to_this_ticket_goes_before_a_decision(orders: Path, askfirst: Run, tmp_path: Path) -> None:
    asked = askfirst(orders, FIRST)
    decide(orders, asked.directory, "2")
    question = asked.document("clarification.json")["question"]
    answer = {"question_id": question["id"], "slot": question["slot"], "choice": "route:POST /actions"}
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps({"answers": [answer]}), encoding="utf-8")
    ticket = askfirst(orders, FIRST, "--answers", answers).document("ticket.json")
    assert (targets(ticket), ticket["decisions"]) == (["POST /actions"], [])


def test_a_decision_for_a_route_that_is_gone_is_not_honoured_and_that_is_said(
    orders: Path, askfirst: Run
) -> None:
    decide(orders, askfirst(orders, FIRST).directory, "2", "--issue", "123")
    decisions = orders / ".github/askfirst/decisions.yml"
    decisions.write_text(
        decisions.read_text(encoding="utf-8")
        .replace(
            "    - route:POST /actions/stream\n", "    - route:POST /actions/stream\n    - route:POST /old\n"
        )
        .replace("choice: route:POST /actions/stream", "choice: route:POST /old"),
        encoding="utf-8",
    )
    ended = askfirst(orders, FIRST)
    assert ended.exit_code == 2
    reason = ended.document("clarification.json")["reason"]
    assert reason.replace(today(reason), "DATE") == snapshot(
        "2 routes reach the chain leaf 'process_item' with matching body schemas: POST /actions (3 fields), POST /actions/stream (3 fields). Prose did not name which. route:POST /old was decided in #123 by octocat on DATE, which does not answer this: what it chose is not among the candidates any more."
    )


def test_a_file_with_mistakes_ends_the_run_before_anything_is_decided(orders: Path, askfirst: Run) -> None:
    (orders / ".github/askfirst").mkdir(parents=True)
    (orders / ".github/askfirst/decisions.yml").write_text("decisions: yes\n", encoding="utf-8")
    ended = askfirst(orders, FIRST)
    assert ended.exit_code == 1
    failure = ended.document("failure.json")
    assert failure["kind"] == "DecisionsInvalid"
    assert failure["why"] == snapshot("""\
.github/askfirst/decisions.yml:1: `decisions` must be a list; found True.
.github/askfirst/decisions.yml:1: `version` is missing.\
""")


def test_what_is_no_choice_or_no_question_writes_nothing(orders: Path, askfirst: Run, tmp_path: Path) -> None:
    asked = askfirst(orders, FIRST).directory
    assert decide(orders, asked, "3").returncode == 64
    assert decide(orders, asked, "1", "--by", "octo cat").returncode == 64
    assert decide(orders, tmp_path / "nothing.json", "1").returncode == 64
    exists = askfirst(
        orders,
        "# Add a filter to the orders\n\nGET /orders should take an optional `status` query parameter.\n",
    )
    refused = decide(orders, exists.directory, "query field status of GET /orders")
    assert refused.returncode == 1
    assert "holds for its own ticket only" in refused.stderr
    assert not (orders / ".github/askfirst/decisions.yml").exists()


def test_the_same_decision_again_changes_nothing(orders: Path, askfirst: Run) -> None:
    asked = askfirst(orders, FIRST).directory
    decide(orders, asked, "POST /actions")
    file = orders / ".github/askfirst/decisions.yml"
    before = file.read_bytes()
    again = decide(orders, asked, "route:POST /actions")
    assert (again.returncode, file.read_bytes()) == (0, before)
    assert again.stdout == snapshot(".github/askfirst/decisions.yml says so already.\n")


def test_settings_that_are_not_committed_count_on_a_machine_and_stop_a_job(
    orders: Path, askfirst: Run
) -> None:
    first = askfirst(orders, FIRST)
    assert decide(orders, first.directory, "2").returncode == 0
    here = askfirst(orders, LATER)
    assert here.exit_code == 0
    assert "does not hold these settings: .github/askfirst/decisions.yml. They count in this" in here.stderr
    in_a_job = askfirst(orders, LATER, GITHUB_ACTIONS="true")
    assert (in_a_job.exit_code, in_a_job.document("failure.json")["kind"]) == (1, "PreconditionFailed")
    assert ".github/askfirst/decisions.yml" in in_a_job.document("failure.json")["message"]


def today(text: str) -> str:
    """The date that a text names."""
    return text[text.index(" on 20") + 4 :][:10]
