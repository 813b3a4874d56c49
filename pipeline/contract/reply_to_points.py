"""Read a reply to several points, of a plan or of a question: `go`, options such as `2b 3a`, words for a point or behind `/answer`.

    list     [greeting] [go with] 2b [, and] c: 30 s   then the end, thanks, "the rest as planned" or "because" and a reason
    whole    a go word, a yes, a cancel word       only as the whole comment
    /answer  a list decides, anything else is words, unless it is numbers alone
    else     unclear

A number alone means an option of the question itself, and nothing with a plan; a letter alone never means anything. Text
next to a list or a command is never dropped: unless it only thanks or greets, it makes the reply unclear, because the
words may be a wish of their own.
"""

import re

from pipeline.contract import reply_words as words
from pipeline.contract.clarification import Question
from pipeline.contract.commands import MAX_WORDS
from pipeline.contract.point_reply import named_options
from pipeline.contract.reply_meaning import Reply, ReplyKind, Why, conflict, unclear
from pipeline.contract.reply_words import agrees, as_phrase, asks, doubts

_MARKUP = str.maketrans("", "", "`*")
_HEAD = re.compile(
    rf"""(?:[-+]\s+)?(?:{words.GREETING}[\s,.!:;–—-]+){{0,2}}
    (?:{words.VERB}\s+|go[\s,]+(?:(?:but|with)\s+)?)?(?:(?:options?|points?|answers?)\s*:?\s*)?""",
    re.IGNORECASE | re.VERBOSE,
)
_REST = r"(?:and\s+)?(?:the\s+)?(?:rest|others?|everything\ else)"
_AS_PLANNED = (
    r"(?:(?:is|are|stays?)\s+)?(?:as\s+(?:planned|proposed|is|are|it\s+is|they\s+are)|go|fine|ok|okay|good)"
)
_TAIL = re.compile(
    rf"(?:(?:{words.POLITE}|{_REST}\s+{_AS_PLANNED}|otherwise\s+go)[\s.,!;👍🙏🎉🚀✅]*)*",
    re.IGNORECASE | re.VERBOSE,
)
_REASON = re.compile(rf"{words.BECAUSE}\b", re.IGNORECASE | re.VERBOSE)
_AS_IT_STANDS = frozenset(
    {
        "as planned",
        "all defaults",
        "go as planned",
        "as it is",
        "as it stands",
        "the plan is fine",
        "build it",
    }
)
_MENTION = re.compile(r"@[\w-]+")
_TOKEN = re.compile(r"[^\W_]+")
_ITEM_OR_PART = re.compile(r"[0-9]*[A-Za-z]?")
_SAYS_NOTHING = words.FILLER | {
    "answer",
    "or",
    "not",
    "but",
    "go",
    "no",
    "point",
    "points",
    "options",
    "rest",
}
"""Words that say nothing by themselves next to numbers: "not 2b" does not say what else."""


def read_points_reply(text: str, question: Question, *, is_answer: bool = False) -> Reply:
    """The meaning of a cleaned comment, or of what stands behind `/answer`. Linear in the length of the text."""
    own_text, text = text, text.translate(_MARKUP).strip()
    phrase = as_phrase(text)
    if phrase in words.GO or phrase in _AS_IT_STANDS or (agrees(phrase) and not is_answer):
        return Reply(ReplyKind.DEFAULT)
    if not is_answer and phrase in words.CANCEL:
        return Reply(ReplyKind.CANCEL)
    if not is_answer and phrase in words.HELP:
        return Reply(ReplyKind.HELP)
    if not is_answer and asks(text):
        return unclear(Why.IS_A_QUESTION)
    return _list(text, question) or _in_words(own_text, is_answer=is_answer)


def is_taken_back_by(reply: Reply, beside: Reply, remark: str | None) -> bool:
    """Whether words next to a command could not be read, and may be a wish about the plan that the command would drop.

    `remark` are these words; None where they only thank or greet. Words behind `/answer` are a wish themselves: they are
    taken back only by a number, which may name a point.
    """
    if beside.kind is not ReplyKind.UNCLEAR or remark is None:
        return False
    if reply.kind is ReplyKind.FREE:
        return any(character.isdigit() for character in remark)
    return reply.kind in {ReplyKind.CHOICE, ReplyKind.DEFAULT}


def _list(text: str, question: Question) -> Reply | None:
    """The options that a text names; None where it names none, or says more than that."""
    head = _HEAD.match(text)
    start = head.end() if head else 0
    reply = named_options(text[start:], question)
    if reply is None:
        return None
    tail = text[start + reply.end :].lstrip(" \t\n.,;:!–—-").rstrip()
    is_reason = _REASON.match(tail) is not None and not asks(tail) and not doubts(tail)
    if is_reason and any(character.isdigit() for character in tail):
        return None
    if not is_reason and not _TAIL.fullmatch(tail):
        return None
    if reply.strange_items:
        return unclear(Why.OUT_OF_RANGE)
    if reply.twice_decided:
        return conflict(())
    points, own_words = tuple(reply.points.items()), tuple(reply.words.items())
    return Reply(ReplyKind.CHOICE, points=points, words=own_words, note=tail or None)


def _in_words(text: str, *, is_answer: bool) -> Reply:
    """Words of one's own, where they stand behind `/answer` and are more than numbers, letters and filler."""
    tokens = _TOKEN.findall(_MENTION.sub(" ", text.casefold()))
    says_something = any(
        not _ITEM_OR_PART.fullmatch(token) and token not in _SAYS_NOTHING for token in tokens
    )
    if is_answer and says_something:
        return Reply(ReplyKind.FREE, note=text.strip()[:MAX_WORDS])
    return unclear(Why.NOTHING_FOUND)
