"""Turn an explorer's form into a plan, without ids that the code does not have and quotes that the issue does not have."""

from collections.abc import Callable, Iterable, Iterator

from pipeline.code_registry.entries import Setting
from pipeline.code_registry.registry import Registry
from pipeline.contract.clarification import AskedOf
from pipeline.contract.ticket import CodePlace, PlannedChange
from pipeline.domain.models import FrozenModel
from pipeline.domain.printable import printable_line
from pipeline.gate.plain_call import NotPlain, plain_path
from pipeline.places.file_kinds import FileKind, file_kind
from pipeline.stages.selection.labels import code_place, file_place
from pipeline.stages.semantics.plan import (
    ONE_WAY_POINTS,
    EffectKind,
    GuardRuleOf,
    Line,
    NoPlan,
    OpenPoint,
    Plan,
    PlannedEffect,
    PlannedWish,
    PointKind,
    PointOption,
)

_NEW = "new:"

LineCount = Callable[[str], int | None]
"""How many lines a file of the tree has; None if there is no such text file."""

_MOST_TARGETS = 8


class ChangeForm(FrozenModel):
    """A place to work on."""

    path: str
    what: Line
    entry: str | None = None
    is_new: bool | None = None


class PointForm(FrozenModel):
    """A decision; `taken`, `plainest` and `safest` are numbers of options, from 1."""

    kind: PointKind
    question: Line
    options: tuple[PointOption, ...]
    taken: int
    plainest: int
    safest: int | None = None
    about: tuple[str, ...] = ()
    words: str | None = None
    why: Line | None = None
    takes_away: bool = False
    asked_of: AskedOf | None = None
    would_ask: bool = False


class WishForm(FrozenModel):
    """A thing that the ticket asks for."""

    wish: Line
    planned: bool


class PlanForm(FrozenModel):
    """What an explorer completes with, as `explorer.md` declares it."""

    summary: Line
    changes: tuple[ChangeForm, ...]
    effects: tuple[PlannedEffect, ...]
    open_points: tuple[PointForm, ...]
    wishes: tuple[WishForm, ...]
    acceptance: tuple[Line, ...]
    no_plan: NoPlan | None = None


def mistakes_in(form: PlanForm, line_count: LineCount) -> str | None:
    """What an explorer has to correct before its plan can be taken, in words for it; None for nothing."""
    wrong = [
        f"`{change.path}` is no file of the repository (mark one to be made with `is_new`)"
        for change in form.changes
        if not _is_place(change, line_count)
    ]
    if not form.changes and form.no_plan is None:
        wrong.append("without `changes`, say in `no_plan` why there is nothing to plan")
    for place in form.no_plan.places if form.no_plan is not None else ():
        lines = line_count(place.path)
        if lines is None or not 1 <= place.start_line <= place.end_line <= lines:
            wrong.append(f"`{place.path}` has no lines {place.start_line} to {place.end_line}")
    if not all(map(printable_line, _texts(form))):
        wrong.append("a text is blank")
    if not _are_apart(wish.wish for wish in form.wishes):
        wrong.append("two wishes are the same")
    for number, point in enumerate(form.open_points, start=1):
        if not _are_apart(option.label for option in point.options):
            wrong.append(f"open point {number}: two options have the same label")
        numbers = (point.taken, point.plainest, point.safest or 1)
        if not all(1 <= of_option <= len(point.options) for of_option in numbers):
            wrong.append(f"open point {number}: `taken`, `plainest` and `safest` are numbers of its options")
    return "; ".join(wrong[:5]) or None


def _texts(form: PlanForm) -> Iterator[str]:
    """Every text that a person may be shown."""
    options = [option for point in form.open_points for option in point.options]
    yield from (form.summary, *form.acceptance)
    yield from (change.what for change in form.changes)
    yield from (text for effect in form.effects for text in (effect.surface, effect.what))
    yield from (wish.wish for wish in form.wishes)
    yield from (point.question for point in form.open_points)
    yield from (point.why for point in form.open_points if point.why is not None)
    yield from () if form.no_plan is None else (form.no_plan.why,)
    yield from (text for option in options for text in (option.label, option.effect))


def _are_apart(texts: Iterable[str]) -> bool:
    """Whether a person can tell all of them apart."""
    folded_texts = [text.casefold() for text in texts]
    return len(set(folded_texts)) == len(folded_texts)


def bind(
    number: int,
    form: PlanForm,
    issue: str,
    registry: Registry,
    guard_rule_of: GuardRuleOf,
    *,
    dollars: float | None = None,
) -> Plan:
    """The plan of a form without mistakes. `issue` is what the explorer read of it, and may quote."""
    left_out: list[str] = []
    changes = tuple(_change(change, registry, left_out) for change in form.changes)
    effects = tuple(
        effect.model_copy(update={"surface": _surface(effect.surface, registry)}) for effect in form.effects
    )
    points = tuple(
        _point(f"{number}.{at}", point, issue, left_out) for at, point in enumerate(form.open_points, start=1)
    )
    return Plan(
        number=number,
        summary=form.summary,
        changes=changes,
        targets=_targets(changes, registry),
        effects=effects,
        points=points,
        wishes=tuple(PlannedWish(text=wish.wish, planned=wish.planned) for wish in form.wishes),
        acceptance=form.acceptance,
        reaches=_reaches(changes, effects, points, guard_rule_of),
        left_out=tuple(left_out),
        dollars=dollars,
    )


def _is_place(change: ChangeForm, line_count: LineCount) -> bool:
    try:
        path = plain_path(change.path)
    except NotPlain:
        return False
    return bool(change.is_new) or line_count(path) is not None


def _change(form: ChangeForm, registry: Registry, left_out: list[str]) -> PlannedChange:
    path, entry = plain_path(form.path), form.entry
    if entry == file_place(path).id:
        entry = None  # the id of a file says no more than its path
    if entry is not None and not _is_in(entry, path, registry):
        left_out.append(f"“{printable_line(entry)}”, which {path} does not have")
        entry = None
    return PlannedChange(path=path, what=form.what, entry=entry, is_new=bool(form.is_new))


def _is_in(id_: str, path: str, registry: Registry) -> bool:
    entry = registry.get(id_)
    if entry is None:
        return False
    places = entry.places if isinstance(entry, Setting) else (entry.place,)
    return path in {place.path for place in places}


def _surface(named: str, registry: Registry) -> str:
    """An id of the code by its label; what has none as the explorer names it."""
    id_ = named.removeprefix(_NEW)
    entry = registry.get(id_)
    if entry is None:
        return printable_line(named)
    label = code_place(entry, registry).label
    return label if id_ == named else f"new in {label}"


def _point(id_: str, form: PointForm, issue: str, left_out: list[str]) -> OpenPoint:
    words = None if form.words is None else _quote_in(form.words, issue)
    if form.words is not None and words is None:
        left_out.append(f"“{printable_line(form.words)}”, which the ticket does not say")
    quotes = [_quote_in(quote, issue) for quote in form.about]
    left_out += [
        f"“{printable_line(words)}”, which the ticket does not say"
        for words, quote in zip(form.about, quotes, strict=True)
        if quote is None
    ]
    values = {name: value for name, value in form if name != "about"}
    return OpenPoint(
        **values
        | {
            "id": id_,
            "words": words,
            "quotes": tuple(quote.rstrip(".") for quote in quotes if quote is not None)[:2],
            "taken": form.taken - 1,
            "plainest": form.plainest - 1,
            "safest": None if form.safest is None else form.safest - 1,
        }
    )


def _quote_in(words: str, issue: str) -> str | None:
    """Words on one line, if the ticket holds them; blanks and case apart, nothing is forgiven."""
    text = printable_line(issue).casefold()
    lines = (
        printable_line(words),
        printable_line(words).strip("“”\"'` "),
    )  # quotation marks of the ticket's own are left
    return next((line for line in lines if line and line.casefold() in text), None)


def _targets(changes: tuple[PlannedChange, ...], registry: Registry) -> tuple[CodePlace, ...]:
    """The places to work on: without tests, documents and files to be made, unless there are no others."""
    beside = (FileKind.TEST, FileKind.DOCUMENTATION)
    product = [change for change in changes if file_kind(change.path) not in beside] or list(changes)
    existing = [change for change in product if not change.is_new] or product
    places = [_place(change, registry) for change in existing]
    return tuple({place.id: place for place in places}.values())[:_MOST_TARGETS]


def _place(change: PlannedChange, registry: Registry) -> CodePlace:
    entry = None if change.entry is None else registry.get(change.entry)
    return file_place(change.path) if entry is None else code_place(entry, registry)


def _reaches(
    changes: tuple[PlannedChange, ...],
    effects: tuple[PlannedEffect, ...],
    points: tuple[OpenPoint, ...],
    guard_rule_of: GuardRuleOf,
) -> str | None:
    for effect in effects:
        if effect.kind is EffectKind.STORED:
            return f"stored data ({effect.what})"
    for point in points:
        if point.kind in ONE_WAY_POINTS:
            return f"a decision of the kind {point.kind.value} ({point.question})"
    rules = ((change.path, guard_rule_of(change.path)) for change in changes)
    return next((f"{path} ({rule})" for path, rule in rules if rule is not None), None)
