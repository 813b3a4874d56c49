"""Find names in prose: routes, paths, files, options and identifiers, marked with back-ticks or recognisable by their shape."""

import re
from collections.abc import Iterator

from pipeline.domain.intent import Mention, MentionKind

_METHODS = "GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS"
_ROUTE = re.compile(rf"\b(?P<method>{_METHODS})\s+`?(?P<path>/[^\s`'\",;)]*)")
_PATH = re.compile(r"(?<![\w.:/<])(?P<path>/[A-Za-z0-9_{<:\[][\w\-{}<>:/.\[\]*]*)")
_URL = re.compile(r"\bhttps?://\S+")
_FILE = re.compile(r"(?<![\w/.\-])(?P<path>(?:[\w\-.]+/)*[\w\-]+\.(?:py|ts|tsx|js|jsx|mjs|go))\b")
_CODE_SPAN = re.compile(r"(?<!`)`{1,2}([^`\n]+)`{1,2}(?!`)")
_FENCE = re.compile(r"^ {0,3}(```|~~~).*?(?:^ {0,3}\1|\Z)", re.DOTALL | re.MULTILINE)
_OPTION = re.compile(r"(?<![\w-])(?P<name>--[A-Za-z][\w-]*)")
_SHORT_OPTION = re.compile(r"-[A-Za-z][\w-]*")
_HYPHENATED = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)+")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")
_BARE_NAME = re.compile(
    r"""(?<![\w./`@#-])(
        [A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+      # snake_case
      | [a-z][a-z0-9]*(?:[A-Z][a-z0-9]+)+          # camelCase
      | (?:[A-Z][a-z0-9]+){2,}                      # PascalCase
      | [A-Za-z_]\w*(?=\(\))                        # called()
    )(?![\w/])""",
    re.VERBOSE,
)


def find_mentions(prose: str) -> tuple[Mention, ...]:
    """Every name in a text, each once. A stretch of the text is read once, by the most telling pattern that fits it.

    Names that stand in code blocks only come last, and say so.
    """
    outside = tuple(_unique(_mentions(_FENCE.sub(_blank, prose))))
    known = {_key(mention) for mention in outside}
    fenced = (mention for mention in _unique(_mentions(prose)) if _key(mention) not in known)
    return (*outside, *(mention.model_copy(update={"fenced": True}) for mention in fenced))


def _mentions(prose: str) -> Iterator[Mention]:
    text = _URL.sub(_blank, prose)
    for pattern, read in _READERS:
        for match in pattern.finditer(text):
            yield from read(match)
        text = pattern.sub(_blank, text)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _read_route(match: re.Match[str]) -> Iterator[Mention]:
    quote = f"{match['method']} {match['path']}".rstrip(".?!:")
    yield Mention(
        kind=MentionKind.ROUTE, text=_plain_path(match["path"]), method=match["method"], quote=quote
    )


def _read_file(match: re.Match[str]) -> Iterator[Mention]:
    yield Mention(kind=MentionKind.FILE, text=match["path"], quote=match["path"])


def _read_path(match: re.Match[str]) -> Iterator[Mention]:
    path = _plain_path(match["path"])
    if len(path) > 1:
        yield Mention(kind=MentionKind.PATH, text=path, quote=match["path"].rstrip(".?!:"))


def _read_code_span(match: re.Match[str]) -> Iterator[Mention]:
    for word in match[1].split():
        if _OPTION.fullmatch(word) or _SHORT_OPTION.fullmatch(word):
            yield Mention(kind=MentionKind.OPTION, text=word, quote=match[1])
        elif _HYPHENATED.fullmatch(word):
            yield Mention(kind=MentionKind.NAME, text=word, quote=match[1])
        else:
            for name in _IDENTIFIER.findall(word):
                if name not in _METHODS.split("|"):
                    yield Mention(kind=MentionKind.NAME, text=name, quote=match[1])


def _read_option(match: re.Match[str]) -> Iterator[Mention]:
    yield Mention(kind=MentionKind.OPTION, text=match["name"], quote=match["name"])


def _read_bare_name(match: re.Match[str]) -> Iterator[Mention]:
    yield Mention(kind=MentionKind.NAME, text=match[1], quote=match[1])


_READERS = (
    (_ROUTE, _read_route),
    (_FILE, _read_file),
    (_PATH, _read_path),
    (_CODE_SPAN, _read_code_span),
    (_OPTION, _read_option),
    (_BARE_NAME, _read_bare_name),
)
"""Patterns from the most to the least telling."""


def _plain_path(path: str) -> str:
    return re.split(r"[?#]", path, maxsplit=1)[0].rstrip(".,:;!`*")


def _unique(mentions: Iterator[Mention]) -> Iterator[Mention]:
    seen: set[tuple[MentionKind, str, str | None]] = set()
    for mention in mentions:
        if _key(mention) not in seen:
            seen.add(_key(mention))
            yield mention


def _key(mention: Mention) -> tuple[MentionKind, str, str | None]:
    return mention.kind, mention.text, mention.method
