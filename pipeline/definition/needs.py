"""Check which stage waits for which: unknown needs, stages declared twice, cycles."""

from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from pipeline.definition.definition_file import StageEntry
from pipeline.definition.model_mistakes import suggestion
from pipeline.definition.yaml_source import Document, Mistake
from pipeline.stages.stage import input_field

Entries = Sequence[tuple[int, StageEntry]]
"""The well-formed entries of a file, each with its index in `stages`."""


def need_mistakes(entries: Entries, all_ids: list[str], document: Document) -> Iterator[Mistake]:
    """Everything wrong with ids and needs. `all_ids` includes those of entries that are not well-formed."""
    first_line: dict[str, int] = {}
    for index, entry in entries:
        line = document.line(("stages", index, "id"))
        if input_field(entry.id) in first_line:
            earlier = first_line[input_field(entry.id)]
            yield Mistake(line, f"The stage `{entry.id}` is declared twice; the first is on line {earlier}.")
        first_line.setdefault(input_field(entry.id), line)
        for position, need in enumerate(entry.needs):
            here = document.line(("stages", index, "needs", position))
            if need not in all_ids:
                others = [other for other in all_ids if other != entry.id]
                yield Mistake(
                    here, f"`{entry.id}` needs `{need}`, which is no stage.{suggestion(need, others)}"
                )
            elif need in entry.needs[:position]:
                yield Mistake(here, f"`{entry.id}` names its need `{need}` twice.")
    lines = {entry.id: document.line(("stages", index, "needs")) for index, entry in entries}
    yield from _cycles(
        {entry.id: [need for need in entry.needs if need in lines] for _, entry in entries}, lines
    )


def _cycles(needs: dict[str, list[str]], lines: Mapping[str, int]) -> Iterator[Mistake]:
    """Each cycle, found by breaking the one before."""
    while True:
        try:
            TopologicalSorter(needs).prepare()
        except CycleError as error:
            cycle: list[str] = error.args[1]
            waiting, needed = cycle[1], cycle[0]
            text = " needs ".join(f"`{stage_id}`" for stage_id in reversed(cycle))
            yield Mistake(lines[waiting], f"These stages wait for each other: {text}.")
            needs[waiting].remove(needed)
        else:
            return
