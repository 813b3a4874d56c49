"""The stage's declaration. Rules read every issue; a model, where there is one, adds what it can quote."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline.domain.issue import IssueDocument
from pipeline.reading.document import read_issue
from pipeline.reading.templates import TemplateFile, parse_templates
from pipeline.stages.preconditions import Cleared
from pipeline.stages.snapshot.stage import Snapshot
from pipeline.stages.stage import RunInput, StageKind, StageValue

if TYPE_CHECKING:
    from pipeline.llm.port import Model


class ReadingInput(StageValue):
    """The ticket, once it may be worked on."""

    snapshot: Snapshot
    preconditions: Cleared


KIND = StageKind(
    name="reading",
    input=ReadingInput,
    output=IssueDocument,
    version="1",
    reads=frozenset({RunInput.MODEL, RunInput.TREE}),
)


def read_ticket(
    needed: ReadingInput, template_files: Sequence[TemplateFile], model: "tuple[Model, str] | None" = None
) -> IssueDocument:
    """The issue as a document. `template_files` are the repository's issue templates; `model` is a model and its name.

    A model that gives no usable reply on this ticket is no reason to end: the document is read by rules then, and says why.

    Raises:
        ModelRequestRejected: the provider does not accept the key, the model's name or the account; that is a mistake
            in the set-up, and would be the same for every ticket.
        RepliesUnusable: the file of replies was made for other questions.
    """
    ticket = needed.snapshot.ticket
    parsed = parse_templates(template_files)
    document = read_issue(ticket, parsed.templates, ticket.labels)
    document = document.model_copy(update={"notes": (*document.notes, *parsed.notes)})
    if model is None:
        return document
    from pipeline.llm.failures import ModelFailed, ModelRequestRejected, RepliesUnusable
    from pipeline.stages.reading.by_model import read_with_model

    try:
        return read_with_model(*model, ticket, document)
    except (ModelRequestRejected, RepliesUnusable):
        raise
    except ModelFailed as failure:
        return document.model_copy(update={"model_failure": f"{failure.kind}: {failure.message}"})
