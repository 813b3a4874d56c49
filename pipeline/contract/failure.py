"""`failure.json`: why a run ended with exit code 1, in words for the person who has to act."""

from typing import Literal

from pipeline.contract.wire import NonEmpty, RunIdentity, WireModel


class Failure(WireModel):
    """What happened, why, and what to do.

    `kind` is the name of the error, such as `PreconditionFailed`. `run` is null when the run failed before it knew
    its repository or its ticket.
    """

    version: Literal[1] = 1
    kind: NonEmpty
    stage: str | None
    message: NonEmpty
    why: str
    what_to_do: str
    run: RunIdentity | None
