"""The ticket as it came in: an issue's text at the moment it was labelled, and who labelled it."""

from typing import Self

from pipeline.contract.wire import Sha256, ticket_sha256
from pipeline.domain.models import FrozenModel


class IssueComment(FrozenModel):
    """A comment that belongs to a ticket: by its author, or by somebody with write access, from before the label.

    Attributes:
        id: GitHub's.
        author: login.
        sha256: of the text in UTF-8, as it was when the ticket was taken.
        body: the text.
    """

    id: int
    author: str
    sha256: Sha256
    body: str


class IncomingTicket(FrozenModel):
    """An issue's text. `number` and `repository` are None for a ticket that comes from a file.

    `comments` are those that belong to the ticket, the oldest first; `labels` those of the issue; `notes` say which comments
    were left out and why. None of these is in the hash, which is of title and body alone.
    """

    title: str
    body: str
    number: int | None = None
    repository: str | None = None
    author: str | None = None
    labelled_by: str | None = None
    labels: tuple[str, ...] = ()
    comments: tuple[IssueComment, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def sha256(self) -> Sha256:
        """Hash of title and body."""
        return ticket_sha256(self.title, self.body)

    @property
    def prose(self) -> str:
        """Title and body as one text, the title first."""
        return f"{self.title}\n\n{self.body}"

    @property
    def as_markdown(self) -> str:
        """The text that `from_markdown` reads as this title and body."""
        return f"# {self.title}\n\n{self.body}\n"

    @classmethod
    def from_markdown(cls, text: str) -> Self:
        """A ticket from Markdown whose first line `# …` is the title.

        Raises:
            ValueError: the text has no such first line.
        """
        first, _, rest = text.lstrip("\ufeff\n\r ").partition("\n")
        if not first.startswith("# ") or not first[2:].strip():
            raise ValueError("the first line is not a title")
        return cls(title=first[2:].strip(), body=rest.strip("\r\n"))
