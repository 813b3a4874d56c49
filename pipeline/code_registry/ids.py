"""The ids of symbols, and how ids of the same name are told apart."""

from pipeline.code_registry.linking.names.program import DefinitionRef, SourceProgram


class SymbolIds:
    """The ids of definitions, worked out file by file."""

    def __init__(self, program: SourceProgram) -> None:
        self._program = program
        self._by_file: dict[str, list[str]] = {}
        self._names: dict[str, list[str]] = {}

    def __getitem__(self, of: DefinitionRef) -> str:
        return self.of_file(of.path)[of.number]

    def of_file(self, path: str) -> list[str]:
        """The ids of a file's definitions in their order."""
        cached_ids = self._by_file.get(path)
        if cached_ids is not None:
            return cached_ids
        ids = [f"symbol:{path}"]
        used_ids: set[str] = set()
        names = self.qualified_names(path)
        for number, definition in enumerate(self._program.definitions_of(path)[1:], 1):
            id_ = f"symbol:{path}::{names[number]}"
            is_symbol = definition.kind not in {"extension", "object"}
            ids.append(unique(id_, used_ids) if is_symbol else id_)
        self._by_file[path] = ids
        return ids

    def qualified_names(self, path: str) -> list[str]:
        """The names of a file's definitions from the file down, joined by dots; the file itself has none."""
        names = self._names.get(path)
        if names is None:
            names = self._names[path] = [""]
            for number, definition in enumerate(self._program.definitions_of(path)[1:], 1):
                above = definition.parent
                if 0 < above < number:
                    names.append(f"{names[above]}.{definition.name}")
                else:
                    names.append(self._program.qualified_name(DefinitionRef(path, number)))
        return names


def unique(id_: str, used_ids: set[str]) -> str:
    """The id, with a number from the second on."""
    number, result = 1, id_
    while result in used_ids:
        number += 1
        result = f"{id_}#{number}"
    used_ids.add(result)
    return result
