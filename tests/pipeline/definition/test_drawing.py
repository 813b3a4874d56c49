"""A definition is drawn as text and as Mermaid, always alike, and no word of it can escape the picture."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from pipeline.contract.run import StageStatus
from pipeline.definition.conditions import compile_condition
from pipeline.definition.definition import Definition
from pipeline.definition.draw import as_mermaid, as_text
from pipeline.definition.loader import load
from tests.pipeline.definition.gate_kinds import GATE_KINDS, Decomposition


def gate() -> Definition:
    return load("gate", kinds=GATE_KINDS)


def conditional() -> Definition:
    definition = gate()
    outputs = {"decomposition": Decomposition}
    ticket = replace(
        definition.every_stage[-1],
        when=compile_condition("size(decomposition.targets) > 0", outputs),
        retries=2,
        timeout=90.0,
    )
    return replace(definition, stages=(*definition.stages[:-1], ticket))


def test_the_gate_as_text() -> None:
    assert as_text(gate()) == snapshot("""\
gate: A labelled issue becomes a ticket that names its targets, or one question before any code is written.

    snapshot

    preconditions  after snapshot

    under_way      after preconditions

  ┌ registry       after under_way
  └ reading        after under_way

    places         after registry, reading

  ┌ existing       after places
  └ decomposition  after places

    plans          after existing, decomposition

    semantics      after plans

    ticket         after semantics
""")


def test_the_gate_as_mermaid() -> None:
    assert as_mermaid(gate()) == snapshot("""\
flowchart TD
  s1["snapshot"]
  s2["preconditions"]
  s3["under_way"]
  s4["registry"]
  s5["reading"]
  s6["places"]
  s7["existing"]
  s8["decomposition"]
  s9["plans"]
  s10["semantics"]
  s11["ticket"]
  s1 --> s2
  s2 --> s3
  s3 --> s4
  s3 --> s5
  s4 --> s6
  s5 --> s6
  s6 --> s7
  s6 --> s8
  s7 --> s9
  s8 --> s9
  s9 --> s10
  s10 --> s11
""")


def test_conditions_retries_and_limits_are_shown() -> None:
    assert as_text(conditional()).splitlines()[-1] == snapshot(
        "    ticket         after semantics; when size(decomposition.targets) > 0; 2 retries; at most 90 s"
    )


def test_statuses_colour_the_nodes_and_are_written_out() -> None:
    statuses = {
        "snapshot": StageStatus.REUSED,
        "preconditions": StageStatus.DONE,
        "registry": StageStatus.DONE,
        "reading": StageStatus.FAILED,
        "decomposition": StageStatus.STOPPED,
        "existing": StageStatus.SKIPPED,
        "ticket": StageStatus.NOT_REACHED,
    }
    lines = as_mermaid(conditional(), statuses).splitlines(keepends=True)
    assert "".join(line for line in lines if " --> " not in line) == snapshot("""\
flowchart TD
  s1["snapshot<br/>reused"]:::reused
  s2["preconditions<br/>done"]:::done
  s3["under_way"]
  s4["registry<br/>done"]:::done
  s5["reading<br/>failed"]:::failed
  s6["places"]
  s7["existing<br/>skipped"]:::skipped
  s8["decomposition<br/>stopped"]:::stopped
  s9["plans"]
  s10["semantics"]
  s11{{"ticket<br/>when size(decomposition.targets) #62; 0<br/>not reached"}}:::not_reached
  classDef done fill:#dafbe1,stroke:#1a7f37,color:#1f2328
  classDef reused fill:#ddf4ff,stroke:#0969da,color:#1f2328
  classDef skipped fill:#f6f8fa,stroke:#6e7781,color:#57606a,stroke-dasharray:4 3
  classDef stopped fill:#fff8c5,stroke:#9a6700,color:#1f2328,stroke-width:3px
  classDef failed fill:#ffebe9,stroke:#cf222e,color:#1f2328,stroke-width:3px
  classDef not_reached fill:#ffffff,stroke:#d0d7de,color:#6e7781
""")


@given(word=st.text(min_size=1, max_size=40))
def test_no_id_can_be_read_as_mermaid_or_html(word: str) -> None:
    definition = gate()
    hostile = replace(definition, stages=(replace(definition.stages[0], id=word),))
    lines = as_mermaid(hostile).split("\n")
    assert len(lines) == 3
    label = lines[1].removeprefix('  s1["').removesuffix('"]')
    assert not set(label) & set("\"'<>[]{}|`&%\\\x1b")


@given(word=st.text(max_size=40))
def test_no_description_can_move_the_cursor(word: str) -> None:
    drawn = as_text(replace(gate(), description=word)).replace("\n", "")
    assert drawn.isprintable()
