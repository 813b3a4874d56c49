"""Reading and planning with the real client against a real server: what is sent, what comes back, how each failure ends."""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest

from pipeline.code_registry.registry import Registry
from pipeline.domain.intent import Source
from pipeline.llm.anthropic_client import AnthropicModel
from pipeline.llm.failures import ModelRequestRejected
from pipeline.llm.services import anthropic_service
from pipeline.stages.intent.stage import read_intent
from pipeline.stages.plans.policy import Policy
from pipeline.stages.plans.stage import Plans, make_plans
from pipeline.stages.semantics.decide import Open, decide
from tests.pipeline.conftest import Built
from tests.pipeline.llm.aimock_server import Aimock
from tests.pipeline.stages.plan_world import SERVICE, form, free, intent, needed, status
from tests.pipeline.stages.test_intent_by_model import FORM, ticket_of

pytestmark = pytest.mark.aimock

USED = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
NAME = "claude-sonnet-5-5"


@pytest.fixture
def service(built: Built) -> Registry:
    return built(SERVICE)


def says(filled: dict[str, Any], sequence: int | None = None) -> dict[str, Any]:
    match = {} if sequence is None else {"sequenceIndex": sequence}
    return {
        "match": {"userMessage": "issue", **match},
        "response": {"content": json.dumps(filled), "usage": USED},
    }


def fails(status_: int, kind: str) -> dict[str, Any]:
    return {"match": {}, "response": {"error": {"message": kind, "type": kind}, "status": status_}}


@contextmanager
def client(url: str) -> Iterator[AnthropicModel]:
    """The real client, which waits for nothing."""
    with closing(AnthropicModel(anthropic_service("made-up", url), sleep=lambda _seconds: None)) as model:
        yield model


def plans(server: Aimock, service: Registry) -> Plans:
    read = intent("Run actions and totals better", "")
    with client(server.url) as model:
        return make_plans(needed(read), service, (model, NAME), Policy.BALANCED, free)


def test_a_ticket_is_read_through_the_real_client(messages_server: Aimock) -> None:
    messages_server.answers(says(FORM))
    with client(messages_server.url) as model:
        read = read_intent(ticket_of(), (model, NAME))
    assert read.source is Source.MODEL
    assert [new.text for new in read.new_names] == ["dry_run"]
    (asked,) = messages_server.asked()
    assert "audit_log" not in json.dumps(asked)


def test_plans_are_made_through_the_real_client_and_compared(
    messages_server: Aimock, service: Registry
) -> None:
    refused, queued = form(effects=[status(429)]), form(effects=[status(202)])
    messages_server.answers(says(queued, 0), says(refused, 1), says(refused, 2))
    made = plans(messages_server, service)
    assert [plan.effects[0].after for plan in made.plans] == [202, 429, 429]
    assert isinstance(decide(made.policy, made.plans, intent("Better", ""), service), Open)
    assert len(messages_server.asked()) == 3


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (fails(529, "overloaded_error"), "ModelOverloaded"),
        (fails(429, "rate_limit_error"), "ModelRateLimited"),
        ({"match": {}, "response": {"content": "no", "finishReason": "refusal"}}, "ModelRefused"),
        ({"match": {}, "response": {"content": "and so", "finishReason": "length"}}, "ReplyCut"),
        ({"match": {}, "response": {"content": "not a form"}}, "ReplyMalformed"),
    ],
    ids=["529", "429", "refused", "too long", "no form"],
)
def test_a_reply_that_cannot_be_had_leaves_reading_by_rule_and_planning_out(
    messages_server: Aimock, service: Registry, answer: dict[str, Any], said: str
) -> None:
    messages_server.answers(answer)
    with client(messages_server.url) as model:
        read = read_intent(ticket_of(), (model, NAME))
    assert read.source is Source.LEXICAL
    assert read.by_rule_because is not None
    assert read.by_rule_because.startswith(said)
    made = plans(messages_server, service)
    assert made.plans == ()
    assert made.failure is None if made.dropped else (made.failure or "").startswith(said)
    assert len(made.dropped) == (3 if said == "ReplyMalformed" else 0)


def test_a_key_that_is_refused_ends_both(messages_server: Aimock, service: Registry) -> None:
    messages_server.answers(fails(401, "authentication_error"))
    with pytest.raises(ModelRequestRejected), client(messages_server.url) as model:
        read_intent(ticket_of(), (model, NAME))
    with pytest.raises(ModelRequestRejected):
        plans(messages_server, service)
