"""A GitHub in memory, as the App's ports see it: state, not canned answers; and the people who act on it."""

import base64
import dataclasses
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from github_app import dispatch
from github_app.conversation.checks import Check
from github_app.conversation.effects import TimerName
from github_app.conversation.marker import SignedMarkers
from github_app.conversation.record import Conversation, State
from github_app.conversation.transcript import Comment, Issue, Person, Role
from github_app.intake.delivery import parse_delivery
from github_app.perform import App
from github_app.ports.conversations import TimerDue
from github_app.ports.github import (
    ArtifactRefused,
    Ending,
    GitHubRefused,
    GitHubUnavailable,
    MadeCommit,
    Place,
    PullRequestNow,
    Repository,
    Review,
    UnpublishableChange,
    WantedCommit,
    WorkflowRun,
)
from github_app.ports.surfaces import Announcements
from github_app.surfaces.github_markdown import GitHubMarkdown
from pipeline.contract.change import Change, FileChange, Work
from pipeline.contract.clarification import Clarification
from pipeline.contract.decisions import DECISIONS_PATH
from pipeline.contract.failure import Failure
from pipeline.contract.identity import ticket_sha256
from pipeline.contract.ticket import Ticket
from pipeline.contract.wire import RunIdentity
from tests.github_app.conversation.questions import COMMIT

APP_ID = 7
SECRET = b"secret of the tests"
OCTOCAT = Person(1, "octocat")
WRITER = Person(2, "hubot-keeper")
TRIAGER = Person(3, "triager")
STRANGER = Person(4, "stranger")
APP_BOT = Person(90, "askfirst[bot]", is_bot=True)
EVIL_BOT = Person(91, "evil[bot]", is_bot=True)
REPOSITORY = Repository(installation_id=55, id=712345678, full_name="acme/orders", default_branch="main")
PLACE = Place(REPOSITORY, 418)
PULL_REQUEST = 419
BUILDS = "jobs:\n  pipeline:\n    steps:\n      - with:\n          definition: build\n"
"""The part of a workflow file that tells that its runs make a change."""
WORKFLOW = ".github/workflows/askfirst.yml"
PEOPLE = {person.login: person for person in (OCTOCAT, WRITER, TRIAGER, STRANGER, APP_BOT, EVIL_BOT)}


class Crash(BaseException):
    """The process dies here."""


class Clock:
    """Time that passes only when somebody waits or the test says so."""

    def __init__(self) -> None:
        self.time = datetime(2026, 11, 24, 9, 0, tzinfo=UTC)
        self.slept = 0.0

    def now(self) -> datetime:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.slept += seconds
        self.passes(seconds)

    def passes(self, seconds: float = 1) -> None:
        self.time += timedelta(seconds=seconds)


class Conversations:
    """The store: compare and set, as JSON, so that nothing survives by being the same object."""

    def __init__(self) -> None:
        self.rows: dict[tuple[int, int], str] = {}

    def get(self, repository_id: int, issue: int) -> Conversation | None:
        row = self.rows.get((repository_id, issue))
        return Conversation.model_validate_json(row) if row is not None else None

    def numbers(self, repository_id: int, states: frozenset[State]) -> list[int]:
        records = [Conversation.model_validate_json(row) for row in self.rows.values()]
        return [
            record.issue
            for record in records
            if record.repository_id == repository_id and record.state in states
        ]

    def put(self, conversation: Conversation) -> bool:
        key = (conversation.repository_id, conversation.issue)
        stored = self.get(*key)
        if (stored.version if stored else 0) != conversation.version - 1:
            return False
        self.rows[key] = conversation.model_dump_json()
        return True

    def issue_of_pull_request(self, repository_id: int, number: int) -> int | None:
        for (repository, issue), row in self.rows.items():
            pull_request = Conversation.model_validate_json(row).pull_request
            if repository == repository_id and pull_request is not None and pull_request.number == number:
                return issue
        return None

    def issue_of_run(self, repository_id: int, run_id: int) -> int | None:
        for (repository, issue), row in self.rows.items():
            if repository == repository_id and run_id in Conversation.model_validate_json(row).runs:
                return issue
        return None


class Code:
    """Branches and pull requests: what a publisher makes, found again by what it is."""

    def __init__(self) -> None:
        self.commits: dict[str, WantedCommit] = {}
        self.decisions: str | None = None
        self.base_files: dict[str, str] = {}
        self.branch = ""
        self.opened: list[tuple[str, str]] = []
        self.opened_of: list[tuple[str, str]] = []
        self.reviews: dict[int, Review] = {}
        self.is_open = True
        self.pushed: str | None = None
        self.refuses: UnpublishableChange | GitHubRefused | None = None
        self.unavailable_after_commit = False

    def start_branch(self, repository: Repository, wanted: WantedCommit) -> MadeCommit:
        return self._make(wanted)

    def continue_branch(self, repository: Repository, wanted: WantedCommit) -> MadeCommit:
        assert wanted.branch == self.branch
        if wanted not in self.commits.values() and self.pushed not in {None, wanted.base}:
            if not wanted.follows_pushes:
                raise UnpublishableChange("somebody has pushed")
            wanted = dataclasses.replace(wanted, base=self.pushed)
        self.pushed = None
        return self._make(wanted)

    def text_of(self, repository: Repository, commit: str, path: str) -> str | None:
        written = [
            file.content
            for made in self.commits.values()
            for file in made.files
            if file.path == path and file.content is not None
        ]
        if written:
            return written[-1].decode()
        return self.base_files.get(path, self.decisions if path == DECISIONS_PATH else None)

    def _make(self, wanted: WantedCommit) -> MadeCommit:
        if self.refuses is not None:
            raise self.refuses
        made = next((sha for sha, commit in self.commits.items() if commit == wanted), None)
        if made is None:
            made = f"{len(self.commits) + 1:040x}"
            self.commits[made] = wanted
            self.branch = wanted.branch
        if self.unavailable_after_commit:
            self.unavailable_after_commit = False
            raise GitHubUnavailable("502")
        return MadeCommit(wanted.branch, list(self.commits)[-1], wanted.base)

    def find(self, repository: Repository, made: MadeCommit) -> int | None:
        return PULL_REQUEST if (made.branch, made.sha) in self.opened_of else None

    def open(self, repository: Repository, branch: str, title: str, body: str) -> int:
        self.opened.append((title, body))
        self.opened_of.append((branch, list(self.commits)[-1]))
        return PULL_REQUEST

    def now(self, repository: Repository, number: int) -> PullRequestNow | None:
        if number != PULL_REQUEST or not self.opened:
            return None
        return PullRequestNow(number, self.branch, self.head(), self.is_open, REPOSITORY.id)

    def head(self) -> str:
        return self.pushed or list(self.commits)[-1]

    def review(self, repository: Repository, number: int, review_id: int) -> Review | None:
        return self.reviews.get(review_id)

    def checks(self, repository: Repository, commit: str) -> list[str]:
        return ["CI"]


class World:
    """One issue of one repository, its people, its runs, and the App beside it."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.conversations = Conversations()
        self.roles = {WRITER.id: Role.WRITE, TRIAGER.id: Role.TRIAGE, OCTOCAT.id: Role.READ}
        self.the_issue = Issue(
            418, "Limit the action endpoint", "Please rate-limit the action endpoint.", OCTOCAT
        )
        self.the_comments: dict[int, Comment] = {}
        self.on_pull_request: set[int] = set()
        self.code = Code()
        self.checks: dict[str, list[Check]] = {}
        self.workflow = ""
        self.step: str | None = None
        self.reactions: list[tuple[int | None, str]] = []
        self.runs: dict[int, WorkflowRun] = {}
        self.created: dict[int, datetime] = {}
        self.actors: dict[int, Person] = {}
        self.dispatched: list[Mapping[str, str]] = []
        self.cancelled: list[int] = []
        self.endings: dict[tuple[int, int], Ending | ArtifactRefused] = {}
        self.set_timers: dict[tuple[TimerName, str], datetime] = {}
        self.role_calls = 0
        self.refuses_dispatch: GitHubRefused | None = None
        self.tells_run_id = True
        self.checkpoints: list[str] = []
        self.crash_at: int | None = None
        self.announcements: Announcements | None = None
        self._next = 3_300_000_000
        self._unread = 0

    # -- the ports ---------------------------------------------------------------------------------------------

    @property
    def app(self) -> App:
        return App(
            issues=self, permissions=self, workflows=_Workflows(self), artifacts=_Artifacts(self),
            publisher=self.code, pull_requests=self.code, checks=_Checks(self),
            conversations=self.conversations, timers=_Timers(self), clock=self.clock,
            surface=GitHubMarkdown(), markers=SignedMarkers(APP_ID, SECRET), secret=SECRET, checkpoint=self._checkpoint,
            announcements=self.announcements,
        )  # fmt: skip

    def issue(self, place: Place) -> Issue:
        if place != PLACE:
            raise GitHubRefused(404, "Not Found")
        return self.the_issue

    def comments(self, place: Place) -> list[Comment]:
        return [
            self.the_comments[comment_id]
            for comment_id in sorted(self.the_comments)
            if self._is_at(comment_id, place)
        ]

    def comment(self, place: Place, comment_id: int) -> Comment | None:
        return self.the_comments.get(comment_id) if self._is_at(comment_id, place) else None

    def post(self, place: Place, body: str) -> int:
        return self._add(APP_BOT, body, app_id=APP_ID, on_pull_request=place != PLACE)

    def _is_at(self, comment_id: int, place: Place) -> bool:
        return (comment_id in self.on_pull_request) == (place.issue == PULL_REQUEST)

    def edit(self, place: Place, comment_id: int, body: str) -> None:
        comment = self.the_comments.get(comment_id)
        if comment is None:
            raise GitHubRefused(404, "Not Found")
        self.clock.passes()
        self.the_comments[comment_id] = dataclasses.replace(comment, body=body, updated_at=self.clock.now())

    def react(self, place: Place, comment_id: int | None, reaction: str) -> None:
        if (comment_id, str(reaction)) not in self.reactions:
            self.reactions.append((comment_id, str(reaction)))

    def add_label(self, place: Place, label: str) -> None:
        self.the_issue = dataclasses.replace(self.the_issue, labels=self.the_issue.labels | {str(label)})

    def remove_label(self, place: Place, label: str) -> None:
        self.the_issue = dataclasses.replace(self.the_issue, labels=self.the_issue.labels - {str(label)})

    def role(self, repository: Repository, person: Person) -> Role:
        self.role_calls += 1
        return self.roles.get(person.id, Role.NONE)

    # -- what people do ----------------------------------------------------------------------------------------

    def labels_it(
        self, who: Person = WRITER, label: str = "askfirst", *, deliver: bool = True
    ) -> dict[str, Any]:
        self.clock.passes()
        self.add_label(PLACE, label)
        payload = self._issue_payload("labeled", who, label={"name": label})
        if deliver:
            self.deliver("issues", payload)
        return payload

    def unlabels_it(self, who: Person = WRITER) -> None:
        self.clock.passes()
        self.remove_label(PLACE, "askfirst")
        self.deliver("issues", self._issue_payload("unlabeled", who, label={"name": "askfirst"}))

    def edits_the_issue(self, body: str, who: Person = OCTOCAT) -> None:
        self.clock.passes()
        self.the_issue = dataclasses.replace(self.the_issue, body=body)
        self.deliver("issues", self._issue_payload("edited", who))

    def closes_it(self, who: Person = OCTOCAT, *, deliver: bool = True) -> None:
        self.clock.passes()
        self.the_issue = dataclasses.replace(self.the_issue, is_open=False)
        if deliver:
            self.deliver("issues", self._issue_payload("closed", who))

    def says(
        self,
        body: str,
        who: Person = OCTOCAT,
        *,
        app_id: int | None = None,
        deliver: bool = True,
        on_pull_request: bool = False,
    ) -> dict[str, Any]:
        self.clock.passes()
        comment_id = self._add(who, body, app_id=app_id, on_pull_request=on_pull_request)
        payload = self._comment_payload("created", who, comment_id)
        if deliver:
            self.deliver("issue_comment", payload)
        return payload

    def reviews(
        self,
        body: str = "",
        who: Person = OCTOCAT,
        *,
        state: str = "changes_requested",
        remarks: tuple[tuple[int, str, str], ...] = (),
        deliver: bool = True,
    ) -> dict[str, Any]:
        self.clock.passes()
        self._next += 1
        self.code.reviews[self._next] = Review(self._next, who, body, state, remarks)
        payload = {
            **self._envelope("submitted", who),
            "pull_request": {"number": PULL_REQUEST, "head": {"ref": self.code.branch}},
            "review": {"id": self._next},
        }
        if deliver:
            self.deliver("pull_request_review", payload)
        return payload

    def checks_end(self, *checks: Check, on: str | None = None, deliver: bool = True) -> dict[str, Any]:
        """Checks of a commit end, of the pull request's head unless another is named."""
        self.clock.passes()
        head = on or self.code.head()
        self.checks[head] = list(checks)
        payload = {
            **self._envelope("completed", APP_BOT),
            "check_suite": {"id": 1, "head_branch": self.code.branch, "head_sha": head},
        }
        if deliver:
            self.deliver("check_suite", payload)
        return payload

    def edits_comment(self, comment_id: int, body: str, who: Person = OCTOCAT) -> dict[str, Any]:
        self.clock.passes()
        before = self.the_comments[comment_id]
        self.the_comments[comment_id] = dataclasses.replace(before, body=body, updated_at=self.clock.now())
        payload = self._comment_payload("edited", who, comment_id)
        payload["changes"] = {"body": {"from": before.body}}
        self.deliver("issue_comment", payload)
        return payload

    def deletes_comment(self, comment_id: int, who: Person = OCTOCAT) -> None:
        payload = self._comment_payload("deleted", who, comment_id)
        del self.the_comments[comment_id]
        self.deliver("issue_comment", payload)

    # -- what runs do ------------------------------------------------------------------------------------------

    def label_run(self, who: Person = WRITER) -> int:
        """GitHub starts a run for a label."""
        return self._new_run("issues", "askfirst #418 ", who)

    def run_ends(
        self,
        run_id: int,
        document: Clarification | Failure | Ticket | None,
        *,
        change: Change | None = None,
        deliver: bool = True,
        **run_fields: object,
    ) -> dict[str, Any]:
        """A run completes with a document that says who it is, as an honest run does."""
        self.clock.passes(30)
        run = self.runs[run_id] = dataclasses.replace(self.runs[run_id], status="completed")
        if document is not None:
            run_of_change = {"run": self.identity(run_id), "base_commit": self.identity(run_id).commit}
            signed = None if change is None else change.model_copy(update=run_of_change)
            self.endings[run_id, run.attempt] = Ending(self._signed(document, run_id), "0" * 64, signed)
        payload = self._run_payload(run_id, **run_fields)
        if deliver:
            self.deliver("workflow_run", payload)
        return payload

    def run_goes(self, run_id: int, status: str = "in_progress", *, deliver: bool = True) -> dict[str, Any]:
        """A run is queued, or starts."""
        self.clock.passes()
        self.runs[run_id] = dataclasses.replace(self.runs[run_id], status=status)
        action = "requested" if status == "queued" else status
        payload = {**self._run_payload(run_id, conclusion=None), "action": action}
        if deliver:
            self.deliver("workflow_run", payload)
        return payload

    def identity(self, run_id: int) -> RunIdentity:
        inputs = self._inputs_of(run_id)
        return RunIdentity(
            repository=REPOSITORY.full_name, issue=418,
            commit=inputs.get("commit") or self.runs[run_id].head_sha, run_id=str(run_id),
            attempt=self.runs[run_id].attempt, nonce=inputs.get("nonce"),
            ticket_sha256=inputs.get("ticket_sha256") or ticket_sha256(self.the_issue.title, self.the_issue.body),
        )  # fmt: skip

    def _signed(
        self, document: Clarification | Failure | Ticket, run_id: int
    ) -> Clarification | Failure | Ticket:
        return document.model_copy(update={"run": self.identity(run_id)})

    def _inputs_of(self, run_id: int) -> Mapping[str, str]:
        title = self.runs[run_id].display_title
        return next((inputs for inputs in self.dispatched if inputs["nonce"] in title), {})

    def last_run(self) -> int:
        return max(self.runs)

    # -- deliveries --------------------------------------------------------------------------------------------

    def deliver(self, event: str, payload: dict[str, Any]) -> None:
        delivery = parse_delivery(event, payload)
        if delivery is not None:
            dispatch.dispatch(delivery, self.app)

    def timer_goes_off(self, name: TimerName) -> None:
        (about,) = [question for (timer, question) in self.set_timers if timer is name]
        self.clock.time = max(self.clock.time, self.set_timers.pop((name, about)))
        dispatch.dispatch_timer(TimerDue(PLACE, name, about), self.app)

    # -- what one sees -----------------------------------------------------------------------------------------

    @property
    def record(self) -> Conversation:
        found = self.conversations.get(REPOSITORY.id, 418)
        assert found is not None
        return found

    def state(self) -> State:
        return self.record.state

    def ours(self) -> list[str]:
        """Our comments on the issue without their markers, oldest first."""
        return self._ours_at(PLACE)

    def ours_in_review(self) -> list[str]:
        """Our comments on the pull request."""
        return self._ours_at(Place(REPOSITORY, PULL_REQUEST))

    def _ours_at(self, place: Place) -> list[str]:
        mine = [comment for comment in self.comments(place) if comment.app_id == APP_ID]
        return [comment.body.rpartition("\n\n<!-- askfirst:v1")[0] for comment in mine]

    def new_comments(self) -> list[str]:
        """Our comments since the last look."""
        fresh = self.ours()[self._unread :]
        self._unread = len(self.ours())
        return fresh

    def reactions_to(self, payload: dict[str, Any]) -> list[str]:
        return [reaction for comment_id, reaction in self.reactions if comment_id == payload["comment"]["id"]]

    # -- making things -----------------------------------------------------------------------------------------

    def _checkpoint(self, name: str) -> None:
        self.checkpoints.append(name)
        if self.crash_at is not None and len(self.checkpoints) > self.crash_at:
            self.crash_at = None
            raise Crash(name)

    def _add(self, who: Person, body: str, *, app_id: int | None, on_pull_request: bool = False) -> int:
        self._next += 1
        if on_pull_request:
            self.on_pull_request.add(self._next)
        self.clock.passes()
        now = self.clock.now()
        self.the_comments[self._next] = Comment(self._next, who, body, now, now, app_id)
        return self._next

    def _new_run(self, event: str, title: str, actor: Person) -> int:
        self._next += 1
        self.clock.passes()
        self.runs[self._next] = WorkflowRun(
            id=self._next, attempt=1, path=WORKFLOW, event=event, display_title=title, status="queued",
            conclusion=None, head_branch="main", head_sha=COMMIT, head_repository_id=REPOSITORY.id,
        )  # fmt: skip
        self.created[self._next] = self.clock.now()
        self.actors[self._next] = actor
        return self._next

    def _envelope(self, action: str, who: Person) -> dict[str, Any]:
        return {
            "action": action,
            "installation": {"id": REPOSITORY.installation_id},
            "repository": {"id": REPOSITORY.id, "full_name": REPOSITORY.full_name, "default_branch": "main"},
            "sender": _user(who),
        }

    def _issue_json(self) -> dict[str, Any]:
        issue = self.the_issue
        return {
            "number": issue.number, "title": issue.title, "body": issue.body, "user": _user(issue.author),
            "state": "open" if issue.is_open else "closed", "locked": issue.is_locked,
            "labels": [{"name": name} for name in sorted(issue.labels)], "updated_at": self.clock.now().isoformat(),
        }  # fmt: skip

    def _issue_payload(self, action: str, who: Person, **more: object) -> dict[str, Any]:
        return {**self._envelope(action, who), "issue": self._issue_json(), **more}

    def _comment_payload(self, action: str, who: Person, comment_id: int) -> dict[str, Any]:
        comment = self.the_comments[comment_id]
        issue = self._issue_json()
        if comment_id in self.on_pull_request:
            issue |= {"number": PULL_REQUEST, "pull_request": {}, "user": _user(APP_BOT), "labels": []}
        return {
            **self._envelope(action, who),
            "issue": issue,
            "comment": {
                "id": comment.id, "body": comment.body, "user": _user(comment.author),
                "performed_via_github_app": {"id": comment.app_id} if comment.app_id else None,
            },
        }  # fmt: skip

    def _run_payload(self, run_id: int, **fields: object) -> dict[str, Any]:
        run = self.runs[run_id]
        return {
            **self._envelope("completed", self.actors[run_id]),
            "workflow_run": {
                "id": run.id, "run_attempt": run.attempt, "path": run.path, "event": run.event,
                "display_title": run.display_title, "conclusion": "success", "head_branch": run.head_branch,
                "head_sha": run.head_sha, "head_repository": {"id": run.head_repository_id},
                "actor": _user(self.actors[run_id]), "created_at": self.created[run_id].isoformat(), **fields,
            },
        }  # fmt: skip


@dataclasses.dataclass(frozen=True)
class _Workflows:
    world: World

    def dispatch(self, repository: Repository, inputs: Mapping[str, str]) -> int | None:
        if self.world.refuses_dispatch is not None:
            raise self.world.refuses_dispatch
        self.world.dispatched.append(dict(inputs))
        title = f"askfirst #{inputs['issue']} {inputs['nonce']}"
        run_id = self.world._new_run("workflow_dispatch", title, APP_BOT)
        return run_id if self.world.tells_run_id else None

    def find(self, repository: Repository, run_name: str) -> WorkflowRun | None:
        found = [run for run in self.world.runs.values() if run.display_title == run_name]
        return found[-1] if found else None

    def run(self, repository: Repository, run_id: int) -> WorkflowRun | None:
        return self.world.runs.get(run_id)

    def step(self, repository: Repository, run_id: int) -> str | None:
        return self.world.step

    def source(self, repository: Repository, commit: str) -> str:
        return self.world.workflow

    def cancel(self, repository: Repository, run_id: int) -> None:
        if run_id not in self.world.cancelled:
            self.world.cancelled.append(run_id)


@dataclasses.dataclass(frozen=True)
class _Checks:
    world: World

    def of(self, repository: Repository, commit: str) -> list[Check]:
        return self.world.checks.get(commit, [])


@dataclasses.dataclass(frozen=True)
class _Artifacts:
    world: World

    def ending(self, repository: Repository, run_id: int, attempt: int) -> Ending | None:
        found = self.world.endings.get((run_id, attempt))
        if isinstance(found, ArtifactRefused):
            raise found
        return found

    def memo_sha256(self, repository: Repository, run_id: int, attempt: int) -> str | None:
        return f"{run_id:064x}"


@dataclasses.dataclass(frozen=True)
class _Timers:
    world: World

    def set(self, place: Place, name: TimerName, about: str, at: datetime) -> None:
        self.world.set_timers.setdefault((name, about), at)

    def cancel(self, place: Place, name: TimerName, about: str) -> None:
        self.world.set_timers.pop((name, about), None)


def _user(person: Person) -> dict[str, Any]:
    return {"id": person.id, "login": person.login, "type": "Bot" if person.is_bot else "User"}


def a_ticket(*, ready: bool = True) -> Ticket:
    from tests.github_app.conversation.questions import run

    place = {
        "id": "route:POST /actions/stream",
        "label": "POST /actions/stream",
        "location": {"path": "app/api/stream.py", "start_line": 22, "end_line": 47},
    }
    return Ticket.model_validate(
        {
            "run": run(), "title": "Limit the action endpoint", "body": "Please rate-limit the action endpoint.",
            "operation": "add", "targets": [place] if ready else "unknown", "ready": ready,
            "selected_because": "You chose it.", "chain": [place], "acceptance_criteria": ["The 11th request is refused."],
        }
    )  # fmt: skip


def a_change(path: str = "app/api/stream.py", **work: object) -> Change:
    """A change of one file; a world puts its run in."""
    file = FileChange(path=path, content=base64.b64encode(b"limit = 10\n"))
    told = Work.model_validate(
        {
            "summary": "The stream endpoint takes any number of requests.", "assumptions": ["Ten a minute are enough."],
            "tests": {"command": "pytest -q", "exit_code": 0, "seconds": 1.5, "passed": 12, "failed": 0},
            "replies": "scripted", "dollars": 0.0, "model": "scripted", "rounds": 1, **work,
        }
    )  # fmt: skip
    identity = RunIdentity(repository=None, issue=None, commit="0" * 40, run_id="0", ticket_sha256="0" * 64)
    return Change(
        run=identity, base_commit="0" * 40, message="Limit the stream endpoint", files=(file,), work=told
    )


def a_failure(kind: str = "PipelineError") -> Failure:
    return Failure(
        kind=kind, stage="registry", message="src/broken.py cannot be read", why="It is not UTF-8.",
        what_to_do="Save the file as UTF-8.", run=None,
    )  # fmt: skip
