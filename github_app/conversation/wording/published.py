"""The words of a pull request: its text and its commits."""

from collections.abc import Sequence
from typing import assert_never

from github_app.conversation.answering import exchanges_of
from github_app.conversation.message import (
    Aside,
    Block,
    Bullets,
    Code,
    Line,
    Message,
    Paragraph,
    Prose,
    RunLink,
    Strong,
    Table,
    Text,
)
from github_app.conversation.record import Conversation, Exchange
from github_app.conversation.wording.deciding import of_kind
from pipeline.contract.change import JudgedCriterion, Replies, TestsReport, Work
from pipeline.contract.decisions import DECISIONS_PATH, Decision
from pipeline.contract.ticket import Ticket

_MOST_SHOWN = 20
_MOST_CANDIDATES = 4
_SHOWN_TESTS = 10
_SCRIPTED_REPLIES = (
    "**The model's replies were scripted:** no model wrote this change. It shows the wiring, not quality."
)
_RECORDED_REPLIES = (
    "**The model's replies were recorded:** they were given to an earlier run, and no model was called."
)


def pull_request_text(
    conversation: Conversation,
    ticket: Ticket,
    work: Work | None,
    run_id: int,
    repository: str,
    decisions: Sequence[Decision],
    waiting: Sequence[str] | None = None,
    executed_files: Sequence[tuple[str, str]] = (),
) -> Message:
    """The description of the pull request. What was asked, and by whom it was answered, is told from our own record.

    `decisions` are the answers that a commit of its own proposes to keep for later tickets. `waiting` are workflows that
    GitHub does not start before somebody approves it, and None where the App watches the checks. `executed_files` are changed files that run by themselves, with why.
    """
    exchanges = exchanges_of(conversation)
    why: Line = (
        (Prose(work.summary),) if work else (Prose(ticket.title), Text(". "), Prose(ticket.selected_because))
    )
    blocks: list[Block] = [
        *without_tests(work.tests if work else None),
        Paragraph(((Text(f"Closes #{conversation.issue}"),),)),
        *whose_words(work.replies if work else None),
        *_section("Read these first: they run on installation or in CI", [_runs(path, why) for path, why in executed_files]),
        Paragraph(((Text("### Why"),),)),
        Paragraph((why,)),
        *_section("Asked and answered", [_exchange(exchange) for exchange in exchanges if not exchange.is_decision]),
        *_section("Decided by a person", [_exchange(exchange) for exchange in exchanges if exchange.is_decision]),
        *_kept_answers(decisions),
        *_section("Decided earlier, so not asked", [(Prose(decision),) for decision in ticket.decisions]),
        *_section("Assumed", [(Prose(text),) for text in (*ticket.assumptions, *(work.assumptions if work else ()))]),
        *_section("Facts", [(Prose(fact.name), Text(": "), Prose(fact.value)) for fact in ticket.facts]),
        *results_of_tests(work.tests if work else None),
        *_section("Acceptance criteria, as the reviewing agent sees them", [criterion_line(criterion) for criterion in (work.criteria if work else ())]),
        *_section("What the reviewing agent remarks", [(Prose(remark),) for remark in (work.review if work else ())]),
        *_waiting(waiting),
        Paragraph((_cost(work, run_id),)),
        Aside(
            (Text("A draft until somebody has read it. To have it changed, request changes in a review or comment "
                  "`/revise` and a sentence."),)
        ),
    ]  # fmt: skip
    return Message(tuple(blocks), repository, conversation.issue)


def _runs(path: str, why: str) -> Line:
    return (Code(path), Text(f": {why}"))


_NOBODY_WATCHES = Text(
    "No check of this pull request is watched, because that takes the App. If one is red, comment `/revise` and what it says."
)


def _waiting(workflows: Sequence[str] | None) -> list[Block]:
    """Which checks wait for a person, so that silence does not look like success; None where the App watches them."""
    if workflows is None:
        return []
    if not workflows:
        return [Paragraph(((_NOBODY_WATCHES,),))]
    names = tuple(part for name in workflows[:_MOST_SHOWN] for part in (Text(", "), Code(name)))[1:]
    return [
        Paragraph(
            (
                (
                    Text("**Checks that wait for you:** "),
                    *names,
                    Text(
                        ". A job's own token opened this pull request, so GitHub runs them only after somebody with"
                        " write access presses *Approve workflows to run*. "
                    ),
                    _NOBODY_WATCHES,
                ),
            )
        )
    ]


def commit_message(subject: str, issue: int, run_id: int, attempt: int, replies: Replies | None) -> str:
    """The message of the commit of one run: the same, however often it is made. `subject` is one harmless line."""
    origin = "" if replies in {"model", None} else f"The model's replies were {replies}.\n\n"
    return f"{subject}\n\n{origin}For #{issue}, by askfirst run {run_id}.{attempt}"


def decisions_message(issue: int) -> str:
    """The message of the commit that proposes to keep answers: the same, however often it is made."""
    return (
        f"Keep what was answered in #{issue} for later tickets\n\n"
        "askfirst will not ask this again once it is merged. Drop this commit if it holds for one ticket only."
    )


def _section(title: str, items: list[Line]) -> list[Block]:
    if not items:
        return []
    remainder: list[Line] = (
        [(Text(f"… and {len(items) - _MOST_SHOWN} more"),)] if len(items) > _MOST_SHOWN else []
    )
    return [Paragraph(((Text(f"### {title}"),),)), Bullets((*items[:_MOST_SHOWN], *remainder))]


def _kept_answers(decisions: Sequence[Decision]) -> list[Block]:
    if not decisions:
        return []
    items: list[Line] = [
        (
            Code(decision.choice),
            Text(" rather than "),
            *_codes(tuple(id_ for id_ in decision.candidates if id_ != decision.choice)),
            *of_kind(decision.wish),
            Text(", by "),
            Code(decision.decided_by),
            Text(f" on {decision.decided_at.isoformat()}"),
        )
        for decision in decisions
    ]
    why: Line = (
        Text("`/decide` asked for this: later tickets that leave the same open are not asked again once it is merged. It is "
             "a commit of its own, in "), Code(DECISIONS_PATH), Text(": drop it, or remove the entry later, to be asked again."),
    )  # fmt: skip
    return [*_section("Kept for later tickets", items), Paragraph((why,))]


def _codes(ids: tuple[str, ...]) -> Line:
    pairs: list[Line] = [(Code(id_), Text(", ")) for id_ in ids[:_MOST_CANDIDATES]]
    remainder: Line = (Text(f"{len(ids) - _MOST_CANDIDATES} more"),) if len(ids) > _MOST_CANDIDATES else ()
    line = tuple(part for parts in pairs for part in parts) + remainder
    return line if remainder else line[:-1]


def _exchange(exchange: Exchange) -> Line:
    return (
        Prose(exchange.question), Text(" — "), Strong((Code(exchange.answer),)), Text(", by "), Code(exchange.login),
    )  # fmt: skip


def criterion_line(criterion: JudgedCriterion) -> Line:
    """What the reviewing agent says of a criterion or a wish, and where it shows."""
    place: Line = (Text(" ("), Code(criterion.place), Text(")")) if criterion.place else ()
    verdict = Text(
        "overruled by an answer" if criterion.met == "overruled" else criterion.met.replace("_", " ")
    )
    return (
        Strong((verdict,)),
        Text(": "),
        Prose(criterion.criterion),
        Text(" — "),
        Prose(criterion.reason),
        *place,
    )


def whose_words(replies: Replies | None) -> list[Block]:
    """What must be said wherever a change is shown that no model wrote in this run."""
    match replies:
        case "scripted":
            return [Paragraph(((Text(_SCRIPTED_REPLIES),),))]
        case "recorded":
            return [Paragraph(((Text(_RECORDED_REPLIES),),))]
        case "model" | None:
            return []
        case _:
            assert_never(replies)


def without_tests(tests: TestsReport | None) -> list[Block]:
    """The first line of a change that no test has seen: a person has decided so in the repository's settings."""
    if tests is None or tests.command:
        return []
    text = "**No test was run on this change:** no test of this repository can be run, and `without_tests: go` is set."
    return [Paragraph(((Text(text),),))]


def results_of_tests(tests: TestsReport | None) -> list[Block]:
    """Which tests ran, and how they ended."""
    if tests is None or not tests.command:
        return []
    result = Text("passed" if tests.exit_code == 0 else "nothing new failed" if tests.green else "**failed**")
    rows = (((Code(tests.command),), (result,), (Text(_result(tests)),)),)
    header: tuple[Line, ...] = ((Text("tests run"),), (Text("result"),), (Text(""),))
    return [
        Paragraph(((Text("### Tests"),),)),
        Table(header, rows),
        *_test_names("Failed before this change, too: ", tests.red_before),
        *_test_names("Failed, then passed when run again: ", tests.flaky),
        *_test_names("New or changed tests that fail without this change: ", tests.red_without),
        *_test_names("Changed test files in which no test fails without this change: ", tests.green_without),
        *(Paragraph(((Prose(text),),)) for text in (tests.left_out, tests.unnamed) if text is not None),
    ]


def _test_names(what: str, names: tuple[str, ...]) -> list[Block]:
    if not names:
        return []
    parts = [part for name in names[:_SHOWN_TESTS] for part in (Code(name), Text(", "))][:-1]
    hidden_count = len(names) - _SHOWN_TESTS
    rest = f" and {hidden_count} more." if hidden_count > 0 else "."
    return [Paragraph(((Text(what), *parts, Text(rest)),))]


def _result(tests: TestsReport) -> str:
    """How the tests ended, in a few words: the runner's counts where it says them, such as "12 passed"."""
    if tests.exit_code is None:
        return "was ended, because it took too long or too much"
    counts = [f"{tests.passed} passed"] if tests.passed is not None else []
    if tests.failed:
        counts.append(f"{tests.failed} failed")
    return ", ".join(counts) or f"exit code {tests.exit_code}"


def _cost(work: Work | None, run_id: int) -> Line:
    run: Line = (Text("Run "), RunLink(str(run_id)), Text("."))
    if work is None:
        return run
    if work.replies != "model":
        return (Text("No model was called. "), *run)
    price = "price unknown" if work.dollars is None else f"${work.dollars:.2f}"
    return (Text(f"Model calls: {price} ("), Code(work.model), Text("). "), *run)
