"""Read the input `revise`, and fetch the words that only their id and digest came with."""

import hashlib
import re

from pydantic import ValidationError

from pipeline.contract.identity import review_sha256
from pipeline.contract.revision import Revision
from pipeline.domain.errors import RevisionRefused
from pipeline.domain.wanted_changes import Remark, WantedChanges
from pipeline.github_read.reader import GitHubReader, Review
from pipeline.reading.hidden_text import remove_hidden

_MAX_TEXT = 8_000
_MAX_REMARKS = 50
_COMMAND = re.compile(r"^[ ]{0,3}/(?:askfirst[ \t]+)?revise\b[:,]?[ \t]*", re.IGNORECASE | re.MULTILINE)


def read_wanted_changes(revise: str, reader: GitHubReader) -> WantedChanges:
    """What is wanted, its words fetched and compared with the digest that the App accepted.

    Raises:
        RevisionRefused: the input has another shape, or the words were changed or taken back since.
        GitHubRefused: they cannot be fetched.
    """
    try:
        revision = Revision.model_validate_json(revise)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the input"
        raise RevisionRefused(
            "The input `revise` does not say what to change.",
            why=f"{where}: {first['msg']}",
            what_to_do="Leave it to the App: request changes in a review, or comment /revise and what shall be different.",
        ) from error
    asked = revision.asked
    if asked.review_id is not None:
        review = reader.review(revision.pull_request, asked.review_id)
        _refuse_if_changed(_sha256_of(review), asked.text_sha256, f"Review {asked.review_id}")
        _refuse_if_dismissed(review, asked.review_id)
        text = _seen(review.body)
        remarks = tuple(
            Remark(path=one.path, line=one.line, text=_seen(one.body)[:_MAX_TEXT]) for one in review.remarks
        )
    else:
        text = reader.comment(asked.comment_id or 0).body
        digest = hashlib.sha256(text.encode()).hexdigest()
        _refuse_if_changed(digest, asked.text_sha256, f"Comment {asked.comment_id}")
        text, remarks = _COMMAND.sub("", _seen(text)), ()
    return WantedChanges(
        pull_request=revision.pull_request,
        base_commit=revision.base_commit,
        asked_by=asked.asked_by,
        text=text.strip()[:_MAX_TEXT],
        remarks=remarks[:_MAX_REMARKS],
    )


def _seen(text: str) -> str:
    """What people read of it: nobody answers for words that only an agent would find."""
    return remove_hidden(text)[0]


def _sha256_of(review: Review) -> str:
    return review_sha256(review.body, ((one.id, one.path, one.body) for one in review.remarks))


def _refuse_if_dismissed(review: Review, review_id: int) -> None:
    if review.is_dismissed:
        raise RevisionRefused(
            f"Review {review_id} was dismissed after it was accepted.",
            why="Whoever dismissed it has taken back what it asks for.",
            what_to_do="If it shall be done all the same, comment /revise and what shall be different.",
        )


def _refuse_if_changed(now: str, expected: str, what: str) -> None:
    if now != expected:
        raise RevisionRefused(
            f"{what} was changed after it was accepted.",
            why="Its SHA-256 differs from the one in the run's inputs.",
            what_to_do="Ask again: request changes in a new review, or comment /revise and what shall be different.",
        )
