"""The files that a repository needs, as text: the workflow, pinned to one commit of the action, and the configuration."""

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pipeline.settings.repository_settings import CONFIGURATION, SETTINGS_FOLDER

WORKFLOW_PATH = ".github/workflows/askfirst.yml"
CONFIGURATION_PATH = (SETTINGS_FOLDER / CONFIGURATION).as_posix()

_TEMPLATES = Path(__file__).parents[1] / "commands" / "templates"
_RELEASE_REFERENCE = _TEMPLATES / "action-reference.txt"
"""Written by the release into the wheel: `OWNER/REPO@SHA` of the release's own commit. A checkout has no such file."""

_PLACEHOLDER = re.compile(r"OWNER/askfirst((?:/[\w/]+)?)@0{40}")
_REFERENCE = re.compile(r"[\w-]+/[\w.-]+@(?!0{40})[0-9a-f]{40}")
_USES_LINE = re.compile(r"uses: ([\w-]+/[\w.-]+)(?:/github_app/action)?@(?!0{40})([0-9a-f]{40})")
_OURS = re.compile(r"\n        id: askfirst\n")
_FOR_BUILD = ("# definition: build ", "# contents: write ", "# pull-requests: write ")


class Mode(StrEnum):
    """Who holds the conversation: the App, or jobs of the workflow itself."""

    APP = "app"
    NO_APP = "no-app"


@dataclass(frozen=True)
class WantedFile:
    """A file as it should be. `is_theirs`: once it is there, what stands in it is the repository's own affair."""

    path: str
    text: str
    is_theirs: bool = False


def is_reference(text: str) -> bool:
    """Whether a text names one commit of an action: `OWNER/REPO@SHA`, 40 digits, and not the template's zeros."""
    return _REFERENCE.fullmatch(text) is not None


def released_reference() -> str | None:
    """The commit of the release that this program came with; None in a checkout."""
    try:
        text = _RELEASE_REFERENCE.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None
    return text if is_reference(text) else None


def used_reference(workflow: str) -> str | None:
    """The reference that a workflow of ours is pinned to."""
    if _OURS.search(workflow) is None:
        return None
    for match in _USES_LINE.finditer(workflow):
        if not match[1].startswith("actions/"):
            return f"{match[1]}@{match[2]}"
    return None


def mode_of(workflow: str) -> Mode:
    """How a workflow of ours works."""
    return Mode.NO_APP if "/github_app/action@" in workflow else Mode.APP


def builds(workflow: str) -> bool:
    """Whether a workflow of ours goes on to a pull request."""
    return re.search(r"^\s+definition: build\b", workflow, re.MULTILINE) is not None


def wanted_files(
    mode: Mode, reference: str, *, build: bool, test_command: str | None
) -> tuple[WantedFile, ...]:
    """What the repository should hold. `reference` is `OWNER/REPO@SHA`; `test_command` is what was found, if anything."""
    name, _, sha = reference.partition("@")
    template = "askfirst.yml" if mode is Mode.APP else "askfirst-without-app.yml"
    text = (_TEMPLATES / template).read_text(encoding="utf-8")
    text = _PLACEHOLDER.sub(lambda match: f"{name}{match[1]}@{sha}", text)
    if build:
        for line in _FOR_BUILD:
            text = text.replace(line, line.removeprefix("# "))
    return (
        WantedFile(WORKFLOW_PATH, text),
        WantedFile(CONFIGURATION_PATH, _configuration(name, sha, test_command), is_theirs=True),
    )


def _configuration(name: str, sha: str, test_command: str | None) -> str:
    schema = f"https://raw.githubusercontent.com/{name}/{sha}/pipeline/settings/schemas/config.schema.json"
    return (
        f"# yaml-language-server: $schema={schema}\n"
        "# What askfirst knows of this repository; every key may be left out. `askfirst plan` checks it.\n"
        f"# Found at each run; a command here is the only one tried.\n# test_command: {test_command or 'pytest -q'}\n"
    )
