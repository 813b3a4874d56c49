"""How a question travels: `python -m tests.evaluation.roundtrip [--json]` plays `roundtrips.json` and prints what came of it.

An agent starts another one, which asks until it is answered, starts again and uses the answer. All words of the agents are
scripted: the figures say that the way is whole, and nothing of how well a model asks or answers. `--model [NAME]` has a model
play them (`roundtrip_model`).
"""

import argparse
import json
import os
import sys
from dataclasses import asdict, dataclass, replace

from pipeline.agents.task import AgentCompleted, AgentFailed
from pipeline.contract.answers import Answer
from pipeline.domain.errors import PipelineError
from pipeline.domain.stops import Stop
from pipeline.llm.port import ModelReply, Origin, Request, StopReason, TextBlock, ToolCall
from pipeline.run_record.events import ChildAnswered, ChildAsked, ChildEnded
from tests.evaluation import roundtrip_model
from tests.evaluation.conversations import Conversation, conversations, decisions_of
from tests.pipeline.agents.agent_world import World, call, completes, says
from tests.pipeline.agents.family import FORMATTER, LEAD, prompt_of, results

HEAD = "[Clarification from previous attempt]"


@dataclass(frozen=True)
class Row:
    """What came of a conversation.

    `started_again` counts the starts whose prompt was the first one and exactly the questions and answers so far; `used`
    says whether every answer stands in what the parent got back.
    """

    conversation: str
    asked: int
    answered_by: tuple[str, ...]
    started_again: int
    used: bool
    ended: str
    assumptions: int
    right: bool


class ScriptedFamily:
    """Stands in for a model: says for both agents what the conversation scripts, by what they were told so far."""

    def __init__(self, script: Conversation) -> None:
        self._script = script
        self.prompts: list[str] = []

    @property
    def origin(self) -> Origin:
        return Origin.SCRIPTED

    def reply(self, request: Request) -> ModelReply:
        if "formatter" in request.purpose:
            if request.turn_number == 0:
                self.prompts.append(prompt_of(request))
            return self._child(request)
        return self._parent(request)

    def count_tokens(self, request: Request) -> int:
        return request.guessed_tokens

    def _parent(self, request: Request) -> ModelReply:
        done = [
            block
            for turn in request.turns
            if turn.role == "assistant"
            for block in turn.content
            if isinstance(block, ToolCall)
        ]
        given = results(request)
        id_ = f"call-{len(done)}"
        if given and "needs clarification" in given[0].content:
            child = given[0].content.split("'")[1]
            moves = sum(one.name != "delegate" for one in done)
            said = self._script.parent[moves]
            if said == "ask_person":
                return says(call("ask_person", id_, id=child))
            return says(call("reply_to_child", id_, id=child, text=said))
        if sum(one.name == "delegate" for one in done) < self._script.times:
            return says(call("delegate", id_, agent="formatter", task=self._script.task))
        return completes(given[0].content)

    def _child(self, request: Request) -> ModelReply:
        prompt = prompt_of(request)
        answers = [line.removeprefix("A: ") for line in prompt.splitlines() if line.startswith("A: ")]
        if len(answers) == len(self._script.questions):
            return self._ends(request, "complete", {"text": f"with {', '.join(answers) or 'nothing open'}"})
        if request.turn_number:
            return self._ends(request, "fail", {"reason": f"with {', '.join(answers)} only"})
        open_ = self._script.questions[len(answers)]
        return self._ends(
            request,
            "clarify",
            {"question": open_.question, "why": "Both would do.", "options": list(open_.options)},
        )

    def _ends(self, request: Request, name: str, given: dict[str, object]) -> ModelReply:
        if request.nonce is None:
            return says(call(name, f"{name}-{request.turn_number}", **given))
        body = str(given["reason"]) if name == "fail" else json.dumps(given)
        text = TextBlock(text=f"```{name} {request.nonce}\n{body}\n```")
        return ModelReply(content=(text,), stop_reason=StopReason.END_TURN)


def play(script: Conversation) -> Row:
    """Play one conversation to its end; a person's answer starts the run again on the same disk."""
    world, model = World(), ScriptedFamily(script)
    child = replace(
        FORMATTER, prompt=script.child_prompt, max_rounds=script.max_rounds, ends_with=script.ends_with
    )
    lead = replace(LEAD, children=(child,))
    told = list(script.person)
    ending: AgentCompleted | AgentFailed | None = None
    while ending is None:
        loop = world.start(
            model, agent=lead, prompt=script.parent_task, decisions=tuple(decisions_of(script.decided))
        )
        try:
            ending = loop.run()
        except Stop as stop:
            if not told:
                break
            world.answers.append(
                Answer(
                    question_id=stop.question_id, slot=stop.ask.slot, text=told.pop(0), answered_by="octocat"
                )
            )
    return _row(script, world, model, ending)


def _row(
    script: Conversation, world: World, model: ScriptedFamily, ending: AgentCompleted | AgentFailed | None
) -> Row:
    answered = [event for event in world.told if isinstance(event, ChildAnswered)]
    ends = [event.how for event in world.told if isinstance(event, ChildEnded)]
    output = ending.output.model_dump_json() if isinstance(ending, AgentCompleted) else ""
    by = tuple(event.answered_by for event in answered)
    ended = ends[-1] if ends else "waiting"
    used = all(answer in output for answer in script.expected.answers)
    again = sum(_is_exact(script, prompt, answered) for prompt in model.prompts if HEAD in prompt)
    assumptions = len(ending.assumptions) if isinstance(ending, AgentCompleted) else 0
    expected = script.expected
    right = (
        (by, ended, used) == (expected.answered_by, expected.ended, True)
        and again == len(answered)
        and assumptions == sum(one != "person" for one in by)
    )
    asked = sum(isinstance(event, ChildAsked) for event in world.told)
    return Row(script.name, asked, by, again, used, ended, assumptions, right)


def _is_exact(script: Conversation, prompt: str, answered: list[ChildAnswered]) -> bool:
    """Whether an agent was started with its first prompt and exactly what was asked and answered."""
    blocks = [f"{HEAD}\nQ: {one.question}\nA: {one.answer}" for one in answered]
    count = prompt.count(HEAD)
    return any(
        prompt == "\n\n".join([script.task, *blocks[start : start + count]])
        for start in range(len(blocks) - count + 1)
    )


def main(as_json: bool) -> int:
    rows = [play(script) for script in conversations()]
    if as_json:
        print(json.dumps({"replies": "scripted", "conversations": [asdict(row) for row in rows]}, indent=2))
    else:
        print(
            "Questions of agents that agents started. All replies are scripted: no figure here is about a model."
        )
        print(f"{'':2} {'conversation':<50} {'asked':>5} {'again':>5}  {'answered by':<16} ended")
        for row in rows:
            by = ", ".join(row.answered_by) or "-"
            mark = "✓" if row.right else "✗"
            print(
                f"{mark:2} {row.conversation:<50} {row.asked:>5} {row.started_again:>5}  {by:<16} {row.ended}"
            )
        print(f"{sum(row.right for row in rows)} of {len(rows)} as expected")
    return 0 if all(row.right for row in rows) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.evaluation.roundtrip", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument(
        "--model",
        nargs="?",
        const=roundtrip_model.DEFAULT_MODEL,
        help="have a model play both agents, at ANTHROPIC_BASE_URL or the provider that the environment names",
    )
    return parser.parse_args()


if __name__ == "__main__":
    given = _arguments()
    if given.model is None:
        sys.exit(main(given.json))
    try:
        sys.exit(roundtrip_model.main(given.model, os.environ, as_json=given.json))
    except PipelineError as error:
        sys.exit(f"roundtrip: {error}")
