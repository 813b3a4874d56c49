"""Check that no stage is skipped without a word of its own, because one that it needs was.

A stage that may be skipped has a `when`, stands in a repeat that has one, or is of a kind with a condition of its own. A stage
that needs it says what happens then, in one of two ways:

- it can do without: `needs: [{id: repro, optional: true}]`, or its kind has a default for that input;
- it is skipped by the same condition: its own `when` is that condition, or begins with it and `&&`.

    - {id: repro, uses: agent, needs: [kind], when: kind.bug}
    - {id: fix,   uses: agent, needs: [kind, repro], when: kind.bug && kind.small}      # fine
    - {id: fix,   uses: agent, needs: [kind, repro], when: kind.small}                  # a mistake
"""

from collections.abc import Iterator, Mapping

from pipeline.contract.yaml_source import Document, Mistake
from pipeline.definition.definition_file import StageEntry
from pipeline.definition.needs import Entries, EntryInFile
from pipeline.stages.stage import AnyStageKind


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
