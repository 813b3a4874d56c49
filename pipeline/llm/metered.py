"""A model that notes in a ledger what each reply used, also one that failed and was paid for."""

from pipeline.llm.failures import ModelFailed
from pipeline.llm.port import Model, Origin, Reply, Request
from pipeline.llm.usage import Ledger, Usage


class MeteredModel:
    """Another model with a ledger beside it."""

    def __init__(self, model: Model, ledger: Ledger) -> None:
        self._model = model
        self._ledger = ledger

    @property
    def origin(self) -> Origin:
        """Where the other model's replies come from."""
        return self._model.origin

    def reply(self, request: Request) -> Reply:
        """The other model's reply, noted.

        Raises:
            ModelFailed: there is no whole reply; what was paid for it is noted all the same.
        """
        try:
            reply = self._model.reply(request)
        except ModelFailed as failure:
            self._note(request, failure.usage)
            raise
        self._note(request, reply.usage)
        return reply

    def _note(self, request: Request, usage: Usage) -> None:
        self._ledger.add(request.purpose, request.model, usage, free=self.origin is not Origin.MODEL)
