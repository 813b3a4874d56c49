"""Which choices of a question a text names: by number, letter, ordinal, or a name that only one choice has."""

import functools
import re
from dataclasses import dataclass

from github_app.conversation import reply_words as words
from github_app.conversation.question import Choice, stem_of
from github_app.conversation.reply_languages import number_meant

LETTERS = "abcdefgh"
"""Letters that stand for a choice. Not "i": it is a word."""

_NUMBER = re.compile(r"(?<![\w.,/:-])\#?(\d{1,4})(?![\w/%]|[.,:-]\w)")
_LONE_LETTER = re.compile(
    rf"(?<![\w'’.-])([{LETTERS}{LETTERS.upper()}])(?=[.,;:!)]*(?:\s*$|\s*\n|[.,;:!)]\s|\s+[–—-]+\s))"
)
_THE_ORDINAL = re.compile(r"\bthe\s+(\w+)(?:\s+(one|option|route))?")
_WORD = re.compile(r"[\w'’-]+")


@dataclass(frozen=True)
class Names:
    """All ways to name the choices of one question."""

    choices: tuple[Choice, ...]

    def choice_at(self, head: str) -> Choice | None:
        """The choice of a number or a letter, or None."""
        if head.isdigit():
            number = int(head[:4])
        elif len(head) == 1 and head.casefold() in LETTERS:
            number = LETTERS.index(head.casefold()) + 1
        else:
            return None
        return self.choices[number - 1] if 1 <= number <= len(self.choices) else None

    def numbers_in(self, text: str) -> set[int]:
        """Numbers of choices that a remark mentions, as digits, lone letters or ordinals."""
        heads = _NUMBER.findall(text) + _LONE_LETTER.findall(text)
        numbers = {choice.number for head in heads if (choice := self.choice_at(head))}
        for ordinal, noun in _THE_ORDINAL.findall(text.casefold()):
            number = ordinal_number([ordinal], len(self.choices))
            if number and number <= len(self.choices) and (noun or ordinal in words.FORMER_LATTER):
                numbers.add(number)
        return numbers

    def named_in(self, text: str) -> set[Choice]:
        """Choices that a text names: longest names first, so that a path does not count as the shorter one in it."""
        left, matches = f" {text.casefold()} ", set()
        names = ((name, choice) for choice in self.choices for name in choice.names)
        for name, choice in sorted(names, key=lambda pair: -len(pair[0])):
            if name in left:
                left, count = _pattern(name).subn(" \0 ", left)
                if count:
                    matches.add(choice)
        stems = {stem_of(word) for word in _WORD.findall(left)}
        return matches | {
            choice for choice in self.choices if stems & {stem_of(word) for word in choice.words}
        }

    def is_only_filler(self, text: str, choice: Choice) -> bool:
        """Whether nothing but filler words stands around the names of one choice."""
        left = text.casefold()
        for name in sorted(choice.names, key=len, reverse=True):
            left = _pattern(name).sub(" ", left)
        choice_stems = {stem_of(word) for word in choice.words}
        tokens = [token.strip("*`_.,!:\"'“”()[]") for token in left.split()]
        return all(not token or token in words.FILLER or stem_of(token) in choice_stems for token in tokens)


def ordinal_number(tokens: list[str], count: int) -> int | None:
    """The number that some words mean, if they mean nothing else; `count` is the number of choices."""
    if count == len(words.FORMER_LATTER):
        tokens = [words.FORMER_LATTER.get(token, token) for token in tokens]
    return number_meant(tokens)


@functools.lru_cache(maxsize=4096)
def _pattern(name: str) -> re.Pattern[str]:
    """A name with nothing glued to it that would make it another one."""
    return re.compile(rf"(?<![\w/.-]){re.escape(name)}(?![\w/]|[.-]\w)")
