"""Take a reply on the terminal: a line, read as a comment on GitHub is."""

import sys
from typing import TextIO

from pipeline.contract.answers import Answer
from pipeline.contract.choices import choices
from pipeline.contract.clarification import Clarification, Question
from pipeline.contract.commands import answer_text
from pipeline.contract.own_words import own_words
from pipeline.contract.point_reply import point_replies_in_plain_text
from pipeline.contract.reply import read_reply
from pipeline.contract.reply_answer import answer_of
from pipeline.contract.reply_meaning import ReplyKind
from pipeline.terminal.progress import say

_ANSWERS = frozenset({ReplyKind.CHOICE, ReplyKind.DEFAULT, ReplyKind.FREE})


def read_answer(clarification: Clarification, source: TextIO) -> Answer | None:
    """Ask until a line of `source` answers the question; None for `/cancel`, and at the end of input."""
    while True:
        say(sys.stderr, _prompt(clarification.question))
        line = source.readline()
        words = own_words(line)
        reply = read_reply(words, clarification)
        if not line or reply.kind is ReplyKind.CANCEL:
            return None
        if reply.kind in _ANSWERS:
            return answer_of(clarification, reply, answer_text(words))
        question, count = clarification.question, len(choices(clarification))
        mistake = "no option of the plan" if question.is_about_plan else f"none of 1 to {count}"
        mistake = "no such reply" if question.has_points and not question.is_about_plan else mistake
        say(sys.stderr, f"“{line.strip()}” is {mistake}, and nothing was started.\n")


def _prompt(question: Question) -> str:
    if question.has_points:
        return f"{point_replies_in_plain_text(question)[:-1]}, or /cancel to stop: "
    words_for_several = ", `both` or `all`" if question.multiple else ""
    return f"Reply with a number{words_for_several}, `go` for the default, /answer and one sentence, or /cancel to stop: "
