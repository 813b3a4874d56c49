"""Which files say which names: where to look for the callers of a function, before anything is linked."""

from collections.abc import Container, Iterable, Iterator

from pipeline.code_registry.facts import (
    INLINE,
    Alternatives,
    Assignment,
    Attribute,
    Call,
    CodeDefinition,
    Comprehension,
    Expression,
    FileFacts,
    Inline,
    Items,
    Name,
    Pairs,
    Splat,
    Subscript,
    last_word,
    plain,
)
from pipeline.code_registry.linking.names.words import FindModule, TypeWords

# A caller of `save` says `save`, or a name that stands for it: `from orders import save as keep`, `self.handler = save`. Such
# names are noted as *flows* when a file is read, and followed from the name of the function before its callers are looked up.
# There are two kinds of names: those whose value may be the function, and those whose call may give it, such as a function
# that returns it, or a class whose instances are called. Flows know no types, so that too many files are looked at and never
# too few; which calls really lead to the function is then read in these files alone.

Flow = tuple[bool, str]
"""A name, and whether its call, not itself, is meant."""


class Mentions:
    """The names that files call and hand over, and the names that stand for others."""

    def __init__(self, words: TypeWords) -> None:
        self._words = words
        self._said: dict[str, dict[str, None]] = {}
        self._flows: dict[Flow, set[Flow]] = {}

    def of(self, starts: Iterable[Flow]) -> set[str]:
        """The names that stand for any of some others, these among them."""
        flows = set(starts)
        waiting = list(flows)
        while waiting:
            fresh = self._flows.get(waiting.pop(), set()) - flows
            flows |= fresh
            waiting += fresh
        return {name for _, name in flows}

    def files(self, names: Iterable[str]) -> list[str]:
        """The files that call or hand over something of these names, or call something without a name."""
        return sorted({path for name in {"", *names} for path in self._said.get(name, ())})

    def start(self, path: str, name: str) -> str:
        """The name of a definition; what a file exports as the whole of itself is told from that of other files."""
        return f"{path} {name}" if name == self._words.default else name

    def note(self, path: str, facts: FileFacts, find: FindModule) -> None:
        """Note what a file says."""
        for word in _said_words(facts, self._words.receivers):
            self._said.setdefault(word, {})[path] = None
        for import_ in facts.imports:
            if import_.name is not None:
                source: str | None = import_.name
                if import_.name == self._words.default:
                    module = find(path, import_.module, import_.level)
                    source = self.start(module, import_.name) if module is not None else None
                if source is not None:
                    self._alias((False, source), self.start(path, import_.local))
        definitions = facts.definitions
        for assignment in (*facts.assignments, *facts.additions):
            self._assignment(self.start(path, plain(assignment.target)), assignment, definitions)
        for result in facts.returns:
            name = self.start(path, definitions[result.scope].name)
            for is_call, word in _words(result.value, definitions):
                self._add((is_call, word), (True, name), (False, name))
                self._add((True, word), (True, name))
        for definition in definitions[1:]:
            self._definition(self.start(path, definition.name), definition, definitions)

    def _assignment(
        self, target: str, assignment: Assignment, definitions: tuple[CodeDefinition, ...]
    ) -> None:
        for is_call, word in _words(assignment.value, definitions):
            self._alias((is_call, word), target)
        for _, word in _words(assignment.annotation, definitions):
            self._add((True, word), (False, target))

    def _definition(
        self, name: str, definition: CodeDefinition, definitions: tuple[CodeDefinition, ...]
    ) -> None:
        if definition.kind == "class":
            for receiver in self._words.receivers:
                self._alias((False, name), receiver)
                self._add((True, name), (False, receiver))
        for base in definition.bases:
            self._add((True, last_word(base, Call, Subscript)), (True, name))
        for _, word in _words(definition.returns, definitions):
            self._add((True, word), (True, name), (False, name))
        for argument in definition.arguments:
            values = [argument.annotation, argument.default]
            if isinstance(argument.default, Call):
                values += argument.default.arguments[:1]
            for value in values:
                for _, word in _words(value, definitions):
                    self._add((True, word), (False, argument.name))

    def _alias(self, source: Flow, target: str) -> None:
        self._add(source, (False, target))
        self._add((True, source[1]), (True, target))

    def _add(self, source: Flow, *targets: Flow) -> None:
        if source[1]:
            self._flows.setdefault(source, set()).update(targets)


def _said_words(facts: FileFacts, receivers: Container[str]) -> Iterator[str]:
    """The names of what a file calls and hands over; an instance that hands over itself hands over no function."""
    values: list[Expression] = [result.value for result in facts.returns]
    for site in facts.calls:
        yield word_of_call(site.call)
        values += site.call.arguments
        values += (value for _, value in site.call.keywords)
    for definition in facts.definitions:
        if definition.keywords == INLINE:
            yield definition.name
        values += definition.decorators
        for argument in definition.arguments:
            yield from (word for _, word in _words(argument.annotation, facts.definitions))
    for value in values:
        for item in value.items if isinstance(value, Items) else (value,):
            inner = item.value if isinstance(item, Splat) else item
            if isinstance(inner, Name | Attribute) and inner.name not in receivers:
                yield plain(inner.name)


def word_of_call(call: Call) -> str:
    """The name by which something is called; empty where it has none."""
    return plain(last_word(call.function, Subscript))


def _words(expression: Expression | None, definitions: tuple[CodeDefinition, ...]) -> Iterator[Flow]:
    """The names that an expression may stand for, and those whose call it may be."""
    match expression:
        case Name(name) | Attribute(_, name):
            yield False, plain(name)
        case Call(function):
            yield from ((True, word) for _, word in _words(function, definitions))
        case Subscript(base, key):  # `Annotated[Session, Depends(get_session)]`
            yield from _words(base, definitions)
            for part in key.items if isinstance(key, Items) else (key,):
                yield from _words(part, definitions)
                for value in part.arguments if isinstance(part, Call) else ():
                    yield from _words(value, definitions)
        case Alternatives(parts) | Items(parts):
            for part in parts:
                yield from _words(part, definitions)
        case Comprehension(element, _, source):
            yield from _words(element, definitions)
            yield from _words(source, definitions)
        case Splat(value):
            yield from _words(value, definitions)
        case Inline(number):
            yield False, definitions[number].name
        case Pairs(_, name) if name is not None:
            yield False, name
