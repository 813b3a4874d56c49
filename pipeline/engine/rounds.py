"""What a repeat remembers while it goes round: which round it is, and what the one before has returned."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel

from pipeline.contract.run import StageRecord
from pipeline.engine.graph import Repeat, Stage


@dataclass
class Rounds:
    """One repeat on its way. `number` is the round that runs, 0 before the first; `earlier` are records of those before."""

    repeat: Repeat[Stage]
    number: int = 0
    earlier: list[StageRecord] = field(default_factory=list)
    previous_outputs: Mapping[str, BaseModel] = field(default_factory=dict)
    previous_keys: Mapping[str, str | None] = field(default_factory=dict)
    _began: float = 0.0

    @property
    def seconds(self) -> float:
        """Wall-clock time since the first round began."""
        return time.perf_counter() - self._began

    @property
    def is_last(self) -> bool:
        """Whether no further round is allowed."""
        return self.number >= self.repeat.max

    def begin(self) -> int:
        """The next round; its number."""
        if self.number == 0:
            self._began = time.perf_counter()
        self.number += 1
        return self.number

    def summary(self, *, holds: bool) -> str:
        """In words, how it came to its end."""
        rounds = "one round" if self.number == 1 else f"{self.number} rounds"
        how = "its condition holds" if holds else "no more are allowed, and its condition never held"
        return f"{rounds}; {how}: {self.repeat.until.text}"
