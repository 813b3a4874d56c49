"""`plan: ask` without the App: the plan stands on the issue, a reply starts the next run, and nobody explores twice."""

import json
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from sandbox import demo
from sandbox.actions.job import JobFolders
from tests.github_app.job.jobs import Room
from tests.github_app.journeys.test_open_point import BODY, TITLE, WHO
from tests.journeys.scripts import ADDS_DRY_RUN, planned, point, write_script


def test_a_plan_is_shown_and_changed_in_one_point(new_room: Callable[..., Room], tmp_path: Path) -> None:
    sample = shutil.copytree(demo.SAMPLE, tmp_path / "sample")
    (sample / ".github" / "askfirst").mkdir(parents=True)
    (sample / ".github" / "askfirst" / "config.yml").write_text("plan: ask\n")
    plan = planned(None, open_points=[WHO, point("edge_case")])
    first = write_script(tmp_path / "first.jsonl", {}, {"reading": ADDS_DRY_RUN, "plans/1": plan})
    other = planned(None, summary="Another plan, which nobody may be shown.")
    later = write_script(tmp_path / "later.jsonl", {}, {"reading": ADDS_DRY_RUN, "plans/1": other})

    def program(folders: JobFolders) -> Sequence[str]:
        is_first = "inputs" not in json.loads(folders.event.read_text(encoding="utf-8"))
        command = [
            str(Path(sys.executable).with_name("askfirst")),
            "run",
            "--repository",
            str(folders.workspace),
        ]
        command += ["--issue", str(folders.event), "--run-directory", str(folders.run_directory)]
        return [*command, "--replay", str(first if is_first else later)]

    room = new_room(sample=sample, program=program)
    issue = room.open(TITLE, BODY)
    room.label(issue)
    (question,) = room.ours(issue)
    assert question.startswith("**@octocat, is this the right plan?**"), room.said()
    room.says(issue, "1")
    room.says(issue, "2a")
    answered, not_understood, ticket = room.ours(issue)
    assert "I could not read a choice in “1”" in not_understood
    assert "**Answered by `octocat`:** 2a (Admins), the rest as planned" in answered, room.said()
    assert ticket.startswith("**The ticket is ready"), room.said()
    assert "- Decided: Who may ask for a dry run? Admins, by `octocat`" in ticket
    assert room.ran() == 2
