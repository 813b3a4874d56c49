"""The words that a reply may be made of, how it speaks, and the names by which it calls a choice.

What is not listed here is not understood, and starts nothing.
"""

import functools
import re
from dataclasses import dataclass

from pipeline.contract.choices import Choice, stem_of
from pipeline.contract.reply_languages import any_of, number_meant


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


GO = frozenset({"go"})
"""Consent to the default, for every kind of question."""

YES = re.compile(rf"(?:{any_of('yes')})(?:\ (?:{any_of('polite')}))?")
AGREE = frozenset(
    {
        "ok", "okay", "yep", "yeah", "sure", "👍", "your call", "you decide", "go ahead", "go for it", "proceed",
        "go please", "ok go", "yes go", "sounds good",
    }
)  # fmt: skip
"""Consent only where the default is plainly what one agrees to: never for a confirmation or an escalation."""

CANCEL = frozenset(
    {"cancel", "stop", "abort", "never mind", "nevermind", "forget it", "drop it", "👎", "please cancel", "please stop",
     "cancel please", "stop please"}
)  # fmt: skip

HELP = frozenset({"help", "help please"})
NEGATIVE_START = re.compile(
    r"(?:no|not|don't|do not|never|decline|reject|deny|refuse|keep|leave)\b", re.IGNORECASE
)
"""How the label of a choice begins that a "yes" does not agree to."""

DOUBT = re.compile(
    r"""(?<!\w)(?:not?|nope|nor|never|neither|none|nothing|cannot|without|wrong|except|unless|unclear|unsure
    |maybe|perhaps|possibly|probably|wait|hold|actually|instead|rather|scratch|mistake|oops|undo|correction|edit|retract
    |if|until|once|when|before|after|depends?|provided|assuming|guess|otherwise|either|both|or|cancel|stop|later|yet
    |ignore|disregard|disagree|bad|broken|reject\w*|nein|nicht|kein\w*|oder|vielleicht|falls|wenn|pas|non|ou|si|peut-être
    |ni|ninguna?|quizás?|não|nao|talvez|se|ma|forse|не|нет|или|если)(?!\w)
    |n['’]t(?!\w)|ない|不|没|或|❌|👎|🚫|🤔|😕""",
    re.IGNORECASE | re.VERBOSE,
)
"""Negation, doubt, condition or a change of mind: a person who writes one of these has not plainly chosen."""

BECAUSE = rf"(?:{any_of('because')})"
"""The words that begin a reason."""

POLITE = rf"(?:pls|thx|{any_of('polite')})"

REJECTION = re.compile(rf"(?:{any_of('rejection')})(?=[\s.,;:!–—、。-])[\s.,;:!–—、。-]*", re.IGNORECASE)
"""How a reply begins that means none of the choices, and may go on to say what is meant instead."""

SAYS_OF_THE_OPTION = re.compile(
    r"(?:is|isn['’]?t|was|wasn['’]?t|would|wouldn['’]?t|will|won['’]?t|does|doesn['’]?t|can|can['’]?t|cannot"
    r"|sounds|seems|looks|and|but|because)\b",
    re.IGNORECASE,
)
"""How a sentence begins whose subject is the number before it: "2 is not what I want"."""

QUESTION = re.compile(r"[?؟⸮՞፧]")

GREETING = rf"(?:yeah|yep|ok|okay|sure|hi|hello|hey|thx|{any_of('greeting')}|{any_of('polite')})"

_OF_A_WISH = r"but|and|please|pls|also|only|just|with|to|except|then|so"
COURTESY = re.compile(
    rf"""(?:thank(?:s|\ you)|thx|ty|cheers)(?:\ (?!(?:{_OF_A_WISH})\b)[\w'’@-]+){{0,5}}
    |(?:great|nice|good|perfect|awesome|excellent|lovely|cool)(?:\ (?:work|job|plan|question|catch|point|find|one))?
    |(?:looks|sounds)\ (?:good|great|right|fine)(?:\ to\ me)?|lgtm|agreed|{POLITE}|{GREETING}""",
    re.IGNORECASE | re.VERBOSE,
)
"""A sentence that holds no wish: thanks, a greeting, praise."""

_SURELY = r"(?:definitely|certainly|clearly|absolutely)"
VERB = (
    rf"(?:(?:(?:please|let['’]?s|let\ us|i|we|i['’]d|i['’]ll|we['’]ll|i\ would|i\ think(?:\ we\ should)?)\s+)?(?:{_SURELY}\s+)?"
    r"(?:go\ with|go\ for|choose|pick|take|use|do|want|prefer|vote\ for|say|select|mean|meant|answer:?|it['’]?s|it\ is"
    rf"|(?:the|my|our)\ (?:answer|choice|pick|vote|preference)(?:\ is|:))|i\ think|{_SURELY})"
)

APPROVAL = r"""(?:(?:works|(?:is|looks|sounds|seems)\ (?:good|great|right|fine|ok|okay|perfect|best))\ (?:for|to|with|by)\ (?:me|us)
    |sounds\ (?:good|great|right|fine)|it\ is|is\ (?:the\ (?:right\ )?one|(?:my|our)\ (?:answer|choice|pick|vote|preference)))"""
"""Words of approval after a choice. "2 works" and "2 is fine" may say how 2 behaves."""

NOUN = (
    r"(?:option|number|choice|candidate|answer|variant|nr\.?|\#"
    r"|opci[oó]n|nummer|variante|opzione|opç[aã]o|número|numero|вариант)"
)

DEFAULT = re.compile(
    rf"""(?:{GREETING}\s+)?(?!it\b)(?:{VERB}\s+)?(?:the\s+)?default(?:\s+(?:one|option|choice|answer))?
    (?:\s+(?:{APPROVAL}|{POLITE}))?""",
    re.IGNORECASE | re.VERBOSE,
)
"""A whole phrase that takes the default by its name: consent as in `AGREE`."""

_BOTH = r"(?:both|beide|ambos|les\ deux)"
SEVERAL_CHOICES = re.compile(
    rf"""(?:{GREETING}\s+(?!(?:all|{_BOTH})(?:\s+{POLITE})?$)
    |(?:{any_of("yes")}|(?:yeah|yep|ok|okay|sure|please|pls)(?!\s+all\b))\s+(?!.*\b(?:thanks|thank\ you|thx)$))?
    (?:{VERB}\s+)?(?:for\s+)?(?:(?P<all>all)|{_BOTH})
    (?:\s+(?:of\s+)?(?:these|those|them)|\s+(?:(?:of\s+)?(?:the|these|those)\s+)?
    (?:options|choices|candidates|routes|endpoints|handlers|functions|methods|classes|modules|files|places))?
    (?:\s+{POLITE})?""",
    re.IGNORECASE | re.VERBOSE,
)
"""A whole phrase that means several choices; `all` means more than two as well. A bare word behind a greeting names people:
"Hi all", "Thanks both!". Behind a yes it is a choice, unless thanks follow: "ok, both".
"""

FILLER = _set(
    """use take pick choose select prefer want mean meant need go with for the a an one ones this that it its it's is in
    on to of endpoint endpoints route routes option handler file function method class module version variant please pls
    i i'd i'll let's lets should be would like only just definitely thanks thank you yes ok okay and"""
)
"""Words around the name of a choice that change nothing."""

FORMER_LATTER = {"former": "first", "latter": "second"}
"""What these mean where there are two choices."""

_INLINE_CODE = re.compile(r"`[^`\n]{1,500}`")
_SENTENCE_END = re.compile(r"[.!,;\n👍🙏🎉🚀✅]+|[:;]-?\)")
_URL = re.compile(r"https?://[^\s)>\]]{1,2000}")


def as_phrase(text: str) -> str:
    """A whole comment as one phrase, to be compared with lists."""
    if len(text) > 60:
        return ""
    plain = text.casefold().replace(":+1:", "👍").replace(":-1:", "👎")
    plain = "".join(character for character in plain if not "\U0001f3fb" <= character <= "\U0001f3ff")
    return " ".join(re.sub(r"[*`_\"“”.,!…]+", " ", plain).split())


def agrees(phrase: str) -> bool:
    """Whether a phrase is a yes, in one of the languages of the grammar, or takes the default by name."""
    return phrase in AGREE or any(form.fullmatch(phrase) for form in (YES, DEFAULT))


def _speech(text: str) -> str:
    """A text without its links and inline code, whose signs are not the writer's."""
    return _URL.sub(" ", _INLINE_CODE.sub(" ", text))


def asks(text: str) -> bool:
    """Whether the writer asks something back."""
    return QUESTION.search(_speech(text)) is not None


def is_a_complaint(text: str) -> bool:
    """Whether a sentence stands on its own: to say what is missing takes a "not", which takes nothing back."""
    opening = " ".join(text.split()[:2])
    is_about_the_option = SAYS_OF_THE_OPTION.match(text) is not None
    return len(text.split()) >= 3 and not is_about_the_option and not DOUBT.search(opening)


def doubts(text: str) -> bool:
    """Whether the writer negates, doubts or takes back."""
    return DOUBT.search(_speech(text)) is not None


def is_courtesy(text: str) -> bool:
    """Whether a text only thanks, greets or praises: "Thanks for looking. Nice work!". It holds no wish that could be lost."""
    sentences = (sentence.strip() for sentence in _SENTENCE_END.split(text))
    return all(COURTESY.fullmatch(sentence) for sentence in sentences if sentence)


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
            if number and number <= len(self.choices) and (noun or ordinal in FORMER_LATTER):
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
        return all(not token or token in FILLER or stem_of(token) in choice_stems for token in tokens)


def ordinal_number(tokens: list[str], count: int) -> int | None:
    """The number that some words mean, if they mean nothing else; `count` is the number of choices."""
    if count == len(FORMER_LATTER):
        tokens = [FORMER_LATTER.get(token, token) for token in tokens]
    return number_meant(tokens)


@functools.lru_cache(maxsize=4096)
def _pattern(name: str) -> re.Pattern[str]:
    """A name with nothing glued to it that would make it another one."""
    return re.compile(rf"(?<![\w/.-]){re.escape(name)}(?![\w/]|[.-]\w)")
