"""Load the gate's rules: the shipped ones, and a repository's own file on top. All mistakes are reported at once."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from pipeline.contract.yaml_source import MAX_BYTES, Mistake, read_yaml
from pipeline.domain.errors import PipelineError
from pipeline.domain.model_mistakes import model_mistakes
from pipeline.domain.plain_file import read_plain_file
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
        content = read_plain_file(path, MAX_BYTES + 1)
    except OSError as error:
        raise _invalid(path, [f"{path}: {error.strerror}"]) from error
    document = read_yaml(content)
    mistakes = list(document.mistakes)
    rules: tuple[Rule, ...] = ()
    if not mistakes:
        try:
            rules = RuleFile.model_validate(document.data).rules
        except ValidationError as error:
            mistakes.extend(model_mistakes(error, RuleFile, document))
    mistakes.extend(
        Mistake(document.line(("rules", index)), text) for index, text in _id_mistakes(rules, shipped_rules)
    )
    if mistakes:
        raise _invalid(path, [f"{path}:{mistake.line}: {mistake.text}" for mistake in sorted(mistakes)])
    return rules


def _id_mistakes(rules: tuple[Rule, ...], shipped_rules: dict[str, Rule]) -> Iterator[tuple[int, str]]:
    ids: set[str] = set()
    for index, rule in enumerate(rules):
        if rule.id in ids:
            yield index, f"the id `{rule.id}` stands here twice"
        ids.add(rule.id)
        shipped_rule = shipped_rules.get(rule.id)
        if shipped_rule is not None and shipped_rule.tier is Tier.DENY and shipped_rule != rule:
            yield index, f"`{rule.id}` denies, and cannot be replaced. Choose another id."


def _invalid(path: Path, mistakes: list[str]) -> GateRulesInvalid:
    return GateRulesInvalid(
        f"The gate's rules in {path.name} cannot be used.",
        why="\n".join(mistakes),
        what_to_do="A rule looks like this:\n"
        "version: 1\n"
        "rules:\n"
        "  - {id: docs, tier: allow, tools: [edit_file], paths: ['docs/**'], why: documentation is reviewed anyway}",
    )
