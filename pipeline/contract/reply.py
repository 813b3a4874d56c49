"""Read a reply: plain text in, one of eight meanings out. Deterministic, no model; when in doubt, nothing starts.

The grammar, in the order in which it is tried, on what `own_words` leaves of the comment:

    address  begins with @somebody-else            -> ignore
    command  /go /answer TEXT /cancel /stop /help  at the start of a line; /decide next to an answer, or before one
    whole    a cancel word or a go word            only as the whole comment: "go away" is not "go"
    fix      "not A but B", "B, not A"             -> B
    lead     [greeting] [verb] [option] N          or a letter, [approval], then the end, punctuation or harmless words
    ordinal  [the] second [one] [please], or "two" the whole first line, [approval]; nine languages
    label    names exactly one choice              and holds nothing else but filler words, then perhaps a reason
    elsewhere  names exactly one other thing of the code, perhaps behind "neither"; the same
    else     unclear if short or addressed to us, ignored if long

Question marks, negations, doubts and a second choice turn every rule's choice into "unclear" or "conflict". Several points
have a grammar of their own behind the commands: `reply_to_points`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pipeline.contract import reply_words as words
from pipeline.contract.choices import Choice, choices, named_elsewhere
from pipeline.contract.clarification import Clarification, Question, StopKind
from pipeline.contract.commands import MAX_WORDS, read_address, split_commands
from pipeline.contract.own_words import OwnWords, own_words
from pipeline.contract.reply_meaning import Reply, ReplyKind, Why, conflict, unclear
from pipeline.contract.reply_to_points import is_taken_back_by, read_points_reply
from pipeline.contract.reply_words import (
    LETTERS,
    Names,
    agrees,
    as_phrase,
    asks,
    doubts,
    is_a_complaint,
    is_courtesy,
    ordinal_number,
)

_LONG = 300
_ANSWERS = frozenset({ReplyKind.CHOICE, ReplyKind.DEFAULT, ReplyKind.FREE})


def parse_reply(comment: str, clarification: Clarification, *, bot_name: str = "askfirst") -> Reply:
    """The answer that a comment gives to a question. Never raises; linear in the length of the comment."""
    return read_reply(own_words(comment), clarification, bot_name=bot_name)


def read_reply(own_text: OwnWords, clarification: Clarification, *, bot_name: str = "askfirst") -> Reply:
    """The same of a comment of which only the author's own words are left."""
    name, text = read_address(own_text)
    if not own_text or (name and name.casefold() != bot_name.casefold()):
        return Reply(ReplyKind.IGNORE)
    names = Names(choices(clarification)), Names(named_elsewhere(clarification))
    reading = _Reading(clarification.kind, *names, question=clarification.question)
    reply = reading.read(text)
    if reply.why is Why.NOTHING_FOUND and len(text) > _LONG and name is None:
        return Reply(ReplyKind.IGNORE)
    return reply


_POLITE = re.compile(rf"[\s.,!]*(?:{words.POLITE}[\s.,!]*)*", re.IGNORECASE)

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
_CHOICE_AND_APPROVAL = re.compile(
    rf"""(?!(?:one|either|any|both|all)\b)(?P<choice>(?:[^\n.;!]|\.(?=\S)){{1,60}}?)(?<=[\w)\]*`"'’”])
    \s+{words.APPROVAL}(?={_AFTER_ANY}|\s+{words.BECAUSE}\b)""",
    re.IGNORECASE | re.VERBOSE,
)
"""A choice and what approves of it, up to the end of the thought: not "2 is the one that breaks"."""

_DECLARATION = re.compile(rf"{words.VERB}\s+(?=the\s)", re.IGNORECASE | re.VERBOSE)
_FIX = re.compile(
    r"(?:not\s+(?:option\s+|number\s+)?\#?(?P<no1>\w+)[\s,]+but\s+(?:option\s+|number\s+)?\#?(?P<yes1>\w+)"
    r"|(?:option\s+|number\s+)?\#?(?P<yes2>\w+)\s*,\s*not\s+(?:option\s+|number\s+)?\#?(?P<no2>\w+))[\s.!]*",
    re.IGNORECASE,
)
_CONNECTORS = frozenset({"and", "or", "und", "oder", "et", "ou", "y", "e"})
_LIST = re.compile(r"#?\d+(?:\s*(?:,|&|\+|\b(?:and|und|et|y|e)\b)\s*#?\d+)+[\s.!]*", re.IGNORECASE)
"""Numbers that are meant together: "1 and 2", "1, 2". "1/2", "1-2" and "1 or 2" may be something else."""

_WORD = re.compile(r"[\w'’-]+")
_SENTENCE = re.compile(r"[.!;](?=\s)|\n")
_SEPARATOR = re.compile(
    rf"[,;!]|\s[–—-]+\s|\.(?=\s|$)|\n|\s(?={words.BECAUSE}\b)", re.IGNORECASE | re.VERBOSE
)


@dataclass(frozen=True)
class _Reading:
    """One reply against one question."""

    kind: StopKind
    names: Names
    elsewhere: Names
    question: Question

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The offered choices."""
        return self.names.choices

    def read(self, text: str) -> Reply:
        """The meaning of a cleaned comment that is not addressed to somebody else."""
        commands, rest = split_commands(text)
        if not commands:
            return self._plain(text)
        keeps = any(word.casefold() == "decide" for word, _ in commands)
        command_arguments = [
            (word, argument) for word, argument in commands if word.casefold() != "decide" or argument.strip()
        ]
        replies = [self._command(word, argument) for word, argument in command_arguments]
        beside = self._plain(rest) if rest.strip() else None
        if not replies:
            if beside is None:
                return Reply(ReplyKind.DECIDE, why=Why.NOTHING_FOUND)
            return replace(beside, keeps=beside.kind in {ReplyKind.CHOICE, ReplyKind.DEFAULT})
        remark = None if is_courtesy(rest) else rest[:MAX_WORDS]
        if self.question.has_points and beside is not None:
            # "Rename it" above "/go": the words may be a wish about the plan, so nothing starts without them.
            replies = [beside if is_taken_back_by(reply, beside, remark) else reply for reply in replies]
        if beside is not None and beside.kind in {ReplyKind.CHOICE, ReplyKind.DEFAULT, ReplyKind.CANCEL}:
            replies.append(beside)
            remark = beside.note
        if len({_what_is_said(reply) for reply in replies}) == 1:
            is_choice = replies[0].kind in {ReplyKind.CHOICE, ReplyKind.DEFAULT}
            return replace(
                replies[0],
                keeps=keeps and is_choice,
                beside=remark if replies[0].kind in _ANSWERS else None,
            )
        return conflict(self._number_of(reply.choice) for reply in replies)

    def _plain(self, text: str) -> Reply:
        """A comment, or a part of one, without commands."""
        if not text:
            return unclear(Why.NOTHING_FOUND)
        if self.question.has_points:
            return read_points_reply(text, self.question)
        if asks(text):
            return unclear(Why.IS_A_QUESTION)
        for rule in (self._whole, self._elsewhere, self._fix, self._lead, self._ordinal, self._label):
            if reply := rule(text):
                return reply
        return unclear(Why.NOTHING_FOUND)

    def _command(self, word: str, argument: str) -> Reply:
        match word.casefold():
            case "help":
                return Reply(ReplyKind.HELP)
            case "answer":
                return self._answer(argument)
            case "decide":
                reply = self._answer(argument)
                return unclear(Why.DOUBTFUL) if reply.kind is ReplyKind.FREE else reply
            case _ if not _POLITE.fullmatch(argument):
                return unclear(Why.NOTHING_FOUND)
            case "go":
                return self._default()
            case _:
                return Reply(ReplyKind.CANCEL)

    def _answer(self, text: str) -> Reply:
        """The text after `/answer`: a choice with a note, else free text. Free text is no answer to a confirmation."""
        text = text.strip()
        if self.question.has_points:
            return read_points_reply(text, self.question, is_answer=True)
        phrase = as_phrase(text)
        if not text or not any(character.isalnum() for character in text):
            return unclear(Why.NOTHING_FOUND)
        if phrase in words.GO or agrees(phrase):
            return self._default() if phrase in words.GO else unclear(Why.NOTHING_FOUND)
        if reply := self._fix(text) or self._lead(text, is_answer=True) or self._ordinal(text):
            return reply
        if (reply := self._label(text)) and reply.kind is ReplyKind.CHOICE:
            return reply
        lead = _LEAD.match(text)
        choice = self.names.choice_at(lead.group("head")) if lead and lead.group("head").isdigit() else None
        if lead and choice is not None:
            # "/answer 2 requests per minute" may be a sentence; where the choice wants one, it is the sentence.
            rest = text[lead.end() :]
            return (
                self._choice_with_note(choice, rest, is_answer=True)
                if choice.needs_text
                else unclear(Why.DOUBTFUL)
            )
        if self.kind is StopKind.CONFIRMATION_NEEDED or not any(character.isalpha() for character in text):
            return unclear(Why.NOTHING_FOUND)
        if several_choices := words.SEVERAL_CHOICES.fullmatch(phrase):
            return self._several_choices(
                self.choices if several_choices["all"] or len(self.choices) == 2 else ()
            )
        if any(self._denies_a_choice(sentence) for sentence in _SENTENCE.split(text)):
            return unclear(Why.DOUBTFUL)
        return Reply(ReplyKind.FREE, note=text[:MAX_WORDS])

    def _denies_a_choice(self, sentence: str) -> bool:
        """Whether a sentence may say which choice is *not* meant: as ticket prose it would select just that one."""
        names_one = len(self.names.named_in(sentence)) == 1
        return doubts(sentence) and (
            names_one or (len(sentence.split()) <= 5 and bool(self.names.numbers_in(sentence)))
        )

    def _whole(self, text: str) -> Reply | None:
        phrase = as_phrase(text)
        if phrase in words.CANCEL:
            return Reply(ReplyKind.CANCEL)
        if phrase in words.HELP:
            return Reply(ReplyKind.HELP)
        if phrase in words.GO or (agrees(phrase) and self._can_be_agreed_to()):
            return self._default()
        if several_choices := words.SEVERAL_CHOICES.fullmatch(phrase):
            return self._several_choices(
                self.choices if several_choices["all"] or len(self.choices) == 2 else ()
            )
        if agrees(phrase) and self.kind is StopKind.CONFIRMATION_NEEDED:
            return unclear(Why.NOTHING_FOUND)
        return None

    def _can_be_agreed_to(self) -> bool:
        """Whether "yes" can only mean the default: not where it approves something, nor where the default says no."""
        default = next((choice for choice in self.choices if choice.is_default), None)
        if self.kind in {StopKind.CONFIRMATION_NEEDED, StopKind.BLOCKED} or default is None:
            return False
        other_choices = (choice for choice in self.choices if choice is not default)
        return not words.NEGATIVE_START.match(default.label) and not any(
            choice.label.casefold().startswith("yes") for choice in other_choices
        )

    def _default(self) -> Reply:
        if self.question.has_points:
            return Reply(ReplyKind.DEFAULT)
        default = next((choice for choice in self.choices if choice.is_default), None)
        if default is None:
            return unclear(Why.NO_DEFAULT)
        if default.needs_text:
            return unclear(Why.NEEDS_TEXT, default.number)
        return Reply(ReplyKind.DEFAULT, choice=default.id)

    def _fix(self, text: str) -> Reply | None:
        """A correction, "not A but B" or "B, not A", where both are numbers or letters of this question."""
        match = _FIX.fullmatch(text)
        if match is None:
            return None
        yes = self.names.choice_at(match.group("yes1") or match.group("yes2"))
        no = self.names.choice_at(match.group("no1") or match.group("no2"))
        if yes is None or no is None or yes is no:
            return None
        return self._choice_with_note(yes, "", is_answer=False)

    def _lead(self, text: str, *, is_answer: bool = False) -> Reply | None:
        """A number or letter at the very beginning."""
        if reply := self._only_numbers(text):
            return reply
        plain = _without_approval(text)
        match = _LEAD.match(plain)
        if match is None:
            return None
        head = match.group("head")
        after = self._pattern_behind(match, is_answer=is_answer).match(plain, match.end())
        is_agreeing = match.group("greeting") or match.group("verb") or plain != text
        if after is None or (is_agreeing and self.kind is StopKind.CONFIRMATION_NEEDED):
            return None
        choice = self.names.choice_at(head)
        if choice is None:
            return unclear(Why.OUT_OF_RANGE)
        rest = plain[after.end() :]
        if self.kind is StopKind.CONFIRMATION_NEEDED and not is_answer and not _POLITE.fullmatch(rest):
            return unclear(Why.DOUBTFUL)
        return self._choice_with_note(choice, rest, is_answer=is_answer)

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
        other_words = {token.casefold() for token in tokens if not token.isdigit()}
        if len(numbers) < 2 or not other_words <= _CONNECTORS or len(text) > _LONG or "." in text.strip("."):
            return None
        choices_by_number = {
            choice.number: choice for token in numbers if (choice := self.names.choice_at(token))
        }
        if len(choices_by_number) == len(numbers) and _LIST.fullmatch(text):
            return self._several_choices(list(choices_by_number.values()))
        return conflict(choices_by_number) if len(choices_by_number) > 1 else unclear(Why.OUT_OF_RANGE)

    def _several_choices(self, picks: Sequence[Choice]) -> Reply:
        """Several choices: an answer where the question takes several, else a conflict; of all, if it is not known which."""
        if self.question.multiple and len(picks) > 1:
            in_order = sorted(picks, key=lambda choice: choice.number)
            return Reply(ReplyKind.CHOICE, choices=tuple(choice.id for choice in in_order))
        return conflict(choice.number for choice in picks or self.choices)

    def _ordinal(self, text: str) -> Reply | None:
        """An ordinal as the whole first line, such as "the second one"."""
        plain = _without_approval(text)
        declaration = _DECLARATION.match(plain)
        first, _, rest = plain[declaration.end() if declaration else 0 :].partition("\n")
        tokens = [token for token in re.split(r"[\s.,!*`_]+", first[:_LONG].casefold()) if token]
        number = ordinal_number(tokens, len(self.choices))
        choice = self.choices[number - 1] if number and number <= len(self.choices) else None
        return self._choice_with_note(choice, rest, is_answer=False) if choice else None

    def _label(self, text: str) -> Reply | None:
        """A name that only one choice has, and nothing but filler around it; then perhaps a remark."""
        if len(text) > _LONG:
            return None
        named_choices = self.names.named_in(text)
        if len(named_choices) > 1:
            return conflict(choice.number for choice in named_choices)
        if not named_choices:
            return None
        (choice,) = named_choices
        if self.kind is StopKind.CONFIRMATION_NEEDED and as_phrase(text) not in choice.names:
            return unclear(Why.NOTHING_FOUND)
        plain = self._around(choice, text, self.names)
        return plain or unclear(Why.DOUBTFUL if doubts(text) else Why.NOTHING_FOUND)

    def _around(self, choice: Choice, text: str, names: Names) -> Reply | None:
        """The choice of a name, if there is nothing but filler around it, and then perhaps a remark."""
        for end in [separator.start() for separator in _SEPARATOR.finditer(text)] + [len(text)]:
            part = text[:end]
            if choice in names.named_in(part) and names.is_only_filler(part, choice):
                return self._choice_with_note(choice, text[end:], is_answer=False)
        return None

    def _elsewhere(self, text: str) -> Reply | None:
        """A thing of the code that is no choice, named by one of its own names: "neither, it should be GET /reports"."""
        if len(text) > _LONG or not self.elsewhere.choices or self.names.numbers_in(text):
            return None
        none_of_these = words.REJECTION.match(text)
        rest = text[none_of_these.end() :] if none_of_these else text
        named_choices = self.elsewhere.named_in(rest) | self.names.named_in(rest)
        if len(named_choices) != 1 or not named_choices <= set(self.elsewhere.choices):
            return None
        return self._around(named_choices.pop(), rest, self.elsewhere)

    def _choice_with_note(self, choice: Choice, rest: str, *, is_answer: bool) -> Reply:
        """A choice, unless the words next to it take it back, doubt it or name another one."""
        rest = rest.lstrip(" \t\n.,;:!–—-").rstrip()
        if asks(rest):
            return unclear(Why.IS_A_QUESTION)
        other_numbers = self.names.numbers_in(rest) | {
            mention.number for mention in self.names.named_in(rest)
        }
        if other_numbers - {choice.number}:
            return conflict(other_numbers | {choice.number})
        if doubts(rest) and not (choice.needs_text and is_answer and is_a_complaint(rest)):
            return unclear(Why.DOUBTFUL, choice.number)
        if choice.needs_text and not (is_answer and rest):
            return unclear(Why.NEEDS_TEXT, choice.number)
        return Reply(ReplyKind.CHOICE, choice=choice.id, note=rest[:MAX_WORDS] or None)

    def _number_of(self, choice_id: str | None) -> int | None:
        return next((choice.number for choice in self.choices if choice.id == choice_id), None)


def _what_is_said(reply: Reply) -> tuple[object, ...]:
    """What two commands in one comment must have in common. Of words all: a run gets those of one command only."""
    words_alone = reply.note if reply.kind is ReplyKind.FREE else None
    return reply.kind, reply.choice, reply.choices, reply.points, reply.words, words_alone


def _without_approval(text: str) -> str:
    """A text that begins with a choice and approves of it, without the approval: "2 works for me, thanks" as "2, thanks"."""
    match = _CHOICE_AND_APPROVAL.match(text)
    return match["choice"] + text[match.end() :] if match else text
