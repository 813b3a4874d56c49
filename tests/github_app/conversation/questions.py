"""Questions that the tests ask."""

from pipeline.contract.clarification import (
    AskedOf,
    Candidate,
    Clarification,
    Option,
    Probe,
    Question,
    QuestionPoint,
    StopKind,
)
from pipeline.contract.point_reply import LETTERS
from pipeline.contract.ticket import PlannedChange, TicketPlan
from pipeline.contract.wire import Location, RunIdentity, question_id

COMMIT = "4f1c0a9e7d2b6c58e3a1f09b7c64d2e85a9b3c17"
TICKET_SHA256 = "ab" * 32


def run(run_id: str = "18420011223", nonce: str | None = None) -> RunIdentity:
    return RunIdentity(
        repository="acme/orders",
        issue=418,
        commit=COMMIT,
        run_id=run_id,
        nonce=nonce,
        ticket_sha256=TICKET_SHA256,
    )


def candidate(candidate_id: str, label: str, path: str, lines: tuple[int, int], **facts: object) -> Candidate:
    return Candidate(
        handler_symbol=f"<{candidate_id}>",
        body_field_count=3,
        id=candidate_id,
        label=label,
        location=Location(path=path, start_line=lines[0], end_line=lines[1]),
        facts=facts,
    )


ROUTES = (
    candidate("route:POST /actions", "POST /actions", "app/api/actions.py", (41, 58), handler="create_action", callers=7),
    candidate(
        "route:POST /actions/stream", "POST /actions/stream", "app/api/stream.py", (22, 47),
        handler="stream_actions", callers=1,
    ),
)  # fmt: skip


def asked(
    kind: StopKind = StopKind.CLARIFICATION_NEEDED,
    *,
    candidates: tuple[Candidate, ...] = ROUTES,
    options: tuple[Option, ...] | None = None,
    default: str | None = None,
    text: str = "Which route should get the rate limit?",
    slot: str = "entry_route",
    stage: str = "decomposition",
    quotes: tuple[str, ...] = ("rate-limit the action endpoint",),
    subject: dict[str, object] | None = None,
    identity: RunIdentity | None = None,
    default_reason: str | None = None,
    round_: int = 1,
) -> Clarification:
    return Clarification(
        kind=kind,
        stage=stage,
        reason="2 routes reach the chain leaf 'limit'. Prose did not name which.",
        candidates=candidates,
        suggestion="Name the route by method and path in the ticket prose.",
        question=Question(
            id=question_id(kind.value, slot, (one.id for one in candidates), subject),
            slot=slot,
            text=text,
            quotes=quotes,
            default=default,
            default_reason=default_reason,
            options=options,
            subject=subject,
        ),
        run=identity or run(),
        round=round_,
    )


def two_routes(**changes) -> Clarification:
    return asked(default="route:POST /actions", **changes)


def two_readings(**changes) -> Clarification:
    """A question between plans: the same route, and two things that callers would see."""
    refused = candidate(
        "effects:1f2e", "POST /actions: status 429", "app/api/actions.py", (41, 58), plans="2 of 3"
    )
    queued = candidate(
        "effects:9c0d", "POST /actions: status 202", "app/api/actions.py", (41, 58), plans="1 of 3"
    )
    candidates = tuple(
        one.model_copy(update={"location": None, "body_field_count": None}) for one in (refused, queued)
    )
    question = asked(
        candidates=candidates, default="effects:1f2e", default_reason="2 of 3 plans read it so.", slot="effects",
        stage="semantics", text="Which behaviour is meant?", quotes=("handle bursts gracefully",), **changes,
    )  # fmt: skip
    told = Probe(
        policy="balanced", k=3, groups=((1, 3), (2,)), slots=("effects",),
        fired=("“actions” in the ticket fits one target and no other",),
    )  # fmt: skip
    reason = "3 plans were made from the same text, and they differ in what callers see afterwards."
    return question.model_copy(
        update={"reason": reason, "question": question.question.model_copy(update={"probe": told})}
    )


def many_routes(count: int) -> Clarification:
    return asked(
        candidates=tuple(
            candidate(f"route:GET /part{n}", f"GET /part{n}", f"app/part{n}.py", (n, n + 5))
            for n in range(1, count + 1)
        )
    )


def already_there() -> Clarification:
    return asked(
        StopKind.ALREADY_IMPLEMENTED,
        slot="existing",
        stage="existing",
        text="This seems to exist already. Is it what you wanted?",
        default="stop",
        options=(
            Option(id="stop", label="Yes, nothing to build."),
            Option(id="falls_short", label="It exists, but it falls short.", needs_text=True),
            Option(id="build_anyway", label="Build it anyway, next to what is there."),
        ),
    )


def confirmation(subject: dict[str, object] | None = None) -> Clarification:
    return asked(
        StopKind.CONFIRMATION_NEEDED,
        slot="confirmation",
        stage="coder",
        text="May the coder run this command?",
        quotes=(),
        default="decline",
        candidates=(
            Candidate(handler_symbol="<approve>", body_field_count=None, id="approve", label="Approve"),
            Candidate(handler_symbol="<decline>", body_field_count=None, id="decline", label="Decline"),
        ),
        subject=subject
        or {"tool": "run_command", "arguments": {"command": "alembic revision"}, "occurrence": 1},
    )


def blocked() -> Clarification:
    return asked(
        StopKind.BLOCKED,
        slot="budget",
        stage="coder",
        text="May the coder change the database schema?",
        quotes=(),
        default="keep",
        candidates=(),
        options=(
            Option(id="schema", label="Yes, add the table and the migration."),
            Option(id="keep", label="No. Keep the in-memory counter."),
        ),
    )


def plan_point(number: int, text: str, *options: tuple[str, str], taken: str = "a") -> QuestionPoint:
    """A point whose options have letters for ids; each option is its label and what it does."""
    return QuestionPoint(
        id=str(number),
        kind="security",
        text=text,
        options=tuple(
            Option(id=letter, label=label, effect=effect)
            for letter, (label, effect) in zip(LETTERS, options, strict=False)
        ),
        taken=taken,
    )


WHO = plan_point(1, "Who may ask?", ("Everybody", "Whoever may act."), ("Admins", "All others get 403."))
FORMAT = plan_point(
    2, "What is answered?", ("202", "Nothing is queued."), ("A list", "200 with a list."), ("Both", "It depends."), taken="b"
)  # fmt: skip
OLD = plan_point(
    3, "What holds for old callers?", ("As before", "Nothing changes."), ("A warning", "It is logged.")
)


def a_plan(*points: QuestionPoint, **changed: object) -> Clarification:
    """A whole plan, put to a person."""
    question = asked(candidates=(), slot="plan", stage="plans", text="Is this the right plan?", quotes=())
    plan = TicketPlan(
        summary="Add the flag.", changes=(PlannedChange(path="app/api/actions.py", what="Take the flag."),)
    )
    told = {"plan": plan, "points": points, "asked_of": AskedOf.MAINTAINER, **changed}
    return question.model_copy(
        update={
            "reason": "A person sees each plan before anything is built.",
            "question": question.question.model_copy(update=told),
        }
    )


def several_points() -> Clarification:
    """A question with two further points, as the stage `semantics` asks it."""
    question = asked(
        candidates=(),
        slot="point",
        stage="semantics",
        text="Who may ask?",
        quotes=("for everybody who needs it",),
        options=(
            Option(id="option-1", label="Everybody", effect="Whoever may act may ask."),
            Option(id="option-2", label="Admins", effect="All others get 403."),
        ),
        default="option-1",
    )
    further_points = (
        QuestionPoint(
            id="q-wait",
            kind="edge_case",
            text="What happens to the eleventh?",
            options=(
                Option(id="option-1", label="It waits", effect="It runs a minute later."),
                Option(id="option-2", label="It is refused", effect="The caller gets 429."),
            ),
            taken="option-1",
            reason="The plan builds it.",
            asked_of=AskedOf.AUTHOR,
        ),
        QuestionPoint(
            id="q-limit",
            kind="value",
            text="How long is a result kept?",
            options=(Option(id="option-1", label="60 s"), Option(id="option-2", label="300 s")),
            taken="option-1",
            quotes=("kept for a while",),
            reason="Other results are kept so long.",
            asked_of=AskedOf.MAINTAINER,
        ),
    )
    told = {"points": further_points, "asked_of": AskedOf.MAINTAINER, "default_reason": "The plan builds it."}
    return question.model_copy(
        update={
            "reason": "The ticket does not say who may do it.",
            "question": question.question.model_copy(update=told),
        }
    )
