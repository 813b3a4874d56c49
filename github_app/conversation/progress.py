"""How far a run is, as GitHub tells it: queued, started, at which step. Pure.

Deliveries come late, twice and in any order, and timers look again while a run goes. So what is told is taken only if it
is further than what is known: another run, or the same one started, or the next look of the one chain of timers.
"""

import re
from datetime import datetime, timedelta

from github_app.conversation.effects import SetTimer, TimerName
from github_app.conversation.record import RunProgress

LOOK_EVERY = timedelta(seconds=60)
"""Between two looks at the steps of a run: GitHub announces that a job begins and ends, and not its steps."""

_DEFINITION = re.compile(r"""^[ \t]+definition:[ \t]*["']?([^\s"'#]+)""", re.MULTILINE)
_MAKES_NO_CHANGE = frozenset({"gate", "triage"})


def builds(workflow: str) -> bool:
    """Whether a workflow file calls the Action to make a change; without its input `definition` it ends with a ticket."""
    return any(name not in _MAKES_NO_CHANGE for name in _DEFINITION.findall(workflow))


def is_further(progress: RunProgress, earlier: RunProgress | None) -> bool:
    """Whether something new is told about a run that the conversation waits for."""
    if earlier is None or earlier.run != progress.run:
        return True
    return progress.look == earlier.look + 1 or (progress.is_started and not earlier.is_started)


def next_look(progress: RunProgress, now: datetime) -> SetTimer:
    """The timer after which a run is looked at again."""
    about = f"{progress.run.run_id}.{progress.run.attempt}.{progress.look + 1}"
    return SetTimer(name=TimerName.PROGRESS, question_id=about, at=now + LOOK_EVERY)


def look_of(about: str) -> tuple[int, int, int]:
    """Run, attempt and number of the look for which a timer was set."""
    run_id, attempt, look = about.split(".")
    return int(run_id), int(attempt), int(look)
