"""Check the stages of a definition against their kinds: `uses`, `with`, inputs and conditions."""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from pipeline.agents.agent import Agent
from pipeline.agents.output_schema import OutputSchemaInvalid, output_model
from pipeline.contract.yaml_source import Document, Mistake, Place
from pipeline.definition.conditions import ConditionInvalid, compile_condition
from pipeline.definition.definition import Declaration, StageDeclaration
from pipeline.definition.definition_file import InnerStageEntry, RepeatEntry, StageEntry, definition_mistakes
from pipeline.definition.needs import Entries, EntryInFile, Scope, may_skip
from pipeline.domain.model_mistakes import suggestion
from pipeline.engine.graph import Condition, Repeat, RepeatResult, previous_id
from pipeline.settings.agent_files import AgentFileInvalid, AgentFiles
from pipeline.stages import agent
from pipeline.stages.agent import AgentOptions
from pipeline.stages.command import CommandOptions
from pipeline.stages.stage import AnyStageKind, input_field, taking_outputs

_BEFORE = input_field(previous_id(""))


class StageTypes:
    """Gives each entry its kind, in the order of needs, and gathers what does not fit.

    After `check`, `declarations` holds the stages and repeats without mistakes, and `mistakes` the rest. A stage whose
    type is unknown is left out of the checks of those that need it: one mistake is reported once.
    """

    def __init__(
        self,
        document: Document,
        kinds: Mapping[str, AnyStageKind],
        agents: AgentFiles,
        scope: Scope,
    ) -> None:
        self.document = document
        self.kinds = kinds
        self.agents = agents
        self.scope = scope
        self.mistakes: list[Mistake] = []
        self.outputs: dict[str, type[BaseModel]] = {}
        self.declarations: dict[str, Declaration] = {}
        self._items: Mapping[str, EntryInFile] = {}

    def check(self, entries: Entries) -> None:
        """Check all entries, as far as they do not depend on what is unknown."""
        self._items = {item.entry.id: item for item in entries}
        for item in self._in_order([item for item in entries if item.within is None]):
            entry = item.entry
            if isinstance(entry, RepeatEntry):
                inner = [inner_item for inner_item in entries if inner_item.within is entry]
                self._check_repeat(item.place, entry, inner)
            elif (declaration := self._check_one(item.place, entry)) is not None:
                self.declarations[entry.id] = declaration

    def _in_order(self, entries: Entries) -> Iterator[EntryInFile]:
        """The entries, each behind those that it needs, a repeat standing for its stages; those of a cycle come last."""
        waiting = list(entries)
        while waiting:
            waiting_ids = {item.entry.id for item in waiting}
            waiting_ids |= {stage for stage, within in self.scope.items() if within in waiting_ids}
            ready = [item for item in waiting if not waiting_ids & set(item.entry.needs)]
            if not ready:
                yield from waiting
                return
            yield from ready
            waiting = [item for item in waiting if item not in ready]

    def _check_repeat(self, place: Place, entry: RepeatEntry, inner: Entries) -> None:
        """Check the stages of a round, what they are given of the one before, and when there are enough rounds."""
        when = self._condition(entry, place)
        self.outputs[entry.id] = RepeatResult
        inner_declarations: dict[str, StageDeclaration] = {}
        for item in self._in_order(inner):
            stage = self._check_one(item.place, item.entry) if isinstance(item.entry, StageEntry) else None
            if stage is not None:
                inner_declarations[stage.id] = stage
        for item in inner:
            if item.entry.id in inner_declarations:
                self._check_previous(inner_declarations[item.entry.id], item.place)
        until = self._until(entry, place, inner_declarations)
        if until is not None:
            self.declarations[entry.id] = Repeat(
                id=entry.id,
                needs=entry.needs,
                when=when,
                stages=tuple(inner_declarations[stage.id] for stage in entry.repeat.stages),
                until=until,
                max=entry.repeat.max,
                optional=entry.optional,
            )

    def _until(
        self, entry: RepeatEntry, place: Place, inner_declarations: Mapping[str, StageDeclaration]
    ) -> Condition | None:
        """The condition after each round; None where the type of a stage in it is unknown."""
        if any(stage.id not in inner_declarations for stage in entry.repeat.stages):
            return None
        outputs = {stage: self.outputs[stage] for stage in inner_declarations}
        try:
            return compile_condition(entry.repeat.until, outputs, skippable=_skippable(inner_declarations))
        except ConditionInvalid as error:
            text = f"The condition under `until` of `{entry.id}` does not compile.\n{error}"
            self._note((*place, "repeat", "until"), text)
            return None

    def _check_previous(self, stage: StageDeclaration, place: Place) -> None:
        """What a stage is given of the round before, it reads; and it can do without, because of the first round."""
        for position, before in enumerate(stage.previous):
            here = (*place, "previous", position)
            name = input_field(previous_id(before))
            info = stage.kind.input.model_fields.get(name)
            if info is None or info.is_required():
                text = f"`{stage.id}` is given `{before}` of the round before, and has no optional input `{name}`."
                self._note(here, text)
            elif before in self.outputs and not _accepts(info.annotation, self.outputs[before]):
                input_type, output_name = _type_name(info.annotation), self.outputs[before].__name__
                self._note(
                    here, f"`{stage.id}` reads `{name}` as {input_type}, and `{before}` gives {output_name}."
                )

    def _check_one(self, place: Place, entry: StageEntry) -> StageDeclaration | None:
        kind = self.kinds.get(entry.uses)
        if kind is None:
            text = f"`{entry.id}` uses `{entry.uses}`, which is no kind of stage."
            self._note((*place, "uses"), text + suggestion(entry.uses, sorted(self.kinds)))
            return None
        previous = entry.previous if isinstance(entry, InnerStageEntry) else ()
        options = self._options(kind, entry, place)
        needed_outputs = {need: self.outputs[need] for need in entry.needs if need in self.outputs}
        before = [previous_id(stage) for stage in previous]
        declared_agent: Agent | None = None
        if kind.name == agent.KIND.name:
            declared_agent = self._agent(options, place) if isinstance(options, AgentOptions) else None
            if declared_agent is None:
                return None
            name, output = declared_agent.name, agent.output_of(declared_agent)
            kind = taking_outputs(kind, name, output, needed_outputs, before, entry.optional)
        elif isinstance(options, CommandOptions):
            command_output = self._output_of(entry.id, options, place)
            if command_output is None:
                return None
            kind = taking_outputs(kind, "command", command_output, needed_outputs, before, entry.optional)
        self.outputs[entry.id] = kind.output
        self._check_inputs(kind, entry, needed_outputs, place)
        when = self._condition(entry, place)
        if options is None:
            return None
        return StageDeclaration(
            id=entry.id,
            uses=entry.uses,
            kind=kind,
            needs=entry.needs,
            when=when,
            options=options,
            retries=entry.retries,
            timeout=entry.timeout,
            previous=previous,
            agent=declared_agent,
            optional=entry.optional,
        )

    def _options(self, kind: AnyStageKind, entry: StageEntry, place: Place) -> BaseModel | None:
        try:
            return kind.options.model_validate(entry.with_)
        except ValidationError as error:
            around = (*place, "with")
            self.mistakes.extend(definition_mistakes(error, kind.options, self.document, around))
            return None

    def _agent(self, options: AgentOptions, place: Place) -> Agent | None:
        try:
            return self.agents.find(options.agent)
        except AgentFileInvalid as error:
            self._note((*place, "with", "agent"), str(error))
            return None

    def _output_of(self, stage: str, options: CommandOptions, place: Place) -> type[BaseModel] | None:
        """The model of what a command prints."""
        try:
            return output_model(input_field(stage), options.output)
        except OutputSchemaInvalid as error:
            for mistake in error.mistakes:
                self._note((*place, "with", "output", *mistake.path), mistake.text)
            return None

    def _check_inputs(
        self,
        kind: AnyStageKind,
        entry: StageEntry,
        needed_outputs: Mapping[str, type[BaseModel]],
        place: Place,
    ) -> None:
        """Every input of the kind is needed under its name, and has the type that the kind reads."""
        needs_by_field = {input_field(need): need for need in entry.needs}
        for name, info in kind.input.model_fields.items():
            need = needs_by_field.get(name)
            if need is None:
                if info.is_required() and not name.startswith(_BEFORE):
                    text = f"`{entry.id}` reads the output of `{name}`; add `{name}` to its `needs`."
                    self._note((*place, "needs"), text)
            elif info.is_required() and need in entry.optional:
                text = f"`{entry.id}` cannot do without the output of `{need}`."
                self._note((*place, "needs", entry.needs.index(need)), text)
            elif need in needed_outputs and not _accepts(info.annotation, needed_outputs[need]):
                input_type, output_name = _type_name(info.annotation), needed_outputs[need].__name__
                self._note(
                    (*place, "needs"),
                    f"`{entry.id}` reads `{name}` as {input_type}, and `{need}` gives {output_name}.",
                )

    def _condition(self, entry: StageEntry | RepeatEntry, place: Place) -> Condition | None:
        needed_outputs = {need: self.outputs[need] for need in entry.needs if need in self.outputs}
        if entry.when is None or len(needed_outputs) < len(set(entry.needs)):
            return None
        not_needed = [stage_id for stage_id in self.scope if stage_id not in entry.needs]
        try:
            return compile_condition(
                entry.when, needed_outputs, not_needed=not_needed, skippable=self._may_be_missing(entry)
            )
        except ConditionInvalid as error:
            self._note((*place, "when"), f"The condition of `{entry.id}` does not compile.\n{error}")
            return None

    def _may_be_missing(self, entry: StageEntry | RepeatEntry) -> frozenset[str]:
        """Needed stages that may have no output when the condition of an entry is asked."""
        nowhere = EntryInFile((), entry.model_copy(update={"when": None}), self._items[entry.id].within)
        needed_items = {need: self._items[need] for need in entry.needs if need in self._items}
        return frozenset(need for need, there in needed_items.items() if may_skip(there, nowhere, self.kinds))

    def _note(self, place: Place, text: str) -> None:
        self.mistakes.append(Mistake(self.document.line(place), text))


def _skippable(stages: Mapping[str, StageDeclaration]) -> frozenset[str]:
    """Stages of a round that may have no output: those with a condition, and those that cannot do without such a one."""
    stage_ids: set[str] = set()
    while True:
        next_ids = {
            stage.id
            for stage in stages.values()
            if stage.when is not None or stage_ids & (set(stage.needs) - stage.optional)
        }
        if next_ids <= stage_ids:
            return frozenset(stage_ids)
        stage_ids |= next_ids


def _accepts(annotation: Any, output: type[BaseModel]) -> bool:
    """Whether a field so annotated takes an output of this model: the model itself, or one of a union."""
    if isinstance(annotation, type):
        return issubclass(output, annotation)
    return any(_accepts(member, output) for member in get_args(annotation))


def _type_name(annotation: Any) -> str:
    """The name of a model, or of the first one of a union."""
    if isinstance(annotation, type):
        return annotation.__name__
    return next((_type_name(member) for member in get_args(annotation)), str(annotation))
