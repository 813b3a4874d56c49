"""Pages on which a person reads issues, labels them, replies, and looks at runs and pull requests."""

from collections.abc import Callable, Sequence
from typing import Any

from flask import Flask, Response, make_response, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from sandbox.actions.runs import Runs
from sandbox.documents.documents import Addresses
from sandbox.pages.text import render_markdown
from sandbox.world.conversations import IssueOperations
from sandbox.world.git_repository import NoSuchObject
from sandbox.world.pushes import Pushes
from sandbox.world.refusals import Forbidden, NotFound, Refusal
from sandbox.world.state import Account, AccountType, Comment, Issue, Repository, Review, Role
from sandbox.world.world import Actor, World

LABELS = ("askfirst", "bug", "enhancement")
"""Labels that an issue page offers besides those that the repository has."""

STATE_LABELS = "askfirst:"
"""How the labels begin that only the App sets."""

_PLACE = "/<owner>/<name>"


def add_pages(
    app: Flask,
    world: World,
    conversations: IssueOperations,
    pushes: Pushes,
    runs: Runs,
    addresses: Addresses,
) -> None:
    """Add the pages to the server."""
    pages = _Pages(world, conversations, pushes, runs, addresses)
    reads: dict[str, Callable[..., str]] = {
        "/": pages.repositories,
        f"{_PLACE}/issues": pages.issues,
        f"{_PLACE}/issues/<int:number>": pages.issue,
        f"{_PLACE}/pull/<int:number>": pages.issue,
        f"{_PLACE}/actions": pages.runs_of,
        f"{_PLACE}/actions/runs/<int:run_id>": pages.run,
        f"{_PLACE}/blob/<revision>/<path:path>": pages.file,
    }
    writes: dict[str, Callable[..., str]] = {
        f"{_PLACE}/issues": pages.open_issue,
        f"{_PLACE}/issues/<int:number>": pages.act,
    }
    for path, view in reads.items():
        app.add_url_rule(path, f"page {path}", _with_lock(world, view))
    for path, action in writes.items():
        app.add_url_rule(path, f"form {path}", _form(world, addresses, action), methods=["POST"])
    app.add_url_rule(_PLACE, "page of repository", lambda owner, name: redirect(f"/{owner}/{name}/issues"))
    app.add_url_rule(
        f"{_PLACE}/actions/runs/<int:run_id>/artifacts/<int:artifact_id>", "artifact", pages.artifact
    )
    app.add_url_rule("/_sandbox/avatar.svg", "avatar", _avatar)


def _with_lock(world: World, view: Callable[..., str]) -> Callable[..., AnyResponse]:
    def page(**parameters: Any) -> AnyResponse:
        with world.lock:
            try:
                return make_response(view(**parameters))
            except (NotFound, NoSuchObject):
                return make_response(render_template("refused.html", message="There is no such page."), 404)

    return page


def _form(world: World, addresses: Addresses, action: Callable[..., str]) -> Callable[..., AnyResponse]:
    """A form's target: acts as the chosen person, then shows the page it names. Other sites' forms are refused."""

    def handle(**parameters: Any) -> AnyResponse:
        if request.headers.get("Origin", addresses.html) != addresses.html:
            return make_response(
                render_template("refused.html", message="This form belongs to another site."), 403
            )
        try:
            with world.lock:
                person = world.find_account(request.form.get("as", ""))
                target = action(person=person, **parameters)
        except Refusal as refusal:
            return make_response(render_template("refused.html", message=str(refusal)), 422)
        answer = redirect(target, 303)
        answer.set_cookie("as", person.login, samesite="Strict")
        return answer

    return handle


def _in_order(comments: Sequence[Comment], reviews: Sequence[Review]) -> list[Comment | Review]:
    """What was said on a page, oldest first."""
    when = {id(entry): (entry.created_at, entry.id) for entry in comments}
    when |= {id(entry): (entry.submitted_at, entry.id) for entry in reviews}
    return sorted([*comments, *reviews], key=lambda entry: when[id(entry)])


def _avatar() -> Response:
    drawing = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 2"><circle cx="1" cy="1" r="1" fill="#8b949e"/></svg>'
    return Response(drawing, content_type="image/svg+xml")


class _Pages:
    """One method per page; the caller holds the world's lock."""

    def __init__(
        self,
        world: World,
        conversations: IssueOperations,
        pushes: Pushes,
        runs: Runs,
        addresses: Addresses,
    ) -> None:
        self._world = world
        self._conversations = conversations
        self._pushes = pushes
        self._runs = runs
        self._addresses = addresses

    def repositories(self) -> str:
        """All repositories."""
        return render_template("repositories.html", repositories=self._world.repositories.values())

    def issues(self, owner: str, name: str) -> str:
        """The issues and pull requests of a repository, newest first, and a form for a new one."""
        repository = self._world.repository(owner, name)
        issues = list(reversed(repository.issues.values()))
        return render_template(
            "issues.html", repository=repository, issues=issues, people=self._people(repository)
        )

    def open_issue(self, person: Account, owner: str, name: str) -> str:
        """The form of a new issue."""
        repository = self._world.repository(owner, name)
        title, body = request.form.get("title", ""), request.form.get("body", "")
        issue = self._conversations.open_issue(repository, Actor(person), title, body.replace("\r\n", "\n"))
        return f"/{repository.full_name}/issues/{issue.number}"

    def issue(self, owner: str, name: str, number: int) -> str:
        """An issue or pull request with its conversation."""
        repository = self._world.repository(owner, name)
        issue = self._conversations.issue(repository, number)
        changes, reviews = [], []
        if issue.pull_request:
            reviews = issue.pull_request.reviews
            changes = repository.git.changes(issue.pull_request.base_sha, issue.pull_request.head_sha)
        # Labels that say where a conversation stands are the App's to set.
        label_names = [*LABELS, *(label.name for label in repository.labels.values())]
        there = {label.name for label in issue.labels}
        addable_labels = [
            name
            for name in dict.fromkeys(label_names)
            if name not in there and not name.startswith(STATE_LABELS)
        ]
        running = [run for run in repository.runs.values() if run.group == f"{repository.id}/{number}"]
        return render_template(
            "issue.html",
            repository=repository,
            issue=issue,
            changes=changes,
            timeline=_in_order(issue.comments, reviews),
            people=self._people(repository),
            chosen=request.cookies.get("as", issue.user.login),
            addable_labels=addable_labels,
            runs=[run for run in reversed(running) if run.conclusion != "skipped"],
            markdown=lambda text: self._markdown(repository, text),
        )

    def act(self, person: Account, owner: str, name: str, number: int) -> str:
        """The forms of an issue page: comment, review, label, unlabel, edit, close, reopen."""
        repository = self._world.repository(owner, name)
        issue = self._conversations.issue(repository, number)
        self._perform(repository, issue, Actor(person), request.form.get("do", ""))
        return f"/{repository.full_name}/{'pull' if issue.pull_request else 'issues'}/{number}"

    def runs_of(self, owner: str, name: str) -> str:
        """The runs of a repository, newest first."""
        repository = self._world.repository(owner, name)
        return render_template(
            "runs.html", repository=repository, runs=list(reversed(repository.runs.values()))
        )

    def run(self, owner: str, name: str, run_id: int) -> str:
        """One run: how it ended, its summary, its artifacts, its log."""
        repository = self._world.repository(owner, name)
        run = self._runs.find(repository, run_id)
        summary = self._markdown(repository, run.summary) if run.summary else ""
        return render_template("run.html", repository=repository, run=run, summary=summary)

    def file(self, owner: str, name: str, revision: str, path: str) -> str:
        """A file at a commit, with numbered lines to point at."""
        repository = self._world.repository(owner, name)
        entry = repository.git.entry(revision, path)
        text = repository.git.blob(entry.sha or "").decode("utf-8", "replace")
        return render_template(
            "file.html", repository=repository, path=path, revision=revision, lines=text.splitlines()
        )

    def artifact(self, owner: str, name: str, run_id: int, artifact_id: int) -> Response:
        """The zip of an artifact, for who clicks on it."""
        with self._world.lock:
            repository = self._world.repository(owner, name)
            self._runs.find(repository, run_id)
            artifact = self._runs.downloadable(repository, artifact_id)
        headers = {"Content-Disposition": f'attachment; filename="{artifact.name}.zip"'}
        return Response(artifact.content, headers=headers, content_type="application/zip")

    def _perform(self, repository: Repository, issue: Issue, actor: Actor, wish: str) -> None:
        world, conversations, form = self._world, self._conversations, request.form
        body = form.get("body", "").replace("\r\n", "\n")
        is_trusted = world.role(repository, actor.account) >= Role.TRIAGE
        is_author = issue.user is actor.account
        wish, _, argument = wish.partition(":")
        match wish:
            case "comment":
                conversations.add_comment(repository, issue, actor, body)
            case "review":
                self._pushes.review(repository, issue, actor, argument, body)
            case "edit-comment":
                _, comment = conversations.find_comment(repository, int(form.get("comment", "0")))
                self._require(
                    comment.user is actor.account or world.role(repository, actor.account) >= Role.WRITE
                )
                conversations.edit_comment(repository, comment.id, actor, body)
            case "label":
                self._require(is_trusted)
                conversations.add_labels(repository, issue, actor, [argument])
            case "unlabel":
                self._require(is_trusted)
                conversations.remove_label(repository, issue, actor, argument)
            case "edit":
                self._require(is_trusted or is_author)
                conversations.edit_issue(repository, issue, actor, title=form.get("title"), body=body)
            case "closed" | "open":
                self._require(is_trusted or is_author)
                conversations.set_issue_state(repository, issue, actor, wish)
            case _:
                raise NotFound

    def _require(self, is_allowed: bool) -> None:
        if not is_allowed:
            raise Forbidden("This person may not do that here.")

    def _people(self, repository: Repository) -> list[tuple[Account, str]]:
        """Everybody one can act as, with the role they have here."""
        return [
            (account, self._world.role(repository, account).role_name)
            for account in self._world.accounts.values()
            if account.type is AccountType.USER and account is not self._world.ghost
        ]

    def _markdown(self, repository: Repository, text: str | None) -> str:
        """HTML that `page_text` has made harmless; templates put it in as it is."""

        def preview(commit: str, path: str, first: int, last: int) -> str | None:
            try:
                entry = repository.git.entry(commit, path)
                content = repository.git.blob(entry.sha or "").decode("utf-8", "replace")
            except NoSuchObject:
                return None
            return "\n".join(content.splitlines()[first - 1 : last])

        return render_markdown(text, self._addresses.html_of(repository), preview)
