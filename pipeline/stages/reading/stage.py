"""The stage's declaration. Rules read every issue; a model, where there is one, adds what it can quote."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pipeline.domain.issue import IssueDocument
from pipeline.reading.document import read_issue
from pipeline.reading.templates import TemplateFile, parse_templates
from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.preconditions import PreconditionsMet
from pipeline.stages.reading.template_files import read_template_files
from pipeline.stages.snapshot import Snapshot
from pipeline.stages.stage import StageKind, StageValue

if TYPE_CHECKING:
    from pipeline.llm.port import Model


class ReadingInput(StageValue):
    """The ticket, once it may be worked on."""

    snapshot: Snapshot
    preconditions: PreconditionsMet


def _run(inputs: ReadingInput, context: StageContext) -> IssueDocument:
    document = read_ticket(inputs, read_template_files(context.root), context.model)
    for text in _notes_of(document):
        context.note(text)
    return document


def _notes_of(document: IssueDocument) -> Iterator[str]:
    """What of the issue, or of a model's reading, does not count."""
    if document.hidden_pieces:
        pieces = (
            "1 hidden piece" if document.hidden_pieces == 1 else f"{document.hidden_pieces} hidden pieces"
        )
        yield f"Left out of the issue: {pieces}."
    if document.model_failure is not None:
        yield f"No model read the issue, so rules did: {document.model_failure}"
    yield from document.notes
    yield from (f"Dropped: {line}" for line in document.discarded)


KIND = StageKind(
    name="reading",
    input=ReadingInput,
    output=IssueDocument,
    run=_run,
    reads=frozenset({RunInput.MODEL, RunInput.TREE}),
    finds_ticket=True,
)


def read_ticket(
    inputs: ReadingInput, template_files: Sequence[TemplateFile], model: "tuple[Model, str] | None" = None
) -> IssueDocument:
    """The issue as a document. `template_files` are the repository's issue templates; `model` is a model and its name.

    A model that gives no usable reply on this ticket is no reason to end: the document is read by rules then, and says why.

    Raises:
        ModelRequestRejected: the provider does not accept the key, the model's name or the account; that is a mistake
            in the set-up, and would be the same for every ticket.
        RepliesUnusable: the file of replies was made for other questions.
    """
    ticket = inputs.snapshot.ticket
    templates_read = parse_templates(template_files)
    document = read_issue(ticket, templates_read.templates, ticket.labels)
    document = document.model_copy(update={"notes": (*document.notes, *templates_read.notes)})
    if model is None:
        return document
    from pipeline.llm.failures import NoUsableReply
    from pipeline.stages.reading.by_model import read_with_model

    try:
        return read_with_model(model, ticket, document)
    except NoUsableReply as failure:
        return document.model_copy(update={"model_failure": failure.in_words})
