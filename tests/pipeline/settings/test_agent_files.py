"""An agent's file is read whole, or refused with all its mistakes."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pydantic import JsonValue, ValidationError

from pipeline.agents.agent import Agent, EndsWith
from pipeline.agents.output_schema import OutputSchemaInvalid, SchemaMistake, output_model
from pipeline.gate.tool_names import Tool
from pipeline.settings.agent_files import SHIPPED_AGENTS, TEMPLATES, AgentFileInvalid, AgentFiles


def agent_of(directory: Path, text: str) -> Agent:
    path = directory / "scout.md"
    path.write_text(text, encoding="utf-8")
    return AgentFiles(directory).find("scout")


def fields_or_mistakes(schema: JsonValue) -> list[str] | list[SchemaMistake]:
    try:
        return list(output_model("made", schema).model_fields)
    except OutputSchemaInvalid as refused:
        return refused.mistakes


def mistakes_of(directory: Path, text: str) -> str:
    with pytest.raises(AgentFileInvalid) as refused:
        agent_of(directory, text)
    return str(refused.value).replace(f"{directory}/", "")


@pytest.mark.parametrize("name", sorted(item.name for item in TEMPLATES.iterdir()))
def test_every_shipped_agent_loads_and_its_prompt_says_that_tickets_are_material(name: str) -> None:
    agent = SHIPPED_AGENTS.find(Path(name).stem)
    assert f"{agent.name}.md" == name
    assert "Whatever" in agent.prompt
    assert "`complete`" in agent.prompt


def test_a_file_in_the_form_of_coding_agents_is_read(tmp_path: Path) -> None:
    agent = agent_of(
        tmp_path,
        "---\nname: scout\ndescription: Looks around.\ntools: read_file, search_code\nmodel: some-model\n"
        "output:\n  type: object\n  required: [seen]\n  properties:\n    seen:\n      type: array\n"
        "      maxItems: 2\n      items: {type: string, maxLength: 3}\n    mood: {type: string, enum: [good, bad]}\n"
        "---\n\nLook around.\n---\nA line of dashes in the prompt is prompt.\n",
    )
    assert agent.tools == (Tool.READ_FILE, Tool.SEARCH_CODE)
    assert agent.model == "some-model"
    assert agent.prompt == "Look around.\n---\nA line of dashes in the prompt is prompt."
    assert agent.output.model_validate({"seen": ["x"]}).model_dump() == {"seen": ["x"], "mood": None}
    for wrong in (
        {},
        {"seen": ["x", "y", "z"]},
        {"seen": ["long"]},
        {"seen": [], "mood": "so-so"},
        {"seen": [], "x": 1},
    ):
        with pytest.raises(ValidationError):
            agent.output.model_validate(wrong)


SMALL = "---\nname: scout\ndescription: Looks.\n{}output: {{type: object, properties: {{x: {{type: string}}}}}}\n---\nLook.\n"


def test_an_agent_calls_its_ending_unless_its_file_says_that_it_writes_text(tmp_path: Path) -> None:
    assert agent_of(tmp_path, SMALL.format("")).ends_with is EndsWith.CALL
    assert agent_of(tmp_path, SMALL.format("ends_with: text\n")).ends_with is EndsWith.TEXT
    assert mistakes_of(tmp_path, SMALL.format("ends_with: fence\n")) == snapshot(
        "scout.md:4: `ends_with` must be 'call' or 'text'; found 'fence'."
    )


def test_an_agent_asks_once_unless_its_file_says_how_often(tmp_path: Path) -> None:
    assert agent_of(tmp_path, SMALL.format("")).max_rounds == 1
    assert agent_of(tmp_path, SMALL.format("max_rounds: 3\n")).max_rounds == 3
    assert mistakes_of(tmp_path, SMALL.format("max_rounds: 99\n")) == snapshot(
        "scout.md:4: `max_rounds` must be less than or equal to 5; found 99."
    )


def family(folder: Path, **starts: str) -> Path:
    """Agents by name, each with the names of those that it may start."""
    for name, agents in starts.items():
        text = SMALL.format(f"agents: [{agents}]\n" if agents else "").replace("name: scout", f"name: {name}")
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


def test_an_agent_gets_the_agents_that_it_may_start_and_the_tools_for_them(tmp_path: Path) -> None:
    lead = AgentFiles(family(tmp_path, lead="scout, spy", scout="spy", spy="")).find("lead")
    assert [child.name for child in lead.children] == ["scout", "spy"]
    assert [child.name for child in lead.children[0].children] == ["spy"]
    assert lead.tools == (Tool.DELEGATE, Tool.REPLY_TO_CHILD, Tool.ASK_PERSON)
    assert lead.children[1].tools == ()


def test_the_hash_of_an_agent_covers_those_that_it_may_start(tmp_path: Path) -> None:
    """Else a result would be reused although the prompt of an agent that worked on it has changed."""
    before = AgentFiles(family(tmp_path, lead="scout", scout="spy", spy="")).find("lead")
    spy = tmp_path / "spy.md"
    spy.write_text(spy.read_text() + "Closely.\n")
    after = AgentFiles(tmp_path).find("lead")
    assert after.sha256 != before.sha256
    assert after.children[0].sha256 != before.children[0].sha256


@pytest.mark.parametrize(
    ("starts", "mistake"),
    [
        (
            {"lead": "scuot", "scout": ""},
            snapshot("lead.md:4: There is no agent `scuot`. Did you mean `scout`? Allowed: lead, scout."),
        ),
        ({"lead": "lead"}, snapshot("lead.md:4: agents start each other in a circle: lead → lead")),
        (
            {"lead": "scout", "scout": "spy", "spy": "lead"},
            snapshot(
                "lead.md:4: scout.md:4: spy.md:4: agents start each other in a circle: lead → scout → spy → lead"
            ),
        ),
        (
            {"lead": "scout", "scout": "spy", "spy": "mole", "mole": ""},
            snapshot(
                "lead.md:4: scout.md:4: spy.md:4: agents start each other over more than 3 levels: lead → scout → spy → mole"
            ),
        ),
        (
            {"lead": "scout, scout", "scout": ""},
            snapshot("lead.md:4: `scout` is named twice"),
        ),
    ],
    ids=["unknown", "itself", "circle", "deep", "twice"],
)
def test_agents_that_cannot_be_started_are_found_before_anything_runs(
    tmp_path: Path, starts: dict[str, str], mistake: str
) -> None:
    with pytest.raises(AgentFileInvalid) as refused:
        AgentFiles(family(tmp_path, **starts)).find("lead")
    assert str(refused.value).replace(f"{tmp_path}/", "") == mistake


def test_the_tools_for_other_agents_want_to_know_which(tmp_path: Path) -> None:
    assert mistakes_of(tmp_path, SMALL.format("tools: [delegate]\n")) == snapshot(
        "scout.md:4: delegate, reply_to_child, ask_person come with `agents`, the list of those that it may start, such as [formatter]"
    )


def test_all_mistakes_of_a_file_are_reported_with_their_lines(tmp_path: Path) -> None:
    text = """\
---
name: scout
description: ""
tools: [read_fil]
colour: blue
output:
  type: object
---
Look.
"""
    assert mistakes_of(tmp_path, text) == snapshot("""\
scout.md:3: `description`: String should have at least 1 character; found ''.
scout.md:4: `tools` must be 'read_file', 'edit_file', 'create_file', 'run_command', 'run_code', 'run_tests', 'search_code', 'list_files', 'find_in_registry', 'find_callers', 'find_tests', 'describe_entry', 'find_places', 'history', 'search_issues', 'read_issue', 'delegate', 'reply_to_child' or 'ask_person'; found 'read_fil'. Did you mean `read_file`?
scout.md:5: Unknown key `colour`. Allowed: name, description, tools, model, ends_with, max_rounds, agents, asks_before, output.\
""")


def test_all_mistakes_of_an_output_schema_are_reported_with_their_lines(tmp_path: Path) -> None:
    text = """\
---
name: spy
description: Looks around.
output:
  type: object
  required: [mood]
  properties:
    when:
      type: date
    mood:
      type: string
      enum: [yes, no]
      pattern: "^x"
    json: {type: string}
    seen:
      type: array
      maxItems: many
    more:
      type: object
      additionalProperties: true
      properties:
        inner: 3
---
Look.
"""
    assert mistakes_of(tmp_path, text) == snapshot("""\
scout.md:2: the file's stem is `scout`, and its name `spy`: they must be the same
scout.md:8: `type` is 'date'; allowed are string, integer, number, boolean, array, object
scout.md:12: `enum` is a list of strings; quote words such as `no`
scout.md:13: `pattern` is not supported for `type: string`; allowed are description, enum, maxLength, minLength, title, type
scout.md:14: 'json' cannot be a field: lower-case letters, digits and `_`, and no word that models use themselves
scout.md:15: a schema is a mapping with a `type`, not None
scout.md:17: `maxItems` cannot be 'many'
scout.md:20: `additionalProperties` can only be false
scout.md:22: a schema is a mapping with a `type`, not 3\
""")


SCHEMA_KEYS = [
    "type",
    "properties",
    "required",
    "items",
    "enum",
    "minimum",
    "maxItems",
    "minLength",
    "a",
    "description",
]


@given(
    st.recursive(
        st.sampled_from(
            [
                "object",
                "string",
                "integer",
                "array",
                "boolean",
                "number",
                "a",
                None,
                True,
                -1,
                2,
                1.5,
                10**400,
                1e400,
            ]
        ),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(SCHEMA_KEYS), inner, max_size=5)
        ),
        max_leaves=12,
    )
)
def test_any_output_schema_is_a_model_or_a_list_of_mistakes(schema: JsonValue) -> None:
    made = fields_or_mistakes({"type": "object", "properties": {"field": schema}})
    assert made == ["field"] or (made and isinstance(made[0], SchemaMistake))


@pytest.mark.parametrize(
    ("kind", "keyword", "value"),
    [("integer", "minimum", 1.5), ("number", "maximum", 10**400), ("string", "minLength", 10**30)],
)
def test_a_bound_that_no_value_can_keep_is_a_mistake(kind: str, keyword: str, value: float) -> None:
    schema: JsonValue = {"type": "object", "properties": {"field": {"type": kind, keyword: value}}}
    [mistake] = fields_or_mistakes(schema)
    assert isinstance(mistake, SchemaMistake)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Look around.\n",
        "---\nname: scout\n",
        "---\nname: scout\ndescription: x\noutput: {type: object, properties: {a: {type: string}}}\n---\n\n",
        "---\nname: [\n---\nLook.\n",
        "---\n" + "#" * 70_000 + "\n---\nLook.\n",
    ],
)
def test_what_is_no_agent_file_is_refused(tmp_path: Path, text: str) -> None:
    assert mistakes_of(tmp_path, text).startswith("scout.md:")
