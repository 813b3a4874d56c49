"""Notes that people write on the issue while a run builds: each is handed to the next round, once, as data.

A note is a comment to askfirst that was written after the run began, by a person with write access. Which round has read
which note is kept in the run directory, so that a run that was ended in a round goes on with the same words.
"""

import json
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pipeline.contract.commands import Wish, read_mention
from pipeline.contract.own_words import own_words
from pipeline.domain.errors import GitHubUnreadable
from pipeline.github_read.reader import GitHubReader
from pipeline.github_read.records import DatedComment
from pipeline.run_inputs.issue_comments import Writers

MOST_NOTES = 5
"""So many notes one round reads, the earliest first; the others wait for the round after it."""

_MOST_PEOPLE = 10


@dataclass(frozen=True)
class Notes:
    """The notes on one issue. `run_id` is the run's on GitHub, None elsewhere; then it began when it was `start_time`.

    `used_comments` are ids of comments that are answers, and `file` remembers what was read.
    """

    reader: GitHubReader
    issue: int
    run_id: int | None
    start_time: datetime
    file: Path
    used_comments: frozenset[int] = frozenset()

    def for_round(self, round_: int) -> tuple[str, ...]:
        """What a round is told. GitHub's silence costs the notes and not the run."""
        read = self._read_before()
        if str(round_) in read:
            return tuple(str(note["text"]) for note in read[str(round_)])
        known_ids = self.used_comments | {note["comment"] for notes in read.values() for note in notes}
        try:
            began = self.start_time if self.run_id is None else self.reader.run_created(self.run_id)
            comments = self.reader.comments_since(self.issue, began)
            new_notes = [
                {"comment": comment.id, "text": f"{comment.author} writes: {words}"}
                for comment, words in self._from_writers(comments, known_ids)
            ]
        except GitHubUnreadable:
            return ()
        read[str(round_)] = new_notes
        self.file.write_text(json.dumps(read), encoding="utf-8")
        return tuple(str(note["text"]) for note in new_notes)

    def _from_writers(
        self, comments: tuple[DatedComment, ...], known_ids: AbstractSet[object]
    ) -> Iterator[tuple[DatedComment, str]]:
        writers = Writers(self.reader.role_of, _MOST_PEOPLE)
        room = MOST_NOTES
        for comment in comments:
            words = _words(comment) if comment.is_person and comment.id not in known_ids else None
            if words is not None and room and comment.author in writers:
                room -= 1
                yield comment, words

    def _read_before(self) -> dict[str, list[dict[str, object]]]:
        return dict(json.loads(self.file.read_text(encoding="utf-8"))) if self.file.exists() else {}


def _words(comment: DatedComment) -> str | None:
    mention = read_mention(own_words(comment.body))
    return mention.words if mention is not None and mention.wish is Wish.NOTE else None
