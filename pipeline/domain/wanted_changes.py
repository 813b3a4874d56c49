"""What somebody wants to have changed on a pull request that an earlier run has made: their words, never instructions."""

from pydantic import BaseModel, ConfigDict

from pipeline.contract.wire import CommitSha


class Remark(BaseModel):
    """A reviewer's comment on one place of the change. `line` is None where GitHub no longer knows it."""

    model_config = ConfigDict(frozen=True)

    path: str
    line: int | None
    text: str


class WantedChanges(BaseModel):
    """One review, or one comment, that asks for another change.

    `base_commit` is the commit that the pull request was made from: the ticket, the configuration and the rules are read
    there, and nothing but the files to change is taken from the head of the pull request.
    """

    model_config = ConfigDict(frozen=True)

    pull_request: int
    base_commit: CommitSha
    asked_by: str
    text: str
    remarks: tuple[Remark, ...] = ()

    @property
    def in_words(self) -> str:
        """All of it as one text, each remark with its place."""
        places = [
            f"{one.path}{'' if one.line is None else f':{one.line}'}: {one.text.strip()}"
            for one in self.remarks
        ]
        return "\n\n".join(part for part in (self.text.strip(), *places) if part)
