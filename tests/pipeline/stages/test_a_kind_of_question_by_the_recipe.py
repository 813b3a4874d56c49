"""What `.github/CONTRIBUTING.md` says of adding a kind of question, done: one row, the decision, and it asks."""

from dataclasses import replace

import pytest

from github_app.conversation.wording.asked import question_asked
from github_app.surfaces.github_markdown import GitHubMarkdown
from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer
from pipeline.contract.code_slots import CODE_SLOTS, CodeSlot, Slot
from pipeline.contract.wire import RunIdentity
from pipeline.domain.stops import ClarificationNeeded
from pipeline.stages.decomposition.candidates import symbol_choice
from pipeline.stages.decomposition.choosing import Chooser
from pipeline.stages.decomposition.outcome import OpenChoice, Outcome, Selection
from pipeline.stages.decomposition.questions import ask_between
from pipeline.stages.decomposition.subject import Subject
from tests.pipeline.conftest import Built
from tests.pipeline.stages.code_bases import likely_files
from tests.pipeline.stages.plan_world import issue

TEST = CodeSlot(
    id="test",
    noun="test",
    fitting="tests are called that",
    reason="{count} tests are named '{quote}'",
    suggestion="Name the test with its file in the ticket prose.",
    is_by_name=True,
)
RUN = RunIdentity(repository="acme/parcels", issue=418, commit="c" * 40, run_id="1", ticket_sha256="a" * 64)
WISH = "`test_refund` runs for a minute."


@pytest.fixture
def registry(built: Built) -> Registry:
    body = "def test_refund(): ...\n"
    return built({"tests/test_parcels.py": body, "tests/test_invoices.py": body})


def by_tests(registry: Registry, title: str, *answers: Answer) -> tuple[Subject, Outcome]:
    """The decision of the example: tests of the cited name."""
    subject = Subject(issue(title, WISH), registry, likely_files(registry), answers)
    citation = subject.document.citations[0]
    choices = [symbol_choice(registry, symbol) for symbol in registry.symbols if symbol.name == citation.text]
    outcome = Chooser(subject).choose(
        TEST, choices, "`test_refund`", quotes=(citation.quote,), citation=citation
    )
    return subject, outcome


def asked(registry: Registry, title: str) -> ClarificationNeeded:
    subject, outcome = by_tests(registry, title)
    assert isinstance(outcome, OpenChoice), outcome
    return ClarificationNeeded(ask_between(subject, outcome, stage="decomposition"))


def test_a_kind_of_question_by_the_recipe_asks_with_its_own_words(registry: Registry) -> None:
    stop = asked(registry, "Mark the test as slow")
    comment = GitHubMarkdown().render(question_asked(stop.clarification(RUN, round_=1)))
    assert stop.ask.text == "Which test should get test_refund?"
    assert stop.ask.reason.startswith("2 tests are named 'test_refund': test_refund (tests/test_")
    assert stop.ask.suggestion == "Name the test with its file in the ticket prose."
    assert "test_refund (tests/test_invoices.py)" in comment


def test_a_word_of_the_ticket_or_an_answer_selects(registry: Registry) -> None:
    _, by_word = by_tests(registry, "Mark the test of invoices as slow")
    assert isinstance(by_word, Selection)
    assert by_word.targets[0].id == "symbol:tests/test_invoices.py::test_refund"
    answer = Answer(
        question_id="q-1",
        slot="test",
        choice="symbol:tests/test_parcels.py::test_refund",
        answered_by="octocat",
    )
    _, by_answer = by_tests(registry, "Mark the test as slow", answer)
    assert isinstance(by_answer, Selection)
    assert by_answer.because == "octocat chose test_refund (tests/test_parcels.py)."


def test_a_reason_with_a_placeholder_that_nobody_fills_is_refused_when_the_table_is_loaded() -> None:
    with pytest.raises(ValueError, match="has a placeholder 'weight'; it may have count"):
        replace(TEST, reason="{count} tests weigh {weight}")


def test_no_two_rows_have_one_id() -> None:
    assert len(CODE_SLOTS) == len(Slot)
