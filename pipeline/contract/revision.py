"""`revise`: the input by which a run is told to change a pull request again. Ids and hashes; the run fetches the text."""

from typing import Literal, Self

from pydantic import model_validator

from pipeline.contract.wire import CommitSha, NonEmpty, Sha256, WireModel


class ChangesAsked(WireModel):
    """Where somebody said what shall be different: a review with its remarks, or a comment on the pull request.

    `text_sha256` is `identity.review_sha256` of a review, and SHA-256 of the UTF-8 body of a comment.
    """

    review_id: int | None = None
    comment_id: int | None = None
    text_sha256: Sha256
    asked_by: NonEmpty

    @model_validator(mode="after")
    def _stands_in_one_place(self) -> Self:
        if (self.review_id is None) == (self.comment_id is None):
            raise ValueError("what was asked stands in exactly one of `review_id` and `comment_id`")
        return self


class Revision(WireModel):
    """One more round of a pull request. The input `commit` of the run is then the head of the pull request.

    `base_commit` is the commit of the default branch from which the first change was made: configuration, agents and
    rules are read there and never from `commit`, which holds what a model wrote.
    """

    version: Literal[1] = 1
    pull_request: int
    base_commit: CommitSha
    asked: ChangesAsked
