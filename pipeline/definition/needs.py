"""Check which stage waits for which: unknown needs, stages declared twice, cycles, and the borders of a repeat.

And that no stage is skipped without a word of its own, because one that it needs was.

A stage that may be skipped has a `when`, stands in a repeat that has one, or is of a kind with a condition of its own. A stage
that needs it says what happens then, in one of two ways:

- it can do without: `needs: [{id: repro, optional: true}]`, or its kind has a default for that input;
- it is skipped by the same condition: its own `when` is that condition, or begins with it and `&&`.

    - {id: repro, uses: agent, needs: [kind], when: kind.bug}
    - {id: fix,   uses: agent, needs: [kind, repro], when: kind.bug && kind.small}      # fine
    - {id: fix,   uses: agent, needs: [kind, repro], when: kind.small}                  # a mistake
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from pipeline.contract.yaml_source import Document, Mistake, Place
from pipeline.definition.definition_file import InnerStageEntry, RepeatEntry, StageEntry
from pipeline.domain.model_mistakes import suggestion
from pipeline.stages.stage import AnyStageKind, input_field


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
    """The mistake in one need, by where the two stand."""
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
    """What a stage waits for because of a need: the needed stage itself, or the repeat around it."""
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


def may_skip(need_item: EntryInFile, item: EntryInFile, kinds: Mapping[str, AnyStageKind]) -> list[str]:
    """The conditions under which one stage runs, as far as another one that needs it does not share them already."""
    open_conditions = _conditions(need_item, item, kinds)
    own_conditions = _conditions(item, need_item, kinds)
    return [
        condition
        for condition in open_conditions
        if not any(_implies(mine, condition) for mine in own_conditions)
    ]


def skip_mistakes(
    entries: Entries, kinds: Mapping[str, AnyStageKind], document: Document
) -> Iterator[Mistake]:
    """Every need that may be skipped without the stage having said what happens then."""
    by_id = {item.entry.id: item for item in entries}
    for item in entries:
        entry = item.entry
        for position, need in enumerate(entry.needs):
            if need not in by_id or need in entry.optional or _waits_for(by_id[need], item, by_id):
                continue
            conditions = may_skip(by_id[need], item, kinds)
            if conditions and not _has_default(entry, need, kinds):
                conditions_text = " and ".join(f"`{condition}`" for condition in conditions)
                text = (
                    f"`{entry.id}` needs `{need}`, which is skipped unless {conditions_text}. Let it run all the same: "
                    f"needs: [{{id: {need}, optional: true}}]; or begin the condition of `{entry.id}` with that one."
                )
                yield Mistake(document.line((*item.place, "needs", position)), text)


def _waits_for(item: EntryInFile, target: EntryInFile, by_id: Mapping[str, EntryInFile]) -> bool:
    """Whether an entry waits for another one, over any number of needs: then the need the other way is itself wrong."""
    visited_ids: set[str] = set()
    waiting = [item.entry.id]
    while waiting:
        here = by_id[waiting.pop()]
        if target.entry.id in (here.entry.id, here.around):
            return True
        around = () if here.within is None else here.within.needs
        waiting += [
            need for need in (*here.entry.needs, *around) if need in by_id and need not in visited_ids
        ]
        visited_ids.update(waiting)
    return False


def _conditions(item: EntryInFile, other_item: EntryInFile, kinds: Mapping[str, AnyStageKind]) -> list[str]:
    """The conditions of an entry and of the repeat around it, unless the other one stands in the same repeat."""
    entry, within = item.entry, item.within
    kind = kinds.get(entry.uses) if isinstance(entry, StageEntry) else None
    around = within.when if within is not None and within is not other_item.within else None
    return [condition for condition in (around, entry.when, kind and kind.runs_if) if condition]


def _implies(mine: str, condition: str) -> bool:
    """Whether `mine` is the condition or begins with it and `&&`. With `||` or `?` only the same text is sure to imply it."""
    ours, theirs = " ".join(mine.split()), " ".join(condition.split())
    if ours == theirs:
        return True
    return ours.startswith(f"{theirs} && ") and not any(sign in ours for sign in ("||", "?"))


def _has_default(entry: object, need: str, kinds: Mapping[str, AnyStageKind]) -> bool:
    if not isinstance(entry, StageEntry) or (kind := kinds.get(entry.uses)) is None:
        return False
    return kind.can_do_without(need)
