"""The step summary says how a run ended, and shows foreign text without obeying it."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from markdown_it import MarkdownIt

from pipeline.contract.run import Outcome, StageRecord, StageStatus
from pipeline.contract.ticket import PlannedChange, TicketFact, TicketPlan
from pipeline.run_record.events import (
    ChildAnswered,
    ChildAsked,
    JournalEvent,
    RunFinished,
    RunStarted,
    StageFinished,
    StageStopped,
)
from pipeline.run_record.journal import earlier_parts
from pipeline.run_record.summary import MAX_BYTES, AgentWork, render_summary
from tests.pipeline.run_record.finished_runs import a_failure, a_question, a_run, a_ticket

HOSTILE = [
    "@octocat",
    "<img src=x>",
    "<!-- hidden",
    "[a](https://evil.example)",
    "![a](https://evil.example)",
    "https://evil.example",
    "`",
    "``",
    "```",
    "|",
    "\\",
    "\n",
    "\n\n# h",
    "\r",
    "\u2028",
    "\u202e",
    "\U000e0041",
    "\ufe0f",
    "**",
    "/close",
    "Fixes #1",
    " ",
]


ASKED = ChildAsked(stage="coder", child="formatter-1", question="JSON or CSV?", question_id="q-1")
ANSWERED = ChildAnswered(
    stage="coder",
    child="formatter-1",
    question="JSON or CSV?",
    answer="JSON",
    answered_by="parent",
    because="x",
)


def test_what_agents_asked_on_the_way_is_shown_once_with_who_answered() -> None:
    """A question is told again by a run that was killed while it waited."""
    other = ASKED.model_copy(update={"question": "Which | colour?"})
    shown = render_summary(a_run(), a_question(), (ASKED, ASKED, ANSWERED, other))
    assert shown.partition("on the way\n")[2].partition("| stage")[0] == snapshot("""\

- ❓ subagent `formatter-1` needs clarification: `JSON or CSV?`
  - `JSON`, by the agent above it
- ❓ subagent `formatter-1` needs clarification: `Which | colour?`
  - not answered
<details>
<summary>The run: stages, seconds and dollars</summary>

""")


def test_a_question() -> None:
    assert render_summary(a_run(), a_question(), mermaid="graph TD\n  reading --> ticket") == snapshot("""\
## askfirst asks before it writes code

**`Which route should get the flag?`**

1. `POST /actions` in `src/actions.py:12` (default)
2. `POST /actions/stream` in `src/actions.py:40`

Why it asks, in stage `decomposition`: Two routes fit, and no word in the ticket picks one.

Answer on issue 418: the run goes on from there.

<details>
<summary>The run: stages, seconds and dollars</summary>

| stage | status | seconds | dollars | reason |
| --- | --- | ---: | ---: | --- |
| `snapshot` | reused |  |  |  |
| `reading` | done | 2.50 | 0.0123 |  |
| `decomposition` | stopped | 0.25 |  | `2 routes` |
| `semantics` | skipped |  |  | `its condition does not hold: a ¦¦ b` |
| `ticket` | not reached |  |  | `the run ended at 'decomposition'` |
| this part of the run | clarification | 4.00 | 0.0123 | |

The part before it, whose results it reuses, has a summary of its own.

```mermaid
graph TD
  reading --> ticket
```

</details>

askfirst `0.1.0`, definition `gate`, no model.
""")


def test_a_run_that_goes_on_after_an_answer_counts_all_its_parts(tmp_path: Path) -> None:
    """The first part stops with a question, the second is killed, the third ends; each asks a model."""
    reading = StageFinished(stage="reading", seconds=2.5, attempts=1, dollars=0.0123)
    asks = StageStopped(stage="plans", kind="x", question_id="q-1", reason="x", seconds=0.5, dollars=0.2)
    parts = [
        [_STARTED, reading, asks, RunFinished(outcome=Outcome.CLARIFICATION, exit_code=2)],
        [_STARTED, reading],
        [_STARTED, reading, RunFinished(outcome=Outcome.DONE, exit_code=0)],
    ]
    earlier = earlier_parts(_journal(tmp_path / "journal.jsonl", [event for part in parts for event in part]))
    summary = render_summary(a_run(Outcome.DONE), a_ticket(), earlier=earlier)
    assert summary.partition("not reached")[2].partition("\n")[2].partition("\naskfirst")[0] == snapshot("""\
| this part of the run | done | 4.00 | 0.0123 | |
| all 3 parts of the run | done | 8.00 | 0.2369 | |

</details>
""")


_STARTED = RunStarted(run_id="1", definition="gate")


def _journal(path: Path, events: list[JournalEvent]) -> Path:
    """A journal in which a second lies between one line and the next."""
    start = datetime(2026, 10, 1, 10, 0, 0, tzinfo=UTC)
    lines = [
        {"seq": seq, "time": str(start + timedelta(seconds=seq)), **event.model_dump(mode="json")}
        for seq, event in enumerate(events, start=1)
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def test_a_failure() -> None:
    failed = StageRecord(
        id="preconditions", status=StageStatus.FAILED, seconds=0.01, attempts=1, reason="dirty"
    )
    assert render_summary(a_run(Outcome.ERROR, failed), a_failure()) == snapshot("""\
## askfirst could not go on

`PreconditionFailed` in stage `preconditions`: `the working tree differs from the commit`

Why:

- `src/orders.py was changed`

What to do:

- `git stash`

<details>
<summary>The run: stages, seconds and dollars</summary>

| stage | status | seconds | dollars | reason |
| --- | --- | ---: | ---: | --- |
| `preconditions` | failed | 0.01 |  | `dirty` |
| the whole run | error | 4.00 |  | |

</details>

askfirst `0.1.0`, definition `gate`, no model.
""")


def test_a_ticket() -> None:
    done = StageRecord(id="ticket", status=StageStatus.DONE, seconds=0.01, attempts=1)
    assert render_summary(a_run(Outcome.DONE, done), a_ticket()) == snapshot("""\
## The ticket is ready

`Add a dry_run flag to the bulk action`

Targets, selected because `octocat answered: POST /actions`:

- `POST /actions` in `src/actions.py:12`

<details>
<summary>The run: stages, seconds and dollars</summary>

| stage | status | seconds | dollars | reason |
| --- | --- | ---: | ---: | --- |
| `ticket` | done | 0.01 |  |  |
| the whole run | done | 4.00 |  | |

</details>

askfirst `0.1.0`, definition `gate`, no model.
""")


def test_a_plan_is_shown_with_what_was_decided_without_asking() -> None:
    plan = TicketPlan(
        summary="A dry run.",
        changes=(PlannedChange(path="src/actions.ts", what="Read `dry_run` and write nothing."),),
        effects=("POST /actions: takes `dry_run`",),
        left_out=("The same for streams",),
    )
    ticket = a_ticket().model_copy(
        update={
            "plan": plan,
            "assumptions": ("What is the default? Off, instead of: On.",),
            "acceptance_criteria": ("A dry run stores nothing.",),
        }
    )
    summary = render_summary(a_run(Outcome.DONE), ticket)
    assert summary[summary.index("**The plan**") : summary.index("<details>")] == snapshot("""\
**The plan**

- `src/actions.ts`: ``Read `dry_run` and write nothing.``

**What users see**

- `` POST /actions: takes `dry_run` ``

**Not built**

- `The same for streams`

**Assumed**

- `What is the default? Off, instead of: On.`

**It is done when**

- `A dry run stores nothing.`

""")


def test_a_ticket_that_does_not_know_its_targets() -> None:
    ticket = a_ticket().model_copy(update={"targets": "unknown", "ready": False})
    assert "Targets: unknown" in render_summary(a_run(Outcome.DONE), ticket)


def test_facts_of_any_stage_stand_in_the_summary_as_code() -> None:
    fact = TicketFact(name="Code owners", value="@octocat <img src=x>")
    summary = render_summary(a_run(Outcome.DONE), a_ticket().model_copy(update={"facts": (fact,)}))
    assert "- `Code owners`: `@octocat <img src=x>`\n" in summary


@given(st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=8).map("".join))
def test_no_foreign_text_is_obeyed(hostile: str) -> None:
    stage = StageRecord(id="existing", status=StageStatus.STOPPED, reason=hostile, attempts=1)
    run = a_run(Outcome.CLARIFICATION, stage).model_copy(update={"definition": hostile})
    failure = a_failure().model_copy(update={"message": hostile, "why": hostile})
    for ending in (a_question(label=hostile, text=hostile), a_ticket(title=hostile), failure):
        markdown = render_summary(run, ending, mermaid=hostile)
        assert_no_foreign_text_outside_code(markdown)
        assert not {"\u202e", "\U000e0041", "\r", "\u2028"} & set(markdown.split("mermaid")[0])


def assert_no_foreign_text_outside_code(markdown: str) -> None:
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    inline = [child for token in tokens for child in token.children or ()]
    kinds = {token.type for token in [*tokens, *inline]}
    assert not kinds & {"html_inline", "link_open", "image"}
    assert [token.content for token in tokens if token.type == "html_block"] == [
        "<details>\n<summary>The run: stages, seconds and dollars</summary>\n",
        "</details>\n",
    ]
    assert sum(token.type == "heading_open" for token in tokens) == 1
    assert sum(token.type == "tr_open" for token in tokens) == 3
    assert sum(token.type == "td_open" for token in tokens) == 10
    outside = "".join(child.content for child in inline if child.type == "text")
    assert not any(sign in outside for sign in ("@", "evil", "<", "#", "/close"))


@pytest.mark.parametrize("mermaid", ["x" * 2_000_000, "é" * 600_000])
def test_a_summary_is_never_larger_than_github_shows(mermaid: str) -> None:
    stages = tuple(StageRecord(id=f"s{n}", status=StageStatus.DONE, reason="é" * 900) for n in range(3000))
    summary = render_summary(a_run(Outcome.CLARIFICATION, *stages), a_question(), mermaid=mermaid)
    assert len(summary.encode()) <= MAX_BYTES
    assert "left out" in summary


def test_a_stage_of_a_repeat_is_told_with_its_round() -> None:
    rounds = tuple(StageRecord(id="coder", round=n, status=StageStatus.DONE, attempts=1) for n in (1, 2))
    lines = render_summary(a_run(Outcome.DONE, *rounds), a_ticket()).splitlines()
    rows = [line for line in lines if "coder" in line]
    assert rows == ["| `coder`, round 1 | done | 0.00 |  |  |", "| `coder`, round 2 | done | 0.00 |  |  |"]


def test_two_explorers_are_two_agents_and_no_rounds() -> None:
    stages = (
        StageRecord(id="plans", status=StageStatus.DONE, attempts=1),
        StageRecord(id="coder", round=1, status=StageStatus.DONE, attempts=1),
    )
    agents = [
        AgentWork(stage, number, 2, {}, 0, 100)
        for stage, number in (("plans", 1), ("plans", 2), ("coder", 1))
    ]
    summary = render_summary(a_run(Outcome.DONE, *stages), a_ticket(), agents=agents)
    assert [line for line in summary.splitlines() if "none" in line] == snapshot(
        [
            "| `plans`, agent 1 | 2 | none | 0 | 100 |",
            "| `plans`, agent 2 | 2 | none | 0 | 100 |",
            "| `coder`, round 1 | 2 | none | 0 | 100 |",
        ]
    )
