"""The stage's declaration. A model fills the schema where there is one, else the lexical reader, and the intent says which."""

from typing import TYPE_CHECKING

from pipeline.domain.intent import Intent
from pipeline.stages.intent.lexical import read_lexically
from pipeline.stages.preconditions import Cleared
from pipeline.stages.snapshot.stage import Snapshot
from pipeline.stages.stage import RunInput, StageKind, StageValue

if TYPE_CHECKING:
    from pipeline.llm.port import Model


class IntentInput(StageValue):
    """The ticket, once it may be worked on."""

    snapshot: Snapshot
    preconditions: Cleared


KIND = StageKind(
    name="intent", input=IntentInput, output=Intent, version="5", reads=frozenset({RunInput.MODEL})
)


def read_intent(needed: IntentInput, asked: "tuple[Model, str] | None" = None) -> Intent:
    """What the ticket asks for: read by the model (and its name), or by rule where there is none.

    A model that gives no usable reply on this ticket is no reason to end: the ticket is read by rule, and the intent
    says why.

    Raises:
        ModelRequestRejected: the provider does not accept the key, the model's name or the account; that is a mistake
            in the set-up, and would be the same for every ticket.
        RepliesUnusable: the file of replies was made for other questions.
    """
    ticket = needed.snapshot.ticket
    by_rule = read_lexically(ticket.title, ticket.body)
    if asked is None:
        return by_rule
    from pipeline.llm.failures import ModelFailed, ModelRequestRejected, RepliesUnusable
    from pipeline.stages.intent.by_model import read_with_model

    try:
        return read_with_model(*asked, by_rule)
    except (ModelRequestRejected, RepliesUnusable):
        raise
    except ModelFailed as failure:
        return by_rule.model_copy(update={"by_rule_because": f"{failure.kind}: {failure.message}"})
