"""What both programs answer before a library is imported: their version, and the page that names their commands."""

from collections.abc import Mapping
from typing import NamedTuple

from pipeline.contract.version import VERSION


class StartPage(NamedTuple):
    """`commands` holds the group and the summary of each command by its name."""

    program: str
    summary: str
    commands: Mapping[str, tuple[str, str]]

    def answer(self, arguments: list[str]) -> str | None:
        """The answer to `--version` and `--help`; None to everything else."""
        match arguments:
            case ["--version", *_]:
                return f"{self.program}, version {VERSION}"
            case ["--help" | "-h", *_]:
                return self.text()
            case _:
                return None

    def text(self) -> str:
        """The page, as click lays out those of the commands."""
        options = {"--version": "Show the version and exit.", "-h, --help": "Show this message and exit."}
        sections: dict[str, dict[str, str]] = {"Options": options}
        for name, (group, summary) in self.commands.items():
            sections.setdefault(group, {})[name] = summary
        lines = [f"Usage: {self.program} [OPTIONS] COMMAND [ARGS]...", "", f"  {self.summary}"]
        for title, rows in sections.items():
            width = max(map(len, rows))
            lines += ["", f"{title}:", *(f"  {name:{width}}  {words}" for name, words in rows.items())]
        return "\n".join([*lines, "", f"Try '{self.program} COMMAND --help' for an example of each."])
