"""Read a reply: plain text in, one of eight meanings out. Deterministic, no model; when in doubt, nothing starts.

The grammar, in the order in which it is tried, on what `reply_cleaning.clean` leaves of the comment:

    address  begins with @somebody-else            -> ignore
    command  /go /answer TEXT /cancel /stop /help  at the start of a line; /decide beside an answer, or before one
    whole    a cancel word or a go word            only as the whole comment: "go away" is not "go"
    fix      "not A but B", "B, not A"             -> B
    lead     [greeting] [option] N or a letter     then the end, punctuation or a few harmless words
    ordinal  [the] second [one] [please], or "two" the whole first line; nine languages
    label    names exactly one choice              and holds nothing else but filler words, then perhaps a reason
    elsewhere  names exactly one other thing of the code, perhaps behind "neither"; the same
    else     unclear if short or addressed to us, ignored if long

Question marks, negations, doubts and a second choice turn every rule's choice into "unclear" or "conflict".
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from github_app.conversation import reply_words as words
from github_app.conversation.question import Choice, choices, named_elsewhere
from github_app.conversation.reply_cleaning import clean
from github_app.conversation.reply_names import LETTERS, Names, ordinal_number
from pipeline.contract.clarification import Clarification, StopKind
from pipeline.contract.mention import read_mention

MAX_NOTE = 2_000
"""Longest note or free text that is kept, in characters."""

_LONG = 300


class ReplyKind(StrEnum):
    """What a reply means."""

    CHOICE = "choice"
    DEFAULT = "default"
    FREE = "free"
    CANCEL = "cancel"
    HELP = "help"
    UNCLEAR = "unclear"
    CONFLICT = "conflict"
    IGNORE = "ignore"
    DECIDE = "decide"


class Why(StrEnum):
    """Why a reply starts nothing, for the hint."""

    NOTHING_FOUND = "nothing_found"
    IS_A_QUESTION = "is_a_question"
    DOUBTFUL = "doubtful"
    OUT_OF_RANGE = "out_of_range"
    NO_DEFAULT = "no_default"
    NEEDS_TEXT = "needs_text"
    SEVERAL = "several"


@dataclass(frozen=True)
class Reply:
    """A reply, understood. `choice` is an option's id for `CHOICE` and `DEFAULT`.

    `note` is what stands beside a choice, or the free text itself: data to show, never an instruction. `keeps` says that
    the choice shall hold for later tickets; a `DECIDE` says that of an answer that was given before.
    """

    kind: ReplyKind
    choice: str | None = None
    note: str | None = None
    why: Why | None = None
    named: tuple[int, ...] = ()
    keeps: bool = False


def parse_reply(comment: str, asked: Clarification, *, bot_name: str = "askfirst") -> Reply:
    """What a comment answers to a question. Never raises; linear in the length of the comment."""
    text = clean(comment)
    if not text:
        return Reply(ReplyKind.IGNORE)
    is_for_us = False
    if to_us := read_mention(text):
        text = f"@{bot_name} {to_us.words}" if text.startswith("/") else text
    if mention := _ADDRESS.match(text):
        if mention.group(1).casefold() != bot_name.casefold():
            return Reply(ReplyKind.IGNORE)
        is_for_us = True
        text = text[mention.end() :].strip()
    numbered = choices(asked)
    reading = _Reading(numbered, asked.kind, Names(numbered), Names(named_elsewhere(asked)))
    reply = reading.read(text)
    if reply.why is Why.NOTHING_FOUND and len(text) > _LONG and not is_for_us:
        return Reply(ReplyKind.IGNORE)
    return reply


def commands_in(comment: str) -> frozenset[str]:
    """Our commands that a person's own words hold at the start of a line: `go`, `answer`, `decide`, …"""
    commands, _rest = _split_commands(clean(comment))
    return frozenset(command.casefold() for command, _argument in commands)


_ADDRESS = re.compile(r"@([A-Za-z0-9][A-Za-z0-9-]*)(?:\[bot\])?(?:/[\w.-]+)?[,:]?(?!\w)")
_COMMAND = re.compile(
    r"[ ]{0,3}/(go|answer|cancel|stop|help|decide)(?=[\s:,.!]|$)[:,]?[ \t]*(.*)", re.IGNORECASE
)
_POLITE = re.compile(rf"[\s.,!]*(?:{words.POLITE}[\s.,!]*)*", re.IGNORECASE)
_INLINE_CODE = re.compile(r"`[^`\n]{1,500}`")
_URL = re.compile(r"https?://[^\s)>\]]{1,2000}")

_LEAD = re.compile(
    rf"""(?:[-*+]\s+)?(?:\[x\]\s*)?
    (?P<greeting>{words.GREETING}[\s,.!:;–—-]+){{0,2}}
    (?P<verb>{words.VERB}\s+)?
    (?:{words.NOUN}\s*:?\s*)?
    [(\[*_`"'“‘]{{0,4}}(?P<head>[1-9]\d{{0,3}}|[{LETTERS}])[)\]*_`"'”’]{{0,4}}
    (?<!\](?=\())(?![\w*_`/%°$€])""",
    re.IGNORECASE | re.VERBOSE,
)
_AFTER_ANY = (
    r"\s*$|[ \t]*\n|(?:[.,:!)…]|;(?!\s*$))+(?=\s|$)|\s*[–—]+(?=\s)|\s+-+(?=\s)"
    rf"|\s+(?={words.POLITE}(?!\w))"
)
_AFTER_LETTER = re.compile(_AFTER_ANY, re.IGNORECASE | re.VERBOSE)
_AFTER_NUMBER_TEXT = (
    _AFTER_ANY
    + rf"|\s+(?=(?:{words.BECAUSE}|and|with|plus|also)\b)"
    + r"|\s*(?=\()|\s+(?=@)|\s*(?=[👍🙏🎉🚀✅]|[:;]-?\))"
)
_AFTER_VERB = re.compile(_AFTER_ANY + rf"|\s+(?={words.BECAUSE}\b)", re.IGNORECASE | re.VERBOSE)
_AFTER_NUMBER = re.compile(_AFTER_NUMBER_TEXT, re.IGNORECASE | re.VERBOSE)
_AFTER_ANSWER = re.compile(
    _AFTER_NUMBER_TEXT + r"|\s+(?=(?:for|as|but|it|this|that|so|then|on|in|to|using|via)\b)",
    re.IGNORECASE | re.VERBOSE,
)
_FIX = re.compile(
    r"(?:not\s+(?:option\s+|number\s+)?\#?(?P<no1>\w+)[\s,]+but\s+(?:option\s+|number\s+)?\#?(?P<yes1>\w+)"
    r"|(?:option\s+|number\s+)?\#?(?P<yes2>\w+)\s*,\s*not\s+(?:option\s+|number\s+)?\#?(?P<no2>\w+))[\s.!]*",
    re.IGNORECASE,
)
_CONNECTORS = frozenset({"and", "or", "und", "oder", "et", "ou", "y", "e"})
_WORD = re.compile(r"[\w'’-]+")
_SENTENCE = re.compile(r"[.!;](?=\s)|\n")
_SEPARATOR = re.compile(
    rf"[,;!]|\s[–—-]+\s|\.(?=\s|$)|\n|\s(?={words.BECAUSE}\b)", re.IGNORECASE | re.VERBOSE
)


@dataclass(frozen=True)
class _Reading:
    """One reply against one question."""

    choices: tuple[Choice, ...]
    kind: StopKind
    names: Names
    elsewhere: Names

    def read(self, text: str) -> Reply:
        """The meaning of a cleaned comment that is not addressed to somebody else."""
        commands, rest = _split_commands(text)
        if not commands:
            return self._plain(text)
        keeps = any(word.casefold() == "decide" for word, _ in commands)
        said = [
            (word, argument) for word, argument in commands if word.casefold() != "decide" or argument.strip()
        ]
        replies = [self._command(word, argument) for word, argument in said]
        beside = self._plain(rest) if rest.strip() else None
        if not replies:
            if beside is None:
                return Reply(ReplyKind.DECIDE, why=Why.NOTHING_FOUND)
            return replace(beside, keeps=beside.kind in {ReplyKind.CHOICE, ReplyKind.DEFAULT})
        if beside is not None and beside.kind in {ReplyKind.CHOICE, ReplyKind.DEFAULT, ReplyKind.CANCEL}:
            replies.append(beside)
        if len({(reply.kind, reply.choice) for reply in replies}) == 1:
            return replace(replies[0], keeps=keeps and replies[0].choice is not None)
        return _conflict(self._number_of(reply.choice) for reply in replies)

    def _plain(self, text: str) -> Reply:
        """A comment, or a part of one, without commands."""
        if not text:
            return _unclear(Why.NOTHING_FOUND)
        if _asks(text):
            return _unclear(Why.IS_A_QUESTION)
        for rule in (self._whole, self._elsewhere, self._fix, self._lead, self._ordinal, self._label):
            if reply := rule(text):
                return reply
        return _unclear(Why.NOTHING_FOUND)

    def _command(self, word: str, argument: str) -> Reply:
        match word.casefold():
            case "help":
                return Reply(ReplyKind.HELP)
            case "answer":
                return self._answer(argument)
            case "decide":
                reply = self._answer(argument)
                return _unclear(Why.DOUBTFUL) if reply.kind is ReplyKind.FREE else reply
            case _ if not _POLITE.fullmatch(argument):
                return _unclear(Why.NOTHING_FOUND)
            case "go":
                return self._default()
            case _:
                return Reply(ReplyKind.CANCEL)

    def _answer(self, text: str) -> Reply:
        """What stands behind `/answer`: a choice with a note, else free text. Free text is no answer to a confirmation."""
        text = text.strip()
        phrase = _phrase(text)
        if not text or not any(character.isalnum() for character in text):
            return _unclear(Why.NOTHING_FOUND)
        if phrase in words.GO or _agrees(phrase):
            return self._default() if phrase in words.GO else _unclear(Why.NOTHING_FOUND)
        if reply := self._fix(text) or self._lead(text, is_answer=True) or self._ordinal(text):
            return reply
        if (reply := self._label(text)) and reply.kind is ReplyKind.CHOICE:
            return reply
        lead = _LEAD.match(text)
        choice = self.names.numbered(lead.group("head")) if lead and lead.group("head").isdigit() else None
        if lead and choice is not None:
            # "/answer 2 requests per minute" may be a sentence; where the choice wants one, it is the sentence.
            rest = text[lead.end() :]
            return self._chosen(choice, rest, is_answer=True) if choice.needs_text else _unclear(Why.DOUBTFUL)
        if self.kind is StopKind.CONFIRMATION_NEEDED or not any(character.isalpha() for character in text):
            return _unclear(Why.NOTHING_FOUND)
        if phrase in words.SEVERAL:
            return _conflict(choice.number for choice in self.choices)
        if any(self._denies_a_choice(sentence) for sentence in _SENTENCE.split(text)):
            return _unclear(Why.DOUBTFUL)
        return Reply(ReplyKind.FREE, note=text[:MAX_NOTE])

    def _denies_a_choice(self, sentence: str) -> bool:
        """Whether a sentence may say which choice is *not* meant: as ticket prose it would select just that one."""
        names_one = len(self.names.named_in(sentence)) == 1
        return _doubts(sentence) and (
            names_one or (len(sentence.split()) <= 5 and bool(self.names.numbers_in(sentence)))
        )

    def _whole(self, text: str) -> Reply | None:
        phrase = _phrase(text)
        if phrase in words.CANCEL:
            return Reply(ReplyKind.CANCEL)
        if phrase in words.HELP:
            return Reply(ReplyKind.HELP)
        if phrase in words.GO or (_agrees(phrase) and self._can_be_agreed_to()):
            return self._default()
        if phrase in words.SEVERAL:
            return _conflict(choice.number for choice in self.choices)
        if _agrees(phrase) and self.kind is StopKind.CONFIRMATION_NEEDED:
            return _unclear(Why.NOTHING_FOUND)
        return None

    def _can_be_agreed_to(self) -> bool:
        """Whether "yes" can only mean the default: not where it approves something, nor where the default says no."""
        default = next((choice for choice in self.choices if choice.is_default), None)
        if self.kind in {StopKind.CONFIRMATION_NEEDED, StopKind.BLOCKED} or default is None:
            return False
        others = (choice for choice in self.choices if choice is not default)
        return not words.NEGATIVE_START.match(default.label) and not any(
            choice.label.casefold().startswith("yes") for choice in others
        )

    def _default(self) -> Reply:
        default = next((choice for choice in self.choices if choice.is_default), None)
        if default is None:
            return _unclear(Why.NO_DEFAULT)
        if default.needs_text:
            return _unclear(Why.NEEDS_TEXT, default.number)
        return Reply(ReplyKind.DEFAULT, choice=default.id)

    def _fix(self, text: str) -> Reply | None:
        """A correction, "not A but B" or "B, not A", where both are numbers or letters of this question."""
        found = _FIX.fullmatch(text)
        if found is None:
            return None
        yes = self.names.numbered(found.group("yes1") or found.group("yes2"))
        no = self.names.numbered(found.group("no1") or found.group("no2"))
        if yes is None or no is None or yes is no:
            return None
        return self._chosen(yes, "", is_answer=False)

    def _lead(self, text: str, *, is_answer: bool = False) -> Reply | None:
        """A number or letter at the very beginning."""
        if reply := self._only_numbers(text):
            return reply
        found = _LEAD.match(text)
        if found is None:
            return None
        head = found.group("head")
        after = self._pattern_behind(found, is_answer=is_answer).match(text, found.end())
        is_agreeing = found.group("greeting") or found.group("verb")
        if after is None or (is_agreeing and self.kind is StopKind.CONFIRMATION_NEEDED):
            return None
        choice = self.names.numbered(head)
        if choice is None:
            return _unclear(Why.OUT_OF_RANGE)
        rest = text[after.end() :]
        if self.kind is StopKind.CONFIRMATION_NEEDED and not is_answer and not _POLITE.fullmatch(rest):
            return _unclear(Why.DOUBTFUL)
        return self._chosen(choice, rest, is_answer=is_answer)

    def _pattern_behind(self, lead: re.Match[str], *, is_answer: bool) -> re.Pattern[str]:
        """What may stand behind a number: least behind a letter, which may be a word, most behind `/answer`."""
        if lead.group("head").isalpha():
            return _AFTER_LETTER
        if lead.group("verb"):
            return _AFTER_VERB
        return _AFTER_ANSWER if is_answer else _AFTER_NUMBER

    def _only_numbers(self, text: str) -> Reply | None:
        """Nothing but numbers, and several of them, such as "1 and 2" or "1/2"."""
        tokens = _WORD.findall(text[:_LONG])
        numbers = {token for token in tokens if token.isdigit()}
        others = {token.casefold() for token in tokens if not token.isdigit()}
        if len(numbers) < 2 or not others <= _CONNECTORS or len(text) > _LONG or "." in text.strip("."):
            return None
        named = {choice.number for token in numbers if (choice := self.names.numbered(token))}
        return _conflict(named) if len(named) > 1 else _unclear(Why.OUT_OF_RANGE)

    def _ordinal(self, text: str) -> Reply | None:
        """An ordinal as the whole first line, such as "the second one"."""
        first, _, rest = text.partition("\n")
        tokens = [token for token in re.split(r"[\s.,!*`_]+", first[:_LONG].casefold()) if token]
        number = ordinal_number(tokens, len(self.choices))
        choice = self.choices[number - 1] if number and number <= len(self.choices) else None
        return self._chosen(choice, rest, is_answer=False) if choice else None

    def _label(self, text: str) -> Reply | None:
        """A name that only one choice has, and nothing but filler around it; then perhaps a remark."""
        if len(text) > _LONG:
            return None
        named = self.names.named_in(text)
        if len(named) > 1:
            return _conflict(choice.number for choice in named)
        if not named:
            return None
        (choice,) = named
        if self.kind is StopKind.CONFIRMATION_NEEDED and _phrase(text) not in choice.names:
            return _unclear(Why.NOTHING_FOUND)
        plain = self._around(choice, text, self.names)
        return plain or _unclear(Why.DOUBTFUL if _doubts(text) else Why.NOTHING_FOUND)

    def _around(self, choice: Choice, text: str, names: Names) -> Reply | None:
        """The choice of a name, if there is nothing but filler around it, and then perhaps a remark."""
        for end in [separator.start() for separator in _SEPARATOR.finditer(text)] + [len(text)]:
            part = text[:end]
            if choice in names.named_in(part) and names.is_only_filler(part, choice):
                return self._chosen(choice, text[end:], is_answer=False)
        return None

    def _elsewhere(self, text: str) -> Reply | None:
        """A thing of the code that is no choice, named by one of its own names: "neither, it should be GET /reports"."""
        if len(text) > _LONG or not self.elsewhere.choices or self.names.numbers_in(text):
            return None
        none_of_these = words.REJECTION.match(text)
        rest = text[none_of_these.end() :] if none_of_these else text
        named = self.elsewhere.named_in(rest) | self.names.named_in(rest)
        if len(named) != 1 or not named <= set(self.elsewhere.choices):
            return None
        return self._around(named.pop(), rest, self.elsewhere)

    def _chosen(self, choice: Choice, rest: str, *, is_answer: bool) -> Reply:
        """A choice, unless what stands beside it takes it back, doubts it or names another one."""
        rest = rest.lstrip(" \t\n.,;:!–—-").rstrip()
        if _asks(rest):
            return _unclear(Why.IS_A_QUESTION)
        others = self.names.numbers_in(rest) | {named.number for named in self.names.named_in(rest)}
        if others - {choice.number}:
            return _conflict(others | {choice.number})
        if _doubts(rest) and not (choice.needs_text and is_answer and _is_a_complaint(rest)):
            return _unclear(Why.DOUBTFUL, choice.number)
        if choice.needs_text and not (is_answer and rest):
            return _unclear(Why.NEEDS_TEXT, choice.number)
        return Reply(ReplyKind.CHOICE, choice=choice.id, note=rest[:MAX_NOTE] or None)

    def _number_of(self, choice_id: str | None) -> int | None:
        return next((choice.number for choice in self.choices if choice.id == choice_id), None)


def _split_commands(text: str) -> tuple[list[tuple[str, str]], str]:
    """Commands with their arguments, and what stands before them. An `/answer` goes on to the next command."""
    commands: list[tuple[str, str]] = []
    rest: list[str] = []
    for line in text.split("\n"):
        if found := _COMMAND.match(line):
            commands.append((found.group(1), found.group(2)))
        elif commands and commands[-1][0].casefold() == "answer":
            commands[-1] = ("answer", f"{commands[-1][1]}\n{line}")
        else:
            rest.append(line)
    return commands, "\n".join(rest).strip()


def _unclear(why: Why, *named: int) -> Reply:
    return Reply(ReplyKind.UNCLEAR, why=why, named=named)


def _conflict(numbers: Iterable[int | None]) -> Reply:
    return Reply(
        ReplyKind.CONFLICT, why=Why.SEVERAL, named=tuple(sorted({number for number in numbers if number}))
    )


def _phrase(text: str) -> str:
    """A whole comment as one phrase, to be compared with lists."""
    if len(text) > 60:
        return ""
    plain = text.casefold().replace(":+1:", "👍").replace(":-1:", "👎")
    plain = "".join(character for character in plain if not "\U0001f3fb" <= character <= "\U0001f3ff")
    return " ".join(re.sub(r"[*`_\"“”.,!…]+", " ", plain).split())


def _agrees(phrase: str) -> bool:
    return phrase in words.AGREE or words.YES.fullmatch(phrase) is not None


def _speech(text: str) -> str:
    """A text without its links and inline code, whose signs are not the writer's."""
    return _URL.sub(" ", _INLINE_CODE.sub(" ", text))


def _asks(text: str) -> bool:
    return words.QUESTION.search(_speech(text)) is not None


def _is_a_complaint(text: str) -> bool:
    """Whether a sentence stands on its own: to say what is missing takes a "not", which takes nothing back."""
    opening = " ".join(text.split()[:2])
    is_about_the_option = words.SAYS_OF_THE_OPTION.match(text) is not None
    return len(text.split()) >= 3 and not is_about_the_option and not words.DOUBT.search(opening)


def _doubts(text: str) -> bool:
    return words.DOUBT.search(_speech(text)) is not None
