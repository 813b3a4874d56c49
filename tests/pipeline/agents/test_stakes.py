"""What only a person may answer: decided by what an answer changes in the code, and not by the words of the question."""

from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.agents.agent import Agent
from pipeline.agents.self_answer import at_stake
from pipeline.agents.stakes import Stakes, is_plain
from pipeline.agents.tools import Clarify
from pipeline.code_registry.entries import Entries
from pipeline.gate.gate import Gate
from pipeline.gate.rules import CommandPattern, Rule, Tier
from pipeline.gate.rules_file import load_gate
from pipeline.gate.tool_names import Tool
from tests.pipeline.agents.code import in_the_code, registry_of
from tests.pipeline.agents.family import FORMATTER

GATE = load_gate()
TASK = "Write the report."
READER = replace(FORMATTER, tools=(Tool.READ_FILE, Tool.FIND_IN_REGISTRY), children=())


def asked(question: str, *options: str, why: str = "Both would do.", default: str | None = None) -> Clarify:
    return Clarify(question=question, why=why, options=options, default=default)


def stake(
    question: Clarify,
    task: str = TASK,
    *,
    agent: Agent = FORMATTER,
    changed: Iterable[str] = (),
    gate: Gate = GATE,
) -> str | None:
    return at_stake(
        question,
        task=task,
        agent=agent,
        changed_files=changed,
        decisions=(),
        stakes=Stakes(gate, in_the_code),
    )


REVERSIBLE = [
    asked("Which output format should I use: JSON or CSV?"),
    asked("Should I use tabs or spaces?"),
    asked("Which of the two names is better: sum or amount?"),
    asked("Should the helper stand in src/app.py or in a file of its own?"),
    asked("How many lines should the sample have?"),
    asked("Should the tests cover only the parser, or the writer as well?"),
    # Words that sound dangerous change nothing: what they would take passes the gate, or stands in the pull request.
    asked("Should I delete the old rows of the table that I print?"),
    asked("May I drop the blank column, or shall I push it to the right?"),
    asked("Should the public be thanked, or the user?"),
    asked("Which password hint is friendlier?", "the short one", "the long one"),
    asked("Should `render_line` pad to the left?"),
    asked("Should `_pad_line` take the width?"),
    asked("Should MAX_ROWS be 10 or 20?", why="`render_line` reads it."),
    asked("Should test_a_report be split?"),
    asked("Soll ich die Überschrift kürzen?", why="Beides wäre möglich."),
    asked("見出しを短くしますか", why="どちらでもよい。"),
    asked("Нужен ли заголовок?", why="Можно и так, и так."),
]
AT_STAKE = {
    # public surface
    "a route by its id": asked("Which one should get the flag?", "route:POST /actions", "a new one"),
    "a route by method and path": asked("Should POST /actions refuse it?"),
    "a path that the code does not have yet": asked("Which one?", "/v2/users", "/users/v2"),
    "a path with a parameter": asked("Is `/users/{id}` better?"),
    "a handler": asked("Should create_action() return early?"),
    "a field of a request": asked("Should the default be true?", why="`dry_run` has none."),
    "a field of a request in another case": asked("Should dryRun be optional?"),
    "an option of a command line": asked("Should --force be short, too?"),
    "an option that is new": asked("May I add --yes?"),
    "a symbol that other files use": asked("Should I rename it?", "render_report", "report"),
    "a symbol that only others can use": asked("Is render_page() needed?"),
    "a symbol by its id": asked("Which?", "symbol:shop/report.py::render_report", "another"),
    # data
    "a stored field": asked("Which name is better?", "total", "sum"),
    "a table in code": asked("Should OldOrder.total be rounded?"),
    "a table in words": asked("Should I delete the old orders?"),
    "a migration": asked("Which one should change?", "src/app.py", "migrations/0001.py"),
    # secrets and what is set outside of the tree
    "a variable of the environment": asked("Where should I put the API_KEY?"),
    "a setting": asked("Should `page_size` be larger?"),
    "a field of a secret type": asked("Should `api_key` be printed?"),
    "a token": asked("Should I use it?", why=f"ghp_{'a1B2' * 9} works."),
    "a file of credentials": asked("Which one should I read?", "config/prod.pem", "the other"),
    # what the gate keeps for a person
    "a workflow": asked("Which one should change?", "src/app.py", ".github/workflows/ci.yml"),
    "owners": asked("Which one should change?", "a new file", "CODEOWNERS"),
    "a lock file": asked("Should I touch uv.lock?"),
    "outside of the tree": asked("Which one should I read?", "src/app.py", "../secret.txt"),
    "another host": asked("Which one should I read?", "src/app.py", "https://example.org/x"),
    # wherever it stands, and however it is written
    "in the reason": asked("Which one should it be?", why="One is POST /actions."),
    "in the default": asked("Which one should it be?", default="render_report"),
    "with a letter that looks alike": asked("Should render_rеport change?"),
    "with a letter that is not seen": asked("Should render_\u200breport change?"),
    "turned round": asked("Should \u202etroper_redner change?"),
}


@pytest.mark.parametrize("question", REVERSIBLE, ids=lambda one: one.question)
def test_what_a_review_can_take_back_is_not_at_stake(question: Clarify) -> None:
    assert stake(question) is None


@pytest.mark.parametrize("question", AT_STAKE.values(), ids=AT_STAKE.keys())
def test_what_a_review_cannot_take_back_is_at_stake(question: Clarify) -> None:
    assert stake(question) is not None
    assert stake(question, agent=READER) is not None


@given(st.sampled_from(list(AT_STAKE.values())), st.text(max_size=40), st.text(max_size=40))
def test_no_words_around_it_make_a_question_harmless(question: Clarify, before: str, behind: str) -> None:
    why = f"{before} {question.why} {behind}"
    assert stake(question.model_copy(update={"why": why})) is not None


@pytest.mark.parametrize(
    "task",
    [
        "Add a flag to POST /actions.",
        "Clean the old orders up.",
        "Read `page_size` once.",
        "Print what --force does.",
    ],
)
def test_what_a_task_changes_is_at_stake_in_every_question_of_an_agent_that_writes(task: str) -> None:
    question = asked("Which one should I take first?")
    assert stake(question, task) is not None
    assert stake(question, task, agent=READER) is None
    assert stake(question, "Change render_report.") is None


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("api/actions.py", "it has changed a file of the route POST /actions"),
        ("shop/models.py", "it has changed the file of the stored field `total`"),
        ("shop/report.py", None),
    ],
)
def test_what_an_agent_has_changed_is_at_stake_in_what_it_asks(path: str, why: str | None) -> None:
    assert stake(asked("Should the status be 404 or 410?"), changed=[path]) == why


def test_an_agent_whose_commands_reach_the_network_answers_to_a_person() -> None:
    rule = Rule(
        id="deploy",
        tier=Tier.ALLOW,
        tools=(Tool.RUN_COMMAND,),
        commands=(CommandPattern(words=("make", "deploy")),),
        network=True,
        why="we trust it",
    )
    edits = Rule(id="edits", tier=Tier.ALLOW, tools=(Tool.EDIT_FILE,), paths=("**",), why="it is reviewed")
    open_gate = Gate((rule, edits))
    runner = replace(READER, tools=(Tool.RUN_COMMAND,))
    assert stake(REVERSIBLE[0], agent=runner, gate=open_gate) == "its commands may reach the network (deploy)"
    assert stake(REVERSIBLE[0], agent=replace(READER, children=(runner,)), gate=open_gate) is not None
    assert stake(REVERSIBLE[0], agent=READER, gate=open_gate) is None


@pytest.mark.parametrize(
    "text", ["JSON, for POST /actions", "use uv.lock", "put it into API_KEY", "render_rеport"]
)
def test_an_answer_may_bring_nothing_that_is_at_stake(text: str) -> None:
    stakes = Stakes(GATE, in_the_code)
    assert stakes.of_question(text) is not None
    assert stakes.of_question("JSON, and delete it") is None


def test_without_any_code_forms_still_count() -> None:
    stakes = Stakes(GATE, lambda: registry_of(Entries()))
    assert stakes.of_question("Is /users better?") is not None
    assert stakes.of_question("Should the old orders go?") is None


@pytest.mark.parametrize(
    "text", ["naïve café", "E\u0301tude", "straße", "東京タワー", "한국어", "line\nline\ttab", "x² ≤ 4"]
)
def test_ordinary_writing_is_plain(text: str) -> None:
    assert is_plain(text)


def wide(text: str) -> str:
    """The same signs at twice their width, as East Asian keyboards write them: every one is another code point."""
    return "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in text)


def bold(text: str) -> str:
    """The same letters as mathematics prints them."""
    return "".join(
        chr(ord(sign) + (0x1D400 - 65 if sign.isupper() else 0x1D41A - 97)) if sign.isascii() and sign.isalpha() else sign
        for sign in text
    )  # fmt: skip


@pytest.mark.parametrize("written", [wide, bold])
@pytest.mark.parametrize("question", AT_STAKE.values(), ids=AT_STAKE.keys())
def test_other_code_points_of_the_same_letters_make_nothing_harmless(
    question: Clarify, written: Callable[[str], str]
) -> None:
    disguised = question.model_copy(
        update={
            "question": written(question.question),
            "why": written(question.why),
            "options": tuple(written(option) for option in question.options),
            "default": None if question.default is None else written(question.default),
        }
    )
    assert stake(disguised, agent=READER) is not None
    assert stake(asked("Which one first?"), written("Should POST /actions refuse old orders?")) is not None


@pytest.mark.parametrize("text", ["dеlete", "a\u200bb", "a\u00adb", "\u202eabc", "a\x00b", "\ue000", "αlpha"])
def test_writing_that_hides_something_is_not_plain(text: str) -> None:
    assert not is_plain(text)
