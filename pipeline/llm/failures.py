"""Every way in which a question to a language model ends without a whole reply. All end a run with exit code 1."""

from pipeline.domain.errors import PipelineError
from pipeline.llm.usage import Usage

RESUME = "What was done before is kept: --resume DIR"


class ModelFailed(PipelineError):
    """A language model gave no whole reply. `usage` is what was paid nevertheless, as far as anybody said.

    `status` is that of HTTP where the provider sent an error, else 0.
    """

    def __init__(
        self,
        message: str,
        *,
        why: str = "",
        what_to_do: str = "",
        usage: Usage | None = None,
        status: int = 0,
    ) -> None:
        super().__init__(message, why=why, what_to_do=what_to_do)
        self.usage = usage or Usage()
        self.status = status


class NoUsableReply(ModelFailed):
    """The question was put, and nothing came of it. A stage that can do without the reply notes it and goes on.

    What else fails is a mistake in the set-up, the same for every ticket: it ends the run.
    """

    @property
    def in_words(self) -> str:
        """What happened and why, on one line, for a note or an assumption."""
        why = f" ({self.why[:200]})" if self.why else ""
        return " ".join(f"{self.message}{why}".split())


class ModelRefused(NoUsableReply):
    """The model declines to answer. Asking the same again is no remedy."""


class ModelOverloaded(NoUsableReply):
    """The provider has no capacity (HTTP 529 and other 5xx), after all attempts."""


class ModelRateLimited(NoUsableReply):
    """The account asks more often than it may (HTTP 429), after all attempts."""


class ModelUnreachable(NoUsableReply):
    """No connection, or no answer in time, after all attempts."""


class ModelRequestRejected(ModelFailed):
    """The provider does not accept the request: a wrong key, an unknown model, no credit, a malformed question."""


class ModelKeyMissing(ModelRequestRejected):
    """There is no key, and no user is signed in. The provider would refuse a request, so none is sent."""


class ReplyCut(NoUsableReply):
    """The reply broke off: the stream ended early, or it grew longer than allowed."""


class ReplyMalformed(NoUsableReply):
    """The reply came, and is not what it must be."""


class RepliesUnusable(ModelFailed):
    """A file of recorded or scripted replies is missing, damaged, or was made for other questions."""
