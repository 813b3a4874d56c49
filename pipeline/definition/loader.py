"""Load a definition: a shipped one by its name, or a repository's own file. All mistakes are reported at once."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from pipeline.definition.definition import Definition
from pipeline.definition.definition_file import DefinitionFile, StageEntry
from pipeline.definition.model_mistakes import model_mistakes, suggestion
from pipeline.definition.needs import Entries, need_mistakes
from pipeline.definition.stage_types import StageTypes
from pipeline.definition.yaml_source import MAX_BYTES, Document, Mistake, read_yaml
from pipeline.domain.errors import DefinitionInvalid
from pipeline.stages.all_stages import STAGE_KINDS
from pipeline.stages.stage import StageKind

SHIPPED = ("gate", "triage")
"""Names of the definitions that come with askfirst."""

_PRODUCT = Path(__file__).parent.parent
"""Plain paths instead of `importlib.resources`: importing that takes longer than loading a definition."""


def load(name_or_path: str, *, kinds: Mapping[str, StageKind] = STAGE_KINDS) -> Definition:
    """The definition of that name or in that file, checked.

    The agents of a file's stages are looked for in the folder `agents` beside it, then among the shipped ones.

    Raises:
        DefinitionInvalid: no such definition, or mistakes in it; all of them are listed with file and line.
    """
    path, agent_folders = _locate(name_or_path)
    shown = path.name if name_or_path in SHIPPED else name_or_path
    content = _content(path, name_or_path)
    document = read_yaml(content)
    definition, mistakes = _check(document, content, kinds, agent_folders)
    if definition is None or mistakes:
        raise _invalid(name_or_path, shown, mistakes)
    return definition


def _locate(name_or_path: str) -> tuple[Path, Sequence[Path]]:
    """The file, and the folders in which its agents are looked for."""
    templates = _PRODUCT / "agents" / "templates"
    if name_or_path in SHIPPED:
        return _PRODUCT / "definitions" / f"{name_or_path}.yml", [templates]
    path = Path(name_or_path)
    return path, [path.parent / "agents", templates]


def _content(path: Path, name_or_path: str) -> bytes:
    """The file's bytes, up to one more than are read."""
    try:
        with path.open("rb") as file:
            content: bytes = file.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        near = suggestion(name_or_path, list(SHIPPED))
        raise DefinitionInvalid(
            f"There is no definition `{name_or_path}`.",
            why=f"It is neither a file nor the name of a shipped definition.{near}",
            what_to_do="For example: askfirst plan --definition gate",
        ) from error
    except OSError as error:
        raise DefinitionInvalid(
            f"The definition {name_or_path} cannot be read.",
            why=f"{error.strerror}.",
            what_to_do=f"Name a readable file, or one of the shipped definitions: {', '.join(SHIPPED)}.",
        ) from error
    return content


def _check(
    document: Document,
    content: bytes,
    kinds: Mapping[str, StageKind],
    agent_folders: Sequence[Path],
) -> tuple[Definition | None, list[Mistake]]:
    mistakes = list(document.mistakes)
    if document.data is None:
        return None, mistakes
    header: DefinitionFile | None = None
    try:
        header = DefinitionFile.model_validate(document.data)
    except ValidationError as error:
        mistakes.extend(model_mistakes(error, DefinitionFile, document))
    entries, all_ids = _entries(document.data)
    mistakes.extend(need_mistakes(entries, all_ids, document))
    types = StageTypes(document, kinds, agent_folders)
    types.check(entries)
    mistakes.extend(types.mistakes)
    if header is None or mistakes:
        return None, mistakes
    stages = tuple(types.declarations[entry.id] for entry in header.stages)
    digest = hashlib.sha256(content).hexdigest()
    return Definition(header.name, header.description, stages, digest), mistakes


def _entries(data: object) -> tuple[Entries, list[str]]:
    """The well-formed entries with their index, so that a mistake in one does not hide those of others; and all ids."""
    listed = data.get("stages") if isinstance(data, dict) else None
    entries, ids = [], []
    for index, item in enumerate(listed if isinstance(listed, list) else []):
        if isinstance(item, dict) and isinstance(item.get("id"), str):
            ids.append(item["id"])
        entry = _salvaged(item)
        if entry is not None:
            entries.append((index, entry))
    return entries, list(dict.fromkeys(ids))


def _salvaged(item: object) -> StageEntry | None:
    """An entry, where need be without the keys on which no other check depends; None if the rest says too little.

    What is dropped here was reported by the validation of the whole file.
    """
    try:
        return StageEntry.model_validate(item)
    except ValidationError as error:
        wrong = {detail["loc"][0] for detail in error.errors(include_url=False) if detail["loc"]}
        if not isinstance(item, dict) or not wrong or wrong & {"id", "uses", "needs", "with", "repeat"}:
            return None
        return StageEntry.model_validate({key: value for key, value in item.items() if key not in wrong})


def _invalid(name_or_path: str, shown: str, mistakes: Sequence[Mistake]) -> DefinitionInvalid:
    listed = [f"{shown}:{mistake.line}: {_indented(mistake.text)}" for mistake in sorted(set(mistakes))]
    count = "one mistake" if len(listed) == 1 else f"{len(listed)} mistakes"
    return DefinitionInvalid(
        f"The definition {shown} has {count}.",
        why="\n".join(listed),
        what_to_do=f"Correct the file, then look again: askfirst plan --definition {name_or_path}",
    )


def _indented(text: str) -> str:
    return text.replace("\n", "\n    ")
