"""Past commits as tickets with known outcomes: their messages, and the source files that they changed."""

import re
from pathlib import Path
from typing import NamedTuple

from pipeline.code_registry.text.git_objects import GitObjects
from pipeline.domain.errors import RepositoryUnreadable
from pipeline.domain.testing_paths import is_test_path

_MOST_COMMITS = 12_000
_LONGEST_BODY = 3000
_SOURCE = re.compile(
    r"\.(?:py|pyi|ts|tsx|js|jsx|mjs|cjs|mts|go|java|kt|scala|groovy|rb|rs|cs|php|vue|svelte|astro|swift|dart|ex|exs|c|cc|cpp"
    r"|h|hpp|lua|html|erb|haml|twig|jinja2?|hbs|tmpl|gohtml|cshtml|razor|sql|scss|css|sh)$"
)
_NOT_PRODUCT = re.compile(
    r"(?:^|/)(?:migrations?|locales?|i18n|node_modules|vendor|dist|docs?|examples?|playground|benches|benchmarks?|\.github)/"
    r"|\.min\.js$",
    re.IGNORECASE,
)
_CHORE = re.compile(
    r"^(?:chore|build|ci|docs?|tests?|style|refactor|bump|release|merge|revert|lint|deps|i18n|update (?:dep|transl)|version"
    r"|translat|typo|format|clean|upgrade|prepare|changelog)",
    re.IGNORECASE,
)
_SYMBOLS = re.compile(r"^(?::\w+:|[^\w\x00-\x7f]|\s)+")
"""Emoji before a subject, as signs or as names: `⬆️ Bump …`, `:arrow_up: Bump …`."""

_PREFIX = re.compile(r"^\w+(?:\([^)]*\))?!?:\s*")
_NUMBER = re.compile(r"\(?(?<!\w)#\d+\)?")
_TRAILER = re.compile(
    r"^\s*(?:co-authored|signed-off|closes?|fixe[sd]|fix|resolves?|reviewed|see|refs?|\(cherry).*$",
    re.IGNORECASE,
)
_MOST_SOURCES, _MOST_PATHS = 4, 10
_FEWEST_LINES, _MOST_LINES = 3, 200
_FEWEST_WORDS = 4


class PastChange(NamedTuple):
    """A commit that reads like a small ticket: its id, what it says, and the source files that it changed."""

    commit: str
    title: str
    body: str
    files: tuple[str, ...]


def past_changes(directory: Path, count: int, *, before: str = "HEAD") -> list[PastChange]:
    """The newest commits up to `before` that fit, the newest first: not merges, one to four source files changed, 3 to 200
    lines, a subject of four words or more, no bumps and no formatting.

    Raises:
        RepositoryUnreadable: git cannot read the repository.
    """
    repository = GitObjects(directory)
    if repository.resolve(before) is None:
        raise RepositoryUnreadable(
            f"There is no commit {before} in the folder {str(directory)!r}.",
            what_to_do="Name a clone with its history: --repository DIR",
        )
    # Names first, lines for the few that fit: in a clone that lacks some contents the other commits still count.
    log = repository.log(
        "--first-parent",
        "-n",
        str(_MOST_COMMITS),
        "--name-only",
        "--format=%x01%H%x02%s%x02%b%x03",
        of=before,
    )
    changes: list[PastChange] = []
    for record in log.split("\x01")[1:]:
        change = _change(record)
        if change is not None and _has_fitting_lines(repository, change):
            changes.append(change)
        if len(changes) == count:
            break
    return changes


def base_of(directory: Path, change: PastChange) -> str | None:
    """The commit before a change, None where it is the first or the clone lacks it."""
    return GitObjects(directory).resolve(f"{change.commit}^")


def _change(record: str) -> PastChange | None:
    head, _, names = record.partition("\x03")
    commit, subject, body = head.split("\x02")[:3]
    subject = _SYMBOLS.sub("", subject)
    if _CHORE.match(subject):
        return None
    paths = [name.strip("\n") for name in names.split("\0") if name.strip("\n")]
    sources = tuple(path for path in paths if is_product_source(path))
    title = _NUMBER.sub("", _PREFIX.sub("", subject)).strip()
    if (
        not 1 <= len(sources) <= _MOST_SOURCES
        or len(paths) > _MOST_PATHS
        or len(title.split()) < _FEWEST_WORDS
    ):
        return None
    text = "\n".join(line for line in body.splitlines() if not _TRAILER.match(line))
    return PastChange(commit, title, text[:_LONGEST_BODY], sources)


def _has_fitting_lines(repository: GitObjects, change: PastChange) -> bool:
    try:
        stat = repository.output(
            "diff-tree", "-r", "--root", "--no-commit-id", "--no-renames", "--numstat", "-z", change.commit
        )
    except RepositoryUnreadable:
        return False
    rows = [row.split("\t") for row in stat.decode("utf-8", "replace").split("\0") if row.count("\t") == 2]
    lines = sum(int(row[0]) + int(row[1]) for row in rows if row[2] in change.files and row[0].isdigit())
    return _FEWEST_LINES <= lines <= _MOST_LINES


def is_product_source(path: str) -> bool:
    """Whether a path is source of the product: no test, no documentation, no migration, nothing vendored."""
    return bool(_SOURCE.search(path)) and not (_NOT_PRODUCT.search(path) or is_test_path(path))
