"""Draw a definition: as text for a terminal, and as a Mermaid flowchart for summaries and pages.

Both pictures leave out a need that another need implies, so that arrows show the order and do not hide it.
"""

from collections.abc import Mapping

from pipeline.contract.run import StageStatus
from pipeline.definition.definition import Definition, StageDeclaration

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
    """The stages from top to bottom; those that may run at the same time stand in one block.

    Control characters are shown as escapes: a file must not be able to repaint the terminal of its reader.
    """
    follows = _direct_needs(definition)
    width = max(len(stage.id) for stage in definition.stages)
    blocks = []
    for level in definition.levels():
        marks = [" "] if len(level) == 1 else ["┌", *"│" * (len(level) - 2), "└"]
        rows = [
            f"  {mark} {stage.id:<{width}}  {'; '.join(_remarks(stage, follows[stage.id]))}".rstrip()
            for mark, stage in zip(marks, level, strict=True)
        ]
        blocks.append("\n".join(rows))
    title = f"{definition.name}: {definition.description}" if definition.description else definition.name
    return _printable(title) + "\n\n" + "\n\n".join(_printable(block) for block in blocks) + "\n"


def as_mermaid(definition: Definition, statuses: Mapping[str, StageStatus] | None = None) -> str:
    """A flowchart. With `statuses` (stage id -> how it ended) each node is coloured by its status and names it.

    Nodes are numbered and labels escaped, so that no id and no condition can be read as Mermaid or as HTML.
    """
    follows = _direct_needs(definition)
    node = {stage.id: f"s{number}" for number, stage in enumerate(definition.stages, start=1)}
    statuses = statuses or {}
    lines = ["flowchart TD"]
    for stage in definition.stages:
        parts = [stage.id]
        if stage.when is not None:
            parts.append(f"when {stage.when.text}")
        if stage.id in statuses:
            parts.append(statuses[stage.id].value.replace("_", " "))
        label = "<br/>".join(_escaped(part) for part in parts)
        left, right = ('["', '"]') if stage.when is None else ('{{"', '"}}')
        style = f":::{statuses[stage.id].value}" if stage.id in statuses else ""
        lines.append(f"  {node[stage.id]}{left}{label}{right}{style}")
    lines += [
        f"  {node[need]} --> {node[stage.id]}" for stage in definition.stages for need in follows[stage.id]
    ]
    used = set(statuses.values())
    lines += [f"  classDef {status.value} {style}" for status, style in _COLOURS.items() if status in used]
    return "\n".join(lines) + "\n"


def _remarks(stage: StageDeclaration, follows: tuple[str, ...]) -> list[str]:
    remarks = []
    if follows:
        remarks.append(f"after {', '.join(follows)}")
    if stage.uses != stage.id:
        options = stage.options.model_dump(mode="json", exclude_defaults=True)
        settings = ", ".join(f"{key}={value}" for key, value in options.items())
        remarks.append(f"uses {stage.uses}" + (f" ({settings})" if settings else ""))
    if stage.when is not None:
        remarks.append(f"when {stage.when.text}")
    if stage.retries:
        remarks.append(f"{stage.retries} {'retry' if stage.retries == 1 else 'retries'}")
    if stage.timeout is not None:
        remarks.append(f"at most {stage.timeout:g} s")
    return remarks


def _direct_needs(definition: Definition) -> dict[str, tuple[str, ...]]:
    """Per stage the needs that no other of its needs implies, in their declared order."""
    before: dict[str, frozenset[str]] = {}
    for level in definition.levels():
        for stage in level:
            before[stage.id] = frozenset(stage.needs).union(*(before[need] for need in stage.needs))
    return {
        stage.id: tuple(
            need for need in stage.needs if not any(need in before[other] for other in stage.needs)
        )
        for stage in definition.stages
    }


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() or sign == "\n" else repr(sign)[1:-1] for sign in text)


def _escaped(text: str) -> str:
    """Every character that could mean something as Mermaid's decimal entity."""
    return "".join(sign if sign in _PLAIN else f"#{ord(sign)};" for sign in text)
