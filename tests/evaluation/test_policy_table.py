"""The policies on recorded plans: who is asked, how often rightly, and what it costs, computed by the code that asks.

The plans are made up (`recorded_plans.json` says so). Each is given words of its own, and files beside its target that no
other plan touches, so that a decision that looked at either would ask about every issue.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from pipeline.code_registry.entries import BuildReport, Entries, Place, Symbol, SymbolKind
from pipeline.code_registry.registry import Registry
from pipeline.code_registry.stored_entries import sections_of
from pipeline.domain.ticket import IncomingTicket
from pipeline.reading.document import read_issue
from pipeline.stages.plans.binding import bind
from pipeline.stages.plans.compare import grouped
from pipeline.stages.plans.form import PlanForm
from pipeline.stages.plans.plan import DroppedPlan, Plan
from pipeline.stages.plans.policy import Policy, plans_wanted
from pipeline.stages.plans.probes import probe
from pipeline.stages.semantics.decide import Open, decide

RECORDED = Path(__file__).with_name("recorded_plans.json")
FILES = "abcd"
TICKET = read_issue(IncomingTicket(title="It does not behave", body="Please have a look."), (), ())


def id_of(file: str) -> str:
    return f"symbol:src/{file}.py::work"


def a_symbol(file: str) -> Symbol:
    place = Place(f"src/{file}.py", 1, 9)
    return Symbol(id_of(file), "work", "work", SymbolKind.FUNCTION, place, None, (), is_test=False)


SECTIONS = sections_of(Entries(symbols=tuple(a_symbol(file) for file in (*FILES, "x", "y", "z"))))
REGISTRY = Registry(lambda kind: SECTIONS.get(kind, ()), BuildReport(4, 0, (), 0.0))


@dataclass(frozen=True)
class Issue:
    """An issue whose three plans were recorded, and the file that it was about."""

    plans: tuple[str, ...]
    fix: str

    @property
    def guess_is_wrong(self) -> bool:
        """Whether work that starts without a question, on what most plans name, starts in the wrong file."""
        return Counter(self.plans).most_common(1)[0][0] != self.fix


@dataclass(frozen=True)
class Told:
    """What came of an issue under a policy."""

    asked: bool
    candidates: tuple[str, ...]
    plans: int


def recorded() -> Iterator[Issue]:
    for record in json.loads(RECORDED.read_text())["records"]:
        yield from [Issue(tuple(record["plans"]), record["fix"])] * record["count"]


def a_plan(number: int, file: str) -> Plan | DroppedPlan:
    form = PlanForm.model_validate(
        {
            "operation": ("fix", "change", "add")[number - 1],
            "target": id_of(file),
            "creates_inside": False,
            "effects": [],
            "checks": [],
            "also_touches": [id_of("xyz"[number - 1])],
            "summary": f"Way {number} to say it.",
        }
    )
    every = [symbol.id for symbol in REGISTRY.symbols]
    return bind(number, form, every, REGISTRY, lambda _path: "every file waits here")


def run(issue: Issue, policy: Policy) -> Told:
    """What the product does with the plans of an issue: as many as the policy wants, then its decision."""
    made: list[Plan | DroppedPlan] = []
    while True:
        plans = [one for one in made if isinstance(one, Plan)]
        groups = probe(grouped(plans), TICKET, REGISTRY).groups
        wanted = plans_wanted(policy, made=len(made), compared=len(plans), groups=groups)
        if not wanted:
            break
        made += [a_plan(len(made) + at, issue.plans[len(made) + at - 1]) for at in range(1, wanted + 1)]
    if len(plans) < 2:
        return Told(asked=False, candidates=(), plans=len(made))
    verdict = decide(policy, plans, TICKET, REGISTRY)
    if not isinstance(verdict, Open):
        return Told(asked=False, candidates=(), plans=len(made))
    return Told(True, tuple(group.first.target.id for group in verdict.groups), len(made))


def table(policy: Policy) -> dict[str, float]:
    issues = list(recorded())
    told = [(issue, run(issue, policy)) for issue in issues]
    asked = [(issue, one) for issue, one in told if one.asked]
    wrong = sum(issue.guess_is_wrong for issue in issues)
    rightly = sum(issue.guess_is_wrong for issue, _ in asked)
    return {
        "asks": round(len(asked) / len(issues), 2),
        "precision": round(rightly / len(asked), 2) if asked else 1.0,
        "recall": round(rightly / wrong, 2),
        "false asks": round((len(asked) - rightly) / (len(issues) - wrong), 2),
        "plans": round(sum(one.plans for _, one in told) / len(issues), 2),
        "unneeded, of all": round((len(asked) - rightly) / len(issues), 3),
        "truth among candidates": round(
            sum(id_of(issue.fix) in one.candidates for issue, one in asked) / max(len(asked), 1), 2
        ),
    }


def test_the_table_of_policies_is_what_the_code_that_asks_makes_of_recorded_plans() -> None:
    assert len(list(recorded())) == 281
    assert {policy.value: table(policy) for policy in Policy} == snapshot(
        {
            "off": {
                "asks": 0.0,
                "precision": 1.0,
                "recall": 0.0,
                "false asks": 0.0,
                "plans": 0.0,
                "unneeded, of all": 0.0,
                "truth among candidates": 0.0,
            },
            "quiet": {
                "asks": 0.07,
                "precision": 0.85,
                "recall": 0.21,
                "false asks": 0.01,
                "plans": 2.22,
                "unneeded, of all": 0.011,
                "truth among candidates": 0.55,
            },
            "balanced": {
                "asks": 0.22,
                "precision": 0.73,
                "recall": 0.56,
                "false asks": 0.09,
                "plans": 2.22,
                "unneeded, of all": 0.06,
                "truth among candidates": 0.63,
            },
            "eager": {
                "asks": 0.3,
                "precision": 0.62,
                "recall": 0.64,
                "false asks": 0.16,
                "plans": 3.0,
                "unneeded, of all": 0.114,
                "truth among candidates": 0.69,
            },
        }
    )


def test_words_and_side_files_of_plans_ask_nobody() -> None:
    """Were a difference in words a difference, every issue would be asked about."""
    agreeing = Issue(("a", "a", "a"), "a")
    assert not any(run(agreeing, policy).asked for policy in Policy)


@pytest.mark.parametrize("policy", [Policy.QUIET, Policy.BALANCED, Policy.EAGER])
def test_files_that_the_code_does_not_have_are_no_reading(policy: Policy) -> None:
    """Plans like to name a script that reproduces the fault; such a name must not be taken for another reading."""
    told = run(Issue(("a", "reproduce", "a"), "a"), policy)
    assert (told.asked, told.plans) == (False, 3)
    assert not run(Issue(("reproduce", "reproduce_2", "reproduce_3"), "a"), policy).asked
