"""When two questions are the same, which decision answers one, and what the file looks like afterwards."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from pipeline.contract.answers import Answer, Verdict
from pipeline.contract.clarification import Candidate, Clarification, Option, Question, StopKind
from pipeline.contract.decision_text import DecisionsUnreadable, parse_decisions, with_decision
from pipeline.contract.decisions import (
    DECIDABLE_SLOTS,
    Decision,
    QuestionSignature,
    WhyNot,
    consult,
    decision_from,
)
from pipeline.contract.wire import RunIdentity, question_id
from pipeline.contract.yaml_source import read_yaml

TODAY = date(2026, 11, 22)
A, B, C, D = (f"route:POST /{name}" for name in "abcd")


def decided(
    *candidates: str, choice: str = A, issue: int | None = 123, slot: str = "entry_route"
) -> Decision:
    return Decision(
        slot=slot,
        candidates=candidates,
        choice=choice,
        decided_by="octocat",
        decided_in=issue,
        decided_at=TODAY,
    )


def question(*candidates: str, slot: str = "entry_route") -> QuestionSignature:
    return QuestionSignature(slot, frozenset(candidates))


def asked(
    *candidates: str,
    kind: StopKind = StopKind.CLARIFICATION_NEEDED,
    slot: str = "entry_route",
    text: str = "Which route should get dry_run?",
    subject: dict[str, object] | None = None,
    options: tuple[Option, ...] | None = None,
) -> Clarification:
    return Clarification.model_validate(
        {
            "kind": kind,
            "stage": "decomposition",
            "reason": f"Some words. {text}",
            "candidates": [
                Candidate(handler_symbol=f"<{one}>", body_field_count=None, id=one, label=one)
                for one in candidates
            ],
            "suggestion": "",
            "question": Question(
                id=question_id(kind.value, slot, candidates, subject), slot=slot, text=text, options=options
            ).model_copy(update={"subject": subject}),
            "run": RunIdentity(
                repository=None, issue=123, commit="0" * 40, run_id="1", ticket_sha256="0" * 64
            ),
        }
    )


def answer(to: Clarification, choice: str, who: str | None = "octocat") -> Answer:
    return Answer(question_id=to.question.id, slot=to.question.slot, choice=choice, answered_by=who)


ids = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), min_size=1, max_size=20).map(
    lambda text: f"symbol:{text}x"
)
slots = st.sampled_from(sorted(DECIDABLE_SLOTS))


@st.composite
def decisions(draw: st.DrawFn) -> Decision:
    candidates = draw(st.lists(ids, min_size=2, max_size=5, unique=True))
    return Decision(
        slot=draw(slots),
        candidates=tuple(candidates),
        choice=draw(st.sampled_from(candidates)),
        decided_by=draw(st.from_regex(r"[A-Za-z0-9_.-]{1,20}(\[bot\])?", fullmatch=True)),
        decided_in=draw(st.none() | st.integers(1, 10**9)),
        decided_at=draw(st.dates()),
    )


def everything_is_there(_: str) -> bool:
    return True


class TestTheSameQuestion:
    @given(decisions(), st.data())
    def test_neither_the_order_of_the_candidates_nor_the_words_of_the_ticket_matter(
        self, decision: Decision, data: st.DataObject
    ) -> None:
        shuffled = data.draw(st.permutations(decision.candidates))
        first = asked(*decision.candidates, slot=decision.slot, text="Which should get dry_run?")
        later = asked(*shuffled, slot=decision.slot, text="Which should lose its retry?")
        kept = decision_from(first, answer(first, decision.choice), on=TODAY)
        assert kept is not None
        found = consult(
            [kept],
            question(*(one.id for one in later.candidates), slot=later.question.slot),
            in_code=everything_is_there,
        )
        assert found.answer == kept
        assert found.answer.choice == decision.choice

    def test_another_slot_is_another_question(self) -> None:
        said = consult([decided(A, B)], question(A, B, slot="caller"), in_code=everything_is_there)
        assert said.decision is None

    def test_another_kind_of_wish_is_another_question_and_that_is_said(self) -> None:
        for_adding = decided(A, B).model_copy(update={"wish": "add"})
        for_all = decided(A, B, choice=B)
        changing, adding = (
            QuestionSignature("entry_route", frozenset({A, B}), wish) for wish in ("change", "add")
        )
        said = consult([for_adding], changing, in_code=everything_is_there)
        assert (said.answer, said.why_not) == (None, WhyNot.OTHER_WISH)
        assert consult([for_adding], adding, in_code=everything_is_there).answer == for_adding
        known = [for_adding, for_all]
        assert consult(known, changing, in_code=everything_is_there).answer == for_all
        assert consult(known, adding, in_code=everything_is_there).answer == for_adding

    def test_a_decision_holds_for_the_kind_of_wish_that_was_asked_about(self) -> None:
        first = asked(A, B)
        first = first.model_copy(update={"question": first.question.model_copy(update={"wish": "add"})})
        kept = decision_from(first, answer(first, A), on=TODAY)
        assert kept is not None
        assert kept.wish == "add"
        assert parse_decisions(read_yaml(with_decision("", kept).encode())) == (kept,)

    @given(st.lists(decisions(), max_size=6), decisions())
    def test_a_question_is_answered_exactly_if_its_last_decision_says_how_and_by_one_of_its_candidates(
        self, known: list[Decision], open_: Decision
    ) -> None:
        about_it = [one for one in known if one.signature == open_.signature]
        assert consult(known, open_.signature, in_code=everything_is_there).answer == (
            about_it[-1] if about_it else None
        )
        answer_ = consult([*known, open_], open_.signature, in_code=everything_is_there).answer
        assert answer_ == open_
        assert answer_.choice in open_.candidates

    @given(
        st.lists(decisions(), min_size=1, max_size=6, unique_by=lambda one: one.signature).flatmap(
            lambda known: st.tuples(st.just(known), st.permutations(known))
        )
    )
    def test_the_order_of_decisions_about_different_questions_means_nothing(
        self, orders: tuple[list[Decision], list[Decision]]
    ) -> None:
        known, shuffled = orders
        for one in known:
            assert consult(known, one.signature, in_code=everything_is_there).answer == one
            assert consult(shuffled, one.signature, in_code=everything_is_there).answer == one


class TestTheCodeHasChangedSince:
    def test_a_candidate_that_is_gone_is_no_alternative_any_more(self) -> None:
        said = consult([decided(A, B, C)], question(A, B), in_code=lambda id_: id_ != C)
        assert said.answer == decided(A, B, C)

    def test_fewer_candidates_of_code_that_is_still_there_are_another_question(self) -> None:
        said = consult([decided(A, B, C)], question(A, B), in_code=everything_is_there)
        assert (said.decision, said.why_not) == (None, None)

    def test_a_choice_that_is_gone_is_said_and_not_honoured(self) -> None:
        said = consult([decided(A, B, C)], question(B, C), in_code=lambda id_: id_ != A)
        assert (said.answer, said.decision, said.why_not) == (None, decided(A, B, C), WhyNot.CHOICE_GONE)

    def test_a_new_candidate_is_said_and_asked_about(self) -> None:
        said = consult([decided(A, B)], question(A, B, C), in_code=everything_is_there)
        assert (said.answer, said.decision, said.why_not) == (None, decided(A, B), WhyNot.CANDIDATES_NEW)

    def test_decisions_that_lead_to_one_question_and_disagree_answer_nothing(self) -> None:
        known = [decided(A, B, C), decided(A, B, D, choice=B)]
        said = consult(known, question(A, B), in_code=lambda id_: id_ in {A, B})
        assert (said.answer, said.why_not) == (None, WhyNot.CONTRADICTION)
        settled = [*known, decided(A, B, choice=B)]
        answered = consult(settled, question(A, B), in_code=lambda id_: id_ in {A, B}).answer
        assert answered == decided(A, B, choice=B)

    def test_the_last_decision_about_a_question_counts(self) -> None:
        said = consult([decided(A, B), decided(B, A, choice=B)], question(A, B), in_code=everything_is_there)
        assert said.answer is not None
        assert said.answer.choice == B


class TestWhatCanBeDecided:
    def test_an_answer_keeps_who_said_it_where_and_when(self) -> None:
        first = asked(B, A)
        assert decision_from(first, answer(first, A), on=TODAY) == decided(A, B)
        assert decided(A, B).citation == "decided in #123 by octocat on 2026-11-22"
        assert decided(A, B, issue=None).citation == "decided by octocat on 2026-11-22"

    @pytest.mark.parametrize(
        "question_",
        [
            asked(A, B, kind=StopKind.CONFIRMATION_NEEDED),
            asked(A, B, kind=StopKind.BLOCKED),
            asked(A, B, kind=StopKind.ALREADY_IMPLEMENTED),
            asked(A, B, subject={"agent": "coder"}),
            asked(A, B, options=(Option(id=A, label="a"),)),
            asked(A, B, slot="clarify"),
            asked(A),
            asked(A, "symbol:app.py::run#2"),
            asked(A, "symbol:app.py::run\u202e"),
        ],
    )
    def test_what_holds_for_one_call_run_or_ticket_becomes_no_decision(
        self, question_: Clarification
    ) -> None:
        assert decision_from(question_, answer(question_, A), on=TODAY) is None

    def test_only_a_choice_of_somebody_among_the_candidates_becomes_a_decision(self) -> None:
        first, other = asked(A, B), asked(A, B, C)
        free = Answer(question_id=first.question.id, slot="entry_route", text="both", answered_by="octocat")
        approved = Answer(
            question_id=first.question.id, slot="entry_route", verdict=Verdict.APPROVE, answered_by="octocat"
        )
        for given_ in (free, approved, answer(other, A), answer(first, C), answer(first, A, who=None)):
            assert decision_from(first, given_, on=TODAY) is None


class TestTheFile:
    def test_a_new_file_says_what_it_is(self) -> None:
        assert with_decision("", decided(A, B)) == snapshot("""\
# Answers that hold for every ticket. askfirst reads this file from the base branch.
# Of two entries about the same candidates the last one counts. To be asked again, remove an entry.
version: 1
decisions:
  - slot: entry_route
    candidates:
    - route:POST /a
    - route:POST /b
    choice: route:POST /a
    decided_by: octocat
    decided_in: 123
    decided_at: 2026-11-22
""")

    @given(st.lists(decisions(), max_size=4), decisions())
    def test_an_entry_is_added_behind_all_others(self, known: list[Decision], new: Decision) -> None:
        text = ""
        for one in known:
            text = with_decision(text, one)
        before = read(text) if text else ()
        after = read(with_decision(text, new))
        same = [one for one in before if one.signature == new.signature]
        assert after == (before if same and same[-1].choice == new.choice else (*before, new))

    def test_what_people_wrote_stays(self) -> None:
        written = "# ours\ndecisions:\n- {slot: caller, candidates: [x, y], choice: x, decided_by: a, decided_at: 2026-01-02} # why\n# the end\nversion: 1"
        after = with_decision(written, decided(A, B))
        assert all(line in after.splitlines() for line in written.splitlines())
        assert read(after)[1:] == (decided(A, B),)

    @pytest.mark.parametrize(
        "written",
        [
            "version: 1\ndecisions: []\n",
            "{version: 1, decisions: []}",
            "version: 1\ndecisions: []\n...\n",
            "# only a remark",
            "\r\n",
        ],
    )
    def test_a_list_that_is_written_in_another_way_becomes_a_plain_one(self, written: str) -> None:
        assert read(with_decision(written, decided(A, B))) == (decided(A, B),)

    def test_a_full_file_is_refused_and_not_cut(self) -> None:
        text = with_decision("", decided(A, *(f"route:GET /{number}{'x' * 600}" for number in range(95))))
        with pytest.raises(DecisionsUnreadable, match="larger than 65536 bytes"):
            with_decision(text, decided(A, *(f"route:PUT /{number}{'x' * 600}" for number in range(95))))

    @pytest.mark.parametrize(
        "hostile",
        [
            "- " * 10_000,
            "version: 1\ndecisions: !!python/object/apply:os.system ['true']",
            "a: &a [x, x]\nb: &b [*a, *a]\nversion: 1\ndecisions: [*b]",
            "version: 1\ndecisions: [{slot: caller}]",
            "\x00",
            "\ud800: 1",
            "[" * 100_000,
        ],
    )
    def test_a_hostile_file_is_refused_and_never_overwritten(self, hostile: str) -> None:
        with pytest.raises(DecisionsUnreadable):
            with_decision(hostile, decided(A, B))


def read(text: str) -> tuple[Decision, ...]:
    document = read_yaml(text.encode())
    assert document.mistakes == ()
    return parse_decisions(document)
