"""Errors: a run that cannot go on and has nothing to ask (exit code 1). Stops, which ask, are the other tree."""


class PipelineError(Exception):
    """Something that ends a run with `failure.json`.

    The class docstring is the kind of thing that went wrong; each raise says what happened, why, and what to do.
    """

    def __init__(self, message: str, *, why: str = "", what_to_do: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.why = why
        self.what_to_do = what_to_do

    @property
    def kind(self) -> str:
        """Name for `failure.json`, such as `PreconditionFailed`."""
        return type(self).__name__

    def __str__(self) -> str:
        return "\n".join(line for line in (self.message, self.why, self.what_to_do) if line)


def unlabelled(text: str) -> str:
    """Words of ours on what to do, for a run that no label of an issue has started."""
    return text.replace("set the label again", "run it again")


class PreconditionFailed(PipelineError):
    """The repository or the ticket is not in a state in which work may start."""


class NothingToBuild(PipelineError):
    """A person has said that nothing is to be built. The run ends with a ticket that is not ready, and not with a failure."""


class RepositoryUnreadable(PipelineError):
    """The directory is missing, not readable, or not what it claims to be."""


class ParserUnavailable(PipelineError):
    """The process in which sources are parsed does not start."""


class TicketUnreadable(PipelineError):
    """The issue, the event or the file does not hold a ticket."""


class AnswersInvalid(PipelineError):
    """The answers do not have the shape of answers.json, or answer something else."""


class DefinitionInvalid(PipelineError):
    """The pipeline definition has mistakes; all of them are listed."""


class StageFailed(PipelineError):
    """A stage ended with an error after all its attempts."""


class StageTimedOut(PipelineError):
    """A stage took longer than its definition allows."""


class MemoRefused(PipelineError):
    """Stored results that may not be used: another digest, another run, or not readable."""


class GitHubUnreadable(PipelineError):
    """GitHub answered with an error, or not at all."""


class RevisionRefused(PipelineError):
    """A change request for a pull request cannot be used: its words were edited, or they are unknown."""


class RoundsSpent(PipelineError):
    """The conversation has had as many questions as it may have."""


class RunDirectoryUnusable(PipelineError):
    """The run directory cannot be written, or holds another run."""


class RunDirectoryRefused(RunDirectoryUnusable):
    """No run can begin in the directory that was named: nothing was done, and no document can say so."""


class WorkspaceUnusable(PipelineError):
    """The folder for a worktree cannot be made, written or found again."""


class ChangeRefused(PipelineError):
    """What was changed in the worktree may not leave it; all reasons are listed."""


class AgentGaveUp(PipelineError):
    """An agent says that what it was given cannot be done."""
