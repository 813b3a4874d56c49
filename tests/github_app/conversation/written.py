"""Comments as they read on the issue: questions, what became of them, and notices."""

from datetime import UTC, datetime

from github_app.conversation.event import ConversationEvent
from github_app.conversation.message import Message
from github_app.conversation.own_comments import question_comment, with_started_run
from github_app.conversation.record import Conversation, PendingAnswer, State
from github_app.conversation.states import Trigger
from github_app.conversation.wording.asked import question_asked
from github_app.surfaces.github_markdown import GitHubMarkdown
from pipeline.contract.answers import Answer
from tests.github_app.conversation.questions import (
    two_routes,
)

DEADLINE = datetime(2026, 12, 8, 9, 0, tzinfo=UTC)
SURFACE = GitHubMarkdown()


def written(question) -> str:
    return SURFACE.render(question_asked(question, addressee="octocat", deadline=DEADLINE))


def a_record(**more) -> Conversation:
    known = Conversation(
        repository_id=1, issue=418, author="octocat", question=two_routes(), question_comment_id=3300000001,
        expires_at=DEADLINE, state=State.ASKING,
    )  # fmt: skip
    return known.model_copy(update=more)


def edited(**more) -> str:
    message = question_comment(a_record(**more))
    assert message is not None
    return SURFACE.render(message)


def said(event: ConversationEvent, trigger: Trigger, record: Conversation | None = None, **more) -> str:
    record = record or a_record(**more)
    _key, blocks = event.notice(record, record, trigger)
    return SURFACE.render(Message(with_started_run(tuple(blocks), record), "acme/orders", record.issue))


def given(**more) -> PendingAnswer:
    answer = Answer(
        question_id="q-1", slot="entry_route", choice="route:POST /actions/stream", comment_id=3300000002
    )
    fields: dict[str, object] = {
        "answer": answer, "login": "octocat", "said": "2", "choice": "route:POST /actions/stream",
        "run_id": 18420019977, **more,
    }  # fmt: skip
    return PendingAnswer.model_validate(fields)
