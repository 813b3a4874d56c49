"""One agent in a process of its own, that can be killed: `python agent_process.py URL DIRECTORY [die-at-tool N]`."""

import os
import signal
import sys
import time
from pathlib import Path

from pydantic import TypeAdapter

from pipeline.agents.budget import Budget
from pipeline.agents.loop import AgentLoop
from pipeline.agents.task import Task
from pipeline.agents.tools import Arguments, ToolOutcome
from pipeline.agents.transcript import AgentRecord, Entry
from pipeline.gate.decision_log import GateLogEntry
from pipeline.llm.client import ModelClient
from pipeline.llm.services import service_of
from pipeline.run_record.line_file import LineFile
from pipeline.run_record.redaction import Redactor
from tests.pipeline.agents.agent_world import CODER, GATE, PRICES, TreeInMemory
from tests.pipeline.agents.code import in_the_code


class DyingTree(TreeInMemory):
    """A tree that ends the process when a tool is called for the nth time."""

    def __init__(self, last: int) -> None:
        super().__init__()
        self._last = last

    def call(self, arguments: Arguments) -> ToolOutcome:
        if len(self.made) == self._last:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().call(arguments)


def main(url: str, directory: Path, last: int) -> None:
    redactor = Redactor()
    loop = AgentLoop(
        Task(stage="coder", round_=1, agent=CODER, model="claude-sonnet-5-5", prompt="Add a flag."),
        model=ModelClient(service_of({"ANTHROPIC_API_KEY": "made-up", "ANTHROPIC_BASE_URL": url})),
        tools=DyingTree(last),
        gate=GATE,
        limits=Budget(),
        prices=PRICES,
        record=AgentRecord(
            LineFile(directory / "transcripts" / "coder-1.jsonl", TypeAdapter(Entry), redactor),
            LineFile(directory / "gate.jsonl", TypeAdapter(GateLogEntry), redactor),
            lambda within: LineFile(
                directory / "transcripts" / f"coder-1.{within}.jsonl", TypeAdapter(Entry), redactor
            ),
        ),
        registry=in_the_code,
        clock=time.monotonic,
        tell=print,
    )
    print(loop.run())


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
