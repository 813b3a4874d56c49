"""How a text speaks: whether it agrees, asks, doubts or complains. Words only, no question and no choices."""

import re

from github_app.conversation import reply_words as words

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
    return phrase in words.AGREE or any(form.fullmatch(phrase) for form in (words.YES, words.DEFAULT))


def _speech(text: str) -> str:
    """A text without its links and inline code, whose signs are not the writer's."""
    return _URL.sub(" ", _INLINE_CODE.sub(" ", text))


def asks(text: str) -> bool:
    """Whether the writer asks something back."""
    return words.QUESTION.search(_speech(text)) is not None


def is_a_complaint(text: str) -> bool:
    """Whether a sentence stands on its own: to say what is missing takes a "not", which takes nothing back."""
    opening = " ".join(text.split()[:2])
    is_about_the_option = words.SAYS_OF_THE_OPTION.match(text) is not None
    return len(text.split()) >= 3 and not is_about_the_option and not words.DOUBT.search(opening)


def doubts(text: str) -> bool:
    """Whether the writer negates, doubts or takes back."""
    return words.DOUBT.search(_speech(text)) is not None


def is_courtesy(text: str) -> bool:
    """Whether a text only thanks, greets or praises: "Thanks for looking. Nice work!". It holds no wish that could be lost."""
    sentences = (sentence.strip() for sentence in _SENTENCE_END.split(text))
    return all(words.COURTESY.fullmatch(sentence) for sentence in sentences if sentence)
