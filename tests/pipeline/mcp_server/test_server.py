"""What a coding agent gets from the tools, through the official client, in both generations of the protocol."""

import asyncio
import gc
import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot
from mcp import Client
from mcp.types import ElicitRequestFormParams, ElicitResult, TextContent

from pipeline.contract.artifact import CLARIFICATION_FILE
from pipeline.git import run_git
from pipeline.mcp_server.checkout import Checkout
from pipeline.mcp_server.form import PersonsAnswer
from pipeline.mcp_server.server import build_server
from pipeline.run_record.run_directory import Ending
from tests.github_app.conversation.questions import FORMAT, WHO, a_plan
from tests.github_app.fakes.endings import a_ticket
from tests.journeys.conftest import make_repository

TICKET = "# Add a dry_run flag to the bulk action\n\nPlease add a `dry_run` flag: nothing is written.\n"
STREAM = "route:POST /actions/stream"
GENERATIONS = pytest.mark.parametrize("generation", ["legacy", "2026-07-28"])

Person = Callable[[ElicitRequestFormParams], ElicitResult]


class Agent:
    """A coding agent with a person behind it, or without one: then its client knows no forms."""

    def __init__(self, checkout: Checkout, generation: Any = "auto", person: Person | None = None) -> None:
        self._server = build_server(checkout)
        self._generation = generation
        self._person = person
        self.shown: list[str] = []

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = asyncio.run(self._call(tool, arguments))
        assert not result.is_error, result.content
        structured: dict[str, Any] = result.structured_content
        return structured

    def refused(self, tool: str, **arguments: Any) -> str:
        result = asyncio.run(self._call(tool, arguments))
        assert result.is_error
        (content,) = result.content
        assert isinstance(content, TextContent)
        return content.text

    async def _call(self, tool: str, arguments: dict[str, Any]) -> Any:
        ask = None if self._person is None else self._ask
        async with Client(self._server, mode=self._generation, elicitation_callback=ask) as client:
            return await client.call_tool(tool, arguments)

    async def _ask(self, context: object, params: Any) -> ElicitResult:
        assert self._person is not None
        self.shown.append(params.message)
        return self._person(params)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    (tmp_path / "runs").mkdir()
    return Checkout(make_repository("orders_fastapi", tmp_path / "orders"), tmp_path / "runs", {})


def says(**content: Any) -> Person:
    return lambda _params: ElicitResult(action="accept", content=content)


@GENERATIONS
def test_the_person_answers_in_the_middle_of_the_call(checkout: Checkout, generation: str) -> None:
    agent = Agent(checkout, generation, says(choice=STREAM))
    ended = agent.call("ask_first", ticket=TICKET)
    assert (ended["ends_with"], ended["document"]["ready"]) == ("ticket", True)
    assert [target["id"] for target in ended["document"]["targets"]] == [STREAM]
    (shown,) = agent.shown
    assert "2. POST /actions/stream" in shown


@GENERATIONS
def test_words_of_the_person_are_read_like_the_ticket(checkout: Checkout, generation: str) -> None:
    ended = Agent(checkout, generation, says(words="the streaming one")).call("ask_first", ticket=TICKET)
    assert ended["ends_with"] == "ticket"
    assert [answer["text"] for answer in ended["document"]["answers"]] == ["the streaming one"]


@GENERATIONS
def test_a_person_who_declines_leaves_the_question_open(checkout: Checkout, generation: str) -> None:
    ended = Agent(checkout, generation, lambda _: ElicitResult(action="decline")).call(
        "ask_first", ticket=TICKET
    )
    assert (ended["ends_with"], ended["answers"]) == ("question", [])
    assert ended["next_step"].startswith("The person did not want to answer. Write no code.")


@GENERATIONS
def test_a_client_without_forms_gets_the_question_and_passes_the_answer_on(
    checkout: Checkout, generation: str
) -> None:
    agent = Agent(checkout, generation)
    result = agent.call("ask_first", ticket=TICKET)
    assert (result["ends_with"], result["document"]["kind"]) == ("question", "ClarificationNeeded")
    question = result["document"]["question"]
    answer = {"question_id": question["id"], "slot": question["slot"], "choice": STREAM}
    assert agent.call("ask_first", ticket=TICKET, answers=[answer])["ends_with"] == "ticket"


class PlannedCheckout(Checkout):
    """A checkout whose runs put a plan to the person first; what was answered is kept."""

    def run(self, ticket: str, answers: tuple[PersonsAnswer, ...]) -> Ending:
        directory = self.folder / hashlib.sha256(ticket.encode()).hexdigest()[:16]
        directory.mkdir(exist_ok=True)
        (directory / CLARIFICATION_FILE).write_text(PLAN.model_dump_json(), encoding="utf-8")
        if not answers:
            return PLAN
        self._write_answers(ticket, answers)
        return a_ticket()


PLAN = a_plan(WHO, FORMAT)


@pytest.fixture
def planned(tmp_path: Path) -> Checkout:
    return PlannedCheckout(tmp_path, tmp_path, {})


@GENERATIONS
def test_a_plan_is_a_form_with_its_points_and_the_answer_travels_with_their_words(
    planned: Checkout, generation: str
) -> None:
    agent = Agent(planned, generation, says(**{"1": "b"}))
    ended = agent.call("ask_first", ticket=TICKET)
    (answer,) = ended["answers"]
    assert (ended["ends_with"], answer["points"]) == ("ticket", {"1": "b", "2": "b"})
    assert answer["label"] == "Who may ask? Admins. What is answered? A list."
    assert agent.shown == snapshot(
        [
            """\
Is this the right plan?

  A person sees each plan before anything is built.

  Add the flag.
  - app/api/actions.py: Take the flag.

  a. Who may ask?
     1a  Everybody  (as planned)
         Whoever may act.
     2a  Admins
         All others get 403.

  b. What is answered?
     1b  202
         Nothing is queued.
     2b  A list  (as planned)
         200 with a list.
     3b  Both
         It depends.\
"""
        ]
    )


@GENERATIONS
def test_words_about_a_plan_travel_with_the_plan_that_they_are_about(
    planned: Checkout, generation: str
) -> None:
    ended = Agent(planned, generation, says(words="Only 2b, and call it preview.")).call(
        "ask_first", ticket=TICKET
    )
    (answer,) = ended["answers"]
    assert (answer["text"], answer["label"]) == snapshot(
        (
            "Only 2b, and call it preview.",
            "Point a: Who may ask? 1a (taken) Everybody, 2a Admins. Point b: What is answered? 1b 202, 2b (taken) A list, 3b Both. Add the flag.",
        )
    )


@GENERATIONS
def test_a_client_without_forms_passes_words_about_a_plan_on_and_the_plan_is_added(
    planned: Checkout, generation: str
) -> None:
    agent = Agent(planned, generation)
    question = agent.call("ask_first", ticket=TICKET)["document"]["question"]
    answer = {"question_id": question["id"], "slot": question["slot"], "text": "call it preview"}
    (added,) = agent.call("ask_first", ticket=TICKET, answers=[answer])["answers"]
    assert added["label"].startswith("Point a: Who may ask? 1a (taken) Everybody, 2a Admins.")


def test_an_answer_to_another_question_answers_nothing(checkout: Checkout) -> None:
    answer = {"question_id": "q-other", "slot": "entry_route", "choice": "route:GET /nowhere"}
    ended = Agent(checkout).call("ask_first", ticket=TICKET, answers=[answer])
    assert ended["ends_with"] in {"question", "failure"}


def test_an_answer_that_says_nothing_is_refused_with_its_form(checkout: Checkout) -> None:
    message = Agent(checkout).refused(
        "ask_first", ticket=TICKET, answers=[{"question_id": "q", "slot": "entry_route"}]
    )
    assert '"choice": "…"' in message


def test_a_path_is_taken_for_text_and_never_read(checkout: Checkout, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("# A secret\n", encoding="utf-8")
    path = str(tmp_path / "secret.md")
    for tool in ("ask_first", "places"):
        assert "A secret" not in str(Agent(checkout).call(tool, ticket=path))


def test_a_plain_sentence_is_a_ticket(checkout: Checkout) -> None:
    asked = Agent(checkout).call("explain", ticket="Add a dry_run flag to the bulk action")
    assert asked["question"] == "Which route should get dry_run?"


def test_the_places_come_with_probabilities_and_reasons(checkout: Checkout) -> None:
    places = Agent(checkout).call("places", ticket=TICKET)["places"]
    assert places[0]["path"] == "app/api/actions.py"
    assert 0 < places[0]["probability"] <= 1
    assert places[0]["because"]


def test_the_explanation_says_why_it_would_ask_in_few_words(checkout: Checkout) -> None:
    explained = Agent(checkout).call("explain", ticket=TICKET)
    assert (explained["asks"], explained["default"]) == ("ClarificationNeeded", "route:POST /actions")
    assert "features" not in str(explained)
    assert len(str(explained)) < 8_000


def test_a_secret_of_the_environment_is_in_no_explanation(checkout: Checkout) -> None:
    secret = "correct_horse_battery"
    ticket = TICKET.replace("`dry_run`", f"`dry_run` and `{secret}`")
    assert secret in str(Agent(checkout).call("explain", ticket=ticket))
    own = replace(checkout, environment={"ORDERS_TOKEN": secret})
    assert secret not in str(Agent(own).call("explain", ticket=ticket))


def test_nothing_of_a_call_is_kept_from_being_collected(checkout: Checkout) -> None:
    checkout.run(TICKET, ())
    assert gc.get_freeze_count() == 0


def test_every_tool_only_reads_and_says_what_a_ticket_is(checkout: Checkout) -> None:
    async def listed() -> Any:
        async with Client(build_server(checkout)) as client:
            return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in asyncio.run(listed())}
    assert set(tools) == {"ask_first", "places", "explain"}
    for tool in tools.values():
        assert tool.annotations.read_only_hint
        assert "owner/repo#12" in tool.input_schema["properties"]["ticket"]["description"]


def test_a_file_that_is_written_between_two_calls_is_read(
    checkout: Checkout, capsys: pytest.CaptureFixture[str]
) -> None:
    agent = Agent(checkout)
    agent.call("ask_first", ticket=TICKET)
    api = checkout.repository / "app" / "api"
    code = (api / "actions.py").read_text(encoding="utf-8")
    (api / "batches.py").write_text(code.replace('"/actions"', '"/batches"'), encoding="utf-8")
    capsys.readouterr()
    agent.call("ask_first", ticket=TICKET)
    assert "✓ places" in capsys.readouterr().err
    agent.call("ask_first", ticket=TICKET)
    assert "↺ places" in capsys.readouterr().err


@pytest.mark.parametrize("tool", ["places", "explain", "ask_first"])
@pytest.mark.parametrize("ticket", ["https://127.0.0.1:1/acme/orders/issues/1", "acme/payroll#1"])
def test_an_issue_of_another_repository_is_not_read(checkout: Checkout, tool: str, ticket: str) -> None:
    message = Agent(checkout).refused(tool, ticket=ticket)
    assert f"{ticket} is not read" in message


def test_an_issue_of_the_own_repository_is_asked_for(checkout: Checkout) -> None:
    """Nobody listens there, which the message says."""
    run_git(checkout.repository, "remote", "add", "origin", "https://github.com/Acme/Orders")
    own = replace(
        checkout,
        environment={"GITHUB_API_URL": "http://127.0.0.1:1", "GITHUB_SERVER_URL": "https://github.com"},
    )
    assert "is not read" not in Agent(own).refused("places", ticket="acme/orders#1")
    assert "is not read" in Agent(own).refused("places", ticket="acme/payroll#1")
