"""The gate: every tool call passes it, and it decides without a model. What no rule names is denied."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from pipeline.gate.plain_call import NotPlain, plain_command, plain_path
from pipeline.gate.rules import PlainCall, Rule, Tier, strictest
from pipeline.gate.tool_names import PATH_TOOLS, Tool

NOT_PLAIN = "not-plain"
"""Stands for a rule where a call is denied because it cannot be read with certainty. No rule can allow such a call."""


@dataclass(frozen=True)
class GateDecision:
    """The decision about a call, and why. `rule` is None where no rule names the call.

    `network` says whether what the call runs has the network of the machine.
    """

    tier: Tier
    rule: str | None
    why: str
    network: bool = False


class Gate:
    """Decides by a set of rules. Immutable."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)

    def without_confirmations(self) -> "Gate":
        """The same gate for agents that cannot ask: a call that would wait for a person is denied."""
        return Gate(
            rule.model_copy(update={"tier": Tier.DENY}) if rule.tier is Tier.CONFIRM else rule
            for rule in self._rules
        )

    def decide(
        self, tool: str, arguments: Mapping[str, JsonValue], *, real_path: str | None = None
    ) -> GateDecision:
        """Decide about a call.

        `real_path` is where the call's `path` leads once links are followed, as the workspace found it. It is decided on
        like the path itself: a link into a protected folder is no way into it.
        """
        try:
            call = _read(tool, arguments, real_path)
        except NotPlain as error:
            return GateDecision(Tier.DENY, NOT_PLAIN, str(error))
        if call is None:
            return GateDecision(Tier.DENY, None, f"no rule names the tool `{tool[:60]}`")
        matching = [rule for rule in self._rules if rule.matches(call)]
        rule = strictest(matching)
        if rule is None:
            return GateDecision(Tier.DENY, None, f"no rule names this call of `{tool}`")
        network = any(matching_rule.network for matching_rule in matching if matching_rule.tier is rule.tier)
        return GateDecision(rule.tier, rule.id, rule.why, network)

    def approval_rule(self, path: str) -> str | None:
        """Which rule keeps an agent from editing a file without an approval, or why it has to wait; None if it may."""
        decision = self.decide(Tool.EDIT_FILE, {"path": path})
        return None if decision.tier is Tier.ALLOW else decision.rule or decision.why

    def rule_with_network(self, tools: Collection[Tool]) -> str | None:
        """The rule by which one of these tools has the network of the machine without a person; None where none has."""
        reaching = (
            rule.id
            for rule in self._rules
            if rule.network and rule.tier is Tier.ALLOW and not set(rule.tools).isdisjoint(tools)
        )
        return min(reaching, default=None)


def _read(tool: str, arguments: Mapping[str, JsonValue], real_path: str | None) -> PlainCall | None:
    """The call as rules see it, or None for an unknown tool."""
    if tool not in set(Tool):
        return None
    known_tool = Tool(tool)
    if known_tool is Tool.RUN_COMMAND:
        return PlainCall(known_tool, words=plain_command(arguments.get("command")))
    if known_tool in PATH_TOOLS or "path" in arguments:
        path = plain_path(arguments.get("path"))
        real = path if real_path is None else plain_path(real_path)
        return PlainCall(known_tool, paths=tuple(dict.fromkeys((path, real))))
    return PlainCall(known_tool)
