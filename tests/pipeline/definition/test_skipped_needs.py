"""A stage is skipped by a condition of its own, or says that it can do without what was skipped."""

from pathlib import Path

import pytest

from pipeline.definition.definition import Definition, StageDeclaration
from pipeline.definition.loader import load
from pipeline.domain.errors import DefinitionInvalid

STAGES = """\
name: own
stages:
  - {id: kind, uses: agent, with: {agent: completeness}}
  - {id: repro, uses: agent, needs: kind, when: kind.kind == "bug", with: {agent: reproducibility}}
"""


def load_with(directory: Path, *lines: str) -> Definition:
    path = directory / "pipeline.yml"
    path.write_text(STAGES + "".join(f"  - {line}\n" for line in lines), encoding="utf-8")
    return load(str(path))


def mistakes_of(directory: Path, *lines: str) -> str:
    with pytest.raises(DefinitionInvalid) as refused:
        load_with(directory, *lines)
    return refused.value.why.replace(f"{directory}/", "")


def test_an_agent_that_needs_a_stage_with_a_condition_says_what_happens_without_it(tmp_path: Path) -> None:
    mistake = mistakes_of(
        tmp_path, "{id: verdict, uses: agent, needs: [kind, repro], with: {agent: completeness}}"
    )
    assert mistake == (
        'pipeline.yml:5: `verdict` needs `repro`, which is skipped unless `kind.kind == "bug"`. Let it run all the '
        "same: needs: [{id: repro, optional: true}]; or begin the condition of `verdict` with that one."
    )


def test_an_agent_that_can_do_without_a_skipped_stage_reads_null_in_its_place(tmp_path: Path) -> None:
    definition = load_with(
        tmp_path,
        "{id: verdict, uses: agent, needs: [kind, {id: repro, optional: true}], with: {agent: completeness}}",
    )
    verdict = definition.every_stage[-1]
    assert (verdict.needs, verdict.optional) == (("kind", "repro"), frozenset({"repro"}))
    assert [field.is_required() for field in verdict.kind.input.model_fields.values()] == [True, False]


@pytest.mark.parametrize(
    "condition",
    ['kind.kind == "bug"', 'kind.kind == "bug" && kind.complete', 'kind.kind  ==  "bug" && repro.applies'],
)
def test_a_stage_with_the_same_condition_needs_no_word_more(tmp_path: Path, condition: str) -> None:
    line = (
        f"{{id: fix, uses: agent, needs: [kind, repro], when: '{condition}', with: {{agent: completeness}}}}"
    )
    assert load_with(tmp_path, line).every_stage[-1].optional == frozenset()


@pytest.mark.parametrize(
    "condition", ["kind.complete", 'kind.kind == "bug" && kind.complete || kind.complete']
)
def test_a_condition_that_may_hold_where_the_other_does_not_is_not_enough(
    tmp_path: Path, condition: str
) -> None:
    line = (
        f"{{id: fix, uses: agent, needs: [kind, repro], when: '{condition}', with: {{agent: completeness}}}}"
    )
    assert "`fix` needs `repro`, which is skipped unless" in mistakes_of(tmp_path, line)


def test_a_shared_condition_is_false_although_it_reads_what_is_missing(tmp_path: Path) -> None:
    line = "{id: fix, uses: agent, needs: [kind, repro], when: 'kind.kind == \"bug\" && repro.applies', with: {agent: completeness}}"
    definition = load_with(tmp_path, line)
    kind, fix = definition.every_stage[0], definition.every_stage[-1]
    wish = kind.kind.output.model_validate(
        {"kind": "feature", "complete": True, "present": [], "missing": []}
    )
    assert isinstance(fix, StageDeclaration)
    assert fix.when is not None
    assert fix.when.holds({"kind": wish}) is False


def test_a_kind_that_runs_only_with_a_model_is_such_a_stage_too(tmp_path: Path) -> None:
    gate = Path("pipeline/definitions/gate.yml").read_text(encoding="utf-8")
    path = tmp_path / "pipeline.yml"
    path.write_text(
        f"{gate}\n  - {{id: look, uses: agent, needs: [semantics], with: {{agent: completeness}}}}\n"
    )
    with pytest.raises(DefinitionInvalid) as refused:
        load(str(path))
    assert "`look` needs `semantics`, which is skipped unless `a language model is configured" in str(
        refused.value
    )


def test_a_kind_that_reads_an_output_cannot_do_without_it(tmp_path: Path) -> None:
    gate = Path("pipeline/definitions/gate.yml").read_text(encoding="utf-8")
    path = tmp_path / "pipeline.yml"
    path.write_text(
        gate.replace(
            "needs: [registry, reading, plans]", "needs: [registry, {id: reading, optional: true}, plans]"
        )
    )
    with pytest.raises(DefinitionInvalid) as refused:
        load(str(path))
    assert "`semantics` cannot do without the output of `reading`." in str(refused.value)


def test_a_pipeline_without_an_ending_is_a_mistake(tmp_path: Path) -> None:
    path = tmp_path / "pipeline.yml"
    path.write_text("name: own\nstages:\n  - {id: snapshot, uses: snapshot}\n", encoding="utf-8")
    with pytest.raises(DefinitionInvalid) as refused:
        load(str(path))
    assert "pipeline.yml:2: No stage ends the run with a ticket" in refused.value.why


def test_one_wrong_need_is_one_mistake_however_many_cycles_it_closes(tmp_path: Path) -> None:
    gate = Path("pipeline/definitions/gate.yml").read_text(encoding="utf-8")
    path = tmp_path / "pipeline.yml"
    path.write_text(
        gate.replace("    uses: snapshot\n", "    uses: snapshot\n    needs: [ticket]\n"), encoding="utf-8"
    )
    with pytest.raises(DefinitionInvalid) as refused:
        load(str(path))
    assert refused.value.why.count("\n") == 0
    assert ":7: These stages wait for each other: `snapshot` needs `ticket` needs" in refused.value.why
