"""What a person reads as the reason of a question, on the terminal and in the summary. The payload keeps the facts."""

import pytest
from inline_snapshot import snapshot

from pipeline.contract.clarification import Candidate
from pipeline.contract.code_slots import CODE_SLOTS
from pipeline.contract.wire import NO_COMMIT, RunIdentity
from pipeline.domain.stops import AlreadyImplemented, Ask, ClarificationNeeded, Stop
from pipeline.terminal.endings import question_as_text

RUN = RunIdentity(
    repository=None, issue=None, commit=NO_COMMIT, run_id="1", attempt=1, nonce=None, ticket_sha256="0" * 64
)
FACTS = (
    "2 routes reach the chain leaf 'move': POST /a (0 fields), POST /b (0 fields). Prose did not name which."
)


def ask(slot: str = "entry_route", reason: str = FACTS, candidates: int = 2) -> Ask:
    return Ask(
        stage="decomposition",
        slot=slot,
        reason=reason,
        text="Which route should get dry_run?",
        suggestion="",
        candidates=tuple(
            Candidate(
                handler_symbol=name, body_field_count=0, id=f"route:POST /{name}", label=f"POST /{name}"
            )
            for name in "abcdefg"[:candidates]
        ),
    )


def test_the_terminal_shows_a_sentence_and_the_payload_keeps_the_facts() -> None:
    payload = ClarificationNeeded(ask(reason=f"{FACTS} It was decided in #3.")).clarification(RUN, round_=1)
    assert payload.reason == f"{FACTS} It was decided in #3."
    assert question_as_text(payload) == snapshot("""\

Which route should get dry_run?

  Two routes fit, and no word in the ticket picks one. It was decided in #3.

  1. POST /a
  2. POST /b
""")


@pytest.mark.parametrize("slot", sorted(CODE_SLOTS))
def test_no_reason_of_a_question_about_the_code_is_the_wire_format_s(slot: str) -> None:
    stop = ClarificationNeeded(ask(slot))
    assert stop.plain_reason == f"Two {CODE_SLOTS[slot].fitting}, and no word in the ticket picks one."


@pytest.mark.parametrize(
    ("stop", "reason"),
    [
        (ClarificationNeeded(ask(candidates=7)), "7 routes fit, and no word in the ticket picks one."),
        (ClarificationNeeded(ask("plan/0", "Two plans differ.")), "Two plans differ."),
        (AlreadyImplemented(ask("entry_route", "It is there.")), "It is there."),
    ],
)
def test_other_reasons_are_sentences_already(stop: Stop, reason: str) -> None:
    assert stop.plain_reason == reason
