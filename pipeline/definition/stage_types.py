"""Check the stages of a definition against their kinds: `uses`, `with`, inputs and conditions."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from pipeline.definition.agent_files import AgentFileInvalid, find_agent
from pipeline.definition.conditions import Condition, ConditionInvalid, compile_condition
from pipeline.definition.definition import StageDeclaration
from pipeline.definition.definition_file import StageEntry
from pipeline.definition.model_mistakes import model_mistakes, suggestion
from pipeline.definition.needs import Entries
from pipeline.definition.yaml_source import Document, Mistake, Place
from pipeline.stages import agent
from pipeline.stages.agent import AgentOptions
from pipeline.stages.stage import StageKind, input_field


class StageTypes:
    """Gives each entry its kind, in the order of needs, and gathers what does not fit.

    After `check`, `declarations` holds the stages without mistakes, and `mistakes` the rest. A stage whose type is
    unknown is left out of the checks of those that need it: one mistake is reported once.
    """

    def __init__(
        self,
        document: Document,
        kinds: Mapping[str, StageKind],
        agent_folders: Sequence[Path],
    ) -> None:
        self.document = document
        self.kinds = kinds
        self.agent_folders = agent_folders
        self.mistakes: list[Mistake] = []
        self.outputs: dict[str, type[BaseModel]] = {}
        self.declarations: dict[str, StageDeclaration] = {}

    def check(self, entries: Entries) -> None:
        """Check all entries; those that are in a cycle or need something unknown are skipped."""
        waiting = list(entries)
        while waiting:
            unresolved = {entry.id for _, entry in waiting}
            ready = [(index, entry) for index, entry in waiting if not unresolved & set(entry.needs)]
            if not ready:
                return
            for index, entry in ready:
                self._check_one(index, entry, list(dict.fromkeys(other.id for _, other in entries)))
            waiting = [item for item in waiting if item not in ready]

    def _check_one(self, index: int, entry: StageEntry, all_ids: list[str]) -> None:
        place: Place = ("stages", index)
        kind = self.kinds.get(entry.uses)
        if kind is None:
            text = f"`{entry.id}` uses `{entry.uses}`, which is no kind of stage."
            self._note((*place, "uses"), text + suggestion(entry.uses, sorted(self.kinds)))
            return
        options = self._options(kind, entry, place)
        needed = {need: self.outputs[need] for need in entry.needs if need in self.outputs}
        if kind.name == agent.KIND.name:
            kind = self._agent_kind(options, needed, place) if isinstance(options, AgentOptions) else None
        if kind is None:
            return
        self.outputs[entry.id] = kind.output
        self._check_inputs(kind, entry, needed, place)
        when = self._condition(entry, needed, all_ids, place)
        if options is not None:
            self.declarations[entry.id] = StageDeclaration(
                id=entry.id,
                uses=entry.uses,
                kind=kind,
                needs=entry.needs,
                when=when,
                options=options,
                retries=entry.retries,
                timeout=entry.timeout,
            )

    def _options(self, kind: StageKind, entry: StageEntry, place: Place) -> BaseModel | None:
        try:
            return kind.options.model_validate(entry.with_)
        except ValidationError as error:
            around = (*place, "with")
            self.mistakes.extend(model_mistakes(error, kind.options, self.document, around))
            return None

    def _agent_kind(
        self, options: AgentOptions, needed: Mapping[str, type[BaseModel]], place: Place
    ) -> StageKind | None:
        try:
            return agent.kind_of(find_agent(options.agent, self.agent_folders), needed)
        except AgentFileInvalid as error:
            self._note((*place, "with", "agent"), str(error))
            return None

    def _check_inputs(
        self, kind: StageKind, entry: StageEntry, needed: Mapping[str, type[BaseModel]], place: Place
    ) -> None:
        """Every input of the kind is needed under its name, and has the type that the kind reads."""
        needs_by_field = {input_field(need): need for need in entry.needs}
        for name, info in kind.input.model_fields.items():
            need = needs_by_field.get(name)
            if need is None:
                if info.is_required():
                    text = f"`{entry.id}` reads the output of `{name}`; add `{name}` to its `needs`."
                    self._note((*place, "needs"), text)
            elif need in needed and not _accepts(info.annotation, needed[need]):
                expected, got = _type_name(info.annotation), needed[need].__name__
                self._note(
                    (*place, "needs"), f"`{entry.id}` reads `{name}` as {expected}, and `{need}` gives {got}."
                )

    def _condition(
        self, entry: StageEntry, needed: Mapping[str, type[BaseModel]], all_ids: list[str], place: Place
    ) -> Condition | None:
        if entry.when is None or len(needed) < len(set(entry.needs)):
            return None
        not_needed = [stage_id for stage_id in all_ids if stage_id not in entry.needs]
        try:
            return compile_condition(entry.when, needed, not_needed=not_needed)
        except ConditionInvalid as error:
            self._note((*place, "when"), f"The condition of `{entry.id}` does not compile.\n{error}")
            return None

    def _note(self, place: Place, text: str) -> None:
        self.mistakes.append(Mistake(self.document.line(place), text))


def _accepts(annotation: Any, output: type[BaseModel]) -> bool:
    """Whether a field so annotated takes an output of this model: the model itself, or one of a union."""
    if isinstance(annotation, type):
        return issubclass(output, annotation)
    return any(_accepts(member, output) for member in get_args(annotation))


def _type_name(annotation: Any) -> str:
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)
