"""Which of several questions in one thread a reply is for: the only one that is open, or the one whose issue it names. Pure."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from github_app.conversation.reply_token import ReplyToken

_LONGEST_TEXT = 80
_NAMED_ISSUE = re.compile(r"\s*([A-Za-z0-9-]{1,39}/[\w.-]{1,100})?#([1-9]\d{0,9})[\s:,.–—-]+(?=\S)")


@dataclass(frozen=True)
class AskedThere:
    """A question of a thread. `text` is what it asks, and empty where it is no longer known."""

    token: ReplyToken
    text: str
    is_open: bool
    takes_replies: bool

    @property
    def name(self) -> str:
        """Its issue as `owner/name#418`."""
        return f"{self.token.full_name}#{self.token.issue}"

    @property
    def summary(self) -> str:
        """Its issue and what it asks, in short."""
        text = " ".join(self.text.split())
        return f"{self.name} (“{text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + '…'}”)"


@dataclass(frozen=True)
class PickedQuestion:
    """The question that a reply is for, and the reply without the name of its issue. None: it names none of several."""

    question: AskedThere | None
    words: str


def pick(questions: Sequence[AskedThere], words: str) -> PickedQuestion:
    """The question that a reply in a thread is for; `questions` are those that stood there before it, the newest first.

    The name of an issue counts as such only where it says something: `#2` alone is a choice, and so is `#2, thanks` where one
    question is open.
    """
    open_questions = [question for question in questions if question.is_open]
    issue_name = _NAMED_ISSUE.match(words)
    if issue_name is not None and (issue_name[1] or len(open_questions) > 1):
        of_issue = [question for question in questions if _is_named(question, issue_name)]
        if len(of_issue) == 1:
            return PickedQuestion(of_issue[0], words[issue_name.end() :])
    if len(open_questions) > 1:
        return PickedQuestion(None, words)
    return PickedQuestion((*open_questions, *questions)[0], words)


def which_question(questions: Sequence[AskedThere]) -> str:
    """What to write where several questions are open: each with the beginning of a reply to it."""
    open_questions = [question for question in questions if question.is_open]
    numbers = Counter(question.token.issue for question in open_questions)
    lines = []
    for question in open_questions:
        issue = question.token.issue
        name = f"#{issue}" if numbers[issue] == 1 else question.name
        lines.append(f"“{name} go” answers {question.summary}")
    return f"{len(open_questions)} questions are open here, so begin with the issue that you mean: {'; '.join(lines)}."


def _is_named(question: AskedThere, issue_name: re.Match[str]) -> bool:
    is_in_repository = (
        issue_name[1] is None or issue_name[1].casefold() == question.token.full_name.casefold()
    )
    return is_in_repository and question.token.issue == int(issue_name[2])
