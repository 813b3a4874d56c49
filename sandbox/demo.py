"""The demo: one issue from its label to a reviewed pull request, on a GitHub of its own, with the App and the pipeline
that users get. What a model would reply was written down before, and is said to be.
"""

import json
import re
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Any

from pipeline.contract.exit_codes import ExitCode
from sandbox.actions.job import building_program
from sandbox.sandbox import Sandbox
from sandbox.served_app import ServedApp
from sandbox.world.state import Issue

_TESTS = Path(__file__).parents[1] / "tests"
SAMPLE = _TESTS / "sample_repositories" / "parcels_flask"
"""The repository of the demo."""

TITLE = "Add a dry_run flag to the bulk action"
BODY = """The depot wants to see what a bulk action would do before it does it.

Please add a `dry_run` flag: the answer is the same, and nothing is moved."""

REVIEW = "Please say in the README that there is a dry run, so that the depot finds it."

NEEDS_ANSWER = "askfirst:needs-answer"

_SECONDS = 180.0
_MARKER = re.compile(r"<!--.*?-->", re.DOTALL)
_FOLD = re.compile(r"<details>\s*<summary>(.*?)</summary>.*?</details>", re.DOTALL)

Say = Callable[[str], None]


class DemoFailed(Exception):
    """What was expected did not happen in time; the message says what the App and the runs said."""


def replies_for(event: Mapping[str, Any]) -> Path:
    """The scripted replies for a run of the demo: there are some for each of its two routes, and for its review."""
    inputs = event.get("inputs") or {}
    answers = json.loads(inputs.get("answers") or "{}").get("answers", [])
    choices = {answer.get("choice") for answer in answers}
    name = "parcels_flask_actions" if "route:POST /actions" in choices else "parcels_flask"
    return _TESTS / "scripted_replies" / f"{'parcels_flask_review' if inputs.get('revise') else name}.jsonl"


def run_demo(say: Say, ask: Callable[[], str]) -> None:
    """Play one conversation through; `ask` gives the reply when it is the person's turn.

    Raises:
        DemoFailed: it did not come to its end in time.
    """
    with _play(say) as play:
        play.open_issue()
        while (turn := play.listen()) is not Move.END:
            if turn is Move.REPLY:
                play.reply(ask())
            else:
                play.request_changes()
        say(
            f"The issue's page was {play.address}. Everything ran on this machine, and no model was called:\n"
            "what the coder and the reviewer said was scripted. Look around yourself: .venv/bin/python -m sandbox demo --page"
        )


def keep_page(say: Say, until: threading.Event) -> None:
    """Open the issue, print its page's address, and keep everything running until the event is set."""
    with _play(say) as play:
        play.open_issue()
        say(f"Look at it and reply: {play.address}\nCtrl-C ends the demo.\n")
        while not until.wait(0.3):
            play.tell_news()


@contextmanager
def _play(say: Say) -> "Iterator[_Play]":
    """Everything that the demo starts, started and ended together."""
    say("Starting a GitHub on 127.0.0.1, the App with its worker, and a sample repository …\n")
    with (
        tempfile.TemporaryDirectory(prefix="askfirst-demo-") as folder,
        Sandbox.start(program=building_program(replies_for)) as github,
        ServedApp(github, Path(folder)) as app,
    ):
        yield _Play(github, app, say)


class Move(Enum):
    """Whose move it is."""

    REPLY = "reply"
    REVIEW = "review"
    END = "end"


class _Play:
    """One issue with its pull request, and what was told of them so far."""

    def __init__(self, github: Sandbox, app: ServedApp, say: Say) -> None:
        self._github = github
        self._app = app
        self._say = say
        self._told: dict[int, str] = {}
        self._runs_told: set[int] = set()
        self._heads_told: dict[int, str] = {}
        self._has_heard = False
        self._is_to_be_asked = False
        self._is_reviewed = False
        self._repository = github.create_repository("parcels", owner="acme", from_directory=SAMPLE)
        self._issue = github.open_issue(self._repository, TITLE, BODY)
        self.address = github.url_of(self._issue)

    def open_issue(self) -> None:
        """Tell of the issue and label it."""
        self._tell("octocat", f"opens #{self._issue.number} “{TITLE}” at {self.address}\n\n{BODY}")
        self._tell("octocat", "labels it askfirst")
        self._github.label(self._issue)

    def reply(self, text: str) -> None:
        """Comment on the issue."""
        self._has_heard = self._is_to_be_asked = False
        self._told[self._github.comment(self._issue, text).id] = text
        self._tell("octocat", text)

    def request_changes(self) -> None:
        """Review the pull request."""
        self._has_heard, self._is_reviewed = False, True
        [pull] = self._github.pull_requests(self._repository)
        self._tell("octocat", f"reviews #{pull.number} and requests changes:\n{REVIEW}")
        self._github.review(pull, "REQUEST_CHANGES", REVIEW)

    def listen(self) -> Move:
        """Tell what happens until a person has to say something, or all is said."""
        deadline = time.monotonic() + _SECONDS
        while time.monotonic() < deadline:
            is_quiet = self._github.is_quiet()
            self.tell_news()
            if is_quiet and self._has_heard:
                if NEEDS_ANSWER in self._github.labels(self._issue):
                    return Move.REPLY
                if not self._is_to_be_asked:
                    is_open = bool(self._github.pull_requests(self._repository)) and not self._is_reviewed
                    return Move.REVIEW if is_open else Move.END
            time.sleep(0.1)
        raise DemoFailed(
            f"Nothing came to an end within {_SECONDS:.0f} seconds. The App said:\n{self._app.log()}"
        )

    def tell_news(self) -> None:
        """Tell each run that has ended, each commit, and each comment that is new or was edited.

        What a run ends with is still to be heard, and a question still to be labelled as one: on a slow machine all may
        be quiet before that.
        """
        pulls = self._github.pull_requests(self._repository)
        comments = [comment for issue in (self._issue, *pulls) for comment in self._github.comments(issue)]
        for run in self._github.runs(self._repository):
            if run.conclusion is not None and run.id not in self._runs_told:
                self._runs_told.add(run.id)
                self._has_heard, self._is_to_be_asked = False, run.exit_code == ExitCode.PERSON_ASKED
                self._tell("Action", f"run {run.id} ends with exit code {run.exit_code}")
        for pull in pulls:
            self._tell_commits(pull)
        for comment in comments:
            if self._told.get(comment.id) != comment.body:
                how = "edits its question:\n" if comment.id in self._told else ""
                self._told[comment.id] = comment.body
                self._has_heard = self._has_heard or comment.via_app
                self._tell("askfirst", how + _readable(comment.body))

    def _tell_commits(self, pull: Issue) -> None:
        """Tell of a pull request that is new, or of its new commit, with the size of what it changes."""
        pull_request = pull.pull_request
        if pull_request is None or self._heads_told.get(pull.number) == pull_request.head_sha:
            return
        git, before = self._repository.git, self._heads_told.get(pull.number)
        self._heads_told[pull.number] = pull_request.head_sha
        sizes = [
            f"{change.path}  +{change.additions} −{change.deletions}"
            for change in git.changes(before or pull_request.base_sha, pull_request.head_sha)
        ]
        headline = f"makes commit {pull_request.head_sha[:7]} on #{pull.number}:"
        if before is None:
            headline = (
                f"opens draft pull request #{pull.number} “{pull.title}”:\n\n{_readable(pull.body or '')}\n"
            )
        self._tell("askfirst", "\n".join([headline, *sizes]))

    def _tell(self, speaker: str, text: str) -> None:
        lines = text.strip().splitlines()
        self._say(f"{speaker:<10} {lines[0] if lines else ''}")
        for line in lines[1:]:
            self._say(f"           {line}".rstrip())
        self._say("")


def _readable(body: str) -> str:
    """What somebody wrote, for a terminal: the marker is hidden and what is folded stays folded, as on GitHub."""
    text = _FOLD.sub(lambda fold: f"▸ {fold[1].strip()}", _MARKER.sub("", body))
    return re.sub(r"\n{3,}", "\n\n", text).strip()
