"""Read one stretch of text by one pattern after another, from the most to the least telling.

What a pattern has read is blanked, so that nothing is read twice: `src/cart.ts:12` is a line, and neither a file nor the
name `cart.ts`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Set

from pipeline.domain.issue import CitationKind, SectionRole
from pipeline.reading import code_names as shapes
from pipeline.reading.addresses import own_address
from pipeline.reading.curl import find_curl_requests
from pipeline.reading.match import Match
from pipeline.reading.tracebacks import clean_path, find_frames

_MOST_OF_SHOWN = 250
"""Of one stretch of log or code."""

_LONGEST_LINE = 2_000
_CODE_SPAN = re.compile(r"(?<![`\\])(?P<ticks>`{1,2})(?!`)(?P<code>[^`\n]{1,300})(?P=ticks)(?!`)")
_URL = re.compile(
    r"\b(?:https?|ftp)://[^\s<>\"'`]*[^\s<>\"'`.,;:!?)\]}*]|\bwww\.[^\s<>\"'`)\]]+", re.IGNORECASE
)
_MAIL = re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}\b(?:/[^\s<>]*)?")
_MOST_NAMES_OF_SPAN = 3
"""So many words in one pair of back-ticks may each be a name; more are code or a message."""

_QUIET = frozenset({SectionRole.LOG, SectionRole.CODE})


def find_matches(text: str, role: SectionRole, repository: str | None) -> list[Match]:
    """What a stretch of this role cites, in its order. `repository` is `owner/name`, None without one."""
    return _Scanner(_blank_long_lines(text), role, repository).matches()


def _blank_long_lines(text: str) -> str:
    """Lines of unusual length are blanked behind their beginning: minified code and data say nothing."""
    if len(text) <= _LONGEST_LINE:
        return text
    return re.sub(
        rf"^(.{{{_LONGEST_LINE}}})(.+)$",
        lambda match: match[1] + " " * len(match[2]),
        text,
        flags=re.MULTILINE,
    )


class _Scanner:
    """One stretch of text, read by one pattern after another."""

    def __init__(self, text: str, role: SectionRole, repository: str | None) -> None:
        self._text = text
        self._role = role
        self._is_quiet = role in _QUIET
        self._repository = repository

    def matches(self) -> list[Match]:
        """In the order of the text."""
        matches: list[Match] = []
        readers: tuple[Callable[[], Iterator[Match]], ...] = (
            lambda: find_frames(self._text),
            lambda: find_curl_requests(self._text),
            self._method_routes,
            self._urls,
            self._code_spans,
            self._commands,
            self._loggers,
            self._messages,
            self._files,
            self._routes,
            self._options_and_variables,
            self._issues_and_commits,
            self._names,
        )
        for read in readers:
            batch = list(read())
            matches += batch
            self._blank((match.start, match.end) for match in batch if match.kind is not CitationKind.MESSAGE)
        matches.sort(key=lambda match: (match.start, -match.end))
        return _most_telling(matches, _MOST_OF_SHOWN) if self._is_quiet else matches

    def _blank(self, places: Iterable[tuple[int, int]]) -> None:
        parts, at = [], 0
        for start, end in sorted(places):
            if end <= at:
                continue
            first = max(start, at)
            parts += [self._text[at:first], re.sub(r"[^\n]", " ", self._text[first:end])]
            at = end
        self._text = "".join([*parts, self._text[at:]])

    def _method_routes(self) -> Iterator[Match]:
        """Methods with their paths. `GET / HTTP/1.1` is what a client prints of any request, and points at no route."""
        for match in shapes.METHOD_ROUTE.finditer(self._text):
            path = shapes.plain_path(match["path"])
            if path == "/" and shapes.HTTP_VERSION.match(self._text, match.end()):
                continue
            end = match.start("path") + len(path)
            yield Match(CitationKind.ROUTE, path, match.start(), end, method=match["method"])

    def _urls(self) -> Iterator[Match]:
        """Addresses of this repository and of the software itself are read; all others are no citations."""
        places: list[tuple[int, int]] = []
        for match in _URL.finditer(self._text):
            places.append(match.span())
            local = shapes.LOCAL_URL.match(match.group())
            if local is not None and local["path"] and len(path := shapes.plain_path(local["path"])) > 1:
                start = match.start() + local.start("path")
                yield Match(CitationKind.ROUTE, path, start, start + len(path))
            elif self._repository and (own_part := own_address(match.group(), self._repository)) is not None:
                kind, text, line = own_part
                yield Match(kind, text, *match.span(), line=line, is_marked=kind is not CitationKind.ISSUE)
        places += [match.span() for match in _MAIL.finditer(self._text)]
        self._blank(places)

    def _code_spans(self) -> Iterator[Match]:
        if self._is_quiet:
            return
        places: list[tuple[int, int]] = []
        for span in _CODE_SPAN.finditer(self._text):
            places.append(span.span())
            code = span["code"].strip()
            start = span.start("code") + span["code"].index(code)
            words = list(re.finditer(r"\S+", code))
            is_command = len(words) > 1 and shapes.is_command(code)
            if is_command:
                yield Match(CitationKind.COMMAND, code, start, start + len(code), is_marked=True)
            elif len(words) > _MOST_NAMES_OF_SPAN and shapes.CALL_CHARACTERS.search(code) is None:
                yield Match(CitationKind.MESSAGE, code, start, start + len(code), is_marked=True)
            is_list = len(words) <= _MOST_NAMES_OF_SPAN and all(
                shapes.kind_of_marked(word.group()) for word in words
            )
            if not is_command and (len(words) == 1 or is_list):
                for word in words:
                    yield from _backtick_matches(word.group(), start + word.start(), is_alone=len(words) == 1)
            else:
                yield from _matches_by_shape(code, start)
        self._blank(places)

    def _commands(self) -> Iterator[Match]:
        for match in shapes.SHELL_PROMPT.finditer(self._text):
            command = match["command"].rstrip()
            start = match.start("command")
            yield Match(CitationKind.COMMAND, command, start, start + len(command), is_marked=True)
            for option in shapes.OPTION.finditer(command):
                yield Match(CitationKind.OPTION, option["name"], start + option.start(), start + option.end())

    def _loggers(self) -> Iterator[Match]:
        if self._role is not SectionRole.LOG:
            return
        for match in shapes.LOGGER.finditer(self._text):
            name = match.lastgroup or "after"
            if shapes.FILE.fullmatch(match[name]) is None:
                yield Match(CitationKind.LOGGER, match[name], match.start(name), match.end(name))

    def _messages(self) -> Iterator[Match]:
        error_lines = list(shapes.ERROR_LINE.finditer(self._text))
        for match in error_lines:
            # A logger before the message is blanked already: `ERROR:          : no card`.
            message = match["message"].lstrip(" \t:|]")
            start = match.end("message") - len(message)
            message = message.rstrip()
            if message:
                yield Match(CitationKind.MESSAGE, message, start, start + len(message))
        if self._is_quiet:
            yield from self._printed_messages({match.end() for match in error_lines})
            return
        for match in shapes.QUOTATION.finditer(self._text):
            group = match.lastgroup or "e"
            text = match[group].strip()
            if any(sign.isalpha() for sign in text) and (len(text) > 2 or not text.isascii()):
                start = match.start(group) + len(match[group]) - len(match[group].lstrip())
                yield Match(CitationKind.MESSAGE, text, start, start + len(text))

    def _printed_messages(self, ends_of_read_lines: Set[int]) -> Iterator[Match]:
        for match in shapes.PRINTED_MESSAGE.finditer(self._text):
            if _line_end(self._text, match.end()) not in ends_of_read_lines:
                group = match.lastgroup or "line"
                message = match[group].rstrip()
                start = match.start(group)
                yield Match(CitationKind.MESSAGE, message, start, start + len(message))

    def _files(self) -> Iterator[Match]:
        for match in shapes.FILE.finditer(self._text):
            path = match["path"]
            behind = shapes.LINE.match(self._text, match.end())
            before = shapes.LINE_OF.search(self._text[max(0, match.start() - 24) : match.start()])
            clean = clean_path(path)
            is_product = self._role is SectionRole.ENVIRONMENT and behind is None and "/" not in path
            if clean is None or shapes.is_plain_name(path) or is_product:
                continue
            if behind is not None:
                yield Match(CitationKind.LINE, clean, match.start(), behind.end(), line=_number(behind))
            elif before is not None:
                yield Match(CitationKind.LINE, clean, *match.span(), line=int(before["line"]))
            else:
                yield Match(CitationKind.FILE, clean, *match.span())

    def _routes(self) -> Iterator[Match]:
        """In code and logs a path alone is a file more often than a route, so there it needs its quotes."""
        for match in shapes.ROUTE.finditer(self._text):
            path = shapes.plain_path(match["path"])
            is_quoted = self._text[match.start() - 1 : match.start()] in ("'", '"')
            if len(path) < 3 or shapes.is_system_path(path) or (self._is_quiet and not is_quoted):
                continue
            yield Match(CitationKind.ROUTE, path, match.start(), match.start() + len(path))

    def _options_and_variables(self) -> Iterator[Match]:
        for match in shapes.OPTION.finditer(self._text):
            if len(match["name"]) > 2:
                yield Match(CitationKind.OPTION, match["name"], *match.span())
        for match in shapes.VARIABLE.finditer(self._text):
            yield Match(CitationKind.ENVIRONMENT, match["marked"] or match["plain"], *match.span())

    def _issues_and_commits(self) -> Iterator[Match]:
        if self._is_quiet:
            return
        for match in shapes.ISSUE.finditer(self._text):
            repository = match["repository"]
            if repository is None or repository.lower() == (self._repository or "").lower():
                yield Match(CitationKind.ISSUE, f"#{match['number']}", *match.span())
        for match in shapes.COMMIT.finditer(self._text):
            yield Match(CitationKind.COMMIT, match.group(), *match.span())

    def _names(self) -> Iterator[Match]:
        """Names by their shape. Among versions they are those of products: `iTerm2`, `Node.js`."""
        if self._role is SectionRole.ENVIRONMENT:
            return
        for match in shapes.BARE_NAME.finditer(self._text):
            name = match["name"]
            if not shapes.is_plain_name(name):
                yield Match(CitationKind.NAME, name.removesuffix("()"), *match.span())


def _backtick_matches(word: str, start: int, *, is_alone: bool) -> Iterator[Match]:
    """A word in back-ticks: whatever it looks like, else the names in it."""
    if (match := _line_of_path(word, start)) is not None:
        yield match
    elif (read := shapes.kind_of_marked(word)) is not None:
        kind, text = read
        if kind is CitationKind.NAME and is_alone and shapes.CAPITALS.fullmatch(text):
            kind = CitationKind.ENVIRONMENT
        yield Match(kind, text, start, start + len(word), is_marked=True)
    elif is_alone:
        yield from _matches_by_shape(word, start)


def _matches_by_shape(code: str, start: int) -> Iterator[Match]:
    """The parts of a line of code whose shape says what they are: `concat(slice, 2)` calls `concat`, and `slice` is a word."""
    for pattern, kind in (
        (shapes.FILE, CitationKind.FILE),
        (shapes.OPTION, CitationKind.OPTION),
        (shapes.VARIABLE, CitationKind.ENVIRONMENT),
        (shapes.IDENTIFIER, CitationKind.NAME),
    ):
        for match in pattern.finditer(code):
            word = match.group()
            read = shapes.kind_of_marked(word)
            if read is None or read[0] is not kind or len(word) < 3:
                continue
            before, behind = code[: match.start()][-1:], code[match.end() : match.end() + 1]
            # `max-age=0` sets `max-age`, and no `age`.
            is_used = behind in ("(", "[") or (behind == "=" and before != "-") or before == "@"
            if kind is not CitationKind.NAME or is_used or shapes.BARE_NAME.fullmatch(word.lstrip("@$#")):
                yield Match(kind, read[1], start + match.start(), start + match.end(), is_marked=True)
        code = pattern.sub(lambda match: " " * len(match.group()), code)


def _line_of_path(word: str, start: int) -> Match | None:
    file = shapes.FILE.match(word)
    line = shapes.LINE.fullmatch(word, file.end()) if file else None
    clean = clean_path(file["path"]) if file else None
    if file is None or line is None or clean is None:
        return None
    return Match(CitationKind.LINE, clean, start, start + len(word), line=_number(line), is_marked=True)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _number(match: re.Match[str]) -> int:
    return int(next(group for group in match.groups() if group is not None))


def _most_telling(matches: list[Match], limit: int) -> list[Match]:
    """The first of each kind by turns, so that a long log does not lose its frames to its names; frames by their depth."""
    if len(matches) <= limit:
        return matches
    order = sorted(
        range(len(matches)),
        key=lambda at: (_TELLING.get(matches[at].kind, 9), matches[at].depth or 0, at),
    )
    return [matches[at] for at in sorted(order[:limit])]


_TELLING = {
    CitationKind.FRAME: 0,
    CitationKind.LINE: 1,
    CitationKind.MESSAGE: 2,
    CitationKind.LOGGER: 3,
    CitationKind.FILE: 4,
    CitationKind.ROUTE: 5,
}
"""What a log is cut to: the lower the number, the sooner it stays."""
