"""Check which stage waits for which: unknown needs, stages declared twice, cycles, and the borders of a repeat."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from pipeline.contract.yaml_source import Document, Mistake, Place
from pipeline.definition.definition_file import InnerStageEntry, RepeatEntry, StageEntry
from pipeline.domain.model_mistakes import suggestion
from pipeline.stages.stage import input_field


@dataclass(frozen=True)
class EntryInFile:
    """A well-formed entry, where it stands in the file, and the repeat around it."""

    place: Place
    entry: StageEntry | RepeatEntry
    within: RepeatEntry | None = None

    @property
    def around(self) -> str | None:
        """Id of the repeat around it."""
        return None if self.within is None else self.within.id


Entries = Sequence[EntryInFile]

Scope = Mapping[str, str | None]
"""Every id of a file, those of entries that are not well-formed too, and the repeat that it stands in."""


def need_mistakes(entries: Entries, scope: Scope, document: Document) -> Iterator[Mistake]:
    """Everything wrong with ids and needs."""
    first_line: dict[str, int] = {}
    for item in entries:
        entry = item.entry
        line = document.line((*item.place, "id"))
        if input_field(entry.id) in first_line:
            earlier = first_line[input_field(entry.id)]
            yield Mistake(line, f"The stage `{entry.id}` is declared twice; the first is on line {earlier}.")
        first_line.setdefault(input_field(entry.id), line)
        for position, need in enumerate(entry.needs):
            text = _fault(item, need, scope)
            if text is None and need in entry.needs[:position]:
                text = f"`{entry.id}` names its need `{need}` twice."
            if text is not None:
                yield Mistake(document.line((*item.place, "needs", position)), text)
        if isinstance(entry, InnerStageEntry) and item.within is not None:
            yield from _previous_mistakes(item, entry, item.within.id, scope, document)
    yield from _all_cycles(entries, scope, document)


def _fault(item: EntryInFile, need: str, scope: Scope) -> str | None:
    """What is wrong with one need, by where the two stand."""
    entry, within = item.entry, item.within
    if need not in scope:
        other_stages = [stage for stage in scope if stage != entry.id]
        return f"`{entry.id}` needs `{need}`, which is no stage.{suggestion(need, other_stages)}"
    if isinstance(entry, RepeatEntry) and scope[need] == entry.id:
        return f"`{entry.id}` needs `{need}`, which is one of its own stages."
    if within is None or scope[need] == within.id or need in within.needs:
        return None
    if need == within.id:
        return f"`{entry.id}` needs `{need}`, in which it stands."
    return f"`{entry.id}` needs `{need}`, which is outside of `{within.id}`; add `{need}` to the needs of `{within.id}` too."


def _previous_mistakes(
    item: EntryInFile, entry: InnerStageEntry, within: str, scope: Scope, document: Document
) -> Iterator[Mistake]:
    siblings = [sibling for sibling, around in scope.items() if around == within]
    for position, stage in enumerate(entry.previous):
        here = document.line((*item.place, "previous", position))
        if stage not in siblings:
            text = f"`{entry.id}` is given `{stage}` of the round before, which is no stage of `{within}`."
            yield Mistake(here, text + suggestion(stage, siblings))
        elif stage in entry.previous[:position]:
            yield Mistake(here, f"`{entry.id}` is given `{stage}` of the round before twice.")


def _all_cycles(entries: Entries, scope: Scope, document: Document) -> Iterator[Mistake]:
    """Cycles between entries, a repeat being one of them, and those inside of each repeat."""
    for around in dict.fromkeys(item.around for item in entries):
        beside = [item for item in entries if item.around == around]
        lines = {item.entry.id: document.line((*item.place, "needs")) for item in beside}
        needs = {
            item.entry.id: list(dict.fromkeys(_outermost(need, around, scope) for need in item.entry.needs))
            for item in beside
        }
        yield from _cycles({stage: [n for n in waits if n in lines] for stage, waits in needs.items()}, lines)


def _outermost(need: str, around: str | None, scope: Scope) -> str:
    """What stands for a need beside the stage that has it: the need itself, or the repeat that it stands in."""
    inside = scope.get(need)
    return need if inside is None or inside == around else inside


def _cycles(needs: dict[str, list[str]], lines: Mapping[str, int]) -> Iterator[Mistake]:
    """A mistake for each need that has to go before the stages can run.

    One wrong need can close many cycles: where `snapshot` needs `ticket`, every way from `ticket` back to `snapshot` is
    one. So of each cycle that need is taken away whose absence leaves the fewest stages in cycles, and it is the one that
    the mistake names first.
    """
    while True:
        try:
            TopologicalSorter(needs).prepare()
        except CycleError as error:
            # graphlib names each stage before the one that needs it.
            cycle: list[str] = error.args[1][::-1]
            links = list(pairwise(cycle))
            waiting, need_ = min(links, key=lambda link: _stages_in_cycles(needs, without=link))
            needs[waiting].remove(need_)
            start = cycle.index(waiting)
            cycle_from_need = [*cycle[start:-1], *cycle[:start], waiting]
            text = " needs ".join(f"`{stage_id}`" for stage_id in cycle_from_need)
            yield Mistake(lines[waiting], f"These stages wait for each other: {text}.")
        else:
            return


def _stages_in_cycles(needs: Mapping[str, list[str]], *, without: tuple[str, str]) -> int:
    """How many stages are left once those are taken away, again and again, that wait for none or that none waits for."""
    unvisited_links = {(stage, need) for stage, waits in needs.items() for need in waits} - {without}
    while True:
        waiting, needed_stages = (
            {stage for stage, _ in unvisited_links},
            {need for _, need in unvisited_links},
        )
        links = {
            (stage, need) for stage, need in unvisited_links if need in waiting and stage in needed_stages
        }
        if links == unvisited_links:
            return len(waiting)
        unvisited_links = links
