"""`askfirst gate`: what the gate decides about a tool call, and why; and what people's decisions would change."""

import json
import os
from pathlib import Path
from typing import BinaryIO

import click
from pydantic import JsonValue, TypeAdapter, ValidationError

from pipeline.contract.exit_codes import ExitCode
from pipeline.gate.decision_log import decisions_in
from pipeline.gate.report import (
    ENOUGH_APPROVALS,
    Evidence,
    GateFinding,
    GateReport,
    RuleEvidence,
    report,
)
from pipeline.gate.rules_file import load_gate, load_rules
from pipeline.gate.rules_patch import patch
from pipeline.run_record.run_directory import holds_earlier_run
from pipeline.settings.repository_settings import RULES, SETTINGS_FOLDER


@click.group("gate", epilog="""Example: echo '{"command": "pytest -q"}' | askfirst gate test run_command -""")
def command() -> None:
    """Look at the gate that every tool call of an agent passes."""


@command.command(
    "test",
    short_help="Show how the gate decides one call.",
    epilog="""Example: echo '{"command": "pytest -q"}' | askfirst gate test run_command -""",
)
@click.argument("tool")
@click.argument("arguments", type=click.File("rb"), metavar="ARGUMENTS.json")
@click.option(
    "--rules",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Rules of a repository (.github/askfirst/gate.yml), on top of the shipped ones.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the decision as one JSON document.")
def decide(tool: str, arguments: BinaryIO, rules: Path | None, as_json: bool) -> ExitCode:
    """Show how the gate decides a call of TOOL with the arguments in a file (`-` for standard input). Nothing is called.

    Ends with 0 whatever the decision is.
    """
    decision = load_gate(rules).decide(tool, _read(arguments))
    document = {"decision": decision.tier.value, "rule": decision.rule, "why": decision.why}
    if as_json:
        click.echo(json.dumps(document, ensure_ascii=False))
    else:
        click.echo(f"{decision.tier.value}  {decision.rule or 'no rule'}: {decision.why}")
    return ExitCode.DONE


def _run_directories(
    _context: click.Context, _parameter: click.Parameter, value: tuple[Path, ...]
) -> tuple[Path, ...]:
    """The callback of RUN_DIRECTORIES: a folder without a run does not count as a run without decisions."""
    stray = next((directory for directory in value if not holds_earlier_run(directory)), None)
    if stray is not None:
        raise click.BadParameter(f"{os.fspath(stray)!r} holds no run.")
    return value


@command.command(
    "report",
    short_help="Report how people decided calls, and propose rules.",
    epilog="Example: askfirst gate report --rules .github/askfirst/gate.yml runs/*",
)
@click.argument(
    "directories",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    callback=_run_directories,
    metavar="RUN_DIRECTORIES...",
)
@click.option(
    "--rules",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Rules of a repository (.github/askfirst/gate.yml), on top of the shipped ones; the patch is for this file.",
)
@click.option(
    "--approvals",
    type=click.IntRange(min=1),
    default=ENOUGH_APPROVALS,
    show_default=True,
    help="How often a call must have been approved before it is allowed.",
)
@click.option("--json", "as_json", is_flag=True, help="Print findings and patch as one JSON document.")
def propose(directories: tuple[Path, ...], rules: Path | None, approvals: int, as_json: bool) -> ExitCode:
    """Report how people decided waiting calls, with a patch for the rules. Nothing is changed.

    A call that was always approved, by several people or in several conversations, would be allowed; one that was always
    declined, denied. What the run directories say is the evidence: read it before the patch is applied.
    """
    observations = [decision for directory in directories for decision in decisions_in(directory)]
    gate_report = report(observations, load_rules(rules), approvals=approvals)
    before = rules.read_text(encoding="utf-8") if rules is not None else ""
    diff = patch(os.fspath(SETTINGS_FOLDER / RULES), before, gate_report.rules)
    if as_json:
        findings = [_as_json(finding) for finding in gate_report.findings]
        rules_seen = TypeAdapter(tuple[RuleEvidence, ...]).dump_python(gate_report.by_rule, mode="json")
        document = {"runs": len(directories), "findings": findings, "rules": rules_seen, "patch": diff}
        click.echo(json.dumps(document, ensure_ascii=False, indent=2))
    else:
        click.echo(_as_text(gate_report, len(directories)) + (f"\n{diff}" if diff else ""), nl=False)
    return ExitCode.DONE


def _as_json(finding: GateFinding) -> dict[str, JsonValue]:
    data = TypeAdapter(GateFinding).dump_python(finding, mode="json")
    return {**data.pop("evidence"), **data}


def _as_text(gate_report: GateReport, runs: int) -> str:
    lines = [f"{len(gate_report.findings)} calls on which people decided, in {runs} runs.", ""]
    for finding in gate_report.findings:
        evidence = finding.evidence
        lines.append(
            f"{finding.proposal.value:<5}  {evidence.tool} {evidence.target}: {finding.why}  ({_counts(evidence)})"
        )
    if gate_report.by_rule:
        lines += ["", "By rule:"]
    for rule in gate_report.by_rule:
        calls = "1 call" if rule.calls == 1 else f"{rule.calls} calls"
        lines.append(f"{rule.rule}: {calls}, {_counts(rule)}, {rule.first:%Y-%m-%d} to {rule.last:%Y-%m-%d}")
    return "\n".join(lines) + "\n"


def _counts(evidence: Evidence | RuleEvidence) -> str:
    conversations = (
        "1 conversation" if evidence.conversations == 1 else f"{evidence.conversations} conversations"
    )
    people = f" by {', '.join(evidence.people)}" if evidence.people else ""
    return f"{evidence.approved} approved, {evidence.declined} declined, in {conversations}{people}"


def _read(file: BinaryIO) -> dict[str, JsonValue]:
    try:
        return TypeAdapter(dict[str, JsonValue]).validate_json(file.read())
    except ValidationError as error:
        raise click.UsageError(
            'the arguments of a call are one JSON object, such as {"path": "src/app.py"}'
        ) from error
