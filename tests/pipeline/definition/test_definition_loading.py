"""A definition is loaded whole, or refused with all its mistakes."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from pipeline.definition.definition import Definition
from pipeline.definition.loader import load
from pipeline.domain.errors import DefinitionInvalid
from tests.pipeline.definition.gate_kinds import GATE_KINDS, Reading, Ticket, TicketOptions


def load_text(directory: Path, text: str) -> Definition:
    path = directory / "pipeline.yml"
    path.write_text(text, encoding="utf-8")
    return load(str(path), kinds=GATE_KINDS)


def mistakes_of(directory: Path, text: str) -> str:
    with pytest.raises(DefinitionInvalid) as refused:
        load_text(directory, text)
    return refused.value.why.replace(f"{directory}/", "")


def definition_or_mistakes(directory: Path, text: str) -> Definition | str:
    try:
        return load_text(directory, text)
    except DefinitionInvalid as refused:
        return refused.why


def test_the_shipped_gate_has_its_eleven_stages_in_nine_steps() -> None:
    definition = load("gate", kinds=GATE_KINDS)
    assert [[stage.id for stage in level] for level in definition.levels()] == [
        ["snapshot"],
        ["preconditions"],
        ["under_way"],
        ["registry", "reading"],
        ["places"],
        ["existing", "decomposition"],
        ["plans"],
        ["semantics"],
        ["ticket"],
    ]
    assert len(definition.sha256) == 64


def test_the_shipped_triage_fans_in_to_a_verdict_that_is_given_all_three_findings() -> None:
    definition = load("triage")
    assert [[stage.id for stage in level] for level in definition.levels()] == [
        ["duplicate_issues", "completeness", "reproducibility"],
        ["verdict"],
    ]
    verdict = definition.every_stage[-1].kind
    assert list(verdict.input.model_fields) == ["duplicate_issues", "completeness", "reproducibility"]
    outcome = verdict.output.model_validate(
        {
            "recommendation": "accept",
            "summary": "It fails as described.",
            "reasons": [{"finding": "reproducibility", "text": "Seen."}],
        }
    )
    assert outcome.model_dump()["duplicate_of"] is None


def test_a_declaration_carries_what_the_file_says(tmp_path: Path) -> None:
    definition = load_text(
        tmp_path,
        """
name: own
stages:
  - id: snapshot
    uses: snapshot
  - {id: preconditions, uses: preconditions, needs: snapshot}
  - id: registry
    uses: registry
    needs: [snapshot, preconditions]
    retries: 2
    timeout: 2m
  - id: reading
    uses: reading
    needs: [snapshot, preconditions]
    timeout: 90
  - {id: places, uses: places, needs: [snapshot, registry, reading]}
  - {id: existing, uses: existing, needs: [snapshot, registry, reading, places]}
  - id: decomposition
    uses: decomposition
    needs: [snapshot, registry, reading, places]
  - id: ticket
    uses: ticket
    needs: [snapshot, registry, reading, places, existing, decomposition]
    when: size(decomposition.targets) > 0
    with: {criteria: 3}
""",
    )
    stages = {stage.id: stage for stage in definition.every_stage}
    assert stages["preconditions"].needs == ("snapshot",)
    assert (stages["registry"].retries, stages["registry"].timeout) == (2, 120.0)
    assert stages["reading"].timeout == 90.0
    assert stages["reading"].kind.output is Reading
    assert stages["ticket"].kind.output is Ticket
    assert stages["ticket"].options == TicketOptions(criteria=3)
    assert stages["ticket"].when is not None


def test_every_mistake_is_reported_at_once_with_its_line_and_what_is_allowed(tmp_path: Path) -> None:
    text = """\
name: own
descripton: A word is misspelt.
stages:
  - id: snapshot
    uses: snapshop
  - id: preconditions
    uses: preconditions
    needs: [snapshott]
    timeout: tomorrow
  - id: registry
    uses: registry
    needs: [snapshot]
    retries: 9
  - id: reading
    uses: reading
    needs: [preconditions, registry, preconditions]
  - id: reading
    uses: reading
    needs: [snapshot, preconditions]
  - id: ticket
    uses: ticket
    needs: [ticket]
    with: {criterias: 3}
  - uses: ticket
"""
    assert mistakes_of(tmp_path, text) == snapshot("""\
pipeline.yml:2: Unknown key `descripton`. Did you mean `description`? Allowed: name, description, stages.
pipeline.yml:5: `snapshot` uses `snapshop`, which is no kind of stage. Did you mean `snapshot`? Allowed: decomposition, existing, places, plans, preconditions, reading, registry, semantics, snapshot, ticket, under_way.
pipeline.yml:8: `preconditions` needs `snapshott`, which is no stage. Did you mean `snapshot`? Allowed: snapshot, registry, reading, ticket.
pipeline.yml:8: `preconditions` reads the output of `snapshot`; add `snapshot` to its `needs`.
pipeline.yml:9: `timeout`: write a duration such as `90s`, `10m` or `2h`; found 'tomorrow'.
pipeline.yml:12: `registry` reads the output of `preconditions`; add `preconditions` to its `needs`.
pipeline.yml:13: `retries` must be less than or equal to 5; found 9.
pipeline.yml:16: `reading` names its need `preconditions` twice.
pipeline.yml:16: `reading` reads the output of `snapshot`; add `snapshot` to its `needs`.
pipeline.yml:17: The stage `reading` is declared twice; the first is on line 14.
pipeline.yml:22: These stages wait for each other: `ticket` needs `ticket`.
pipeline.yml:22: `ticket` reads the output of `decomposition`; add `decomposition` to its `needs`.
pipeline.yml:22: `ticket` reads the output of `existing`; add `existing` to its `needs`.
pipeline.yml:22: `ticket` reads the output of `places`; add `places` to its `needs`.
pipeline.yml:22: `ticket` reads the output of `reading`; add `reading` to its `needs`.
pipeline.yml:22: `ticket` reads the output of `registry`; add `registry` to its `needs`.
pipeline.yml:22: `ticket` reads the output of `snapshot`; add `snapshot` to its `needs`.
pipeline.yml:23: Unknown key `criterias`. Did you mean `criteria`? Allowed: criteria.
pipeline.yml:24: `id` is missing.\
""")


def test_a_kind_is_held_to_its_inputs_and_options(tmp_path: Path) -> None:
    text = """\
name: own
stages:
  - {id: snapshot, uses: snapshot}
  - {id: preconditions, uses: preconditions, needs: [snapshot]}
  - {id: reading, uses: preconditions, needs: [snapshot]}
  - {id: registry, uses: registry, needs: [snapshot, preconditions]}
  - {id: decomposition, uses: decomposition, needs: [snapshot, registry, reading]}
  - id: ticket
    uses: ticket
    needs:
      - snapshot
      - decomposition
    with:
      criteria: 0
      critera: 2
"""
    assert mistakes_of(tmp_path, text) == snapshot("""\
pipeline.yml:7: `decomposition` reads `reading` as Reading, and `reading` gives Preconditions.
pipeline.yml:7: `decomposition` reads the output of `places`; add `places` to its `needs`.
pipeline.yml:10: `ticket` reads the output of `existing`; add `existing` to its `needs`.
pipeline.yml:10: `ticket` reads the output of `places`; add `places` to its `needs`.
pipeline.yml:10: `ticket` reads the output of `reading`; add `reading` to its `needs`.
pipeline.yml:10: `ticket` reads the output of `registry`; add `registry` to its `needs`.
pipeline.yml:14: `criteria` must be greater than or equal to 1; found 0.
pipeline.yml:15: Unknown key `critera`. Did you mean `criteria`? Allowed: criteria.\
""")


def test_a_condition_with_a_misspelt_field_shows_where_and_what_there_is(tmp_path: Path) -> None:
    text = """\
name: own
stages:
  - {id: snapshot, uses: snapshot}
  - id: preconditions
    uses: preconditions
    needs: [snapshot]
    when: snapshot.fils > 0
  - id: reading
    uses: reading
    needs: [snapshot, preconditions]
    when: registry.seconds > 1.0
  - id: registry
    uses: registry
    needs: [snapshot, preconditions]
    when: snapshot.files
"""
    assert mistakes_of(tmp_path, text) == snapshot("""\
pipeline.yml:7: The condition of `preconditions` does not compile.
    line 1, column 9: undeclared reference to 'snapshot.fils'
     | snapshot.fils > 0
     | ........^
    Did you mean `snapshot.files`? `snapshot` has snapshot.commit (string), snapshot.files (int).
pipeline.yml:10: `reading` needs `preconditions`, which is skipped unless `snapshot.fils > 0`. Let it run all the same: needs: [{id: preconditions, optional: true}]; or begin the condition of `reading` with that one.
pipeline.yml:11: The condition of `reading` does not compile.
    line 1, column 9: undeclared reference to 'registry.seconds'
     | registry.seconds > 1.0
     | ........^
    `registry` is not among the needs of this stage; add it to `needs` to read its output.
pipeline.yml:14: `registry` needs `preconditions`, which is skipped unless `snapshot.fils > 0`. Let it run all the same: needs: [{id: preconditions, optional: true}]; or begin the condition of `registry` with that one.
pipeline.yml:15: The condition of `registry` does not compile.
    a condition is true or false; `snapshot.files` is of type int\
""")


def test_stages_that_wait_for_each_other_are_named(tmp_path: Path) -> None:
    text = """\
name: own
stages:
  - {id: a, uses: snapshot, needs: [c]}
  - {id: b, uses: snapshot, needs: [a]}
  - {id: c, uses: snapshot, needs: [b]}
  - {id: d, uses: snapshot, needs: [e]}
  - {id: e, uses: snapshot, needs: [d]}
"""
    assert mistakes_of(tmp_path, text) == snapshot("""\
pipeline.yml:3: These stages wait for each other: `a` needs `c` needs `b` needs `a`.
pipeline.yml:6: These stages wait for each other: `d` needs `e` needs `d`.\
""")


@pytest.mark.parametrize(
    "word", ["in", "true", "namespace", "json", "model_config", "previous-x", "Upper", "../x", ""]
)
def test_an_id_that_means_something_else_is_refused(tmp_path: Path, word: str) -> None:
    assert "`id`:" in mistakes_of(tmp_path, f"name: own\nstages:\n  - id: '{word}'\n    uses: snapshot\n")


def test_two_ids_that_conditions_could_not_tell_apart_are_refused(tmp_path: Path) -> None:
    text = "name: own\nstages:\n  - {id: a-b, uses: snapshot}\n  - {id: a_b, uses: snapshot}\n"
    assert mistakes_of(tmp_path, text) == snapshot(
        "pipeline.yml:4: The stage `a_b` is declared twice; the first is on line 3."
    )


@pytest.mark.parametrize("timeout", ["0", "-5", "1d", "true", "7h", ".inf", ".nan", "[]"])
def test_a_timeout_that_is_no_duration_is_refused(tmp_path: Path, timeout: str) -> None:
    text = f"name: own\nstages:\n  - id: snapshot\n    uses: snapshot\n    timeout: {timeout}\n"
    assert mistakes_of(tmp_path, text).startswith("pipeline.yml:5: `timeout`")


@pytest.mark.parametrize("text", ["", "null", "~", "# only a remark"])
def test_a_file_that_holds_nothing_says_so(tmp_path: Path, text: str) -> None:
    assert mistakes_of(tmp_path, text).startswith("pipeline.yml:1: the file ")


def test_an_unknown_name_lists_the_shipped_ones() -> None:
    with pytest.raises(DefinitionInvalid) as refused:
        load("gaet")
    assert str(refused.value) == snapshot("""\
There is no definition `gaet`.
It is neither a file nor the name of a shipped definition. Did you mean `gate`? Allowed: gate, build, triage.
For example: askfirst plan --definition gate\
""")


def test_a_directory_is_no_definition(tmp_path: Path) -> None:
    with pytest.raises(DefinitionInvalid, match="cannot be read"):
        load(str(tmp_path))


def test_a_repository_brings_its_own_agents_beside_its_file(tmp_path: Path) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "greeter.md").write_text(
        "---\nname: greeter\ndescription: Greets.\noutput:\n  type: object\n  required: [friendly]\n"
        "  properties:\n    friendly: {type: boolean}\n---\nGreet.\n"
    )
    path = tmp_path / "pipeline.yml"
    path.write_text(
        "name: own\nstages:\n"
        "  - {id: greeter, uses: agent, with: {agent: greeter}}\n"
        "  - {id: after, uses: agent, needs: [greeter], when: greeter.friendly, with: {agent: completeness}}\n"
    )
    before = load(str(path)).every_stage
    assert before[1].when is not None
    assert before[1].when.holds({"greeter": before[0].kind.output.model_validate({"friendly": True})}) is True

    greeter = tmp_path / "agents" / "greeter.md"
    greeter.write_text(greeter.read_text() + "Warmly.\n")
    after = load(str(path)).every_stage
    agents = [(stage.agent.sha256 if stage.agent else "") for stage in (*before, *after)]
    assert agents[0] != agents[2]
    assert agents[1] == agents[3]


@given(st.data())
def test_no_file_makes_loading_fail_in_any_other_way(data: st.DataObject) -> None:
    scalars = st.sampled_from(
        [
            "snapshot",
            "registry",
            "agent",
            "a",
            "10m",
            "true",
            "snapshot.files > 0",
            "",
            None,
            True,
            -1,
            3,
            2.5,
            "in",
            "é",
        ]
    )
    keys = st.sampled_from(
        ["id", "uses", "needs", "when", "with", "retries", "timeout", "repeat", "stages", "name", "x"]
    )
    values = st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
        max_leaves=6,
    )
    stage = st.fixed_dictionaries(
        {"id": st.sampled_from("abcd"), "uses": st.sampled_from(["snapshot", "registry", "agent"])},
        optional={
            "needs": st.lists(st.sampled_from("abcd"), max_size=3),
            "when": values,
            "with": values,
            "previous": st.lists(st.sampled_from("abcd"), max_size=2),
            "x": values,
        },
    )
    repeat = st.fixed_dictionaries(
        {"id": st.sampled_from("abcd")},
        optional={
            "needs": st.lists(st.sampled_from("abcd"), max_size=3),
            "when": values,
            "repeat": values
            | st.fixed_dictionaries(
                {"stages": st.lists(stage | values, max_size=3), "until": scalars, "max": st.integers(-1, 3)},
                optional={"x": values},
            ),
        },
    )
    document = {"name": "own", "stages": data.draw(st.lists(stage | repeat | values, max_size=4) | values)}
    with TemporaryDirectory() as directory:
        ended = definition_or_mistakes(Path(directory), json.dumps(data.draw(st.just(document) | values)))
    if isinstance(ended, Definition):
        assert sum(len(level) for level in ended.levels()) == len(ended.stages)
    else:
        assert "pipeline.yml:" in ended


def test_what_a_broken_agent_would_give_is_not_guessed(tmp_path: Path) -> None:
    text = """\
name: own
stages:
  - {id: one, uses: agent, with: {agnt: completeness}}
  - {id: two, uses: agent, needs: [one], when: one.complete, with: {agent: verdict}}
"""
    path = tmp_path / "pipeline.yml"
    path.write_text(text)
    with pytest.raises(DefinitionInvalid) as refused:
        load(str(path))
    assert refused.value.why.replace(f"{tmp_path}/", "") == snapshot("""\
pipeline.yml:3: Unknown key `agnt`. Did you mean `agent`? Allowed: agent.
pipeline.yml:3: `agent` is missing.\
""")


@pytest.mark.parametrize("name", ["complteness", "../templates/completeness", "completeness.md"])
def test_an_agent_that_is_not_there_is_a_mistake_of_the_definition(tmp_path: Path, name: str) -> None:
    path = tmp_path / "pipeline.yml"
    path.write_text(f"name: own\nstages:\n  - {{id: one, uses: agent, with: {{agent: {name}}}}}\n")
    with pytest.raises(DefinitionInvalid, match=r"pipeline.yml:3: .*agent"):
        load(str(path))


def test_the_shipped_gate_fits_the_stages_that_are_really_there() -> None:
    stages = load("gate").every_stage
    assert [stage.id for stage in stages] == [stage.uses for stage in stages]
    assert stages[-1].id == "ticket"
