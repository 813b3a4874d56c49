"""The golden list of hostile calls, `hostile_calls.yml`, one by one."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

_FILE = Path(__file__).with_name("hostile_calls.yml")


@dataclass(frozen=True)
class HostileCall:
    """A call with what becomes of it; `links` are in the tree when it is made."""

    what: str
    tool: str
    written: str
    links: dict[str, str]
    decision: str
    rule: str | None

    @property
    def arguments(self) -> dict[str, Any]:
        return {"command" if self.tool == "run_command" else "path": self.written}

    def __str__(self) -> str:
        return f"{self.tool} {self.written.encode('unicode_escape').decode()[:60]}"


def every_hostile_call() -> Iterator[HostileCall]:
    for group in yaml.safe_load(_FILE.read_text(encoding="utf-8")):
        for written in group["calls"]:
            for tool in group["tools"]:
                yield HostileCall(
                    group["what"], tool, written, group.get("links", {}), group["decision"], group["rule"]
                )
