"""One question of each kind, which every surface must be able to show."""

from collections.abc import Mapping

from pipeline.contract.clarification import Clarification, Option, StopKind
from tests.github_app.conversation.questions import (
    FORMAT,
    WHO,
    a_plan,
    already_there,
    asked,
    candidate,
    plan_point,
    two_routes,
)


def confirmation() -> Clarification:
    choices = (
        candidate("approve", "Approve", "app/a.py", (1, 2)),
        candidate("decline", "Decline", "app/a.py", (1, 2)),
    )
    return asked(
        StopKind.CONFIRMATION_NEEDED, candidates=choices, default="decline", slot="confirmation",
        stage="coder", text="May I run it?", subject={"tool": "run_command", "arguments": {"command": "x"}, "occurrence": 1},
    )  # fmt: skip


QUESTIONS: Mapping[str, Clarification] = {
    "two_routes": two_routes(),
    "already_there": already_there(),
    "confirmation": confirmation(),
    "without_choices": asked(candidates=(), text="Which format?", slot="format"),
    "plan": a_plan(WHO, FORMAT),
    "open_point": asked(
        candidates=(),
        default="b",
        text="What should a request over the limit get?",
        slot="point:limit",
        options=(
            Option(id="a", label="It waits", effect="It runs later, in its turn."),
            Option(id="b", label="It is refused", effect="The answer is 429 with Retry-After."),
        ),
    ),
}

LONG_PLAN = a_plan(
    *(plan_point(n, f"Who {n}?", *((f"{at} {'a' * 390}", "b" * 490) for at in "wxyz")) for n in range(1, 6))
)
"""Longer than any surface shows whole."""
