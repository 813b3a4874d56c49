"""From the label to the ticket without the App, on a GitHub that somebody else wrote: emulate and act."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.emulator.github_emulator import Emulator, emulator
from tests.emulator.test_label_to_ticket import BODY, SAMPLE, TITLE
from tests.emulator.webhook_receiver import receiver
from tests.workflow import act
from tests.workflow.conftest import action, runner, shared_folder
from tests.workflow.uploads import uploads

pytestmark = pytest.mark.timeout(1800)

__all__ = ["action", "runner", "shared_folder"]  # the fixtures of the tests under act


@dataclass
class Actions:
    """What runs workflows on github.com: act, fed with the runs of the emulator, and uploading while it runs."""

    github: Emulator
    runner: act.Runner
    checkout: Path
    uploads: str

    def execute_newest(self) -> act.Finished:
        """Run the workflow for the event of the newest run, and say that it has ended."""
        run = self.github.runs()[-1]
        finished = self.runner.run(
            run["event"],
            run["payload"],
            self.checkout,
            environment={
                "ASKFIRST_SECONDS_BETWEEN_WRITES": "0",
                "GITHUB_API_URL": self.github.url,
                "GITHUB_REPOSITORY": "acme/orders",
                "GITHUB_RUN_ID": str(run["id"]),
                "TEST_UPLOADS": self.uploads,
            },
            secrets={"GITHUB_TOKEN": self.github.job_token()},
        )
        self.github.complete(run["id"], "success" if finished.green else "failure")
        return finished


@pytest.fixture
def actions(tmp_path: Path, private_key: str, runner: act.Runner) -> Iterator[Actions]:
    checkout = tmp_path / "orders"
    shutil.copytree(SAMPLE, checkout)
    workflow = checkout / ".github" / "workflows" / "askfirst.yml"
    workflow.parent.mkdir(parents=True)
    workflow.write_text(act.template_without_app(), encoding="utf-8")
    head = act.commit_all(checkout)
    with (
        receiver() as received,
        emulator(tmp_path, private_key, received.url) as github,
        uploads(github.upload) as address,
    ):
        github.has_workflow(head, listens=True)
        yield Actions(github, runner, checkout, address)


def test_a_labelled_issue_is_asked_about_and_the_run_of_the_reply_writes_the_ticket(actions: Actions) -> None:
    github = actions.github
    issue = github.open_issue(TITLE, BODY)
    github.label(issue, "askfirst")
    asked = actions.execute_newest()
    assert asked.green, asked.text
    (question,) = github.comments(issue)
    assert question["user"]["login"] == "github-actions[bot]"
    assert question["body"].startswith("**@octocat, which route"), question["body"]
    assert github.labels(issue) == {"askfirst", "askfirst:needs-answer"}

    github.reply(issue, "2", by="stranger")
    refused = actions.execute_newest()
    assert refused.green, refused.text
    assert github.labels(issue) == {"askfirst", "askfirst:needs-answer"}

    github.reply(issue, "2")
    answered = actions.execute_newest()
    assert answered.green, answered.text
    first, *_, last = (comment["body"] for comment in github.comments(issue))
    assert "Answered by `octocat`:** 2, `POST /actions/stream`" in first, answered.text
    assert "POST /actions/stream" in last
    assert github.labels(issue) == {"askfirst", "askfirst:ready"}
    assert len(github.runs()) == 3
