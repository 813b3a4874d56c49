"""What past commits say of the files of a tree: the words of their messages, which files they changed, which issues they name.

Only names of files are read, never contents: in a clone without blobs nothing is fetched.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from pipeline.code_registry.store import IndexStore
from pipeline.code_registry.text.git_objects import GitObjects
from pipeline.code_registry.text.index import text_version
from pipeline.domain.history import NO_HISTORY, CommitHistory, PastCommit
from pipeline.domain.terms import TermTable, term_counts

COMMITS = 2000
"""How many commits are read by default: as many as the template workflow fetches."""
_MOST_FILES = 30
"""Files of a commit beyond which it says nothing of each of them: a rename, a new format, an import."""
_LONGEST_MESSAGE = 3000
_SHORT_ID = 9
_TRAILER = re.compile(
    r"^(?:[A-Z][\w-]*-by|co-authored-by|change-id|cc|\(cherry picked).*$", re.IGNORECASE | re.MULTILINE
)
_ISSUE = re.compile(r"(?<![\w&])#(\d{1,7})\b")


def read_history(
    directory: Path, commit: str | None, store: IndexStore, *, limit: int = COMMITS
) -> CommitHistory:
    """The history of a commit; without commits or without git an empty one.

    Raises:
        RepositoryUnreadable: git cannot read the repository.
    """
    repository = GitObjects(directory)
    commit_id = repository.resolve(commit or "HEAD") if repository.is_repository() else None
    if commit_id is None:
        return NO_HISTORY
    is_shallow = repository.is_shallow()
    key = f"{text_version()}:{limit}:{is_shallow}:{commit_id}:{repository.prefix()}"
    data = store.load("history", key)
    if data is not None:
        return msgspec.msgpack.decode(data, type=CommitHistory)
    history = _read(repository, commit_id, limit, is_shallow=is_shallow)
    store.save("history", key, msgspec.msgpack.encode(history))
    return history


def _read(repository: GitObjects, commit: str, limit: int, *, is_shallow: bool) -> CommitHistory:
    log = repository.log("--name-status", "-n", str(limit), "--format=%x01%H%x02%B%x03", of=commit)
    table = TermTable()
    names = CurrentNames()
    commits: list[PastCommit] = []
    count = 0
    for record in log.split("\x01")[1:]:
        count += 1
        head, _, changes = record.partition("\x03")
        identity, _, message = head.partition("\x02")
        rows = [field.strip("\n") for field in changes.split("\0") if field.strip("\n")]
        changes_of_commit = [(status[:1], path) for status, path in zip(rows[::2], rows[1::2], strict=False)]
        files = list(names.follow(changes_of_commit))
        if not 0 < len(files) <= _MOST_FILES:
            continue
        text = _TRAILER.sub("", message[:_LONGEST_MESSAGE])
        issues = sorted({int(number) for number in _ISSUE.findall(text)})
        commits.append(PastCommit(identity[:_SHORT_ID], count - 1, term_counts(text, table), files, issues))
    return CommitHistory(commits, count, is_shallow)


class CurrentNames:
    """How a file of the past is called today. A commit that removes one file and adds another of the same name, and no
    second one of it, has moved it; contents are not compared, for that would fetch them.
    """

    def __init__(self) -> None:
        self._today: dict[str, str] = {}

    def follow(self, changes: Sequence[tuple[str, str]]) -> Iterator[str]:
        """Today's names of the files that a commit changed (`A`, `D`, `M` with a path); call it from new to old."""
        yield from dict.fromkeys(self._today.get(path, path) for status, path in changes if status != "D")
        added_paths, removed_paths = (self._by_name(changes, status) for status in ("A", "D"))
        for name, paths in removed_paths.items():
            new = added_paths.get(name, [])
            if len(paths) == len(new) == 1:
                self._today[paths[0]] = self._today.get(new[0], new[0])

    @staticmethod
    def _by_name(changes: Sequence[tuple[str, str]], wanted_status: str) -> dict[str, list[str]]:
        names: dict[str, list[str]] = {}
        for status, path in changes:
            if status == wanted_status:
                names.setdefault(path.rsplit("/", 1)[-1], []).append(path)
        return names
