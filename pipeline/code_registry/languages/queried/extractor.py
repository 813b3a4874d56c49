"""Facts of one file by a query that tree-sitter runs: the captures of the query files, put where they stand.

A match holds one of these, and parts of it:

- `@class` and `@function` define a `@name`; `@returns` is what a function returns, a `@constructor` has no name of its own.
  An `@extension` holds further members of the class `@name`. `@heir` is a class with a `@base`, `@test` a function that a
  runner of tests calls.
- `@parameter`, `@variable` and `@field` are a `@name` of a `@type`. A variable without a type may be what a `@receiver`
  gives when something is `@called` on it.
- `@call` stands where something is `@called`, perhaps on a `@receiver`, or where a value of a type is `@made`.
- `@import` is the statement or the path that names what a file takes from elsewhere, `@namespace` what others name it by.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pipeline.code_registry.facts import (
    OPAQUE,
    TEST_CASE,
    Argument,
    Attribute,
    Call,
    CallSite,
    Expression,
    FileFacts,
    Import,
    Inline,
    Name,
)
from pipeline.code_registry.languages.grammars import Match, QueriedGrammar
from pipeline.code_registry.languages.syntax_reader import SyntaxReader, line_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_DEFINING = ("class", "extension", "function", "constructor")
_BOUND = ("parameter", "variable", "field")
_CONSTRUCTOR = "constructor"
_LONGEST_IMPORT, _LONGEST_CHAIN, _MOST_LINKS = 5_000, 200, 100
_SEPARATOR = re.compile(r"::|\?->|->|\?\.|!\.|[.\\]")
_CHAIN = re.compile(r"[$@]{0,2}\w+(?:(?:::|\?->|->|\?\.|!\.|[.\\])\$?\w+)*")
_BEFORE_TYPE = re.compile(r"^(?:&|\?|'\w+|mut\b|dyn\b|impl\b|ref\b|final\b|\\|\s)+")
_POINTER = re.compile(r"^(?:\w+::)*(?:Arc|Rc|Box)\s*<(.+)>$", re.DOTALL)
_TYPE = re.compile(r"^[\w.:\\]+(?=\s*(?:<.*>)?\??$)", re.DOTALL)
_OWN_TYPES = frozenset({"Self", "self", "static"})
_RECEIVERS = frozenset({"this", "self", "$this"})
_ABOVE = frozenset({"super", "base", "parent"})
_THIS = Name("this")
_IMPORT_WORDS = re.compile(r"^(?:use|import|static|function|const)\s+|;$")


def extract(language: QueriedGrammar, source: bytes) -> FileFacts:
    """Facts of one file."""
    return _Reader(language, source).facts()


class _Reader(SyntaxReader):
    """Puts the matches of one file into facts."""

    def __init__(self, language: QueriedGrammar, source: bytes) -> None:
        tree, matches = language.matches(source)
        super().__init__(source, tree)
        self._grammar = language
        self._matches: dict[str, list[Match]] = {}
        for match in matches:
            kind = next(
                name
                for name in (*_DEFINING, *_BOUND, "heir", "test", "call", "import", "namespace")
                if name in match
            )
            self._matches.setdefault(kind, []).append(match)
        spaces = [
            ".".join(_SEPARATOR.split(text_of(match["namespace"][0]))) for match in self._of("namespace")
        ]
        self.define_file(name=spaces[0] if len(spaces) == 1 else "")
        self._calls: dict[int, CallSite] = {}
        self._links: dict[int, int] = {}
        self._numbers: dict[int, int] = {}
        self._classes: dict[str, int] = {}
        self._starts: list[int] = []
        self._scopes: list[int] = []
        self._names: dict[int, set[str]] = {}
        self._members: set[tuple[int, str]] = set()
        self._top_level: dict[str, str] = {}
        self._arguments: dict[int, list[Argument]] = {}
        self._uses: dict[str, Import] = {}
        self._imports: dict[str, Import] = {}

    def facts(self) -> FileFacts:
        """Definitions first: all else is looked up among them."""
        self._define()
        statements = [text_of(match["import"][0]) for match in self._of("import")]
        for statement in statements:
            for local, path in _import_paths(statement) if len(statement) < _LONGEST_IMPORT else ():
                self._uses[local] = Import(0, local, path, 0, local if path.endswith(local) else _last(path))
        bases: dict[int, list[Expression]] = {}
        for match in self._of("heir"):
            above = bases.setdefault(self._numbers[match["heir"][0].id], [])
            above += [base for node in match["base"] if (base := self._type(text_of(node))) is not None]
        for number, above in bases.items():
            self.complete(number, bases=tuple(above))
        for match in self._of("test"):
            test_case = self._numbers.get(match["test"][0].id)
            if test_case is not None:
                self.complete(test_case, keywords=TEST_CASE)
        bound = [(kind, match) for kind in _BOUND for match in self._of(kind)]
        for kind, match in bound:
            scope = self._scope_of(match, kind)
            self._names.setdefault(scope, set()).add(text_of(match["name"][0]).lstrip("@$"))
        self._read_calls()
        for kind, match in bound:
            self._bind(kind, match)
        for number, arguments in self._arguments.items():
            self.complete(number, arguments=tuple(arguments))
        nodes = [match["call"][0].id for match in self._of("call")]
        self.calls = [self._calls[node] for node in nodes if node in self._calls]
        self.imports = list(self._imports.values())
        return super().facts()

    def _of(self, kind: str) -> list[Match]:
        return self._matches.get(kind, [])

    def _define(self) -> None:
        """Number the definitions in order, each inside the one that holds it."""
        matches = [(match[kind][0], kind, match) for kind in _DEFINING for match in self._of(kind)]
        matches.sort(key=lambda item: (item[0].start_byte, -item[0].end_byte))
        classes = {text_of(match["name"][0]) for node, kind, match in matches if kind == "class"}
        extensions: list[tuple[int, str]] = []
        open_nodes: list[tuple[int, int]] = [(self.root.end_byte + 1, 0)]
        for node, kind, match in matches:
            if node.id in self._numbers:
                continue
            while open_nodes[-1][0] <= node.start_byte:
                self._close(open_nodes)
            parent = open_nodes[-1][1]
            name_node = match["name"][0] if "name" in match else node
            name = _last(text_of(name_node)) if "name" in match else _CONSTRUCTOR
            number = self._numbers[node.id] = self.define(
                "function" if kind == "constructor" else kind, name, node, name_node, parent=parent
            )
            for item in match.get("returns", ()):
                self.complete(number, returns=self._type_text(text_of(item), parent))
            self._members.add((parent, name))
            if parent == 0:
                self._top_level[name] = kind
            if kind == "class":
                self._classes.setdefault(name, number)
            elif kind == "extension" and name in classes:
                extensions.append((number, name))
            elif kind != "extension" and parent:
                self.assign("this", None, line_of(node), annotation=Inline(parent), scope=number)
            self._mark(node.start_byte, number)
            open_nodes.append((node.end_byte, number))
        while len(open_nodes) > 1:
            self._close(open_nodes)
        self._join({number: self._classes[name] for number, name in extensions})

    def _mark(self, at: int, scope: int) -> None:
        self._starts.append(at)
        self._scopes.append(scope)

    def _close(self, open_nodes: list[tuple[int, int]]) -> None:
        end, _ = open_nodes.pop()
        self._mark(end, open_nodes[-1][1])

    def _join(self, class_of: Mapping[int, int]) -> None:
        """Make members of extensions members of the class, where it stands in the same file."""
        for number, definition in enumerate(self.definitions):
            if definition.parent in class_of:
                parent, returns = class_of[definition.parent], definition.returns
                if returns == Inline(definition.parent):
                    returns = Inline(parent)
                self.complete(number, parent=parent, returns=returns)
        self.assignments = [
            replace(item, annotation=Inline(class_of.get(item.annotation.number, item.annotation.number)))
            if isinstance(item.annotation, Inline)
            else item
            for item in self.assignments
        ]

    def _scope_at(self, node: "Node") -> int:
        at = bisect_right(self._starts, node.start_byte) - 1
        return self._scopes[at] if at >= 0 else 0

    def _class_at(self, scope: int) -> int:
        """The class or extension that a scope lies in, 0 without one."""
        while scope > 0 and self.definitions[scope].kind == "function":
            scope = self.definitions[scope].parent
        return max(scope, 0)

    def _scope_of(self, match: Match, kind: str) -> int:
        scope = self._scope_at(match["name"][0])
        return self._class_at(scope) if kind == "field" else scope

    def _bind(self, kind: str, match: Match) -> None:
        node = match["name"][0]
        name = text_of(node).lstrip("@$")
        scope = self._scope_of(match, kind)
        types = match.get("type", ())
        annotation = self._type(text_of(types[0]), scope) if types else None
        line = line_of(node)
        if kind == "parameter":
            argument = Argument(name, annotation, None, "plain", line)
            self._arguments.setdefault(scope, []).append(argument)
            return
        value = None
        if annotation is None and "called" in match:
            value = Call(self._function(match, scope), (), (), line)
        mode = "field" if kind == "field" else "assign"
        self.assign(name, value, line, mode, annotation=annotation, scope=scope)

    def _read_calls(self) -> None:
        """Read all calls, inner ones first: something may be called on a result, `store.orders().open()`."""
        for match in sorted(self._of("call"), key=lambda match: match["call"][0].end_byte):
            node, class_nodes = match["call"][0], match.get("made")
            scope = self._scope_at(node)
            function = (
                self._type(text_of(class_nodes[0]), scope) if class_nodes else self._function(match, scope)
            )
            if function is not None:
                call = Call(function, (), (), line_of((class_nodes or match["called"])[0]))
                self._calls[node.id] = CallSite(scope, call)
            if "receiver" in match:
                self._links[node.id] = self._links.get(match["receiver"][0].id, 0) + 1

    def _function(self, match: Match, scope: int) -> Expression:
        name = text_of(match["called"][0])
        if "receiver" in match:
            node = match["receiver"][0]
            site = self._calls.get(node.id) if self._links.get(node.id, 0) < _MOST_LINKS else None
            receiver = self._chain(text_of(node), scope) if site is None else site.call
            return OPAQUE if receiver == OPAQUE else Attribute(receiver, name)
        class_ = self._class_at(scope) if self._grammar.bare_members else 0
        if class_ and ((class_, name) in self._members or not self._is_local(name, scope)):
            return Attribute(_THIS, name)
        name = _last(name)
        if name in self._uses:
            self._use(name)
        return Name(name)

    def _is_local(self, name: str, scope: int) -> bool:
        while scope > 0 and self.definitions[scope].kind == "function":
            if name in self._names.get(scope, ()):
                return True
            scope = self.definitions[scope].parent
        return self._top_level.get(name) == "function"

    def _chain(self, text: str, scope: int) -> Expression:
        """`this.repo`, `crate::orders::Order`: names one after the other; anything else is opaque."""
        if len(text) > _LONGEST_CHAIN or not _CHAIN.fullmatch(text):
            return OPAQUE
        first, *rest = _SEPARATOR.split(text)
        if "::" in text or "\\" in text:
            return self._static(text, [first, *rest], scope)
        expression = self._first_name(first, scope)
        for name in rest:
            expression = Attribute(expression, name.lstrip("$"))
        return expression

    def _static(self, text: str, parts: list[str], scope: int) -> Expression:
        """A path to a type or to a module: its last word, looked up where the whole path leads."""
        last = parts[-1]
        if last in self._classes or not last.islower():
            return self._type(text, scope) or OPAQUE
        self._imports.setdefault(last, Import(0, last, ".".join(parts), 0, None))
        return Name(last)

    def _first_name(self, name: str, scope: int) -> Expression:
        plain = name.lstrip("@$")
        if name in _RECEIVERS:
            return _THIS
        if name in _ABOVE:
            return Call(Name("super"), (), (), 0)
        if name in _OWN_TYPES:
            return self._type(name, scope) or OPAQUE
        if name.startswith("@"):
            return Attribute(_THIS, plain)
        if self._is_local(plain, scope):
            return Name(plain)
        class_ = self._class_at(scope)
        if (
            class_
            and self._grammar.bare_members
            and (plain in self._names.get(class_, ()) or not plain[:1].isupper())
        ):
            return Attribute(_THIS, plain)
        if plain[:1].isupper():
            return self._type(plain, scope) or OPAQUE
        if plain in self._uses:
            self._imports.setdefault(plain, replace(self._uses[plain], name=None))
        return Name(plain)

    def _type(self, text: str, scope: int = 0) -> Expression | None:
        """The class that a type names, seen through references and pointers; None for collections and alternatives."""
        expression = self._type_text(text, scope)
        if isinstance(expression, Name):
            number = self._classes.get(expression.name)
            if number is not None:
                return expression if self.definitions[number].parent == 0 else Inline(number)
            self._use(expression.name, _TYPE_PARTS.split(text.lstrip("&\\")))
        return expression

    def _type_text(self, text: str, scope: int) -> Expression | None:
        text = _BEFORE_TYPE.sub("", text)
        while (pointer := _POINTER.match(text)) is not None:
            text = _BEFORE_TYPE.sub("", pointer[1])
        match = _TYPE.match(text)
        name = _last(match[0]) if match is not None else ""
        if name in _OWN_TYPES:
            class_ = self._class_at(scope)
            return Inline(class_) if class_ else None
        return Name(name) if name[:1].isupper() else None

    def _use(self, name: str, path: "list[str] | tuple[str, ...]" = ()) -> None:
        """Note that a name of another file is used, and the import that brings it, if one does."""
        if name in self._imports or name in self._top_level:
            return
        whole = [part for part in path if part]
        use = self._uses.get(name)
        if use is None and len(whole) > 1 and (first := self._uses.get(whole[0])) is not None:
            use = replace(first, local=name, module=f"{first.module}.{'.'.join(whole[1:])}", name=name)
        self._imports[name] = use or Import(0, name, name, 0, name)


_TYPE_PARTS = re.compile(r"::|[.\\]|<.*", re.DOTALL)


def _last(path: str) -> str:
    return _SEPARATOR.split(path)[-1]


def _import_paths(text: str, braces: int = 16) -> Iterator[tuple[str, str]]:
    """Local names and module paths of an import: `a::{b, c as d}` gives `b` and `d`. Only hostile files nest more `braces`."""
    statement = text.strip()
    while (shorter := _IMPORT_WORDS.sub("", statement).strip()) != statement:
        statement = shorter
    head, brace, rest = statement.partition("{")
    if not brace:
        for item in statement.split(","):
            path, _, alias = item.strip().partition(" as ")
            module = ".".join(part for part in _SEPARATOR.split(path.strip()) if part)
            if module and not module.endswith("*"):
                yield alias.strip() or _last(module), module.removesuffix(".self")
        return
    for item in _top_level_items(rest.rpartition("}")[0]) if braces else ():
        yield from _import_paths(head + item, braces - 1)


def _top_level_items(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for at, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            yield text[start:at].strip()
            start = at + 1
    if text[start:].strip():
        yield text[start:].strip()
