"""The workflow of a repository: what it should be, and how a new version reaches one that people have changed."""

import difflib
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from pipeline.contract.version import checkout_folder, project_urls
from pipeline.domain.errors import RepositoryUnreadable
from pipeline.git import run_git
from pipeline.run_inputs.issue_source import repository_of_origin

PATH = ".github/workflows/askfirst.yml"

_TEMPLATES = "pipeline/commands/templates"
_REPOSITORY = Path(__file__).parents[2]
_PLACEHOLDER = re.compile(r"OWNER/askfirst((?:/[\w/]+)?)@0{40}")
_REFERENCE = re.compile(r"[\w-]+/[\w.-]+@(?!0{40})[0-9a-f]{40}")
_USES = re.compile(r"(uses: )([\w-]+/[\w.-]+)((?:/github_app/action)?)@((?!0{40})[0-9a-f]{40})")
_TREE = re.compile(r"https://[^/]+/([\w-]+/[\w.-]+)/tree/([0-9a-f]{40})")
_FOR_BUILD = ("# definition: build ", "# contents: write ", "# pull-requests: write ")


class Mode(StrEnum):
    """Who holds the conversation, by the name of the workflow's template: the App, or jobs of the workflow itself."""

    APP = "askfirst.yml"
    NO_APP = "askfirst-without-app.yml"


@dataclass(frozen=True)
class Setup:
    """The settings that decide the text of a workflow. `reference` is `OWNER/REPO@SHA`, one commit of the action."""

    mode: Mode
    reference: str
    build: bool

    def workflow(self, templates: Path = _REPOSITORY / _TEMPLATES) -> str:
        """The workflow, from the templates of this version or of another one."""
        name, _, sha = self.reference.partition("@")
        text = (templates / self.mode).read_text(encoding="utf-8")
        text = _PLACEHOLDER.sub(lambda match: f"{name}{match[1]}@{sha}", text)
        if self.build:
            for line in _FOR_BUILD:
                text = text.replace(line, line.removeprefix("# "))
        return text


@dataclass(frozen=True)
class Update:
    """What a workflow becomes. `edits` counts the lines that people changed; all of them are in `text`, too. If an edit
    and the new version change the same lines, `conflicts` counts the places, and `text` marks them as git does.
    """

    before: str
    text: str
    edits: int = 0
    conflicts: int = 0

    def changes(self) -> Iterator[str]:
        """The lines that go and come, for people."""
        lines = difflib.unified_diff(self.before.splitlines(), self.text.splitlines(), n=0, lineterm="")
        yield from (line for line in lines if not line.startswith(("---", "+++", "@@")))


def is_reference(text: str) -> bool:
    """Whether a text names one commit of an action: `OWNER/REPO@SHA`, 40 digits, and not the template's zeros."""
    return _REFERENCE.fullmatch(text) is not None


def known_reference() -> str | None:
    """The commit of this program's release, or of the checkout it runs from if a branch on GitHub holds it."""
    if release := _TREE.fullmatch(project_urls().get("Source", "")):
        return f"{release[1]}@{release[2]}"
    checkout = checkout_folder()
    repository = repository_of_origin(checkout, os.environ) if checkout is not None else None
    if checkout is None or repository is None:
        return None
    head = run_git(checkout, "rev-parse", "HEAD").stdout.decode().strip()
    branches = run_git(checkout, "branch", "--remotes", "--contains", head).stdout
    return f"{repository}@{head}" if branches.strip() else None


def setup_of(workflow: str) -> Setup | None:
    """How a workflow was set up; None for one that askfirst did not write."""
    pins = [match for match in _USES.finditer(workflow) if not match[2].startswith("actions/")]
    if not pins or "\n        id: askfirst\n" not in workflow:
        return None
    mode = Mode.NO_APP if any(match[3] for match in pins) else Mode.APP
    is_built = re.search(r"^\s+definition: build\b", workflow, re.MULTILINE) is not None
    return Setup(mode, f"{pins[0][2]}@{pins[0][4]}", is_built)


def merge(before: str, old: Setup, new: Setup) -> Update:
    """Merge three versions: what askfirst wrote last, what the file holds now, and what askfirst would write.

    What it wrote last comes from the templates of the pinned commit, which the workflow itself names. The pin is replaced
    first: a step that somebody put before it would else be a conflict.

    Raises:
        RepositoryUnreadable: the templates of the pinned commit cannot be fetched.
    """
    name, _, sha = new.reference.partition("@")
    ours = replace(old, reference=new.reference)
    with tempfile.TemporaryDirectory(prefix="askfirst-init-") as folder:
        is_same = old.reference == new.reference
        base = ours.workflow() if is_same else ours.workflow(_fetched_templates(Path(folder), old.reference))
        current = _USES.sub(
            lambda match: (
                match[0] if match[2].startswith("actions/") else f"{match[1]}{name}{match[3]}@{sha}"
            ),
            before,
        )
        edits = sum(line[0] in "+-" for line in Update(base, current).changes())
        for label, text in (("yours", current), ("before", base), ("askfirst", new.workflow())):
            (Path(folder) / label).write_text(text, encoding="utf-8", newline="")
        result = run_git(Path(folder), "merge-file", "-p", "yours", "before", "askfirst")
    if result.returncode not in range(128):
        raise RepositoryUnreadable(f"git could not merge {PATH}.", why=result.stderr.decode().strip())
    return Update(before, result.stdout.decode(), edits, result.returncode)


def _fetched_templates(folder: Path, reference: str) -> Path:
    name, _, sha = reference.partition("@")
    run_git(folder, "init", "--quiet", "--bare", ".")
    fetch = run_git(folder, "fetch", "--quiet", "--depth=1", f"https://github.com/{name}", sha)
    for mode in Mode:
        file = run_git(folder, "show", f"{sha}:{_TEMPLATES}/{mode}")
        if file.returncode != 0:
            raise RepositoryUnreadable(
                f"{PATH} is pinned to {reference}, whose templates cannot be read.",
                why=(fetch.stderr or file.stderr).decode("utf-8", "replace").strip(),
                what_to_do=f"See why: git fetch https://github.com/{name} {sha}\n"
                f"Or start again, and put your changes back by hand: git rm {PATH} && askfirst init",
            )
        (folder / mode).write_bytes(file.stdout)
    return folder
