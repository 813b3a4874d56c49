"""What an answer among agents may change, by the code and by the gate: only what a review can take back is theirs to decide.

A text is weighed by what it names, and by no list of words. How a text becomes reasons, in this order:

    secret     a literal that has the shape of a token or a key
    gate       a path that no agent edits without a person (`uv.lock`, `migrations/0001.py`, `../x`), a command that waits
    form       a path of a URL (`/users/{id}`), an option of a command line (`--force`), a variable of the environment
               (`API_KEY`): public or outside of the tree, whether the code has it yet or not
    registry   names of code, by what stands there: a route, a field of a request, a table or its column, a setting, a
               field whose type holds a secret, a symbol that other files use

A word of prose names nothing, unless a table is called so: "the old orders" are the rows of `Order`.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from pipeline.agents.agent import Agent
from pipeline.code_registry.entries import CommandLineOption, Field, FieldKind, Route, Setting, Symbol
from pipeline.code_registry.registry import Registry
from pipeline.domain.words import name_parts, stem
from pipeline.gate.gate import Gate
from pipeline.gate.rules import Tier
from pipeline.gate.tool_names import WRITING_TOOLS, Tool
from pipeline.run_record.redaction import Redactor

_PATH = re.compile(r"[A-Za-z0-9_./@+-]+")
_SPAN = re.compile(r"`([^`\n]+)`")
_URL_PATH = re.compile(r"(?<![\w.:/<])/(?:[\w{<:*][^\s`'\",;)]*|(?=\s|$))")
_FLAG = re.compile(r"(?<![\w-])--[A-Za-z][\w-]*")
_VARIABLE = re.compile(r"(?<![\w.])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![\w.])")
_ID = re.compile(r"\b(?:symbol|field|setting|option):[^\s`'\",;)]+")
_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")
_INNER_CAPITAL = re.compile(r"[a-z0-9][A-Z]")
_WORD = re.compile(r"[^\W\d_]+")

_SECRET_TYPES = re.compile(
    r"\b(?:Secret|SecretStr|SecretBytes|SecretString|EncryptedStr\w*|Encrypted\w*Field)\b"
)
"""Types that web frameworks and validators give to a value which must not be shown."""

_REQUEST_FIELDS = frozenset(
    {FieldKind.BODY, FieldKind.QUERY, FieldKind.PATH, FieldKind.HEADER, FieldKind.COOKIE}
)


class Stakes:
    """Says why a matter is only for a person; None where a review can take it back. `registry` is read when it is needed."""

    def __init__(self, gate: Gate, registry: Callable[[], Registry]) -> None:
        self._gate, self._read_registry = gate, registry

    @cached_property
    def _registry(self) -> Registry:
        return self._read_registry()

    def of_tools(self, agent: Agent) -> str | None:
        """Why what this agent does may not be undone: a call of it, or of an agent that it may start, reaches out."""
        tools = frozenset(_all_tools(agent))
        rule = self._gate.rule_with_network(tools)
        return None if rule is None else f"its commands may reach the network ({rule})"

    def of_question(self, *texts: str) -> str | None:
        """Why what these texts ask or answer is only for a person. A text that is nothing but a name is that name."""
        for text in texts:
            if not is_plain(text):
                return "it holds characters that do not show what it says"
        texts = tuple(_normal_form(text) for text in texts)
        whole = "\n".join(texts)
        if Redactor().would_alter(whole):
            return "it holds a secret"
        names = {*_names(whole), *(text.strip() for text in texts if _NAME.fullmatch(text.strip()))}
        return (
            self._by_gate(whole)
            or self._outward(whole, names)
            or next(self._stored_tables(whole), None)
            or next((why for name in sorted(names) if (why := self._outside_use(name))), None)
        )

    def of_task(self, text: str) -> str | None:
        """Why every answer on the way to such a task is only for a person: it is about something public, or about data.

        A symbol does not count here: nearly every task names one.
        """
        normal_text = _normal_form(text)
        return self._outward(normal_text, set(_names(normal_text))) or next(
            self._stored_tables(normal_text), None
        )

    def of_files(self, paths: Iterable[str]) -> str | None:
        """Why answers are only for a person where these files have been changed: they hold routes or stored data."""
        changed_paths = frozenset(paths)
        if not changed_paths:
            return None
        for route in self._registry.routes:
            handler = self._registry.symbol(route.handler or "")
            places = (route.place, route.registered_at, *((handler.place,) if handler else ()))
            if any(place.path in changed_paths for place in places):
                return f"it has changed a file of the route {route.label}"
        for field in self._registry.fields:
            if field.kind is FieldKind.TABLE and field.place.path in changed_paths:
                return f"it has changed the file of the stored field `{field.name}`"
        return None

    def _by_gate(self, text: str) -> str | None:
        for path in sorted({token.rstrip("./-") for token in _PATH.findall(text)} - {""}):
            decision = self._gate.decide(Tool.EDIT_FILE, {"path": path})
            if decision.tier is not Tier.ALLOW:
                return f"`{path}` waits for a person or is protected ({decision.rule})"
        for span in _SPAN.findall(text):
            if self._gate.decide(Tool.RUN_COMMAND, {"command": span}).tier is Tier.CONFIRM:
                return f"`{span}` waits for a person"
        return None

    def _outward(self, text: str, names: set[str]) -> str | None:
        """Something that others see or that lies outside of the tree, by its form or by its name."""
        if url_path := _URL_PATH.search(text):
            return f"`{url_path.group()}` is a path of a URL, or of this machine"
        if flag := _FLAG.search(text):
            return f"`{flag.group()}` is an option of a command line"
        for variable in sorted(set(_VARIABLE.findall(text))):
            if not self._registry.symbols_named(variable):
                return f"`{variable}` is a variable of the environment"
        return next((why for name in sorted(names) if (why := self._by_name(name))), None)

    def _by_name(self, name: str) -> str | None:
        """The public, stored, configured or secret things under a name of code."""
        entry = self._registry.get(name)
        if isinstance(entry, Setting) or name in self._settings:
            return f"`{name}` is a setting"
        if isinstance(entry, CommandLineOption):
            return f"`{name}` is an option of a command line"
        if isinstance(entry, Route):
            return f"{entry.label} is a route"
        fields = (entry,) if isinstance(entry, Field) else self._registry.fields_like(name.rpartition(".")[2])
        for field in fields:
            if (why := _of_field(field)) is not None:
                return why
        for symbol in self._symbols(name):
            if symbol.id in self._tables:
                return f"`{symbol.name}` is stored"
            if symbol.id in self._handlers:
                return f"`{symbol.name}` answers {self._handlers[symbol.id]}"
        return None

    def _stored_tables(self, text: str) -> Iterator[str]:
        """Tables whose whole name stands in a text, in any number and case: `Order` in "the old orders"."""
        words = [stem(word) for word in _WORD.findall(text)]
        for stems, name in self._table_names.items():
            if any(tuple(words[at : at + len(stems)]) == stems for at in range(len(words))):
                yield f"`{name}` is stored"

    def _outside_use(self, name: str) -> str | None:
        """A symbol that other files than its own use, or that nothing here uses: then others may."""
        for symbol in self._symbols(name):
            if symbol.is_test or _is_private(symbol):
                continue
            callers = {
                edge.caller.removeprefix("symbol:").partition("::")[0]
                for edge in self._registry.callers(symbol.id)
            }
            if callers != {symbol.place.path}:
                return f"`{symbol.qualified_name}` may be used outside of {symbol.place.path}"
        return None

    def _symbols(self, name: str) -> tuple[Symbol, ...]:
        entry = self._registry.symbol(name)
        return (entry,) if entry is not None else self._registry.symbols_named(name)

    @cached_property
    def _settings(self) -> frozenset[str]:
        return frozenset(setting.name for setting in self._registry.settings)

    @cached_property
    def _tables(self) -> frozenset[str]:
        return frozenset(field.owner for field in self._registry.fields if field.kind is FieldKind.TABLE)

    @cached_property
    def _table_names(self) -> dict[tuple[str, ...], str]:
        symbols = (self._registry.symbol(owner) for owner in sorted(self._tables))
        return {
            tuple(stem(part) for part in name_parts(symbol.name)): symbol.name for symbol in symbols if symbol
        }

    @cached_property
    def _handlers(self) -> dict[str, str]:
        return {route.handler: route.label for route in self._registry.routes if route.handler is not None}


def may_write(agent: Agent) -> bool:
    """Whether the agent, or one that it may start, changes files or runs commands."""
    return bool({*WRITING_TOOLS, Tool.RUN_COMMAND} & set(_all_tools(agent)))


def is_plain(text: str) -> bool:
    """Whether a text says what it shows: nothing unseen in it, and no word of letters that only look alike.

    `POST /aсtions` with a Cyrillic letter is another path than the one that a reader sees.
    """
    normal_text = _normal_form(text)
    if any(
        unicodedata.category(sign) in {"Cf", "Cc", "Co", "Cn", "Cs", "Mn", "Me"}
        for sign in normal_text
        if sign not in "\n\t"
    ):
        return False
    return all(len({_script(letter) for letter in word}) < 2 for word in _WORD.findall(normal_text))


def _normal_form(text: str) -> str:
    """A text in the letters that it shows: `ＡＰＩ_ＫＥＹ` of wide letters, or of bold ones, is the variable `API_KEY`."""
    return unicodedata.normalize("NFKC", text)


def _script(letter: str) -> str:
    """The alphabet of a letter, as Unicode names it: `LATIN`, `CYRILLIC`; those of one language's writing count as one."""
    script = unicodedata.name(letter, "?").partition(" ")[0].partition("-")[0]
    return "CJK" if script in {"CJK", "HIRAGANA", "KATAKANA", "HANGUL"} else script


def _all_tools(agent: Agent) -> Iterator[Tool]:
    yield from agent.tools
    for child in agent.children:
        yield from _all_tools(child)


def _names(text: str) -> Iterator[str]:
    """Names of code in a text: ids, what stands in backticks, and words in the form of a name (`a_b`, `aB`, `a.b`, `a()`)."""
    yield from _ID.findall(text)
    for span in _SPAN.findall(text):
        yield from (span, *_NAME.findall(span))
    for match in _NAME.finditer(text):
        name, behind = match.group(), text[match.end() : match.end() + 1]
        if "_" in name.strip("_") or "." in name or _INNER_CAPITAL.search(name) or behind == "(":
            yield name


def _of_field(field: Field) -> str | None:
    if field.kind is FieldKind.TABLE:
        return f"`{field.name}` is stored"
    if field.kind in _REQUEST_FIELDS:
        return f"`{field.name}` is part of a request"
    if _SECRET_TYPES.search(field.annotation or ""):
        return f"`{field.name}` holds a secret"
    return None


def _is_private(symbol: Symbol) -> bool:
    """Whether the language keeps a name to its file or package: `_name`, `#name`, and Go's names in lower case."""
    parts = symbol.qualified_name.split(".")
    is_go = symbol.place.path.endswith(".go")
    return any(part.startswith(("_", "#")) or (is_go and part[:1].islower()) for part in parts)
