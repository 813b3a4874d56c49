"""The commands of a code base: functions that a person starts from a command line."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pipeline.code_registry.entries import CommandLineOption, Symbol, SymbolKind
from pipeline.code_registry.registry import Registry
from pipeline.domain.issue import Citation
from pipeline.domain.words import name_parts, name_stems, same_name
from pipeline.stages.selection.vocabulary import Vocabulary, symbol_vocabulary

_STARTERS = frozenset({"main", "run", "execute", "Command"})
"""Names of what starts a program or hands over to one of its commands; a command of Django is called like its file."""

_COMMON = 3
"""So many commands whose names end with one word have it as a suffix of their kind."""


@dataclass(frozen=True)
class Command:
    """A function or class behind a command, and the options that it declares.

    `short_name` is what people call it: its name without the word that most commands of the code end with (`ForgetOptions` among
    `BackupOptions`, `PruneOptions` is `Forget`). `variables` are the names of the fields of its class, which options are read into.
    """

    symbol: Symbol
    options: tuple[CommandLineOption, ...]
    short_name: str = ""
    variables: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What people call it: its name, or its file's where it is called like every other (`class Command` of Django)."""
        if self.symbol.name not in _STARTERS:
            return self.symbol.name
        return self.symbol.place.path.rpartition(".")[0].rpartition("/")[2]

    @property
    def option_names(self) -> tuple[str, ...]:
        """The names of its options, as typed and as code keeps them."""
        return (*(option.name for option in self.options), *self.variables)

    @property
    def vocabulary(self) -> Vocabulary:
        """The words that speak for it: those of its name, then those of its docs."""
        strong = name_stems(self.name) - _STARTERS
        all_words = symbol_vocabulary(self.symbol).all
        return Vocabulary(strong, all_words - strong)


def find_commands(registry: Registry) -> tuple[Command, ...]:
    """All commands: functions that declare options, and uncalled functions next to them.

    A command without options declares nothing that could be seen, so the file says it: where one function is a command,
    its other functions that no code calls are too.
    """
    options_by_owner: dict[str, list[CommandLineOption]] = {}
    for option in registry.options:
        owner = _whole(option.owner or "", registry)
        if owner is not None and not owner.is_test:
            options_by_owner.setdefault(owner.id, []).append(option)
    files = {symbol.place.path for id_ in options_by_owner if (symbol := registry.symbol(id_))}
    commands = [
        Command(
            symbol,
            tuple(options_by_owner.get(symbol.id, ())),
            variables=tuple(field.name for field in registry.fields_of(symbol.id)),
        )
        for symbol in registry.symbols
        if symbol.id in options_by_owner or (symbol.place.path in files and _may_be_command(symbol, registry))
    ]
    endings = Counter(name_parts(command.name)[-1:] for command in commands)
    return tuple(replace(command, short_name=_without_ending(command.name, endings)) for command in commands)


def _without_ending(name: str, endings: Counter[tuple[str, ...]]) -> str:
    parts = name_parts(name)
    is_common = len(parts) > 1 and endings[parts[-1:]] >= _COMMON
    return "_".join(parts[:-1] if is_common else parts)


def commands_cited(citation: Citation, commands: tuple[Command, ...]) -> tuple[Command, ...]:
    """The commands that a command line or an option stands for.

    By name in any case style, or by their module (`python -m app.archive`); an option alone stands for the one command that has it.
    """
    words = citation.text.split()
    names = [word for word in words if not word.startswith("-")]
    by_name = tuple(
        {command.symbol.id: command for name in names for command in commands_called(name, commands)}.values()
    )
    typed_commands = tuple(command for command in commands if _is_typed(command, names))
    if typed_commands or by_name:
        return typed_commands or by_name
    files = [name.replace(".", "/") for name in names if "." in name or "/" in name]
    in_files = tuple(command for command in commands if any(_is_in_file(command, file) for file in files))
    options = {word.partition("=")[0] for word in words if word.startswith("-")}
    having = tuple(command for command in commands if options & {option.name for option in command.options})
    return in_files or (having if not names and len(having) == 1 else ())


def _is_typed(command: Command, words: Sequence[str]) -> bool:
    """Whether a command line begins with a program of this code, which a folder is named after, and calls the command behind it:
    `shop export` or `shop database dump`.
    """
    folders = command.symbol.place.path.split("/")[:-1]
    typed_parts = [part for word in words[1:] for part in name_parts(word)]
    return (
        bool(typed_parts)
        and words[0] in folders
        and sorted(typed_parts) == sorted(name_parts(command.short_name))
    )


def commands_called(name: str, commands: tuple[Command, ...]) -> tuple[Command, ...]:
    """The commands of a name in any case style, as typed or as code spells it."""
    return tuple(command for command in commands if _is_called(command, name))


def _is_called(command: Command, name: str) -> bool:
    """Whether a name is the command's; code often adds the word command to it (`exportTripsCommand`)."""
    parts = name_parts(command.name)
    bare = parts[:-1] if parts and parts[-1] in ("command", "cmd") else parts
    return len(bare) > 1 and (same_name(command.name, name) or name_parts(name) == bare)


def _is_in_file(command: Command, file: str) -> bool:
    path = command.symbol.place.path
    return path.rpartition(".")[0].endswith(file.rpartition(".")[0] if file.endswith(".py") else file)


def _whole(id_: str, registry: Registry) -> Symbol | None:
    """The symbol of an owner; for a method its class: a class of one command is started as a whole."""
    symbol = registry.symbol(id_)
    if symbol is not None and symbol.kind is SymbolKind.METHOD:
        return registry.symbol(id_.rpartition(".")[0]) or symbol
    return symbol


def _may_be_command(symbol: Symbol, registry: Registry) -> bool:
    is_class = symbol.kind is SymbolKind.CLASS and name_parts(symbol.name)[-1:] == ("command",)
    return (
        (is_class or symbol.kind is SymbolKind.FUNCTION)
        and not symbol.is_test
        and "." not in symbol.qualified_name
        and not symbol.name.startswith("_")
        and _only_started(symbol, registry)
    )


def _only_started(symbol: Symbol, registry: Registry) -> bool:
    """Whether no code calls it but the function of its file that starts the program."""
    callers = (registry.symbol(edge.caller) for edge in registry.callers(symbol.id))
    return all(
        caller is None
        or caller.is_test
        or (caller.name in _STARTERS and caller.place.path == symbol.place.path)
        for caller in callers
    )
