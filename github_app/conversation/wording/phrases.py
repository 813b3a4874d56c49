"""Words and keys that several subjects share."""

from github_app.conversation.message import CommentLink, Line, Text
from github_app.conversation.record import Conversation

LABEL_AGAIN = "label the issue `askfirst` again"
LONGEST_NAME = 160
"""Characters of a check's name or a command."""


def about_question(conversation: Conversation) -> str:
    """A question as it was asked in one run: the same question may be asked again after a new label."""
    question_id = conversation.question.question.id if conversation.question else "nothing"
    run = conversation.asked_in
    return f"{question_id}:{run.run_id}.{run.attempt}" if run else question_id


def question_link(conversation: Conversation) -> Line:
    """Where the question stands, in parentheses; nothing where it stands nowhere."""
    if conversation.question_comment_id is None:
        return ()
    return (Text(" ("), CommentLink("the question", conversation.question_comment_id), Text(")"))
