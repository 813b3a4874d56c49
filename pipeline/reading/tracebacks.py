"""Find the frames of tracebacks in any of the languages that people paste, and which of them is the innermost.

Every pattern is held against the beginning of one line, and a line counts with its first 600 characters, so that the time
grows with the length of the text alone.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pipeline.domain.issue import CitationKind
from pipeline.reading.match import Match

_LONGEST_LINE = 600
_GAP = 6
"""Lines without a frame after which another traceback begins."""


@dataclass(frozen=True)
class _Form:
    """How one runtime writes a frame, and whether the innermost is its last. `language` keeps tracebacks apart that stand in a row."""

    language: str
    pattern: re.Pattern[str]
    is_innermost_last: bool


def _form(language: str, pattern: str, *, is_innermost_last: bool = False) -> _Form:
    return _Form(language, re.compile(r"[ \t>|]*" + pattern), is_innermost_last)


_FORMS = (
    # File "/app/items.py", line 12, in pay
    _form(
        "python",
        r'(?P<quote>File "(?P<path>[^"\n]+)", line (?P<line>\d+)(?:, in (?P<function>[\w.<>]+))?)',
        is_innermost_last=True,
    ),
    # at Acme.Shop.Cart.Add(Item item) in /src/Cart.cs:line 12
    _form(
        "c#",
        r"(?:at|bei|à|в) (?P<quote>(?P<function>[^\s(]+)\([^\n]{0,300}?\) in (?P<path>[^\n]+?):line (?P<line>\d+))",
    ),
    # at com.acme.shop.Cart.add(Cart.java:12), and with the module or the loader before it: app//com.acme…, java.base/java…
    _form(
        "java",
        r"at (?P<quote>(?:[\w.@-]*/){0,2}(?P<class>[\w.$]+)\.(?P<function>[\w$<>]+)"
        r"\((?P<path>[\w$-]+\.(?:java|kt|kts|scala|groovy|clj)):(?P<line>\d+)\))",
    ),
    # at pay (src/cart.ts:12:5), at async Cart.add (webpack-internal:///./src/cart.ts?1f2e:12:5)
    _form(
        "javascript",
        r"at (?P<quote>(?:async )?(?P<function>[^\s(]+)(?: \[as [^\]\n]+\])? \((?P<path>[^()\n]+?):(?P<line>\d+)(?::\d+)?\))",
    ),
    # at src/cart.ts:12:5, and a frame of Rust: at ./src/main.rs:12:5
    _form("javascript", r"at (?P<quote>(?:async )?(?P<path>[^\s()]+?):(?P<line>\d+)(?::\d+)?)[ \t]*$"),
    # pay@http://localhost:3000/src/cart.ts:12:5
    _form("firefox", r"(?P<quote>(?P<function>[\w$.<>/*]*)@(?P<path>[^\s@]+?):(?P<line>\d+):\d+)[ \t]*$"),
    # #0 /var/www/app/Cart.php(12): App\Cart->add()
    _form(
        "php",
        r"#\d{1,4} (?P<quote>(?P<path>[^\s(][^(\n]*)\((?P<line>\d+)\): (?P<function>[\w\\]+(?:(?:->|::)[\w{}]+)?))",
    ),
    # from app/models/cart.rb:12:in `add'
    _form(
        "ruby",
        r"(?:\d{1,4}: )?(?:from )?(?P<quote>(?P<path>[^\s:()]+):(?P<line>\d+):in [`'](?P<function>[^'\n]+)')",
    ),
    # tests/test_cart.py:12: in test_pay
    _form(
        "pytest",
        r"(?P<quote>(?P<path>[^\s:()]+\.py):(?P<line>\d+): in (?P<function>\w+))",
        is_innermost_last=True,
    ),
    # thread 'main' panicked at src/main.rs:12:5:
    _form(
        "rust", r"thread '[^'\n]*'(?: \(\d+\))? panicked at (?P<quote>(?P<path>[^\s,:']+):(?P<line>\d+):\d+)"
    ),
    # thread 'main' panicked at 'no item', src/main.rs:12:5
    _form(
        "rust",
        r"thread '[^'\n]*' panicked at '[^\n]{0,300}', (?P<quote>(?P<path>[^\s,:']+):(?P<line>\d+):\d+)",
    ),
    # (tab)/src/cart/cart.go:12 +0x1d
    _form("go", r"(?P<quote>(?P<path>[^\s:()]+\.go):(?P<line>\d+))(?: \+0x[0-9a-f]+)?[ \t]*$"),
)
_PHP_ERROR = re.compile(r"\bin (?P<path>/?(?:[\w.\-]+/)+[\w.\-]+\.php)(?: on line |:)(?P<line>\d{1,7})")
_HINT = re.compile(r":(?:line )?\d|, line \d|\(\d+\):")
_GO_FUNCTION = re.compile(
    r"[ \t>|]*(?:created by )?(?P<function>[\w./\-*()]+\.[\w.*()\-]+?)(?:\([^)]*\))?(?: in goroutine \d+)?[ \t]*$"
)
_RUST_FUNCTION = re.compile(r"[ \t>|]*\d{1,4}: (?:0x[0-9a-f]+ - )?(?P<function>[^\s].*?)[ \t]*$")
_HEAD = re.compile(
    r"[ \t>|]*(?:Traceback \(most recent|Caused by\b|goroutine \d+|Exception in thread|The above exception|During handling of"
    r"|thread '|--- End of inner)"
)
"""A line with which a traceback begins, or the next one of a chain."""

_BUNDLER = re.compile(
    r"^(?:webpack(?:-internal)?:/{2,3}(?:[\w@./-]*?/(?=\./))?|file://(?=/)|https?://[^/\s]*/|blob:\S*?//[^/\s]*/)"
)
_RUNTIME_FRAME = re.compile(
    r"^(?:node:|internal/(?:bootstrap|modules|process|timers|streams|per_context)\b[\w/.-]*\.js$|<|native$|eval |\[)"
)
"""Paths that lie in no repository. Node before 16 called its own files `internal/…`, as Go calls packages of a repository."""


def find_frames(text: str) -> Iterator[Match]:
    """All frames of a text, each with its depth in its traceback: 0 is the innermost. Then the places of errors of PHP."""
    for traceback, is_innermost_last in _tracebacks(text):
        for at, frame in enumerate(traceback):
            yield replace(frame, depth=len(traceback) - 1 - at if is_innermost_last else at)
    for match in _PHP_ERROR.finditer(text):
        start, line = match.start("path"), int(match["line"])
        yield Match(CitationKind.FRAME, match["path"], start, match.end(), line=line, depth=0)


def is_frame_line(line: str) -> bool:
    """Whether a line is a frame, or the head of a traceback."""
    return _match(line) is not None or _HEAD.match(line) is not None


def _tracebacks(text: str) -> Iterator[tuple[list[Match], bool]]:
    """The frames of each traceback in the order of the text, and whether the last of them is the innermost."""
    current: list[Match] = []
    language, is_innermost_last = "", False
    since = 0
    start, previous = 0, ""
    for line in text.split("\n"):
        match = _match(line)
        since += 1
        if current and (_HEAD.match(line) or since > _GAP):
            yield current, is_innermost_last
            current = []
        if match is not None:
            form, groups = match
            if current and form.language != language and {form.language, language} != {"rust", "javascript"}:
                yield current, is_innermost_last
                current = []
            language, is_innermost_last, since = form.language, form.is_innermost_last, 0
            if (frame := _frame(form, groups, start, previous)) is not None:
                current.append(frame)
        start += len(line) + 1
        previous = line
    if current:
        yield current, is_innermost_last


def _match(line: str) -> tuple[_Form, re.Match[str]] | None:
    line = line[:_LONGEST_LINE]
    if _HINT.search(line) is None:
        return None
    for form in _FORMS:
        if (match := form.pattern.match(line)) is not None:
            return form, match
    return None


def _frame(form: _Form, match: re.Match[str], start: int, previous: str) -> Match | None:
    values = match.groupdict()
    path = clean_path(match["path"])
    if path is None or len(match["line"]) > 7:
        return None
    function = values.get("function")
    if form.language == "java":
        path = _java_path(values["class"] or "", path)
    elif form.language == "go":
        function = _function_name(_GO_FUNCTION, previous)
    elif path.endswith(".rs") and function is None:
        function = _function_name(_RUST_FUNCTION, previous)
    first, end = (start + at for at in match.span("quote"))
    line, name = int(match["line"]), _last_name(function)
    return Match(CitationKind.FRAME, path, first, end, line=line, function=name)


def clean_path(path: str) -> str | None:
    """The path of a file without the scheme, host and query that bundlers and browsers add; None for one of no repository."""
    path = _BUNDLER.sub("", path.strip(), count=1).partition("?")[0].replace("\\", "/").removeprefix("./")
    return None if not path or _RUNTIME_FRAME.match(path) else path


def _java_path(class_name: str, file_name: str) -> str:
    """`com.acme.Cart$Item` in `Cart.java` lies at `com/acme/Cart.java`."""
    return "/".join([*class_name.split(".")[:-1], file_name])


def _function_name(pattern: re.Pattern[str], line: str) -> str | None:
    match = pattern.match(line[:_LONGEST_LINE])
    return match["function"] if match else None


def _last_name(function: str | None) -> str | None:
    """`github.com/acme/shop.(*Cart).Add` and `Acme.Shop.Cart.Add` are called `Add`; `<module>` has no name."""
    if function is None:
        return None
    names = re.findall(r"[A-Za-z_$][\w$]*[?!=]?", re.sub(r"<[^<>]*>|::h[0-9a-f]{16}$", "", function))
    return names[-1] if names else None
