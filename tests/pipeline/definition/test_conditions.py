"""Conditions are checked against the outputs when they are compiled, and never guess when they are evaluated."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pydantic import BaseModel

from pipeline.definition.conditions import ConditionInvalid, compile_condition
from pipeline.domain.errors import StageFailed
from tests.pipeline.definition.gate_kinds import Operation, Reading, Registry, Route, Size

OUTPUTS: dict[str, type[BaseModel]] = {"reading": Reading, "code-registry": Registry}

READING = Reading(operation=Operation.ADD, words=["dry_run"], by_model=False, size=Size(points=3))
REGISTRY = Registry(routes=(Route(method="GET", fields=2),), languages={"python": 3}, seconds=2)
VALUES: dict[str, BaseModel] = {"reading": READING, "code-registry": REGISTRY}


def refusal(text: str) -> str:
    with pytest.raises(ConditionInvalid) as refused:
        compile_condition(text, OUTPUTS, not_needed=["snapshot", "code-map"])
    return str(refused.value)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("reading.operation == 'add'", True),
        ("reading.operation == 'fix'", False),
        ("reading . operation == 'add' && !reading.by_model", True),
        ("'dry_run' in reading.words", True),
        ("reading.words.exists(w, w.startsWith('x'))", False),
        ("reading.size.points >= 3", True),
        ("code_registry.seconds > 1.0", True),
        ("code_registry.languages['python'] == 3", True),
        ("code_registry.routes.exists(r, r.method == 'GET' && r.fields > 1)", True),
        ("size(code_registry.routes) == 1", True),
        ("reading.confidence == null", True),
        ("reading.confidence != null && reading.confidence > 0.5", False),
        ("reading.parent.points == null", True),
        ("reading.size.why != 'because'", True),
        ("true", True),
    ],
)
def test_a_condition_reads_every_kind_of_field(text: str, answer: bool) -> None:
    assert compile_condition(text, OUTPUTS).holds(VALUES) is answer


def test_a_misspelt_field_is_shown_with_a_caret_and_the_fields_there_are() -> None:
    assert refusal("reading.operaton == 'add'") == snapshot("""\
line 1, column 8: undeclared reference to 'reading.operaton'
 | reading.operaton == 'add'
 | .......^
Did you mean `reading.operation`? `reading` has reading.operation (string), reading.words (list(string)), reading.by_model (bool), reading.confidence (double or null), reading.size.points (int), reading.size.why (string or null), reading.parent.points (int or null), reading.parent.why (string or null).\
""")


def test_a_comparison_of_unlike_types_is_refused() -> None:
    assert refusal("reading.operation == 3") == snapshot("""\
line 1, column 19: found no matching overload for '_==_' applied to '(string, int)'
 | reading.operation == 3
 | ..................^\
""")


def test_a_comparison_of_unlike_types_is_refused_where_the_field_may_be_null() -> None:
    assert refusal("reading.confidence == 'high'") == snapshot("""\
line 1, column 20: found no matching overload for '_==_' applied to '(double or null, string)'
 | reading.confidence == 'high'
 | ...................^\
""")


def test_a_stage_that_is_not_needed_is_to_be_added_to_the_needs() -> None:
    assert refusal("snapshot.files > 0 && reading.by_model") == snapshot("""\
line 1, column 9: undeclared reference to 'snapshot.files'
 | snapshot.files > 0 && reading.by_model
 | ........^
`snapshot` is not among the needs of this stage; add it to `needs` to read its output.\
""")


def test_a_name_that_is_no_stage_at_all_lists_what_may_be_read() -> None:
    advice = refusal("operation == 'add'").splitlines()[-1]
    assert advice.startswith(
        "Did you mean `reading.operation`? A condition may read reading.operation (string), "
    )


def test_a_condition_that_is_not_a_yes_or_no_is_refused() -> None:
    assert refusal("reading.words") == snapshot(
        "a condition is true or false; `reading.words` is of type list<string>"
    )
    assert refusal("size(reading.words)") == snapshot(
        "a condition is true or false; `size(reading.words)` is of type int"
    )


def test_deep_nesting_within_the_longest_condition_is_survived() -> None:
    assert compile_condition("(" * 24 + "true" + ")" * 24, OUTPUTS).holds(VALUES) is True
    for text in (
        "(" * 498 + "true" + ")" * 498,
        "[" * 500 + "]" * 500,
        "!" * 999 + "x",
        "reading.by_model?" * 60,
    ):
        assert refusal(text)


def test_a_syntax_error_is_shown_where_it_is() -> None:
    assert refusal("reading.by_model &&").startswith("line 1, column 20: Syntax error")


@pytest.mark.parametrize(
    "text",
    ["code_registry.routes[7].fields > 1", "reading.confidence > 0.5", "code_registry.routes[0].nope == 'x'"],
)
def test_a_condition_without_an_answer_is_an_error_and_never_a_no(text: str) -> None:
    with pytest.raises(StageFailed, match="has no answer"):
        compile_condition(text, OUTPUTS).holds(VALUES)


@pytest.mark.timeout(20)
def test_attack_41_a_condition_that_would_take_too_long_is_an_error() -> None:
    many = "[" + ",".join(["1"] * 100) + "]"
    with pytest.raises(StageFailed, match="takes too long"):
        compile_condition(f"{many}.all(a, {many}.all(b, {many}.all(c, a + b + c > 0)))", OUTPUTS).holds(
            VALUES
        )


def test_a_needed_stage_without_output_is_an_error() -> None:
    condition = compile_condition("reading.by_model", OUTPUTS)
    with pytest.raises(StageFailed, match="`reading` has no output"):
        condition.holds({"code-registry": REGISTRY})


@given(points=st.integers(-(2**53), 2**53), bound=st.integers(-(2**53), 2**53))
def test_numbers_compare_as_they_do_in_python(points: int, bound: int) -> None:
    registry = REGISTRY.model_copy(update={"seconds": points})
    reading = READING.model_copy(update={"size": Size(points=points)})
    values = {"reading": reading, "code-registry": registry}
    assert compile_condition(f"reading.size.points > {bound}", OUTPUTS).holds(values) is (points > bound)
    assert compile_condition(f"code_registry.seconds > double({bound})", OUTPUTS).holds(values) is (
        points > bound
    )


@given(word=st.text(max_size=30))
def test_text_is_compared_and_never_read_as_a_condition(word: str) -> None:
    values = {**VALUES, "reading": READING.model_copy(update={"words": [word]})}
    assert compile_condition("reading.words[0] == 'or true'", OUTPUTS).holds(values) is (word == "or true")
