"""One GitHub and one App, web server and worker apart, and what one undisturbed conversation looks like there."""

import itertools
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pipeline.contract.answers import Answer
from pipeline.contract.wire import RunIdentity, ticket_sha256
from sandbox import Sandbox
from sandbox.actions.job import JobFolders, Program
from sandbox.world.state import Comment, Issue
from tests.contract.github_description import github_description
from tests.github_app.journeys.dialogue import ASKED, READY, Dialogue, Runs, Stage
from tests.github_app.killed.apart import Apart
from tests.github_app.served import scripted_run

TITLE, BODY = "Add a dry_run flag", "to the bulk action"
QUICK_RUN = Path(__file__).with_name("quick_run.py")


@dataclass(frozen=True)
class World:
    """How a conversation ends, as GitHub shows it; ids and addresses left out."""

    comments: list[tuple[bool, str]]
    labels: set[str]
    runs: list[tuple[str, int | None, str]]
    receipts: list[list[str]]


class Conversation(Dialogue):
    """An issue in a repository of its own, which is labelled, and replied to as soon as it is asked."""

    answer = "2"
    reply: Comment | None = None

    def goes_on(self) -> bool:
        """Reply, if it is our turn; whether there is more to come."""
        if self.reply is None and ASKED in self.labels:
            self.reply = self.says(self.answer)
        return not self.has_ended()

    def has_ended(self) -> bool:
        """Whether the App has done all that this conversation asks for."""
        return READY in self.labels

    def world(self) -> World:
        comments = list(self.issue.comments)
        return World(
            comments=[
                (one.via_app, self.as_read(one.body).replace(self.repository.full_name, "acme/orders"))
                for one in comments
            ],
            labels=self.labels,
            runs=[(run.event, run.exit_code, self._answered(run.event_payload)) for run in self.runs],
            receipts=[
                [reaction.content for reaction in reactions]
                for reactions in (self.issue.reactions, *(one.reactions for one in comments))
            ],
        )

    def _answered(self, event: dict[str, dict[str, str]]) -> str:
        answers = json.loads(event.get("inputs", {}).get("answers", "{}")).get("answers", [])
        return ", ".join(answer["choice"] for answer in answers)


class Theatre(Stage):
    """The stage, with an App that can be killed."""

    def __init__(self, github: Sandbox, app: Apart, runs: Runs, problems: list[str]) -> None:
        super().__init__(github, app, runs, problems)
        self.apart = app
        self._numbers = itertools.count(1)

    def opens(self, owner: str = "acme") -> Conversation:
        """An issue in a new repository, not yet labelled. An owner is an installation."""
        return Conversation(self, self._issue(owner, self.asks))

    def opens_build(self, owner: str = "acme") -> "Build":
        """The same, of runs that go on to a change."""
        return Build(self, self._issue(owner, self.builds))

    def _issue(self, owner: str, program: Program) -> Issue:
        repository = self.github.create_repository(f"orders-{next(self._numbers):03}", owner=owner)
        self.runs.scripted[repository.full_name] = program
        return self.github.open_issue(repository, TITLE, BODY)

    def plays(self, conversation: Conversation) -> World:
        """The conversation from its label to its end."""
        conversation.label()
        self.until(lambda: not conversation.goes_on(), "an end")
        self.settle()
        return conversation.world()

    asks: Program
    builds: Program


@dataclass(frozen=True)
class Publication:
    """What a build has left on GitHub, but for the words."""

    comments: list[bool]
    labels: set[str]
    runs: list[tuple[str, int | None]]
    branches: list[str]
    commits: list[str]
    pulls: list[str]


class Build(Conversation):
    """A conversation that ends with a pull request, and with its answer kept in the repository."""

    answer = "2\n\n/decide"

    def has_ended(self) -> bool:
        return "The change is there" in self.issue.comments[-1].body if self.issue.comments else False

    def publication(self) -> Publication:
        return Publication(
            comments=[comment.via_app for comment in self.issue.comments],
            labels=self.labels,
            runs=[(run.event, run.exit_code) for run in self.runs],
            branches=list(self.repository.git.refs("refs/heads/askfirst/")),
            commits=self.pull_request.commits,
            pulls=[pull.title for pull in self._github.pull_requests(self.repository)],
        )


def quick_programs(directory: Path) -> tuple[Program, Program]:
    """A run that asks, or writes the ticket when it was answered; and one that then makes a change, too."""
    run = RunIdentity(
        repository="acme/orders", issue=1, commit="0" * 40, run_id="1", attempt=1, nonce=None,
        ticket_sha256=ticket_sha256(TITLE, BODY),
    )  # fmt: skip
    answer = Answer(question_id="q", slot="s", choice=f"route:{scripted_run.ROUTES[1]}")
    documents = {
        directory / "question.json": scripted_run.which_route(run),
        directory / "ticket.json": scripted_run.ticket(run, answer),
        directory / "change.json": scripted_run.change(run),
    }
    for path, document in documents.items():
        path.write_text(document.model_dump_json(), encoding="utf-8")
    question, ticket, change = map(str, documents)
    script = [sys.executable, "-I", "-S", str(QUICK_RUN)]

    def asks(folders: JobFolders) -> list[str]:
        return [*script, str(folders.run_directory), question, ticket]

    def builds(folders: JobFolders) -> list[str]:
        return [*asks(folders), change]

    return asks, builds


@pytest.fixture(scope="module")
def theatre(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Theatre]:
    """An App and a GitHub. An App that waits takes a tenth of a core, so it ends with the tests of its module."""
    description = github_description()
    problems: list[str] = []
    directory = tmp_path_factory.mktemp("apart")
    with Sandbox.start(
        program=(runs := Runs()),
        observer=lambda exchange: problems.extend(description.problems(exchange) if description else ()),
    ) as github:
        app = Apart(github, directory)
        theatre = Theatre(github, app, runs, problems)
        theatre.asks, theatre.builds = quick_programs(directory)
        # One after the other: both would set up the database.
        app.start("web")
        theatre.until(app.answers, "the web server")
        app.start("worker")
        github.webhook_url = f"http://127.0.0.1:{app.port}/webhook"
        # What a worker looks for when it starts would otherwise be requests of the first conversation.
        theatre.until(lambda: "did sweep of sweep:conversations: " in app.log(), "the first sweep")
        yield theatre
        codes = app.stop()
    assert set(codes.values()) == {0}, app.log()


@pytest.fixture(scope="module")
def undisturbed(theatre: Theatre) -> World:
    """How a conversation ends when nothing happens to anybody."""
    return theatre.plays(theatre.opens())


@pytest.fixture(autouse=True)
def nothing_is_left(theatre: Theatre) -> Iterator[None]:
    """After each test: no switch is on, nothing is stuck, and nothing departs from GitHub's description."""
    yield
    theatre.github.faults.clear()
    theatre.settle()
    assert theatre.problems == []
    command = [str(Path(sys.executable).with_name("askfirst-app")), "stuck", "--json"]
    listed = subprocess.run(command, env=theatre.apart.environment, capture_output=True, text=True)
    assert (listed.returncode, json.loads(listed.stdout)) == (0, [])
