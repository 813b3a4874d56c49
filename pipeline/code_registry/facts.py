"""What an extractor says about one file, in words that are the same for every language.

Expressions are a small tree: enough to follow a router, a prefix or a type through assignments and calls. A large
repository has millions of them: they are made, kept, written and read by msgspec, and the collector does not walk them.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import msgspec


class Fact(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A value that is written as the list of its parts."""


class Name(Fact, frozen=True, tag=1):
    """A bare identifier."""

    name: str


class StringLiteral(Fact, frozen=True, tag=2):
    """A constant string."""

    value: str


class Constant(Fact, frozen=True, tag=3):
    """A number, a truth value or the language's nothing, as written."""

    text: str


class Attribute(Fact, frozen=True, tag=4):
    """`base.name`."""

    base: "Expression"
    name: str


class Call(Fact, frozen=True, tag=5):
    """`function(arguments, keyword=…)` on a line."""

    function: "Expression"
    arguments: tuple["Expression", ...]
    keywords: tuple[tuple[str, "Expression"], ...]
    line: int


class Items(Fact, frozen=True, tag=6):
    """A list, tuple or set."""

    items: tuple["Expression", ...]


class Pairs(Fact, frozen=True, tag=7):
    """A mapping, key and value. `name`: the definition of kind `object` that knows its members, if it has one."""

    items: tuple[tuple["Expression", "Expression"], ...]
    name: str | None = None


class JoinedText(Fact, frozen=True, tag=8):
    """Strings put together: `a + b`, an interpolated string, a format call."""

    parts: tuple["Expression", ...]


class Subscript(Fact, frozen=True, tag=9):
    """`base[index]`; generic types are written so too."""

    base: "Expression"
    key: "Expression"


class Alternatives(Fact, frozen=True, tag=10):
    """One of several values: `a or b`, `a if c else b`, `A | None`."""

    options: tuple["Expression", ...]


class Splat(Fact, frozen=True, tag=11):
    """`*value` or `**value`."""

    value: "Expression"


class Comprehension(Fact, frozen=True, tag=12):
    """A comprehension: `element` for each `variable` of `source`."""

    element: "Expression"
    variable: str
    source: "Expression"


class Inline(Fact, frozen=True, tag=13):
    """A function or class that is written where it is used: a definition of the same file, by its index."""

    number: int


class OpaqueExpression(Fact, frozen=True, tag=14):
    """Anything else."""


Expression = (
    Name
    | StringLiteral
    | Constant
    | Attribute
    | Call
    | Items
    | Pairs
    | JoinedText
    | Subscript
    | Alternatives
    | Splat
    | Comprehension
    | Inline
    | OpaqueExpression
)

OPAQUE = OpaqueExpression()
RESULT = "#"
"""In the constant key of a subscript: the number of one of several values that a call returns or a tuple holds."""
NUMBER_MARK = "·"
"""In the stored name of a local variable: what follows tells it from others of its name in the same function."""


class Argument(Fact, frozen=True):
    """A parameter of a definition. `kind` is `plain`, `list` (`*args`) or `mapping` (`**kwargs`)."""

    name: str
    annotation: Expression | None
    default: Expression | None
    kind: str
    line: int


class CodeDefinition(Fact, frozen=True):
    """A function, a class, an object literal with members, or (index 0) the file itself.

    `parent` is the index of what it stands in. `kind` is `function`, `class`, `object`, `extension` (members of a class
    that may stand in another file), and for the file itself `module`, or `program` where running it starts there.
    """

    kind: str
    name: str
    parent: int
    line: int
    end_line: int
    decorators: tuple[Expression, ...]
    arguments: tuple[Argument, ...]
    returns: Expression | None
    bases: tuple[Expression, ...]
    keywords: tuple[tuple[str, Expression], ...]
    docstring: str | None


class Import(Fact, frozen=True):
    """`from module import name as local`. `name` is None for a whole module, `*` for everything in it.

    `level` counts the leading dots of a relative import.
    """

    scope: int
    local: str
    module: str
    level: int
    name: str | None


class Assignment(Fact, frozen=True):
    """`target: annotation = value` in a scope. `on_self`: an attribute of the instance.

    `mode` is `assign`, `enter` (bound by a context manager), `each` (bound by a loop over the value), `key` (the key of
    what such a loop binds), `part` (one of several parts of a value: see `part_of`) or `field` (a declared attribute of the
    class that is the scope). Where variables have one type for life: `update` (another value),
    `outer` (another value for a variable of the file), `case` (the value, known to be of the annotated type) and
    `member` (the attribute `target` of the value that `annotation` holds gets another value).
    """

    scope: int
    target: str
    on_self: bool
    annotation: Expression | None
    value: Expression | None
    mode: str
    line: int


TEST_CASE = (("test case", Constant("true")),)
"""Keywords of a function that a runner of tests calls, though its name does not say so."""
INLINE = (("inline", Constant("true")),)
"""Keywords of a function that is written where it is used: the enclosing code leads to it."""


class CallSite(Fact, frozen=True):
    """A call and the definition in whose code it stands."""

    scope: int
    call: Call


class ReturnValue(Fact, frozen=True):
    """A value that a function returns."""

    scope: int
    value: Expression


class KeyRead(Fact, frozen=True):
    """A constant key that is read: `base["key"]` or `"key" in base`."""

    scope: int
    base: Expression
    key: str
    line: int


class Comparison(Fact, frozen=True):
    """A test of a request's method: `base.method == value`, `!=` (`excludes`), or a case of a switch over it (`is_case`)."""

    scope: int
    base: Expression
    value: Expression
    excludes: bool
    is_case: bool


METHOD_ATTRIBUTES = frozenset({"method", "Method"})
"""The attributes whose comparisons are noted: those by which requests tell their HTTP method."""


def method_test(
    scope: int, sides: tuple[Expression, Expression], *, excludes: bool, is_case: bool = False
) -> Iterator[Comparison]:
    """The test of a request's method that a comparison is, whichever side the method stands on."""
    for side, method_side in (sides, sides[::-1]):
        if (
            isinstance(side, Attribute)
            and side.name in METHOD_ATTRIBUTES
            and isinstance(method_side, StringLiteral | Attribute)
        ):
            yield Comparison(scope, side.base, method_side, excludes, is_case)
            return


class FileFacts(Fact, frozen=True):
    """All that is known of one file; it does not hold the file's path, so a renamed file keeps its facts.

    `additions` are values that are added to a variable: `target += value`.
    """

    definitions: tuple[CodeDefinition, ...]
    imports: tuple[Import, ...]
    assignments: tuple[Assignment, ...]
    calls: tuple[CallSite, ...]
    returns: tuple[ReturnValue, ...]
    reads: tuple[KeyRead, ...]
    additions: tuple[Assignment, ...] = ()
    comparisons: tuple[Comparison, ...] = ()


def part_of(value: Expression, number: int) -> Expression:
    """What `b` is given by `a, b = value`: the part of that number."""
    return Subscript(value, Constant(f"{RESULT}{number}"))


def last_word(expression: object, *through: type["Call | Subscript"]) -> str:
    """The last word of a name, `save` of `orders.save`; also of what is made from one `through` a call or type parameters."""
    while isinstance(expression, through):
        expression = expression.function if isinstance(expression, Call) else expression.base
    return expression.name if isinstance(expression, Name | Attribute) else ""


def fill_format(pieces: Sequence[str], values: Sequence[Expression], longest: int) -> Expression:
    """The string of a format: `pieces` of text with a value between each two."""
    parts: list[Expression] = [StringLiteral(pieces[0])]
    for value, piece in zip(values, pieces[1:], strict=True):
        parts += [value, StringLiteral(piece)]
    return join_texts([part for part in parts if part != StringLiteral("")], longest)


def is_text(value: str) -> bool:
    """Whether a string is Unicode text: halves of characters, which code may hold, are none and cannot be written."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def plain(name: str) -> str:
    """The name of a variable as written."""
    return name.partition(NUMBER_MARK)[0]


def source_text(expression: Expression | None) -> str | None:
    """The expression as source text, near enough for a person; None for nothing."""
    match expression:
        case None:
            return None
        case Name(name):
            return plain(name)
        case StringLiteral(value):
            return repr(value)
        case Constant(text):
            return text
        case Attribute(base, name):
            return f"{source_text(base)}.{name}"
        case Call(function, arguments, keywords, _):
            inside = [source_text(item) or "" for item in arguments]
            inside += [f"{key}={source_text(value)}" for key, value in keywords]
            return f"{source_text(function)}({', '.join(inside)})"
        case Subscript(Name("[]"), element):
            return f"[]{source_text(element)}"
        case Subscript(base, index):
            inner = index.items if isinstance(index, Items) else (index,)
            return f"{source_text(base)}[{', '.join(source_text(item) or '' for item in inner)}]"
        case Alternatives(options):
            return " | ".join(source_text(option) or "" for option in options)
        case Items(items):
            return f"[{', '.join(source_text(item) or '' for item in items)}]"
        case Splat(value):
            return f"*{source_text(value)}"
        case _:
            return "…"


def join_texts(parts: Iterable[Expression], longest: int) -> Expression:
    """Strings put together, of which so many pieces are kept: constants that touch become one."""
    flat: list[Expression] = []
    pieces = (piece for part in parts for piece in (part.parts if isinstance(part, JoinedText) else (part,)))
    for is_text, run in groupby(pieces, lambda piece: isinstance(piece, StringLiteral)):
        if is_text:
            flat.append(
                StringLiteral("".join(piece.value for piece in run if isinstance(piece, StringLiteral)))
            )
        else:
            flat += run
    if not flat:
        return StringLiteral("")
    return (
        flat[0]
        if len(flat) == 1 and isinstance(flat[0], StringLiteral)
        else JoinedText(tuple(flat[:longest]))
    )
