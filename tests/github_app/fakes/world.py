"""A GitHub in memory, as the App's ports see it: state, not canned answers; and the people who act on it."""

import dataclasses
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from github_app import dispatch
from github_app.app import App
from github_app.conversation.checks import Check
from github_app.conversation.effects import TimerName
from github_app.conversation.marker import SignedMarkers
from github_app.conversation.record import Conversation, State
from github_app.conversation.transcript import Comment, Issue, Person, Role
from github_app.daily_budget import DailyBudget
from github_app.intake.delivery import parse_delivery
from github_app.ports.conversations import TimerDue
from github_app.ports.github import (
    ArtifactRefused,
    Ending,
    GitHubRefused,
    Place,
    Repository,
    Review,
    WorkflowRun,
)
from github_app.ports.surfaces import Announcements
from github_app.surfaces.github_markdown import GitHubMarkdown
from pipeline.contract.change import Change
from pipeline.contract.clarification import Clarification
from pipeline.contract.failure import Failure
from pipeline.contract.ticket import Ticket
from pipeline.contract.wire import RunIdentity, ticket_sha256
from tests.github_app.conversation.questions import COMMIT
from tests.github_app.fakes.code import Code
from tests.github_app.fakes.conversations import Conversations, Costs
from tests.github_app.fakes.payloads import comment_payload, envelope, issue_payload, run_payload
from tests.github_app.fakes.people import (
    APP_BOT,
    APP_ID,
    OCTOCAT,
    PLACE,
    PULL_REQUEST,
    REPOSITORY,
    SECRET,
    TRIAGER,
    WORKFLOW,
    WRITER,
    Clock,
    Crash,
)
from tests.github_app.fakes.ports import Artifacts, Checks, Timers, Workflows


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
        self.run_shown_after = timedelta()
        """How late the list of runs shows a new one; then no dispatch is answered either."""
        self.checkpoints: list[str] = []
        self.crash_at: int | None = None
        self.announcements: Announcements | None = None
        self.costs = Costs()
        self.costs_in_records: dict[tuple[int, int], float | ArtifactRefused | GitHubRefused] = {}
        self.dollars_per_day: float | None = None
        self.refuses_rerun: GitHubRefused | None = None
        self._next = 3_300_000_000
        self._unread = 0

    # -- the ports ---------------------------------------------------------------------------------------------

    @property
    def app(self) -> App:
        return App(
            issues=self, permissions=self, workflows=Workflows(self), artifacts=Artifacts(self),
            publisher=self.code, pull_requests=self.code, checks=Checks(self),
            conversations=self.conversations, timers=Timers(self), clock=self.clock,
            surface=GitHubMarkdown(), markers=SignedMarkers(APP_ID, SECRET), secret=SECRET, checkpoint=self._checkpoint,
            announcements=self.announcements,
            budget=DailyBudget(self.costs, Artifacts(self), self.clock, self.dollars_per_day),
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
        self.add_label(PLACE, label.casefold())
        payload = issue_payload(self, "labeled", who, label={"name": label})
        if deliver:
            self.deliver("issues", payload)
        return payload

    def unlabels_it(self, who: Person = WRITER, label: str = "askfirst") -> None:
        self.clock.passes()
        self.remove_label(PLACE, label.casefold())
        self.deliver("issues", issue_payload(self, "unlabeled", who, label={"name": label}))

    def edits_the_issue(self, body: str, who: Person = OCTOCAT) -> None:
        self.clock.passes()
        self.the_issue = dataclasses.replace(self.the_issue, body=body)
        self.deliver("issues", issue_payload(self, "edited", who))

    def closes_it(self, who: Person = OCTOCAT, *, deliver: bool = True) -> None:
        self.clock.passes()
        self.the_issue = dataclasses.replace(self.the_issue, is_open=False)
        if deliver:
            self.deliver("issues", issue_payload(self, "closed", who))

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
        payload = comment_payload(self, "created", who, comment_id)
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
            **envelope(self, "submitted", who),
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
            **envelope(self, "completed", APP_BOT),
            "check_suite": {"id": 1, "head_branch": self.code.branch, "head_sha": head},
        }
        if deliver:
            self.deliver("check_suite", payload)
        return payload

    def edits_comment(self, comment_id: int, body: str, who: Person = OCTOCAT) -> dict[str, Any]:
        self.clock.passes()
        before = self.the_comments[comment_id]
        self.the_comments[comment_id] = dataclasses.replace(before, body=body, updated_at=self.clock.now())
        payload = comment_payload(self, "edited", who, comment_id)
        payload["changes"] = {"body": {"from": before.body}}
        self.deliver("issue_comment", payload)
        return payload

    def deletes_comment(self, comment_id: int, who: Person = OCTOCAT) -> None:
        payload = comment_payload(self, "deleted", who, comment_id)
        del self.the_comments[comment_id]
        self.deliver("issue_comment", payload)

    # -- what runs do ------------------------------------------------------------------------------------------

    def label_run(self, who: Person = WRITER) -> int:
        """GitHub starts a run for a label."""
        return self.new_run("issues", "askfirst #418 ", who)

    def run_ends(
        self,
        run_id: int,
        document: Clarification | Failure | Ticket | None,
        *,
        change: Change | None = None,
        dollars: float | None = None,
        deliver: bool = True,
        **run_fields: object,
    ) -> dict[str, Any]:
        """A run completes with a document that says who it is, as an honest run does."""
        self.clock.passes(30)
        run = self.runs[run_id] = dataclasses.replace(self.runs[run_id], status="completed")
        if dollars is not None:
            self.costs_in_records[run_id, run.attempt] = dollars
        if document is not None:
            run_of_change = {"run": self.identity(run_id), "base_commit": self.identity(run_id).commit}
            signed = None if change is None else change.model_copy(update=run_of_change)
            self.endings[run_id, run.attempt] = Ending(self._signed(document, run_id), "0" * 64, signed)
        payload = run_payload(self, run_id, **run_fields)
        if deliver:
            self.deliver("workflow_run", payload)
        return payload

    def run_goes(self, run_id: int, status: str = "in_progress", *, deliver: bool = True) -> dict[str, Any]:
        """A run is queued, or starts."""
        self.clock.passes()
        self.runs[run_id] = dataclasses.replace(self.runs[run_id], status=status)
        action = "requested" if status == "queued" else status
        payload = {**run_payload(self, run_id, conclusion=None), "action": action}
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

    def new_run(self, event: str, title: str, actor: Person) -> int:
        self._next += 1
        self.clock.passes()
        self.runs[self._next] = WorkflowRun(
            id=self._next, attempt=1, path=WORKFLOW, event=event, display_title=title, status="queued",
            conclusion=None, head_branch="main", head_sha=COMMIT, head_repository_id=REPOSITORY.id,
        )  # fmt: skip
        self.created[self._next] = self.clock.now()
        self.actors[self._next] = actor
        return self._next
