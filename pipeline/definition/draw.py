"""Draw a definition: as text for a terminal, and as a Mermaid flowchart for summaries and pages.

Both pictures leave out a need that another need implies, so that arrows show the order and do not hide it.
"""

from collections.abc import Iterator, Mapping, Sequence
from graphlib import TopologicalSorter

from pipeline.contract.run import StageStatus
from pipeline.definition.definition import Declaration, Definition, StageDeclaration
from pipeline.domain.printable import printable
from pipeline.engine.graph import Repeat

_COLOURS = {
    StageStatus.DONE: "fill:#dafbe1,stroke:#1a7f37,color:#1f2328",
    StageStatus.REUSED: "fill:#ddf4ff,stroke:#0969da,color:#1f2328",
    StageStatus.SKIPPED: "fill:#f6f8fa,stroke:#6e7781,color:#57606a,stroke-dasharray:4 3",
    StageStatus.STOPPED: "fill:#fff8c5,stroke:#9a6700,color:#1f2328,stroke-width:3px",
    StageStatus.FAILED: "fill:#ffebe9,stroke:#cf222e,color:#1f2328,stroke-width:3px",
    StageStatus.NOT_REACHED: "fill:#ffffff,stroke:#d0d7de,color:#6e7781",
}
"""Style of a node per status: dark text on a light ground, readable on GitHub's light and dark pages."""

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-.,:()")


def as_text(definition: Definition) -> str:
    """The stages from top to bottom; those that may run at the same time stand in one block, those of a repeat below it.

    Control characters are shown as escapes: a file must not be able to repaint the terminal of its reader.
    """
    follows = _direct_needs(definition.stages, definition.stands_for)
    rows_of = {stage.id: _rows(stage, follows[stage.id]) for stage in definition.stages}
    width = max(len(name) for rows in rows_of.values() for name, _ in rows)
    blocks = []
    for level in definition.levels():
        marks = [" "] if len(level) == 1 else ["┌", *"│" * (len(level) - 2), "└"]
        lines = []
        for number, (mark, stage) in enumerate(zip(marks, level, strict=True), start=1):
            beside = " " if number == len(level) else "│"
            for name, remarks in rows_of[stage.id]:
                prefix = mark if name == stage.id else beside
                lines.append(f"  {prefix} {name:<{width}}  {'; '.join(remarks)}".rstrip())
        blocks.append("\n".join(lines))
    title = f"{definition.name}: {definition.description}" if definition.description else definition.name
    return printable(title) + "\n\n" + "\n\n".join(printable(block) for block in blocks) + "\n"


def as_mermaid(definition: Definition, statuses: Mapping[str, StageStatus] | None = None) -> str:
    """A flowchart, a repeat in a frame of its own, with dotted arrows to the next round.

    With `statuses` (stage id -> how it ended, the last round's in a repeat) each node is coloured by its status and names
    it. Nodes are numbered and labels escaped, so that no id and no condition can be read as Mermaid or as HTML.
    """
    statuses = statuses or {}
    ids = [
        inner.id
        for stage in definition.stages
        for inner in (stage, *(stage.stages if isinstance(stage, Repeat) else ()))
    ]
    node = {stage: f"s{number}" for number, stage in enumerate(ids, start=1)}
    lines = ["flowchart TD"]
    for stage in definition.stages:
        if isinstance(stage, Repeat):
            lines += _subgraph(stage, node, statuses)
        else:
            lines.append(_node(stage, node, statuses))
    follows = _direct_needs(definition.stages, definition.stands_for)
    lines += [
        f"  {node[need]} --> {node[stage.id]}" for stage in definition.stages for need in follows[stage.id]
    ]
    used_statuses = {statuses[stage] for stage in ids if stage in statuses}
    lines += [
        f"  classDef {status.value} {style}" for status, style in _COLOURS.items() if status in used_statuses
    ]
    repeats = [stage.id for stage in definition.stages if isinstance(stage, Repeat) and stage.id in statuses]
    lines += [f"  class {node[repeat]} {statuses[repeat].value}" for repeat in repeats]
    return "\n".join(lines) + "\n"


def _node(stage: StageDeclaration, node: Mapping[str, str], statuses: Mapping[str, StageStatus]) -> str:
    left, right = ('["', '"]') if stage.when is None else ('{{"', '"}}')
    style = f":::{statuses[stage.id].value}" if stage.id in statuses else ""
    return f"  {node[stage.id]}{left}{_label(stage, [], statuses)}{right}{style}"


def _subgraph(
    repeat: Repeat[StageDeclaration], node: Mapping[str, str], statuses: Mapping[str, StageStatus]
) -> Iterator[str]:
    label = _label(repeat, [f"until {repeat.until.text}", _at_most(repeat)], statuses)
    yield f'  subgraph {node[repeat.id]}["{label}"]'
    for stage in repeat.stages:
        yield f"  {_node(stage, node, statuses)}"
    follows = _direct_needs(repeat.stages)
    for stage in repeat.stages:
        yield from (f"    {node[need]} --> {node[stage.id]}" for need in follows[stage.id])
        yield from (f"    {node[before]} -. next round .-> {node[stage.id]}" for before in stage.previous)
    yield "  end"


def _label(stage: Declaration, extra_lines: list[str], statuses: Mapping[str, StageStatus]) -> str:
    parts = [stage.id]
    if stage.when is not None:
        parts.append(f"when {stage.when.text}")
    parts += extra_lines
    if stage.id in statuses:
        parts.append(statuses[stage.id].value.replace("_", " "))
    return "<br/>".join(_escape(part) for part in parts)


def _rows(stage: Declaration, follows: tuple[str, ...]) -> list[tuple[str, list[str]]]:
    """Name and remarks of a stage; of a repeat also those of its stages."""
    after = [f"after {', '.join(follows)}"] if follows else []
    if isinstance(stage, StageDeclaration):
        return [(stage.id, after + _remarks(stage))]
    when = [f"when {stage.when.text}"] if stage.when is not None else []
    rows = [(stage.id, [*after, *when, f"until {stage.until.text}", _at_most(stage)])]
    inside = _direct_needs(stage.stages)
    for inner in stage.stages:
        remarks = [f"after {', '.join(inside[inner.id])}"] if inside[inner.id] else []
        if inner.previous:
            remarks.append(f"given {', '.join(inner.previous)} of the round before")
        rows.append((f"  {inner.id}", remarks + _remarks(inner)))
    return rows


def _at_most(repeat: Repeat[StageDeclaration]) -> str:
    return f"at most {repeat.max} {'round' if repeat.max == 1 else 'rounds'}"


def _remarks(stage: StageDeclaration) -> list[str]:
    remarks = []
    if stage.uses != stage.id:
        options = stage.options.model_dump(mode="json", exclude_defaults=True)
        settings = ", ".join(
            f"{key}={' '.join(value) if isinstance(value, list) else value}"
            for key, value in options.items()
            if not isinstance(value, dict)
        )
        remarks.append(f"uses {stage.uses}" + (f" ({settings})" if settings else ""))
    if stage.when is not None:
        remarks.append(f"when {stage.when.text}")
    if stage.optional:
        remarks.append(f"also without {', '.join(need for need in stage.needs if need in stage.optional)}")
    if stage.retries:
        remarks.append(f"{stage.retries} {'retry' if stage.retries == 1 else 'retries'}")
    if stage.timeout is not None:
        remarks.append(f"at most {stage.timeout:g} s")
    return remarks


def _direct_needs(
    stages: Sequence[Declaration], stands_for: Mapping[str, str] | None = None
) -> dict[str, tuple[str, ...]]:
    """Per stage the needs that no other of its needs implies, in their declared order; a repeat for its stages.

    Needs that stand for nothing here, such as those of an inner stage outside of its repeat, are left out.
    """
    names = stands_for or {stage.id: stage.id for stage in stages}
    needs = {
        stage.id: tuple(dict.fromkeys(names[need] for need in stage.needs if need in names))
        for stage in stages
    }
    before: dict[str, frozenset[str]] = {}
    for stage in TopologicalSorter(needs).static_order():
        before[stage] = frozenset(needs[stage]).union(*(before[need] for need in needs[stage]))
    return {
        stage: tuple(
            need for need in needs_of_stage if not any(need in before[sibling] for sibling in needs_of_stage)
        )
        for stage, needs_of_stage in needs.items()
    }


def _escape(text: str) -> str:
    """Every character that could mean something as Mermaid's decimal entity."""
    return "".join(sign if sign in _PLAIN else f"#{ord(sign)};" for sign in text)
