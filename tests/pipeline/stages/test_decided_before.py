"""Decisions meet code that has changed since: which still answer, and what is said of those that do not."""

from collections.abc import Callable, Mapping
from datetime import date

from pipeline.code_registry.registry import Registry
from pipeline.contract.decisions import UNDO, Decision
from pipeline.domain.stops import ClarificationNeeded
from pipeline.stages.decomposition.stage import Decomposition, decide
from tests.pipeline.stages.plan_world import NO_RANKING, issue

Built = Callable[[Mapping[str, str]], Registry]

HEAD = """
from fastapi import FastAPI

app = FastAPI()


def charge_card(amount):
    return amount

"""
TICKET = issue(
    "Let callers test a payment", "`charge_card` should take an optional `test_mode` flag with the request."
)


def shop(built: Built, *names: str) -> Registry:
    """A service in which one route for each name reaches `charge_card`."""
    routes = "".join(
        f'\n@app.post("/{name}")\ndef {name}(amount: int):\n    return charge_card(amount)\n'
        for name in names
    )
    return built({"shop/api.py": HEAD + routes, "tests/test_api.py": "def test_it():\n    assert True\n"})


def decided(choice: str, *names: str) -> Decision:
    return Decision(
        slot="entry_route",
        candidates=tuple(f"route:POST /{name}" for name in names),
        choice=f"route:POST /{choice}",
        decided_by="octocat",
        decided_in=123,
        decided_at=date(2026, 11, 22),
    )


def come_to(registry: Registry, *decisions: Decision) -> Decomposition | ClarificationNeeded:
    return decide(TICKET, NO_RANKING, registry, (), decisions)[0]


def test_without_a_decision_it_asks(built: Built) -> None:
    assert isinstance(come_to(shop(built, "order", "refund")), ClarificationNeeded)


def test_a_decision_answers_and_is_cited(built: Built) -> None:
    found = come_to(shop(built, "order", "refund"), decided("refund", "order", "refund"))
    assert isinstance(found, Decomposition)
    assert [target.label for target in found.targets] == ["POST /refund"]
    assert found.decisions == ("POST /refund, as decided in #123 by octocat on 2026-11-22. " + UNDO,)
    assert found.evidence[-1].concluded.startswith("Decided before: POST /refund")
    assert [place.label for place in found.chain] == ["refund", "charge_card"]


def test_a_decision_goes_on_answering_when_another_candidate_was_removed(built: Built) -> None:
    found = come_to(shop(built, "order", "refund"), decided("refund", "gift", "order", "refund"))
    assert isinstance(found, Decomposition)
    assert [target.label for target in found.targets] == ["POST /refund"]


def test_a_decision_whose_choice_was_removed_is_said_in_the_question(built: Built) -> None:
    asked = come_to(shop(built, "order", "refund"), decided("gift", "gift", "order", "refund"))
    assert isinstance(asked, ClarificationNeeded)
    assert asked.ask.reason.endswith(
        "route:POST /gift was decided in #123 by octocat on 2026-11-22, which does not answer this: "
        "what it chose is not among the candidates any more."
    )


def test_a_new_route_is_asked_about_and_what_was_decided_without_it_is_said(built: Built) -> None:
    asked = come_to(shop(built, "gift", "order", "refund"), decided("refund", "order", "refund"))
    assert isinstance(asked, ClarificationNeeded)
    assert asked.ask.reason.endswith("there are candidates now that it did not weigh.")


def test_what_is_said_of_a_decision_changes_no_question(built: Built) -> None:
    registry = shop(built, "order", "refund")
    plain, told = come_to(registry), come_to(registry, decided("gift", "gift", "order", "refund"))
    assert isinstance(plain, ClarificationNeeded)
    assert isinstance(told, ClarificationNeeded)
    assert plain.question_id == told.question_id


def test_a_long_id_in_the_file_is_cut_where_it_is_said(built: Built) -> None:
    asked = come_to(shop(built, "order", "refund"), decided("x" * 900, "x" * 900, "order", "refund"))
    assert isinstance(asked, ClarificationNeeded)
    assert "…" in asked.ask.reason
    assert len(asked.ask.reason) < 600
