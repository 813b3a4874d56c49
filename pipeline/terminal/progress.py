"""Show the progress of a run on stderr."""

import os
import threading
import time
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Self, TextIO

from pipeline.domain.errors import NothingToBuild
from pipeline.domain.printable import printable
from pipeline.run_record.events import (
    ChildAnswered,
    ChildAsked,
    ConfinementChosen,
    Event,
    MemoIgnored,
    Note,
    RoundStarted,
    StageErrored,
    StageFinished,
    StageRetried,
    StageReused,
    StageSkipped,
    StageStopped,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from pipeline.llm.metered import ReplyProgress

_MARKS = {"done": "✓", "reused": "↺", "skipped": "-", "asks": "?", "failed": "✗", "again": "…", "note": "·"}
_COLOURS = {"done": "green", "reused": "cyan", "skipped": "bright_black", "asks": "yellow", "failed": "red"}


class Progress:
    """Prints a line for each stage as it ends, and says meanwhile how indexing and the replies of models go on.

    `live` is for a person who watches: one line at the bottom, drawn anew every second, of which nothing stays. Else it is
    a line for each turn. Safe to use from several threads.
    """

    def __init__(self, stream: TextIO, *, live: bool = False) -> None:
        self._stream = stream
        self._colours = takes_escapes(stream, os.environ)
        self._lock = threading.Lock()
        self._line = _LiveLine(self) if live else None

    @cached_property
    def console(self) -> "Console":
        """The stream with colours. rich is imported with the first line that needs it."""
        return open_console(self._stream)

    def __call__(self, event: Event) -> None:
        """Listener of the journal."""
        line = _line(event)
        if line is not None:
            self._print(*line)

    def reply(self, progress: "ReplyProgress") -> None:
        """Listener of models."""
        if self._line is not None:
            with self._lock:
                self._line.show(progress.purpose, _turn_in_words(progress), over=progress.over)
        elif progress.over:
            self._print("note", progress.purpose, _turn_in_words(progress))

    def indexing(self, count: int, total: int) -> None:
        """Listener of indexes. Who does not watch sees the stage when it ends."""
        if self._line is not None:
            with self._lock:
                self._line.show("indexing", f"about {count:,} of {total:,} files", over=count >= total)

    def _print(self, how: str, stage: str, text: str) -> None:
        text = printable(text)
        if not self._colours:
            say(self._stream, f"{_MARKS[how]} {stage:<14} {text}\n".rstrip() + "\n")
            return
        from rich.text import Text

        line = Text.assemble((f"{_MARKS[how]} {stage:<14} ", _COLOURS.get(how, "")), (text, "dim"))
        self.console.print(line, soft_wrap=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Take the line away, also when the run ends while models still reply."""
        if self._line is not None:
            with self._lock:
                self._line.close()


class _LiveLine:
    """The work under way, in one line: each thing by its name, with words on how far it is."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        # Replaced and never changed: the thread that draws reads it without a lock.
        self._under_way: Mapping[str, tuple[str, float]] = {}
        self._drawn: Live | None = None
        self._closed = False

    def show(self, name: str, words: str, *, over: bool) -> None:
        """Take note; the line appears with the first thing that is under way and goes with the last."""
        if self._closed:
            return
        _, since = self._under_way.get(name, (words, time.monotonic()))
        other_entries = {
            other_name: entry for other_name, entry in self._under_way.items() if other_name != name
        }
        self._under_way = other_entries if over else {**other_entries, name: (words, since)}
        if not self._under_way:
            self._stop()
        elif self._drawn is None:
            from rich.live import Live

            self._drawn = Live(
                self,
                console=self._progress.console,
                refresh_per_second=1,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._drawn.start()

    def close(self) -> None:
        """Draw no more."""
        self._closed = True
        self._stop()

    def _stop(self) -> None:
        if self._drawn is not None:
            self._drawn.stop()
            self._drawn = None

    def __rich__(self) -> "Text":
        from rich.text import Text

        now = time.monotonic()
        parts = [f"{name}  {words}, {now - since:.0f} s" for name, (words, since) in self._under_way.items()]
        return Text(f"{_MARKS['again']} {'   '.join(parts)}", style="dim", no_wrap=True, overflow="ellipsis")


def _turn_in_words(progress: "ReplyProgress") -> str:
    about = "" if progress.over else "about "
    cost = "" if progress.dollars is None else f", ${progress.dollars:.2f} so far"
    return f"turn {progress.turn}: {about}{progress.output_tokens:,} tokens{cost}"


def say(stream: TextIO, text: str) -> None:
    """Write to a stream. If its reader has gone (`| head`), the rest is dropped and the run goes on."""
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def is_watched(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether a person watches the stream on a terminal that can redraw a line."""
    return (
        stream.isatty()
        and not environment.get("NO_COLOR")
        and not environment.get("CI")
        and environment.get("TERM", "dumb") != "dumb"
    )


def takes_escapes(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether colours and bold text may be written: https://no-color.org, and https://force-color.org for a file or a log."""
    return not environment.get("NO_COLOR") and (stream.isatty() or bool(environment.get("FORCE_COLOR")))


def open_console(stream: TextIO) -> "Console":
    """For tables and coloured lines. rich by itself leaves out only colours for NO_COLOR, and no bold text."""
    from rich.console import Console

    colours: Literal["auto"] | None = "auto" if takes_escapes(stream, os.environ) else None
    is_terminal = True if colours else None
    return Console(
        file=stream, highlight=False, markup=False, force_terminal=is_terminal, color_system=colours
    )


def _line(event: Event) -> tuple[str, str, str] | None:
    match event:
        case StageFinished():
            return "done", event.stage, f"{event.seconds * 1000:.0f} ms"
        case StageReused():
            return "reused", event.stage, "reused, nothing it depends on has changed"
        case StageSkipped():
            return "skipped", event.stage, event.reason
        case StageStopped():
            return "asks", event.stage, event.reason
        case StageErrored():
            is_end = event.kind == NothingToBuild.__name__
            return "done" if is_end else "failed", event.stage, event.message
        case StageRetried():
            return "again", event.stage, f"attempt {event.attempt} failed: {event.message}"
        case RoundStarted():
            return "note", event.stage, f"round {event.round}"
        case MemoIgnored():
            return "note", event.stage, f"stored result not used: {event.reason}"
        case ChildAsked() | ChildAnswered():
            return "note", event.stage, event.in_words
        case Note():
            return "note", event.stage or "", event.text
        case ConfinementChosen():
            return "note", "", event.text
        case _:
            return None
