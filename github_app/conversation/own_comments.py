"""Our own comments: what an effect wants posted or edited, on which issue or pull request, under which key. Pure."""

from dataclasses import dataclass, replace

from github_app.conversation.effects import EditQuestion, PostNotice, PostQuestion, ShowProgress
from github_app.conversation.message import Block, Line, Message, Paragraph, Part, RunLink, StartedRun, Text
from github_app.conversation.progress import progress_comment
from github_app.conversation.record import Conversation
from github_app.conversation.wording.asked import question_asked
from github_app.conversation.wording.ended import answered_question, closed_question

_PROGRESS = "progress"
"""Key of the comment about the build: one for all runs about an issue, so that there is never a second one."""


@dataclass(frozen=True)
class OwnComment:
    """A comment of ours with its new text.

    Attributes:
        key: the same for the same comment, in whatever state it is. It stands in the comment's marker.
        number: the issue or pull request that it stands on.
        id: GitHub's, where the record knows it.
    """

    key: str
    message: Message
    number: int
    id: int | None = None


def comment_of(
    conversation: Conversation,
    effect: PostQuestion | EditQuestion | PostNotice | ShowProgress,
    repository: str,
) -> OwnComment | None:
    """The comment that an effect is about; None where there is nothing to say any more."""
    match effect:
        case PostNotice():
            pull_request = conversation.pull_request if effect.on_pull_request else None
            number = pull_request.number if pull_request is not None else conversation.issue
            blocks = with_started_run(effect.blocks, conversation)
            return OwnComment(effect.key, Message(blocks, repository, number), number)
        case ShowProgress():
            progress = progress_comment(conversation, repository)
            if progress is None:
                return None
            return OwnComment(_PROGRESS, progress, conversation.issue, conversation.progress_comment_id)
        case PostQuestion() | EditQuestion():
            return _question(conversation, effect)


def with_started_run(blocks: tuple[Block, ...], conversation: Conversation) -> tuple[Block, ...]:
    """The text of the comment, with the link to the run that was started meanwhile, if GitHub told its id."""
    run_id = conversation.run_cause.run_id if conversation.run_cause is not None else None

    def linked(part: Part) -> Line:
        if not isinstance(part, StartedRun):
            return (part,)
        return () if run_id is None else (Text(part.words), RunLink(str(run_id)))

    def with_link(line: Line) -> Line:
        return tuple(new for part in line for new in linked(part))

    return tuple(
        replace(block, lines=tuple(map(with_link, block.lines))) if isinstance(block, Paragraph) else block
        for block in blocks
    )


def question_comment(conversation: Conversation) -> Message | None:
    """The comment of the record's question as it has to read now; None when the record has no question."""
    clarification = conversation.question
    if clarification is None:
        return None
    if conversation.given is not None:
        return answered_question(conversation, clarification, conversation.given)
    if conversation.ended is not None:
        return closed_question(conversation, clarification, conversation.ended)
    return question_asked(
        clarification,
        addressee=conversation.addressee,
        other_addressee=conversation.other_addressee,
        deadline=conversation.expires_at,
        keep_wished_by=conversation.keep_wished_by,
    )


def _question(conversation: Conversation, effect: PostQuestion | EditQuestion) -> OwnComment | None:
    """The question's comment. A question is not posted after another one has taken its place."""
    clarification, run = conversation.question, conversation.asked_in
    message = question_comment(conversation)
    if message is None:
        return None
    question_id = clarification.question.id if clarification else "none"
    if isinstance(effect, PostQuestion) and question_id != effect.question_id:
        return None
    key = f"question:{question_id}:{run.run_id}.{run.attempt}" if run else f"question:{question_id}"
    number = conversation.question_on or conversation.issue
    return OwnComment(key, replace(message, issue=number), number, conversation.question_comment_id)
