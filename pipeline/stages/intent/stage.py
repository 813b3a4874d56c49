"""The stage's declaration. Without a model the lexical reader fills the schema, and the intent says so."""

from pipeline.domain.intent import Intent
from pipeline.stages.intent.lexical import read_lexically
from pipeline.stages.preconditions import Cleared
from pipeline.stages.snapshot.stage import Snapshot
from pipeline.stages.stage import StageKind, StageValue


class IntentInput(StageValue):
    """The ticket, once it may be worked on."""

    snapshot: Snapshot
    preconditions: Cleared


KIND = StageKind(name="intent", input=IntentInput, output=Intent, version="4")


def read_intent(needed: IntentInput) -> Intent:
    """What the ticket asks for, read by rule."""
    return read_lexically(needed.snapshot.ticket.title, needed.snapshot.ticket.body)
