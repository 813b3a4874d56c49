"""Load a definition: a shipped one by its name, or a repository's own file. All mistakes are reported at once."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from pipeline.contract.yaml_source import MAX_BYTES, Document, Mistake, read_yaml
from pipeline.definition.definition import Definition
from pipeline.definition.definition_file import (
    DefinitionFile,
    InnerStageEntry,
    RepeatBody,
    RepeatEntry,
    StageEntry,
    definition_mistakes,
)
from pipeline.definition.needs import Entries, EntryInFile, Scope, need_mistakes, skip_mistakes
from pipeline.definition.stage_types import StageTypes
from pipeline.domain.errors import DefinitionInvalid
from pipeline.domain.model_mistakes import suggestion
from pipeline.settings.agent_files import SHIPPED_AGENTS, TEMPLATES, AgentFiles
from pipeline.settings.repository_settings import AGENTS
from pipeline.stages.all_stages import STAGE_KINDS
from pipeline.stages.stage import AnyStageKind

SHIPPED_DEFINITIONS = ("gate", "build", "triage")
"""Names of the definitions that come with askfirst."""

_PRODUCT = Path(__file__).parent.parent
"""Plain paths instead of `importlib.resources`: importing that takes longer than loading a definition."""


_SAYS_TOO_MUCH = {"id", "uses", "needs", "with", "repeat", "previous"}
"""Keys of an entry without which nothing else about it can be checked."""

_Entry = TypeVar("_Entry", StageEntry, InnerStageEntry, RepeatEntry)


def load(
    name_or_path: str, *, agents: AgentFiles = SHIPPED_AGENTS, kinds: Mapping[str, AnyStageKind] = STAGE_KINDS
) -> Definition:
    """The definition of that name or in that file, checked.

    The agents of a file's stages are looked for in the folder `agents` next to it, then among the shipped ones; those of a
    shipped definition in `agents`.

    Raises:
        DefinitionInvalid: no such definition, or mistakes in it; all of them are listed with file and line.
    """
    path, agents = _locate(name_or_path, agents)
    title = path.name if name_or_path in SHIPPED_DEFINITIONS else name_or_path
    content = _content(path, name_or_path)
    document = read_yaml(content)
    definition, mistakes = _check(document, content, kinds, agents)
    if definition is None or mistakes:
        raise _invalid(name_or_path, title, mistakes)
    return definition


def _locate(name_or_path: str, agents: AgentFiles) -> tuple[Path, AgentFiles]:
    """The file, and the agents that its stages may name."""
    if name_or_path in SHIPPED_DEFINITIONS:
        return _PRODUCT / "definitions" / f"{name_or_path}.yml", agents
    path = Path(name_or_path)
    return path, AgentFiles(path.parent / AGENTS, TEMPLATES)


def _content(path: Path, name_or_path: str) -> bytes:
    """The file's bytes, up to one more than are read."""
    try:
        with path.open("rb") as file:
            content: bytes = file.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        near = suggestion(name_or_path, list(SHIPPED_DEFINITIONS))
        raise DefinitionInvalid(
            f"There is no definition `{name_or_path}`.",
            why=f"It is neither a file nor the name of a shipped definition.{near}",
            what_to_do="For example: askfirst plan --definition gate",
        ) from error
    except OSError as error:
        raise DefinitionInvalid(
            f"The definition {name_or_path} cannot be read.",
            why=f"{error.strerror}.",
            what_to_do=f"Name a readable file, or one of the shipped definitions: {', '.join(SHIPPED_DEFINITIONS)}.",
        ) from error
    return content


def _check(
    document: Document,
    content: bytes,
    kinds: Mapping[str, AnyStageKind],
    agents: AgentFiles,
) -> tuple[Definition | None, list[Mistake]]:
    mistakes = list(document.mistakes)
    if document.data is None:
        return None, mistakes or [Mistake(1, "the file holds no definition")]
    header: DefinitionFile | None = None
    try:
        header = DefinitionFile.model_validate(document.data)
    except ValidationError as error:
        mistakes.extend(definition_mistakes(error, DefinitionFile, document))
    entries, scope = _entries(document.data)
    mistakes.extend(need_mistakes(entries, scope, document))
    types = StageTypes(document, kinds, agents, scope)
    types.check(entries)
    mistakes.extend(types.mistakes)
    mistakes.extend(skip_mistakes(entries, kinds, document))
    mistakes.extend(_ending_mistakes(document, kinds))
    if header is None or mistakes:
        return None, mistakes
    stages = tuple(types.declarations[entry.id] for entry in header.stages)
    digest = hashlib.sha256(content).hexdigest()
    return Definition(header.name, header.description, stages, digest), mistakes


def _ending_mistakes(document: Document, kinds: Mapping[str, AnyStageKind]) -> Iterator[Mistake]:
    """A pipeline whose stages are all of known kinds ends with something, or has no use."""
    items = [
        inner
        for item in _stages_of(document.data)
        for inner in (_stages_of(item["repeat"]) if _is_repeat(item) else [item])
    ]
    used_kinds = [kinds.get(str(item.get("uses"))) if isinstance(item, dict) else None for item in items]
    if used_kinds and all(kind is not None and not kind.is_ending for kind in used_kinds):
        endings = " or ".join(f"`uses: {kind.name}`" for kind in kinds.values() if kind.is_ending)
        text = (
            f"No stage ends the run with a ticket or says anything about the issue; add one that {endings}."
        )
        yield Mistake(document.line(("stages",)), text)


def _entries(data: object) -> tuple[Entries, Scope]:
    """The well-formed entries, so that a mistake in one does not hide those of others; and all ids.

    A repeat stands before its stages. They are left out with it if it says too little.
    """
    entries: list[EntryInFile] = []
    scope: dict[str, str | None] = {}
    for index, item in enumerate(_stages_of(data)):
        _note_id(item, None, scope)
        if not _is_repeat(item):
            entry = _salvage(item, StageEntry)
            entries += [] if entry is None else [EntryInFile(("stages", index), entry)]
            continue
        repeat = _salvage_repeat(item)
        entries += [] if repeat is None else [EntryInFile(("stages", index), repeat)]
        for inner_index, inner_item in enumerate(_stages_of(item["repeat"])):
            _note_id(inner_item, item.get("id"), scope)
            inner = _salvage(inner_item, InnerStageEntry)
            if repeat is not None and inner is not None:
                place = ("stages", index, "repeat", "stages", inner_index)
                entries.append(EntryInFile(place, inner, within=repeat))
    return entries, scope


def _stages_of(data: object) -> list[Any]:
    stages = data.get("stages") if isinstance(data, dict) else None
    return stages if isinstance(stages, list) else []


def _is_repeat(item: object) -> bool:
    return isinstance(item, dict) and "repeat" in item


def _note_id(item: object, within: object, scope: dict[str, str | None]) -> None:
    if isinstance(item, dict) and isinstance(item.get("id"), str):
        scope.setdefault(item["id"], within if isinstance(within, str) else None)


def _salvage(item: object, kind: type[_Entry]) -> _Entry | None:
    """An entry, where need be without the keys on which no other check depends; None if the rest says too little.

    What is dropped here was reported by the validation of the whole file.
    """
    try:
        return kind.model_validate(item)
    except ValidationError as error:
        wrong = {detail["loc"][0] for detail in error.errors(include_url=False) if detail["loc"]}
        if not isinstance(item, dict) or not wrong or wrong & _SAYS_TOO_MUCH:
            return None
        return kind.model_validate({key: value for key, value in item.items() if key not in wrong})


def _salvage_repeat(item: dict[str, Any]) -> RepeatEntry | None:
    """A repeat with those of its stages that are well-formed, so that they are checked although others are not.

    Its condition is left out where a stage is: what it reads could be that stage's output.
    """
    body = item["repeat"] if isinstance(item["repeat"], dict) else {}
    entries = _stages_of(body)
    stages = [inner for inner in (_salvage(entry, InnerStageEntry) for entry in entries) if inner is not None]
    sane: dict[str, Any] = {"stages": stages, "until": "true", "max": 1}
    for key in ("until", "max"):
        try:
            RepeatBody.model_validate({**sane, key: body.get(key)})
        except ValidationError:
            continue
        if key != "until" or len(stages) == len(entries):
            sane[key] = body[key]
    return _salvage({**item, "repeat": sane}, RepeatEntry)


def _invalid(name_or_path: str, title: str, mistakes: Sequence[Mistake]) -> DefinitionInvalid:
    lines = [f"{title}:{mistake.line}: {_indent(mistake.text)}" for mistake in sorted(set(mistakes))]
    count = "one mistake" if len(lines) == 1 else f"{len(lines)} mistakes"
    return DefinitionInvalid(
        f"The definition {title} has {count}.",
        why="\n".join(lines),
        what_to_do=f"Correct the file, then look again: askfirst plan --definition {name_or_path}",
    )


def _indent(text: str) -> str:
    return text.replace("\n", "\n    ")
