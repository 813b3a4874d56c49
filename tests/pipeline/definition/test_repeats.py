"""A repeat is declared, type-checked and drawn with its stages, and every mistake in it has a line."""

import json
from enum import StrEnum
from pathlib import Path

import pytest
import yaml
from inline_snapshot import snapshot
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict

from pipeline.contract.run import StageStatus
from pipeline.definition.definition import Definition, StageDeclaration
from pipeline.definition.definition_file import DefinitionFile
from pipeline.definition.draw import as_mermaid, as_text
from pipeline.definition.loader import load
from pipeline.domain.errors import DefinitionInvalid
from pipeline.engine.graph import Repeat, RepeatResult
from pipeline.stages.agent import KIND as AGENT
from pipeline.stages.stage import StageKind
from tests.contract.committed import render
from tests.pipeline.definition.gate_kinds import does_nothing


class Value(BaseModel):
    model_config = ConfigDict(frozen=True)


class Ticket(Value):
    ready: bool


class Code(Value):
    files: tuple[str, ...]


class Results(Value):
    passed: bool


class Verdict(StrEnum):
    APPROVE = "approve"
    REJECT = "reject"


class Review(Value):
    verdict: Verdict
    findings: tuple[str, ...]


class NoInput(Value):
    pass


class CoderInput(Value):
    ticket: Ticket
    previous_tests: Results | None = None
    previous_reviewer: Review | None = None


class RunTestsInput(Value):
    coder: Code


class ReviewerInput(Value):
    coder: Code
    tests: Results


class ChangeInput(Value):
    attempts: RepeatResult
    coder: Code
    reviewer: Review | None = None


KINDS = {
    kind.name: kind
    for kind in (
        StageKind("ticket", NoInput, Ticket, does_nothing, is_ending=True),
        StageKind("coder", CoderInput, Code, does_nothing),
        StageKind("tests", RunTestsInput, Results, does_nothing),
        StageKind("reviewer", ReviewerInput, Review, does_nothing),
        StageKind("change", ChangeInput, Code, does_nothing),
    )
}

BUILD = """\
name: build
description: To the pull request.
stages:
  - {id: ticket, uses: ticket}
  - id: attempts
    needs: ticket
    when: ticket.ready
    repeat:
      stages:
        - {id: coder, uses: coder, needs: ticket, previous: [tests, reviewer]}
        - {id: tests, uses: tests, needs: coder, retries: 1}
        - {id: reviewer, uses: reviewer, needs: [coder, tests], when: tests.passed}
      until: reviewer.verdict == "approve"
      max: 3
  - {id: change, uses: change, needs: [ticket, attempts, coder, reviewer], when: "ticket.ready && !attempts.exhausted"}
"""


def load_text(directory: Path, text: str) -> Definition:
    path = directory / "pipeline.yml"
    path.write_text(text, encoding="utf-8")
    return load(str(path), kinds={**KINDS, AGENT.name: AGENT})


def mistakes_of(directory: Path, *replaced: tuple[str, str]) -> str:
    text = BUILD
    for old, new in replaced:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    with pytest.raises(DefinitionInvalid) as refused:
        load_text(directory, text)
    return refused.value.why.replace(f"{directory}/", "")


def repeat_in(definition: Definition) -> Repeat[StageDeclaration]:
    repeat = definition.stages[1]
    assert isinstance(repeat, Repeat)
    return repeat


def test_a_repeat_carries_what_the_file_says(tmp_path: Path) -> None:
    definition = load_text(tmp_path, BUILD)
    repeat = repeat_in(definition)
    assert (repeat.id, repeat.needs, repeat.max) == ("attempts", ("ticket",), 3)
    assert [stage.id for stage in repeat.stages] == ["coder", "tests", "reviewer"]
    assert repeat.stages[0].previous == ("tests", "reviewer")
    assert repeat.when is not None
    assert [stage.id for stage in definition.every_stage] == [
        "ticket",
        "coder",
        "tests",
        "reviewer",
        "change",
    ]
    assert [[stage.id for stage in level] for level in definition.levels()] == [
        ["ticket"],
        ["attempts"],
        ["change"],
    ]
    Draft202012Validator(json.loads(render(DefinitionFile))).validate(yaml.safe_load(BUILD))


def test_until_is_asked_about_the_outputs_of_a_round_and_a_skipped_stage_is_null(tmp_path: Path) -> None:
    until = repeat_in(load_text(tmp_path, BUILD)).until
    approve = Review(verdict=Verdict.APPROVE, findings=())
    code, passed = Code(files=()), Results(passed=True)
    assert until.holds({"coder": code, "tests": passed, "reviewer": approve}) is True
    assert (
        until.holds({"coder": code, "tests": passed, "reviewer": Review(verdict=Verdict.REJECT, findings=())})
        is False
    )
    assert until.holds({"coder": code, "tests": Results(passed=False)}) is False


def test_a_wrong_condition_shows_where_and_what_there_is(tmp_path: Path) -> None:
    assert mistakes_of(
        tmp_path,
        ('until: reviewer.verdict == "approve"', "until: reviewer.verdct == 1 && tests.passed"),
        ("!attempts.exhausted", "attempts.exausted"),
    ) == snapshot("""\
pipeline.yml:13: The condition under `until` of `attempts` does not compile.
    line 1, column 9: undeclared reference to 'reviewer.verdct'
     | reviewer.verdct == 1 && tests.passed
     | ........^
    Did you mean `reviewer.verdict`? `reviewer` has reviewer.verdict (string or null), reviewer.findings (list(string) or null).
pipeline.yml:15: The condition of `change` does not compile.
    line 1, column 25: undeclared reference to 'attempts.exausted'
     | ticket.ready && attempts.exausted
     | ........................^
    Did you mean `attempts.exhausted`? `attempts` has attempts.rounds (int or null), attempts.exhausted (bool or null).\
""")
    assert mistakes_of(
        tmp_path, ('until: reviewer.verdict == "approve"', "until: tests.passed == 'yes'")
    ) == snapshot("""\
pipeline.yml:13: The condition under `until` of `attempts` does not compile.
    line 1, column 14: found no matching overload for '_==_' applied to '(bool, string)'
     | tests.passed == 'yes'
     | .............^\
""")
    assert mistakes_of(tmp_path, ('until: reviewer.verdict == "approve"', "until: ticket.ready")) == snapshot("""\
pipeline.yml:13: The condition under `until` of `attempts` does not compile.
    line 1, column 7: undeclared reference to 'ticket.ready'
     | ticket.ready
     | ......^
    A condition may read coder.files (list(string)), tests.passed (bool), reviewer.verdict (string or null), reviewer.findings (list(string) or null).\
""")


def test_every_mistake_of_a_repeat_is_reported_with_its_line(tmp_path: Path) -> None:
    assert mistakes_of(
        tmp_path,
        ("needs: ticket\n    when", "needs: change\n    when"),
        ("previous: [tests, reviewer]", "previous: [tests, tests, ticket, coder]"),
        (
            "{id: tests, uses: tests, needs: coder, retries: 1}",
            "{id: tests, uses: tests, needs: attempts}",
        ),
        ("max: 3", "max: 11\n      often: true"),
    ) == snapshot("""\
pipeline.yml:10: `coder` is given `coder` of the round before, and has no optional input `previous_coder`.
pipeline.yml:10: `coder` is given `tests` of the round before twice.
pipeline.yml:10: `coder` is given `ticket` of the round before, and has no optional input `previous_ticket`.
pipeline.yml:10: `coder` is given `ticket` of the round before, which is no stage of `attempts`. Allowed: coder, tests, reviewer.
pipeline.yml:10: `coder` needs `ticket`, which is outside of `attempts`; add `ticket` to the needs of `attempts` too.
pipeline.yml:11: `tests` needs `attempts`, in which it stands.
pipeline.yml:11: `tests` reads the output of `coder`; add `coder` to its `needs`.
pipeline.yml:14: `max` must be less than or equal to 10; found 11.
pipeline.yml:15: Unknown key `often`. Allowed: stages, until, max.
pipeline.yml:16: These stages wait for each other: `change` needs `attempts` needs `change`.\
""")


def test_what_is_malformed_in_a_repeat_hides_nothing_outside_of_it(tmp_path: Path) -> None:
    assert mistakes_of(
        tmp_path,
        (
            "{id: coder, uses: coder, needs: ticket, previous: [tests, reviewer]}",
            "{id: coder, uses: coder, need: ticket}",
        ),
        ("uses: ticket}", "uses: tickt}"),
        ("max: 3", "max: three"),
    ) == snapshot("""\
pipeline.yml:4: `ticket` uses `tickt`, which is no kind of stage. Did you mean `ticket`? Allowed: agent, change, coder, reviewer, tests, ticket.
pipeline.yml:10: Unknown key `need`. Did you mean `needs`? Allowed: id, needs, uses, when, with, retries, timeout, previous.
pipeline.yml:10: `coder` reads the output of `ticket`; add `ticket` to its `needs`.
pipeline.yml:14: `max` must be a whole number; found 'three'.\
""")


def test_a_repeat_in_a_repeat_is_refused(tmp_path: Path) -> None:
    inner = "{id: tests, uses: tests, needs: coder, retries: 1}"
    assert mistakes_of(tmp_path, (inner, "{id: tests, repeat: {stages: [], until: x, max: 1}}")) == snapshot("""\
pipeline.yml:11: A `repeat` holds stages, and no other `repeat`.
pipeline.yml:11: `uses` is missing.\
""")


def test_what_is_given_of_the_round_before_is_held_to_its_type(tmp_path: Path) -> None:
    class WrongInput(Value):
        ticket: Ticket
        previous_tests: Review | None = None
        previous_reviewer: Review

    path = tmp_path / "pipeline.yml"
    path.write_text(BUILD)
    kinds = {**KINDS, "coder": StageKind("coder", WrongInput, Code, does_nothing)}
    with pytest.raises(DefinitionInvalid) as refused:
        load(str(path), kinds=kinds)
    assert refused.value.why.replace(f"{tmp_path}/", "") == snapshot("""\
pipeline.yml:10: `coder` is given `reviewer` of the round before, and has no optional input `previous_reviewer`.
pipeline.yml:10: `coder` reads `previous_tests` as Review, and `tests` gives Results.\
""")


def test_stages_that_wait_for_each_other_across_a_repeat_are_named(tmp_path: Path) -> None:
    assert mistakes_of(
        tmp_path, ("{id: ticket, uses: ticket}", "{id: ticket, uses: ticket, needs: reviewer}")
    ) == snapshot(
        "pipeline.yml:4: These stages wait for each other: `ticket` needs `attempts` needs `ticket`."
    )
    assert mistakes_of(
        tmp_path, ("needs: [coder, tests], when: tests.passed", "needs: [coder, tests, reviewer]")
    ) == snapshot("pipeline.yml:12: These stages wait for each other: `reviewer` needs `reviewer`.")


def test_an_agent_in_a_repeat_is_given_what_others_found_in_the_round_before(tmp_path: Path) -> None:
    definition = load_text(
        tmp_path,
        """\
name: own
stages:
  - id: attempts
    repeat:
      stages:
        - {id: one, uses: agent, with: {agent: completeness}, previous: two}
        - {id: two, uses: agent, needs: one, with: {agent: reproducibility}}
      until: "true"
      max: 2
""",
    )
    repeat = definition.stages[0]
    assert isinstance(repeat, Repeat)
    given = repeat.stages[0].kind.input
    assert given().model_dump() == {"previous_two": None}
    found = Results(passed=True)
    assert given(previous_two=found).model_dump() == {"previous_two": {"passed": True}}


def test_a_repeat_is_drawn_as_text(tmp_path: Path) -> None:
    assert as_text(load_text(tmp_path, BUILD)) == snapshot("""\
build: To the pull request.

    ticket

    attempts    after ticket; when ticket.ready; until reviewer.verdict == "approve"; at most 3 rounds
      coder     given tests, reviewer of the round before
      tests     after coder; 1 retry
      reviewer  after tests; when tests.passed

    change      after attempts; when ticket.ready && !attempts.exhausted
""")
    beside = BUILD + "  - {id: other, uses: ticket, needs: ticket}\n"
    assert as_text(load_text(tmp_path, beside)) == snapshot("""\
build: To the pull request.

    ticket

  ┌ attempts    after ticket; when ticket.ready; until reviewer.verdict == "approve"; at most 3 rounds
  │   coder     given tests, reviewer of the round before
  │   tests     after coder; 1 retry
  │   reviewer  after tests; when tests.passed
  └ other       after ticket; uses ticket

    change      after attempts; when ticket.ready && !attempts.exhausted
""")


def test_a_repeat_is_drawn_as_a_frame(tmp_path: Path) -> None:
    definition = load_text(tmp_path, BUILD)
    assert as_mermaid(definition) == snapshot("""\
flowchart TD
  s1["ticket"]
  subgraph s2["attempts<br/>when ticket.ready<br/>until reviewer.verdict #61;#61; #34;approve#34;<br/>at most 3 rounds"]
    s3["coder"]
    s4["tests"]
    s5{{"reviewer<br/>when tests.passed"}}
    s4 -. next round .-> s3
    s5 -. next round .-> s3
    s3 --> s4
    s4 --> s5
  end
  s6{{"change<br/>when ticket.ready #38;#38; #33;attempts.exhausted"}}
  s1 --> s2
  s2 --> s6
""")
    statuses = dict.fromkeys(("ticket", "attempts", "coder", "tests"), StageStatus.DONE)
    statuses |= {"reviewer": StageStatus.SKIPPED, "change": StageStatus.STOPPED}
    drawn = as_mermaid(definition, statuses).splitlines()
    assert [line for line in drawn if "class" in line or "skipped" in line] == snapshot(
        [
            '    s5{{"reviewer<br/>when tests.passed<br/>skipped"}}:::skipped',
            "  classDef done fill:#dafbe1,stroke:#1a7f37,color:#1f2328",
            "  classDef skipped fill:#f6f8fa,stroke:#6e7781,color:#57606a,stroke-dasharray:4 3",
            "  classDef stopped fill:#fff8c5,stroke:#9a6700,color:#1f2328,stroke-width:3px",
            "  class s2 done",
        ]
    )
