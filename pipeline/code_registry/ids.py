"""The ids of symbols, and how ids of the same name are told apart."""

from pipeline.code_registry.linking.program import Defined, Program


class SymbolIds:
    """The ids of definitions, worked out file by file."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._by_file: dict[str, list[str]] = {}

    def __getitem__(self, of: Defined) -> str:
        return self.of_file(of.path)[of.number]

    def of_file(self, path: str) -> list[str]:
        """The ids of a file's definitions in their order."""
        if path not in self._by_file:
            ids = [f"symbol:{path}"]
            taken: set[str] = set()
            for number, definition in enumerate(self._program.files[path].definitions[1:], 1):
                id_ = f"symbol:{path}::{self._program.qualified_name(Defined(path, number))}"
                is_symbol = definition.kind not in {"extension", "object"}
                ids.append(unique(id_, taken) if is_symbol else id_)
            self._by_file[path] = ids
        return self._by_file[path]


def unique(id_: str, taken: set[str]) -> str:
    """The id, with a number from the second on."""
    number, result = 1, id_
    while result in taken:
        number += 1
        result = f"{id_}#{number}"
    taken.add(result)
    return result
