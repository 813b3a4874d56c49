"""Read and extend the text of `decisions.yml`: a pure function from the file's text to the text with one more entry.

It keeps all that people wrote into the file, comments included, and adds an entry after the last one.
"""

from textwrap import indent

import yaml
from pydantic import ValidationError

from pipeline.contract.decisions import Decision, DecisionFile
from pipeline.contract.yaml_source import MAX_BYTES, Document, read_yaml

_HEAD = """\
# Answers that hold for every ticket. askfirst reads this file from the base branch.
# Of two entries about the same candidates the last one counts. To be asked again, remove an entry.
version: 1
decisions:
"""
_INDENT = 2


class DecisionsUnreadable(ValueError):
    """The text is no `decisions.yml`; the message lists what is wrong, one mistake a line."""


def parse_decisions(document: Document) -> tuple[Decision, ...]:
    """The decisions of a document without mistakes, in their order.

    Raises:
        ValidationError: the document has another shape.
    """
    return DecisionFile.model_validate(document.data).decisions


def with_decision(text: str, decision: Decision) -> str:
    """The text of the file with one more decision; an empty text becomes a whole file.

    The same decision again, by any person at any time, does not change the text.

    Raises:
        DecisionsUnreadable: the text is not a file of decisions, or would become longer than one that is read.
    """
    before = _read(text) if _holds_anything(text) else ()
    counting = [entry for entry in before if entry.signature == decision.signature]
    if counting and counting[-1].choice == decision.choice:
        return text
    all_decisions = (*before, decision)
    new_text = _append(text, decision) if before else text + _HEAD + _entry(decision, _INDENT)
    if new_text is not None and _read_or_none(new_text) == all_decisions:
        return new_text
    whole = _HEAD + "".join(_entry(entry, _INDENT) for entry in all_decisions)
    if _read(whole) != all_decisions:
        raise DecisionsUnreadable("the new entry cannot be written down")
    return whole


def _holds_anything(text: str) -> bool:
    return any(line.strip() and not line.lstrip().startswith("#") for line in text.splitlines())


def _read(text: str) -> tuple[Decision, ...]:
    document = read_yaml(text.encode("utf-8", "surrogatepass"))
    if document.mistakes:
        raise DecisionsUnreadable(
            "\n".join(f"{mistake.line}: {mistake.text}" for mistake in document.mistakes)
        )
    try:
        return parse_decisions(document)
    except ValidationError as error:
        problems = (
            f"{document.line(tuple(mistake['loc']))}: {'.'.join(str(part) for part in mistake['loc'])}: {mistake['msg']}"
            for mistake in error.errors(include_url=False)
        )
        raise DecisionsUnreadable("\n".join(problems)) from error


def _read_or_none(text: str) -> tuple[Decision, ...] | None:
    try:
        return _read(text)
    except DecisionsUnreadable:
        return None


def _append(text: str, decision: Decision) -> str | None:
    """The text with an entry behind the last one of a block list; None where the list is written in another way."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if not isinstance(root, yaml.MappingNode):
        return None
    keys = {key.value: index for index, (key, _) in enumerate(root.value)}
    _, entries = root.value[keys["decisions"]]
    if root.flow_style or entries.flow_style:
        return None
    following = root.value[keys["decisions"] + 1 :]
    lines = text.splitlines(keepends=True)
    end = following[0][0].start_mark.line if following else len(lines)
    if end and not lines[end - 1].endswith("\n"):
        lines[end - 1] += "\n"
    return "".join([*lines[:end], _entry(decision, entries.start_mark.column), *lines[end:]])


def _entry(decision: Decision, column: int) -> str:
    data = decision.model_dump(exclude={"wish"} if decision.wish is None else set())
    data["candidates"] = list(decision.candidates)
    entry_text = yaml.safe_dump([data], sort_keys=False, allow_unicode=True, width=MAX_BYTES)
    return indent(entry_text, " " * column)
