"""Load the gate's rules: the shipped ones, and a repository's own file on top. All mistakes are reported at once."""

from collections.abc import Iterator
from pathlib import Path

from pipeline.contract.yaml_source import Mistake
from pipeline.domain.errors import PipelineError
from pipeline.domain.yaml_file import YamlFileInvalid, read_yaml_file
from pipeline.gate.gate import Gate
from pipeline.gate.rules import Rule, RuleFile, Tier

SHIPPED_RULES = Path(__file__).with_name("gate.yml")


class GateRulesInvalid(PipelineError):
    """A file of gate rules that is missing or has mistakes; all of them are listed."""


def load_gate(path: Path | None = None) -> Gate:
    """The gate with the shipped rules and, on top, those of a repository.

    A rule with the id of a shipped one takes its place, unless the shipped one denies.

    Raises:
        GateRulesInvalid: a file is missing or has mistakes; all of them are listed with file and line.
    """
    return Gate(load_rules(path).values())


def load_rules(path: Path | None = None) -> dict[str, Rule]:
    """The rules of that gate, by id.

    Raises:
        GateRulesInvalid: a file is missing or has mistakes; all of them are listed with file and line.
    """
    rules = {rule.id: rule for rule in _read(SHIPPED_RULES, {})}
    if path is not None:
        rules.update((rule.id, rule) for rule in _read(path, dict(rules)))
    return rules


def _read(path: Path, shipped_rules: dict[str, Rule]) -> tuple[Rule, ...]:
    try:
        file, document = read_yaml_file(path, RuleFile)
    except FileNotFoundError as error:
        raise _invalid(path, f"{path}: {error.strerror}") from error
    except YamlFileInvalid as error:
        raise _invalid(path, error.listed(path)) from error
    id_mistakes = _id_mistakes(file.rules, shipped_rules)
    mistakes = [Mistake(document.line(("rules", index)), text) for index, text in id_mistakes]
    if mistakes:
        raise _invalid(path, YamlFileInvalid(mistakes).listed(path))
    return file.rules


def _id_mistakes(rules: tuple[Rule, ...], shipped_rules: dict[str, Rule]) -> Iterator[tuple[int, str]]:
    ids: set[str] = set()
    for index, rule in enumerate(rules):
        if rule.id in ids:
            yield index, f"the id `{rule.id}` stands here twice"
        ids.add(rule.id)
        shipped_rule = shipped_rules.get(rule.id)
        if shipped_rule is not None and shipped_rule.tier is Tier.DENY and shipped_rule != rule:
            yield index, f"`{rule.id}` denies, and cannot be replaced. Choose another id."


def _invalid(path: Path, mistakes: str) -> GateRulesInvalid:
    return GateRulesInvalid(
        f"The gate's rules in {path.name} cannot be used.",
        why=mistakes,
        what_to_do="A rule looks like this:\n"
        "version: 1\n"
        "rules:\n"
        "  - {id: docs, tier: allow, tools: [edit_file], paths: ['docs/**'], why: documentation is reviewed anyway}",
    )
