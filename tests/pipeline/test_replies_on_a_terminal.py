"""What a person sees while models reply: one line that goes again, or a line for each turn; numbers, and never a word."""

import io
import re
import threading
import time
from collections.abc import Callable, Mapping
from itertools import pairwise

import pytest
from inline_snapshot import snapshot

from pipeline.llm.failures import ModelOverloaded
from pipeline.llm.metered import MeteredModel, ReplyProgress, while_arriving
from pipeline.llm.prices import load_prices
from pipeline.llm.usage import Ledger, Usage
from pipeline.run_record.events import StageFinished
from pipeline.terminal.progress import Progress, is_watched
from tests.pipeline.llm.messages_api import MessagesApi, message, request, text
from tests.pipeline.llm.scripted_model import ScriptedModel

DONE = StageFinished(stage="coder", seconds=61.5, attempts=1)


class Terminal(io.StringIO):
    """Something that says it is a terminal. `drawn` are the texts that were written, without colours and movements."""

    def isatty(self) -> bool:
        return True

    @property
    def drawn(self) -> list[str]:
        plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "\r", re.sub(r"\x1b\[[0-9;]*m", "", self.getvalue()))
        return [line.strip() for line in re.split(r"[\r\n]+", plain) if line.strip()]


def waits_for(found: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not found():
        assert time.monotonic() < end
        time.sleep(0.02)


def at(
    purpose: str, turn: int, written: int, dollars: float | None = 0.25, over: bool = False
) -> ReplyProgress:
    return ReplyProgress(purpose, turn, written, dollars, over)


def test_where_nobody_watches_each_turn_is_a_line() -> None:
    log = io.StringIO()
    with Progress(log) as progress:
        for one in (
            at("coder/1", 1, 0),
            at("coder/1", 1, 600),
            at("coder/1", 1, 1_240, over=True),
            at("coder/1", 2, 80, 0.3051, over=True),
            at("reviewer/1", 1, 9, None, over=True),
        ):
            progress.reply(one)
        progress(DONE)
    assert log.getvalue() == snapshot("""\
· coder/1        turn 1: 1,240 tokens, $0.25 so far
· coder/1        turn 2: 80 tokens, $0.31 so far
· reviewer/1     turn 1: 9 tokens
✓ coder          61500 ms
""")


def test_who_watches_sees_one_line_grow_and_go_and_the_stages_stay_above_it() -> None:
    terminal = Terminal()
    with Progress(terminal, live=True) as progress:
        progress.reply(at("coder/1", 3, 0))
        waits_for(lambda: any("turn 3: about 0 tokens" in line for line in terminal.drawn))
        progress.reply(at("coder/1", 3, 1_240))
        progress(DONE)
        waits_for(
            lambda: any("turn 3: about 1,240 tokens, $0.25 so far, " in line for line in terminal.drawn)
        )
        progress.reply(at("coder/1", 3, 1_250, over=True))
        ended = len(terminal.getvalue())
        time.sleep(1.2)
        assert len(terminal.getvalue()) == ended
    assert "✓ coder          61500 ms" in terminal.drawn
    assert (
        terminal.getvalue().rstrip().endswith(("\x1b[2K", "\x1b[?25h"))
    )  # the line is cleared, the cursor is there


def test_the_line_is_drawn_about_once_a_second_however_fast_a_reply_arrives() -> None:
    terminal = Terminal()
    began = time.monotonic()
    with Progress(terminal, live=True) as progress:
        while time.monotonic() - began < 2.3:
            progress.reply(at("coder/1", 1, 1))
            time.sleep(0.002)
    assert 1 <= sum("turn 1" in line for line in terminal.drawn) <= 5


def test_replies_that_arrive_together_share_the_line() -> None:
    terminal = Terminal()
    with Progress(terminal, live=True) as progress:
        for stage in ("duplicates", "completeness"):
            progress.reply(at(f"{stage}/1", 1, 10))
        waits_for(lambda: any("duplicates/1" in line and "completeness/1" in line for line in terminal.drawn))
        progress.reply(at("duplicates/1", 1, 10, over=True))
        waits_for(lambda: "duplicates/1" not in terminal.drawn[-1])
        assert "completeness/1" in terminal.drawn[-1]


def test_indexing_counts_files_in_the_line_and_leaves_nothing_behind() -> None:
    terminal, log = Terminal(), io.StringIO()
    with Progress(terminal, live=True) as watched, Progress(log) as unwatched:
        for progress in (watched, unwatched):
            progress.indexing(100, 9_000)
        waits_for(lambda: any("indexing  about 100 of 9,000 files, " in line for line in terminal.drawn))
        for progress in (watched, unwatched):
            progress.indexing(9_000, 9_000)
        assert terminal.getvalue().rstrip().endswith(("\x1b[2K", "\x1b[?25h"))
    assert log.getvalue() == ""


def test_a_reply_that_goes_on_after_the_run_has_ended_draws_nothing() -> None:
    terminal = Terminal()
    with Progress(terminal, live=True) as progress:
        progress.reply(at("coder/1", 1, 10))
    ended = terminal.getvalue()
    progress.reply(at("coder/1", 1, 20))
    time.sleep(1.2)
    assert terminal.getvalue() == ended
    assert not any("Refresh" in type(thread).__name__ for thread in threading.enumerate())


@pytest.mark.parametrize(
    ("environment", "watched"),
    [
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "xterm-256color", "CI": "true"}, False),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
        ({}, False),
    ],
)
def test_a_line_is_drawn_only_for_somebody_who_watches(environment: Mapping[str, str], watched: bool) -> None:
    assert is_watched(Terminal(), environment) is watched
    assert not is_watched(io.StringIO(), environment)


def test_dollars_grow_while_a_reply_arrives_and_end_at_what_it_cost() -> None:
    ledger, told = Ledger(load_prices()), list[ReplyProgress]()
    ledger.add("coder/1", "claude-sonnet-5-5", Usage(output_tokens=10_000))
    api = MessagesApi(message(text("word " * 800), text("more " * 800), usage=(100_000, 2_100)))
    api.told = while_arriving(ledger, told.append)
    MeteredModel(api.client(), ledger, told.append).reply(request())
    assert [one.over for one in told] == [*[False] * (len(told) - 1), True]
    dollars = [one.dollars for one in told if one.dollars is not None]
    assert all(earlier <= later for earlier, later in pairwise(dollars))
    assert [dollars[0], dollars[-1]] == pytest.approx([0.1, 0.1 + 0.2 + 0.021])
    assert (told[0].turn, told[-1].output_tokens) == (1, 2_100)


def test_a_reply_that_fails_ends_its_line_too() -> None:
    told = list[ReplyProgress]()
    model = MeteredModel(
        ScriptedModel(coder__1=ModelOverloaded("no capacity")), Ledger(load_prices()), told.append
    )
    with pytest.raises(ModelOverloaded):
        model.reply(request())
    assert [one.over for one in told] == [True]
