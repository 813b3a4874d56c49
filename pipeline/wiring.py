"""The one place that builds real adapters: a checked definition becomes a graph whose stages can run."""

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pydantic import BaseModel

from pipeline.agents.agent import Agent
from pipeline.agents_wiring import AgentWorld
from pipeline.contract.answers import Answer, Answers
from pipeline.contract.decisions import Decision
from pipeline.contract.ticket import Ticket
from pipeline.contract.wire import NO_COMMIT
from pipeline.definition.definition import Declaration, Definition, StageDeclaration
from pipeline.domain.errors import DefinitionInvalid
from pipeline.domain.issue import IssueDocument
from pipeline.domain.working_tree import WorkingTree
from pipeline.engine.graph import Condition, Graph, Inputs, Node, Repeat
from pipeline.indexes import Indexes
from pipeline.model_wiring import WITHOUT_MODEL, ModelWorld
from pipeline.run_inputs.inputs import Start
from pipeline.stages.agent import ask_agent
from pipeline.stages.baseline import run_baseline
from pipeline.stages.change.stage import ChangeInput
from pipeline.stages.coder import CoderInput, write_code
from pipeline.stages.command import CommandOptions, run_command
from pipeline.stages.decomposition.stage import DecompositionInput, decompose
from pipeline.stages.existing.stage import ExistingInput, find_existing
from pipeline.stages.places.stage import PlacesInput, find_places
from pipeline.stages.plans.plan import Guarded
from pipeline.stages.plans.policy import Policy
from pipeline.stages.plans.stage import PlansInput, PlansOptions, make_plans
from pipeline.stages.preconditions import PreconditionsInput, check_preconditions
from pipeline.stages.reading.stage import ReadingInput, read_ticket
from pipeline.stages.registry import RegistryInput, describe
from pipeline.stages.reviewer import ReviewerInput, review
from pipeline.stages.semantics.stage import SemanticsInput, compare_plans
from pipeline.stages.snapshot.house_rules import read_house_rules
from pipeline.stages.snapshot.stage import Snapshot, take_snapshot
from pipeline.stages.snapshot.template_files import read_template_files
from pipeline.stages.stage import GivenOutputs, RunInput, StageKind, input_field
from pipeline.stages.tests import TestsInput, run_tests
from pipeline.stages.ticket import TicketDraft, TicketInput, write_ticket

if TYPE_CHECKING:
    from pipeline.llm.port import Model

_Body = Callable[[BaseModel], BaseModel]

_FINDS_OUT = frozenset({"registry", "reading", "places", "existing", "decomposition", "plans", "semantics"})
"""Kinds whose only purpose is the ticket."""


@dataclass(frozen=True)
class World:
    """What stages may touch besides each other's results: the ticket, the code, the answers, the index.

    `tree` and `indexes` are of what the ticket is about, `checkout` is what agents change (see `ground`); `decisions` are
    the repository's standing answers. `models` is None without a model, `agents` where no agent works. `given` is a ticket
    that was prepared elsewhere: what would find one out is skipped then. `holds_secret` says whether a text holds one of
    this environment; `note` takes what a stage says beside its result, for the journal.
    """

    start: Start
    tree: WorkingTree
    checkout: WorkingTree
    indexes: Indexes
    decisions: tuple[Decision, ...] = ()
    models: ModelWorld | None = None
    agents: AgentWorld | None = None
    given: Ticket | None = None
    holds_secret: Callable[[str], bool] = lambda _: False
    note: Callable[[str, str], None] = lambda _stage, _text: None

    @property
    def answers(self) -> Answers:
        """All answers of the conversation."""
        return self.start.answers

    def asked(self, kind: str) -> "tuple[Model, str] | None":
        """Whom a kind of stage asks its questions, and the model's name; None where it asks nobody."""
        if self.models is None or not self.models.holds(kind):
            return None
        return self.models.asked_once, self.models.name


def build_graph(definition: Definition, world: World) -> Graph:
    """The definition as a graph that can run."""
    bodies = {stage.id: _body_of(stage, world) for stage in definition.every_stage}
    return Graph(tuple(_step(stage, bodies, world) for stage in definition.stages))


def _body_of(stage: StageDeclaration, world: World) -> _Body:
    """What a stage does, with its adapters in place."""
    if stage.uses == "plans":
        asked = world.asked("plans")
        return _no_plans if asked is None else _plans(stage, asked, world)
    if isinstance(stage.options, CommandOptions):
        return _body_of_command(stage, stage.options, world)
    own = _bodies(world).get(stage.uses)
    return own if own is not None else _body_with_agent(stage, world)


def _bodies(world: World) -> Mapping[str, _Body]:
    """What each kind does, with its adapters in place."""
    indexes = world.indexes

    def answers_of(kind: str) -> tuple[Answer, ...]:
        from pipeline.stages.all_stages import STAGE_KINDS

        return _answers_for(STAGE_KINDS[kind], world)

    return {
        "snapshot": lambda _: _snapshot(world),
        "preconditions": lambda needed: check_preconditions(cast("PreconditionsInput", needed)),
        "registry": lambda needed: describe(
            indexes.registry(), cast("RegistryInput", needed).snapshot.commit, world.note
        ),
        "reading": lambda needed: _noted(
            world,
            read_ticket(
                cast("ReadingInput", needed), read_template_files(indexes.root), world.asked("reading")
            ),
        ),
        "places": lambda needed: find_places(
            (document := cast("PlacesInput", needed).reading), indexes.rank(document), indexes.registry()
        ),
        "existing": lambda needed: find_existing(
            cast("ExistingInput", needed).reading, indexes.registry(), answers_of("existing")
        ),
        "decomposition": lambda needed: decompose(
            cast("DecompositionInput", needed).reading,
            cast("DecompositionInput", needed).places.ranking,
            indexes.registry(),
            answers_of("decomposition"),
            world.decisions,
        ),
        "semantics": lambda needed: compare_plans(
            cast("SemanticsInput", needed), indexes.registry(), answers_of("semantics")
        ),
        "ticket": lambda needed: write_ticket(cast("TicketInput", needed), answers_of("ticket")),
    }


def _snapshot(world: World) -> Snapshot:
    rules = read_house_rules(world.indexes.root, world.tree.house_rules)
    if rules:
        world.note("snapshot", f"agents are told what {', '.join(rule.path for rule in rules)} says")
    return take_snapshot(world.start.ticket, world.tree, rules)


def _body_with_agent(stage: StageDeclaration, world: World) -> _Body:
    """What a stage does that an agent works in, or that works on what an agent has made.

    Raises:
        DefinitionInvalid: nothing was opened for such a stage, because no stage of the definition asks an agent.
    """
    if world.agents is None:
        raise DefinitionInvalid(
            f"Stage `{stage.id}` uses `{stage.uses}`, and no stage asks an agent.",
            why="There is no change to work on.",
            what_to_do="Add a stage that `uses: coder` to the definition.",
        )
    if stage.agent is not None:
        return _body_of_own_agent(stage, stage.agent, world.agents, world)
    from pipeline.agents.questions import budgets_granted
    from pipeline.stages.change.decide import make_change

    agents, start, bench = world.agents, world.start, world.agents.bench
    guidance = _guidance(world)
    bodies: Mapping[str, _Body] = {
        "baseline": lambda _: run_baseline(bench),
        "coder": lambda needed: write_code(
            cast("CoderInput", needed), bench, agents.agents[stage.id], guidance, start.wanted
        ),
        "tests": lambda needed: run_tests(cast("TestsInput", needed), bench),
        "reviewer": lambda needed: review(
            cast("ReviewerInput", needed), bench, agents.agents[stage.id], start.wanted
        ),
        "change": lambda needed: make_change(
            cast("ChangeInput", needed),
            start.identity(world.checkout.commit),
            answers=world.answers,
            wanted=start.wanted,
            rounds_granted=budgets_granted("work", world.answers),
            decisions=bench.decisions(),
            gate=bench.decision_on,
            holds_secret=world.holds_secret,
        ),
    }
    return bodies[stage.uses]


def _body_of_own_agent(stage: StageDeclaration, agent: Agent, agents: AgentWorld, world: World) -> _Body:
    from pipeline.agents.questions import guidance

    bench, said = agents.own_benches[stage.id], guidance(stage.id, world.answers)
    return lambda needed: ask_agent(
        cast("GivenOutputs", needed), world.start.ticket, bench, stage.id, agent, stage.kind.output, said
    )


def _body_of_command(stage: StageDeclaration, options: CommandOptions, world: World) -> _Body:
    from pipeline.workbench.own_command import run_own_command

    run = partial(
        run_own_command,
        world.indexes.root,
        world.tree.commit,
        seconds=stage.timeout,
        environment=os.environ,
    )
    return lambda needed: run_command(
        cast("GivenOutputs", needed), world.start.ticket, stage.id, options, stage.kind.output, run
    )


def _no_plans(_: BaseModel) -> BaseModel:
    raise AssertionError("without a model the stage does not run")


def _plans(stage: StageDeclaration, asked: "tuple[Model, str]", world: World) -> _Body:
    """The body of a stage that plans: the only kind whose options the body reads."""
    policy = cast("PlansOptions", stage.options).policy

    def body(needed: BaseModel) -> BaseModel:
        made = make_plans(
            cast("PlansInput", needed), world.indexes.registry(), asked, policy, _guarded(world.indexes.root)
        )
        for text in made.told:
            world.note(stage.id, text)
        return made

    return body


def _guarded(repository: Path) -> Guarded:
    """Which rule of the gate keeps an agent from editing a file without an approval."""
    from pipeline.agents.gate_rules import Tier
    from pipeline.definition.gate_file import load_gate
    from pipeline.definition.repository_configuration import FOLDER

    own = repository / FOLDER / "gate.yml"
    gate = load_gate(own if own.is_file() else None)

    def rule(path: str) -> str | None:
        decision = gate.decide("edit_file", {"path": path})
        return None if decision.tier is Tier.ALLOW else decision.rule or decision.why

    return rule


def _why_not(stage: StageDeclaration, world: World) -> str | None:
    """What would have to hold for a stage that can be done without to run; None where it runs."""
    if stage.uses != "plans":
        return None
    if cast("PlansOptions", stage.options).policy is Policy.OFF:
        return "its policy is not `off`"
    if world.models is None:
        return WITHOUT_MODEL
    return None if world.asked("plans") is not None else "the file of replies has some for `plans`"


def _step(stage: Declaration, bodies: Mapping[str, _Body], world: World) -> Node | Repeat:
    if isinstance(stage, StageDeclaration):
        return _node(stage, bodies[stage.id], world)
    from pipeline.agents.questions import budgets_granted  # a definition without rounds must not pay for it

    return Repeat(
        id=stage.id,
        needs=stage.needs,
        nodes=tuple(_node(inner, bodies[inner.id], world) for inner in stage.stages),
        until=stage.until,
        until_text=stage.until.text,
        max=stage.max * budgets_granted(stage.id, world.answers),
        when=stage.when,
        when_text=stage.when.text if stage.when else None,
        optional=stage.optional,
    )


def _node(stage: StageDeclaration, body: _Body, world: World) -> Node:
    kind = stage.kind

    def run(inputs: Inputs) -> BaseModel:
        return body(kind.input(**{input_field(need): inputs[need] for need in inputs}))

    if world.given is not None and stage.uses in _FINDS_OUT | {"ticket"}:
        return _node_with_given_ticket(stage, world.given)
    when: Condition | None = stage.when
    when_text = stage.when.text if stage.when else None
    if (skipped := _why_not(stage, world)) is not None:
        when, when_text = (lambda _: False), skipped
    return Node(
        id=stage.id,
        needs=stage.needs,
        run=run,
        output=kind.output,
        key=_key(stage, world),
        when=when,
        when_text=when_text,
        retries=stage.retries,
        timeout=stage.timeout,
        optional=stage.optional | frozenset(need for need in stage.needs if kind.can_do_without(need)),
        previous=stage.previous,
    )


def _node_with_given_ticket(stage: StageDeclaration, given: Ticket) -> Node:
    """The stage `ticket` hands on what was given, and the stages that would find it out do not run."""
    draft = TicketDraft.of(given)
    is_ticket = stage.uses == "ticket"
    return Node(
        id=stage.id,
        needs=stage.needs,
        run=lambda _: draft,
        output=stage.kind.output,
        key=hashlib.sha256(draft.model_dump_json().encode()).hexdigest(),
        when=None if is_ticket else lambda _: False,
        when_text=None if is_ticket else "there is no ticket.json yet",
        optional=frozenset(stage.needs),
    )


def _key(stage: StageDeclaration, world: World) -> str | None:
    """Digest of everything that decides the stage's result besides the results that it needs.

    None, so that the stage runs again, where it reads a tree that no commit names.
    """
    kind = stage.kind
    for reads, tree in ((RunInput.TREE, world.tree), (RunInput.CHECKOUT, world.checkout)):
        if reads in kind.reads and (tree.commit == NO_COMMIT or tree.changed_files):
            return None
    declared = {
        "id": stage.id,
        "uses": stage.uses,
        "with": stage.options.model_dump(mode="json"),
        "when": stage.when.text if stage.when else None,
        "version": kind.version,
        "reads": {name.value: _digest_of(name, stage, world) for name in sorted(kind.reads)},
    }
    return hashlib.sha256(json.dumps(declared, sort_keys=True).encode()).hexdigest()


def _digest_of(run_input: RunInput, stage: StageDeclaration, world: World) -> object:
    ticket, kind = world.start.ticket, stage.kind
    match run_input:
        case RunInput.TICKET:
            comments = [[comment.id, comment.sha256] for comment in ticket.comments]
            return [ticket.sha256, ticket.repository, ticket.number, comments]
        case RunInput.TREE:
            return world.tree.commit
        case RunInput.CHECKOUT:
            return world.checkout.commit
        case RunInput.WANTED:
            return world.start.wanted.model_dump(mode="json") if world.start.wanted else None
        case RunInput.ANSWERS:
            return [answer.model_dump(mode="json") for answer in _answers_for(kind, world)]
        case RunInput.AGENT:
            return world.agents.digest_of(stage.id) if world.agents else None
        case RunInput.MODEL:
            return world.models.digest if world.models and world.asked(stage.uses) else None
        case RunInput.GUIDANCE:
            return _guidance(world)
        case RunInput.TESTS:
            return world.agents.bench.rules.test_command if world.agents else None
        case RunInput.DECISIONS:
            return [decision.model_dump(mode="json") for decision in world.decisions]
        case RunInput.PERMISSION:
            return None


def _noted(world: World, document: IssueDocument) -> IssueDocument:
    """The document, after the journal was told what of the issue or of a model's reading does not count."""
    if document.hidden_pieces:
        pieces = (
            "1 hidden piece" if document.hidden_pieces == 1 else f"{document.hidden_pieces} hidden pieces"
        )
        world.note("reading", f"Left out of the issue: {pieces}.")
    if document.model_failure is not None:
        world.note("reading", f"The issue was read by rules, because of {document.model_failure}")
    for text in (*document.notes, *(f"Dropped: {line}" for line in document.discarded)):
        world.note("reading", text)
    return document


def _guidance(world: World) -> tuple[str, ...]:
    """What people said in their own words when an agent was stuck."""
    return tuple(answer.text for answer in world.answers.for_slots(frozenset({"budget"})) if answer.text)


def _answers_for(kind: StageKind, world: World) -> tuple[Answer, ...]:
    """The answers that a kind reads: to questions of its slots; all of them where it names none."""
    return world.answers.for_slots(kind.slots) if kind.slots else world.answers.answers
