"""Check a change before it leaves the worktree, and again before it becomes a commit. Pure: both programs use it.

What is checked is data that a model wrote and that code of the repository could have altered, so nothing is taken for
granted that the shape of `Change` does not already enforce (plain paths, git's two modes, unique names).
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from pipeline.contract.change import Change, FileChange

MAX_FILE_BYTES = 1 << 20
MAX_BYTES = 10 << 20
MAX_FILES = 300
"""The largest change: bytes of one file, bytes of all, number of files."""

_LONGEST_PATH = 1_000
_LONGEST_NAME = 255


class ChangeVerdict(StrEnum):
    """What a problem means: the change is refused, or somebody with write access must approve it."""

    REFUSE = "refused"
    CONFIRM = "confirm"


@dataclass(frozen=True)
class ChangeProblem:
    """One thing that stands against a change. `path` is None where it is the whole of it; `why` is a sentence."""

    verdict: ChangeVerdict
    path: str | None
    why: str


_REFUSED_PATHS = {
    r"(?:.*/)?\.github/workflows/.*": "workflows decide what runs with the repository's secrets, and are changed by people",
}
"""Paths that no change may touch, deletions included. All are compared without regard to case."""

_CONFIRM = {
    r"(?:.*/)?\.github/.*": "it configures GitHub or askfirst itself",
    r"(?:.*/)?action\.ya?ml": "it says what an action runs",
    r"(?:.*/)?codeowners": "it says who must review",
    r"(?:.*/)?(?:\.gitlab-ci\.yml|\.circleci/.*|jenkinsfile|azure-pipelines\.yml|\.travis\.yml"
    r"|bitbucket-pipelines\.yml|\.buildkite/.*|\.drone\.yml|cloudbuild\.yaml|appveyor\.yml"
    r"|\.(?:gitlab|forgejo|gitea|woodpecker|semaphore|builds|teamcity|tekton)/.*|\.woodpecker\.y[^/]*ml|\.cirrus\.[^/]*"
    r"|\.build\.yml|buildspec\.y[^/]*ml|netlify\.toml|vercel\.json)": (
        "it runs on a build machine with that machine's secrets"
    ),
    r"(?:.*/)?(?:(?:\.husky|\.githooks|\.git-hooks)/.*|hooks/(?:(?:pre|post)-[^/]*|(?:prepare-)?commit-msg)"
    r"|\.pre-commit-(?:config|hooks)\.y[^/]*ml|\.?lefthook\.y[^/]*ml|\.simple-git-hooks\.json|\.overcommit\.yml"
    r"|(?:\.vscode|\.idea|\.devcontainer)/.*)": "it runs on the machines of all who work here",
    r"(?:.*/)?(?:(?:claude|agents)(?:\.[^/]*)?\.md|(?:agent|gemini|qwen|crush|warp)\.md|\.mcp\.json"
    r"|\.(?:claude|codex|gemini|cursor|agents|amazonq|augment|clinerules|continue|factory|junie|kilocode|kiro|opencode"
    r"|openhands|qwen|roo|trae|windsurf|zed)/.*|\.(?:cursorrules|windsurfrules|clinerules|roorules|roomodes|rules)"
    r"|\.aider\.conf\.yml|\.augment-guidelines|\.goosehints|opencode\.json[^/]*)": (
        "it tells coding agents what to do from then on"
    ),
    r"(?:.*/)?(?:\.gitmodules|\.gitattributes)": "it tells git where code comes from, or what to run on it",
    r"(?:.*/)?(?:[^/]*\.lockb?|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|packages\.lock\.json"
    r"|gradle\.lockfile|package\.resolved|go\.(?:work\.)?sum)": "a lock file says which foreign code is installed",
    r"(?:.*/)?(?:\.npmrc|\.yarnrc(?:\.yml)?|bunfig\.toml|pip\.conf|uv\.toml|\.cargo/config\.toml|nuget\.config|pnpm-workspace\.yaml"
    r"|(?:gradle|maven)-wrapper\.properties)": "it says where foreign code is fetched from",
    r"(?:.*/)?(?:setup\.py|build\.rs|binding\.gyp|extconf\.rb|\.cargo/config|\.yarn/(?:releases|plugins)/.*"
    r"|\.pnp\.(?:cjs|js|loader\.mjs)|(?:site|user)customize\.py|[^/]*\.pth|hatch_build\.py|\.pnpmfile\.[^/]*|gemfile|gems\.rb"
    r"|[^/]*\.(?:gemspec|gradle|gradle\.kts)|(?:gradlew|mvnw)[^/]*|(?:gradle|maven)-wrapper\.jar|\.mvn/.*|mix\.exs)": (
        "it runs as soon as somebody installs or builds"
    ),
    r"(?:.*/)?(?:con|prn|aux|nul)(?:\.[^/]*)?": "on Windows the name is a device, and no file",
    r"(?:.*/)?(?:migrations?|migrate|alembic/versions)/.*": "a migration changes data that no revert brings back",
}
"""Paths whose change somebody must approve, and why: all that the shipped gate asks about, because what an agent's
tests write passes no gate, and the publisher of a change must check it against the same list."""


def check_change(change: Change) -> tuple[ChangeProblem, ...]:
    """Everything that stands against a change, first what is wrong with the whole, then by its files in their order."""
    return (
        *_problems_of_the_whole(change),
        *(problem for file in change.files for problem in _problems_of(file)),
    )


def _refusal(path: str | None, why: str) -> ChangeProblem:
    return ChangeProblem(ChangeVerdict.REFUSE, path, why)


def _problems_of_the_whole(change: Change) -> Iterator[ChangeProblem]:
    if not change.files:
        yield _refusal(None, "it changes nothing")
    if len(change.files) > MAX_FILES:
        yield _refusal(None, f"it changes {len(change.files)} files; at most {MAX_FILES} are allowed")
    size = sum(len(file.content or b"") for file in change.files)
    if size > MAX_BYTES:
        yield _refusal(None, f"it holds {size} bytes; at most {MAX_BYTES} are allowed")
    if change.run.commit != change.base_commit:
        yield _refusal(
            None, f"it is made against {change.base_commit}, and its run was about {change.run.commit}"
        )
    paths_by_folded_name = {_fold(file.path): file.path for file in change.files if file.content is not None}
    if len(paths_by_folded_name) < sum(file.content is not None for file in change.files):
        yield _refusal(None, "two of its paths differ only in the case or the form of their letters")
    for file in change.files:
        folders = _fold(file.path).split("/")[:-1]
        above = next(
            (
                paths_by_folded_name[f]
                for n in range(len(folders))
                if (f := "/".join(folders[: n + 1])) in paths_by_folded_name
            ),
            None,
        )
        if above is not None and file.content is not None:
            yield _refusal(file.path, f"it makes {above} a file and a folder at the same time")


def _problems_of(file: FileChange) -> Iterator[ChangeProblem]:
    yield from (_refusal(file.path, why) for why in _faults_of_name(file.path))
    if file.content is not None and len(file.content) > MAX_FILE_BYTES:
        yield _refusal(file.path, f"it holds {len(file.content)} bytes; at most {MAX_FILE_BYTES} are allowed")
    path = _fold(file.path)
    for pattern, why in _REFUSED_PATHS.items():
        if re.fullmatch(pattern, path, re.DOTALL):
            yield _refusal(file.path, why)
            return
    for pattern, why in _CONFIRM.items():
        if re.fullmatch(pattern, path, re.DOTALL):
            yield ChangeProblem(ChangeVerdict.CONFIRM, file.path, why)
            return


def _faults_of_name(path: str) -> Iterator[str]:
    """The mistake in a path that `FileChange` takes for a plain one."""
    names = path.split("/")
    if len(path) > _LONGEST_PATH or any(
        len(name.encode("utf-8", "replace")) > _LONGEST_NAME for name in names
    ):
        yield "the path is too long"
    if any(unicodedata.category(sign) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"} for sign in path):
        yield "the path holds characters that cannot be seen"
    if any(name != name.rstrip(" .") or name != name.lstrip(" ") for name in names):
        yield "a name in the path begins or ends with a blank, or ends with a dot, which some systems drop"
    if any(_fold(name).rstrip(" .") in {".git", "git~1"} for name in names) or ":" in path:
        yield "some file systems would read the path as another one"


def _fold(path: str) -> str:
    """The path as the most careless file system reads it: no case, one form of letters, nothing invisible."""
    visible_path = "".join(sign for sign in path if unicodedata.category(sign) != "Cf")
    return unicodedata.normalize("NFKC", visible_path).casefold()
