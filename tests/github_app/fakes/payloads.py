"""Payloads of the webhooks that the fake GitHub sends, made of its state."""

from typing import TYPE_CHECKING, Any

from github_app.conversation.transcript import Person
from tests.github_app.fakes.people import APP_BOT, PULL_REQUEST, REPOSITORY

if TYPE_CHECKING:
    from tests.github_app.fakes.world import World


def envelope(world: "World", action: str, who: Person) -> dict[str, Any]:
    return {
        "action": action,
        "installation": {"id": REPOSITORY.installation_id},
        "repository": {"id": REPOSITORY.id, "full_name": REPOSITORY.full_name, "default_branch": "main"},
        "sender": user_json(who),
    }


def issue_json(world: "World") -> dict[str, Any]:
    issue = world.the_issue
    return {
        "number": issue.number, "title": issue.title, "body": issue.body, "user": user_json(issue.author),
        "state": "open" if issue.is_open else "closed", "locked": issue.is_locked,
        "labels": [{"name": name} for name in sorted(issue.labels)], "updated_at": world.clock.now().isoformat(),
    }  # fmt: skip


def issue_payload(world: "World", action: str, who: Person, **more: object) -> dict[str, Any]:
    return {**envelope(world, action, who), "issue": issue_json(world), **more}


def comment_payload(world: "World", action: str, who: Person, comment_id: int) -> dict[str, Any]:
    comment = world.the_comments[comment_id]
    issue = issue_json(world)
    if comment_id in world.on_pull_request:
        issue |= {"number": PULL_REQUEST, "pull_request": {}, "user": user_json(APP_BOT), "labels": []}
    return {
        **envelope(world, action, who),
        "issue": issue,
        "comment": {
            "id": comment.id, "body": comment.body, "user": user_json(comment.author),
            "performed_via_github_app": {"id": comment.app_id} if comment.app_id else None,
        },
    }  # fmt: skip


def run_payload(world: "World", run_id: int, **fields: object) -> dict[str, Any]:
    run = world.runs[run_id]
    return {
        **envelope(world, "completed", world.actors[run_id]),
        "workflow_run": {
            "id": run.id, "run_attempt": run.attempt, "path": run.path, "event": run.event,
            "display_title": run.display_title, "conclusion": "success", "head_branch": run.head_branch,
            "head_sha": run.head_sha, "head_repository": {"id": run.head_repository_id},
            "actor": user_json(world.actors[run_id]), "created_at": world.created[run_id].isoformat(), **fields,
        },
    }  # fmt: skip


def user_json(person: Person) -> dict[str, Any]:
    return {"id": person.id, "login": person.login, "type": "Bot" if person.is_bot else "User"}
