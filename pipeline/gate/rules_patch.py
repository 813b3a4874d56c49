"""Write rules into the text of a repository's `gate.yml`, as a patch that a person reviews; other lines do not change."""

import difflib
from collections.abc import Sequence

import yaml
from pydantic import ValidationError

from pipeline.contract.yaml_source import read_yaml
from pipeline.gate.rules import Rule, RuleFile

_NO_NEWLINE = "\\ No newline at end of file\n"
_HEAD = "version: 1\nrules:\n"


def patch(path: str, before: str, rules: Sequence[Rule]) -> str:
    """A unified diff that gives a file these rules, for `git apply`; empty where nothing changes.

    `path` is where the file lies in its repository, `before` its text, empty for a file that is not there yet.
    """
    after = with_rules(before, rules)
    lines = difflib.unified_diff(
        before.splitlines(keepends=True),
        after.splitlines(keepends=True),
        f"a/{path}" if before else "/dev/null",
        f"b/{path}",
    )
    return "".join(line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}" for line in lines)


def with_rules(text: str, rules: Sequence[Rule]) -> str:
    """The text of a file of rules with these in it: one whose id is there takes its place, the others come last.

    A file that is written so that lines cannot be told apart, such as `rules: [{…}]`, is written anew.
    """
    if not rules:
        return text
    whole = text if not text or text.endswith("\n") else f"{text}\n"
    rules_by_id = {rule.id: rule for rule in (*_rules_of(whole), *rules)}
    for after in (
        _by_lines(whole, rules),
        _HEAD + "".join(_as_yaml(rule, "  ") for rule in rules_by_id.values()),
    ):
        if {rule.id: rule for rule in _rules_of(after)} == rules_by_id:
            return after
    raise AssertionError("a rule reads otherwise than it was written")


def _rules_of(text: str) -> tuple[Rule, ...]:
    """The rules of a text; none where it holds none, or mistakes."""
    try:
        return RuleFile.model_validate(read_yaml(text.encode()).data).rules
    except ValidationError:
        return ()


def _by_lines(whole: str, rules: Sequence[Rule]) -> str:
    document = read_yaml(whole.encode())
    rule_list = document.data.get("rules") if isinstance(document.data, dict) else None
    entries = rule_list if isinstance(rule_list, list) else []
    if not entries:
        return _HEAD + "".join(_as_yaml(rule, "  ") for rule in rules)
    lines = whole.splitlines(keepends=True)
    starts = [document.line(("rules", index)) - 1 for index in range(len(entries))]
    indent = lines[starts[0]][: len(lines[starts[0]]) - len(lines[starts[0]].lstrip())]
    places = {entry.get("id"): index for index, entry in enumerate(entries) if isinstance(entry, dict)}
    new_rules = [rule for rule in rules if rule.id not in places]
    last = _end_of_entry(lines, starts, len(entries) - 1)
    lines[last:last] = [_as_yaml(rule, indent) for rule in new_rules]
    for index, rule in sorted(
        ((places[rule.id], rule) for rule in rules if rule.id in places), key=lambda pair: -pair[0]
    ):
        lines[starts[index] : _end_of_entry(lines, starts, index)] = [_as_yaml(rule, indent)]
    return "".join(lines)


def _end_of_entry(lines: Sequence[str], starts: Sequence[int], index: int) -> int:
    """The line behind an entry: comments and empty lines before the next one belong to that."""
    if index + 1 < len(starts):
        end = starts[index + 1]
    else:
        outer_lines = (
            number
            for number in range(starts[index] + 1, len(lines))
            if lines[number].strip() and not lines[number].startswith((" ", "-", "#"))
        )
        end = next(outer_lines, len(lines))
    while end > starts[index] + 1 and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1
    return end


def _as_yaml(rule: Rule, indent: str) -> str:
    data = rule.model_dump(mode="json", exclude_defaults=True, by_alias=True)
    text: str = yaml.safe_dump([data], sort_keys=False, allow_unicode=True, width=110)
    return "".join(f"{indent}{line}" for line in text.splitlines(keepends=True))
