"""The words of a pull request: its text and its commits."""

from collections.abc import Sequence

from github_app.conversation.answering import exchanges_of
from github_app.conversation.message import (
    Aside,
    Block,
    Bullets,
    Code,
    Line,
    Message,
    Prose,
    RunLink,
    SourceLink,
    Strong,
    Table,
    Text,
    joined,
    paragraph,
)
from github_app.conversation.record import Conversation, Exchange, PullRequestRecord
from github_app.conversation.wording.deciding import of_kind
from pipeline.contract.change import JudgedCriterion, Replies, TestsReport, Work
from pipeline.contract.decisions import DECISIONS_PATH, Decision
from pipeline.contract.ticket import Ticket

_MOST_SHOWN = 20
_MOST_CANDIDATES = 4
_SHOWN_TESTS = 10
_WHOSE_WORDS = {
    "scripted": "**The model's replies were scripted:** no model wrote this change. It shows the wiring, not quality.",
    "recorded": "**The model's replies were recorded:** they were given to an earlier run, and no model was called.",
}


def pull_request_text(
    conversation: Conversation,
    ticket: Ticket,
    work: Work | None,
    run_id: int,
    repository: str,
    decisions: Sequence[Decision],
    waiting: Sequence[str] | None = None,
    *,
    pull_request: PullRequestRecord,
) -> Message:
    """The description of the pull request. What was asked, and by whom it was answered, is told from our own record.

    `decisions` are the answers that a commit of its own proposes to keep for later tickets. `waiting` are workflows that
    GitHub does not start before somebody approves it, and None where the App watches the checks. `pull_request` is what it
    describes; its number is 0 before it is opened.
    """
    exchanges, commit = exchanges_of(conversation), pull_request.head
    summary: Line = (
        (Prose(work.summary),) if work else (Prose(ticket.title), Text(". "), Prose(ticket.selected_because))
    )
    assumptions = dict.fromkeys((*ticket.assumptions, *(work.assumptions if work else ())))
    criteria = work.criteria if work else ()
    blocks: list[Block] = [
        *without_tests(work.tests if work else None),
        paragraph(Text(f"Closes #{conversation.issue}")),
        *whose_words(work.replies if work else None),
        *_section("Read these first: they run on installation or in CI", [_runs(path, why) for path, why in pull_request.executed_files]),
        paragraph(*summary),
        *_section("Asked and answered", [_exchange(exchange) for exchange in exchanges if not exchange.is_decision]),
        *_section("Decided by a person", [_exchange(exchange) for exchange in exchanges if exchange.is_decision]),
        *_kept_answers(decisions),
        *_section("Decided earlier, so not asked", [(Prose(decision),) for decision in ticket.decisions]),
        *_section("Assumed", [(Prose(text),) for text in assumptions]),
        *results_of_tests(work.tests if work else None),
        *_section("Acceptance criteria, as the reviewing agent sees them", [criterion_line(criterion, commit) for criterion in criteria]),
        *_section("What the reviewing agent remarks", [(Prose(remark),) for remark in (work.review if work else ())]),
        *_section("Facts", [(Prose(fact.name), Text(": "), Prose(fact.value)) for fact in ticket.facts]),
        *_waiting(waiting),
        paragraph(*_cost(conversation, work, run_id)),
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
_WAITS = Text(
    ". A job's own token opened this pull request, so GitHub runs them only after somebody with write access presses "
    "*Approve workflows to run*. "
)


def _waiting(workflows: Sequence[str] | None) -> list[Block]:
    """Which checks wait for a person, so that silence does not look like success; None where the App watches them."""
    if workflows is None:
        return []
    if not workflows:
        return [paragraph(_NOBODY_WATCHES)]
    names = joined(((Code(name),) for name in workflows[:_MOST_SHOWN]), ", ")
    return [paragraph(Text("**Checks that wait for you:** "), *names, _WAITS, _NOBODY_WATCHES)]


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
    return [paragraph(Text(f"### {title}")), Bullets((*items[:_MOST_SHOWN], *remainder))]


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
    return [*_section("Kept for later tickets", items), paragraph(*why)]


def _codes(ids: tuple[str, ...]) -> Line:
    rows: list[Line] = [(Code(id_),) for id_ in ids[:_MOST_CANDIDATES]]
    if len(ids) > _MOST_CANDIDATES:
        rows.append((Text(f"{len(ids) - _MOST_CANDIDATES} more"),))
    return joined(rows, ", ")


def _exchange(exchange: Exchange) -> Line:
    return (
        Prose(exchange.question), Text(" — "), Strong((Code(exchange.answer),)), Text(", by "), Code(exchange.login),
    )  # fmt: skip


def criterion_line(criterion: JudgedCriterion, commit: str) -> Line:
    """What the reviewing agent says of a criterion or a wish, and where it shows: a link to the line at a commit."""
    verdict = "overruled by an answer" if criterion.met == "overruled" else criterion.met.replace("_", " ")
    line: Line = (
        Strong((Text(verdict),)),
        Text(": "),
        Prose(criterion.criterion),
        Text(" — "),
        Prose(criterion.reason),
    )
    if criterion.place is None:
        return line
    path, _, number = criterion.place.rpartition(":")
    is_line = bool(path) and number.isdecimal()
    link = SourceLink(path, commit, int(number)) if is_line else SourceLink(criterion.place, commit)
    return (*line, Text(" ("), link, Text(")"))


def whose_words(replies: Replies | None) -> list[Block]:
    """The note that goes with every change that no model wrote in this run."""
    return [paragraph(Text(_WHOSE_WORDS[replies]))] if replies in _WHOSE_WORDS else []


def without_tests(tests: TestsReport | None) -> list[Block]:
    """The first line of a change that no test has seen: a person has decided so in the repository's settings."""
    if tests is None or tests.command:
        return []
    text = "**No test was run on this change:** no test of this repository can be run, and `without_tests: go` is set."
    return [paragraph(Text(text))]


def results_of_tests(tests: TestsReport | None) -> list[Block]:
    """Which tests ran, and how they ended."""
    if tests is None or not tests.command:
        return []
    result = Text("passed" if tests.exit_code == 0 else "nothing new failed" if tests.green else "**failed**")
    rows = (((Code(tests.command),), (result,), (Text(_result(tests)),)),)
    header: tuple[Line, ...] = ((Text("tests run"),), (Text("result"),), (Text(""),))
    return [
        paragraph(Text("### Tests")),
        Table(header, rows),
        *_test_names("Failed before this change, too: ", tests.red_before),
        *_test_names("Failed, then passed when run again: ", tests.flaky),
        *_test_names("New or changed tests that fail without this change: ", tests.red_without),
        *_test_names("Changed test files in which no test fails without this change: ", tests.green_without),
        *(paragraph(Prose(text)) for text in (tests.left_out, tests.unnamed) if text is not None),
    ]


def _test_names(kind: str, names: tuple[str, ...]) -> list[Block]:
    if not names:
        return []
    hidden_count = len(names) - _SHOWN_TESTS
    rest = f" and {hidden_count} more." if hidden_count > 0 else "."
    return [
        paragraph(Text(kind), *joined(((Code(name),) for name in names[:_SHOWN_TESTS]), ", "), Text(rest))
    ]


def _result(tests: TestsReport) -> str:
    """How the tests ended, in a few words: the runner's counts where it says them, such as "12 passed"."""
    if tests.exit_code is None:
        return "was ended, because it took too long or too much"
    counts = [f"{tests.passed} passed"] if tests.passed is not None else []
    if tests.failed:
        counts.append(f"{tests.failed} failed")
    return ", ".join(counts) or f"exit code {tests.exit_code}"


def work_in_figures(work: Work) -> str:
    """Rounds, tests and cost of a change in one line."""
    rounds = "1 round" if work.rounds == 1 else f"{work.rounds} rounds"
    cost = (
        _price(work.dollars)
        if work.replies == "model"
        else f"no model was called: replies were {work.replies}"
    )
    return f"{rounds} · tests: {_result(work.tests)} · {cost}"


def _price(dollars: float | None) -> str:
    return "price unknown" if dollars is None else f"${dollars:.2f}"


def _cost(conversation: Conversation, work: Work | None, run_id: int) -> Line:
    """What all runs of the conversation have cost; where they did not tell, what this change has."""
    run: Line = (Text("Run "), RunLink(str(run_id)), Text("."))
    if work is None:
        return run
    if work.replies != "model":
        return (Text("No model was called. "), *run)
    dollars = None if work.dollars is None else max(conversation.dollars, work.dollars)
    return (
        Text(f"Model calls, in all runs so far: {_price(dollars)} ("),
        Code(work.model),
        Text("). "),
        *run,
    )
