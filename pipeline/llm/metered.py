"""A model that notes in a ledger what each reply used, also one that failed and was paid for, and tells how replies go on."""

from collections.abc import Callable
from dataclasses import dataclass

from pipeline.llm.failures import ModelFailed
from pipeline.llm.port import Model, ModelBehind, ModelReply, Origin, Request
from pipeline.llm.usage import Ledger, ModelSpend, Usage, dollars


@dataclass(frozen=True)
class ReplyProgress:
    """How far a reply is, in numbers: no word of it is in here.

    `turn` counts from 1. `output_tokens` is in tokens, about right while the reply arrives and exact when it is `over`, because
    it is whole or cannot be had. `dollars` is what its stage has cost with it, None where a price is unknown.
    """

    purpose: str
    turn: int
    output_tokens: int
    dollars: float | None
    over: bool = False


OnProgress = Callable[[ReplyProgress], None]
"""Is told how replies go on, from several threads."""


def while_arriving(ledger: Ledger, on_progress: OnProgress) -> Callable[[Request, Usage], None]:
    """What a client that hears replies arrive is to be given, so that somebody is told what they cost so far."""

    def arriving(request: Request, usage: Usage) -> None:
        before = ledger.spend_of(request.purpose) or ModelSpend()
        cost = dollars(ledger.prices, request.model, usage)
        on_progress(_progress(request, usage, before.plus(usage, cost)))

    return arriving


class MeteredModel(ModelBehind):
    """Another model with a ledger."""

    def __init__(self, model: Model, ledger: Ledger, on_progress: OnProgress = lambda _: None) -> None:
        super().__init__(model)
        self._ledger = ledger
        self._told = on_progress

    def reply(self, request: Request) -> ModelReply:
        """The other model's reply, noted.

        Raises:
            ModelFailed: there is no whole reply; its cost is noted all the same.
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
        self._told(_progress(request, usage, self._ledger.spend_of(request.purpose), over=True))


def _progress(
    request: Request, usage: Usage, spend: ModelSpend | None, *, over: bool = False
) -> ReplyProgress:
    dollars_so_far = None if spend is None else spend.dollars
    return ReplyProgress(request.purpose, request.turn_number + 1, usage.output_tokens, dollars_so_far, over)
