"""`askfirst gate`: what the gate decides about a tool call, and why."""

import json
from pathlib import Path
from typing import BinaryIO

import click
from pydantic import JsonValue, TypeAdapter, ValidationError

from pipeline.contract.exit_codes import ExitCode
from pipeline.definition.gate_file import load_gate


@click.group("gate", epilog="Example: askfirst gate test run_command call.json")
def command() -> None:
    """Look at the gate that every tool call of an agent passes."""


@command.command(
    "test", epilog="""Example: echo '{"command": "pytest -q"}' | askfirst gate test run_command -"""
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
    """Say what becomes of a call of TOOL with the arguments in a file (`-` for standard input). Nothing is called.

    Ends with 0 whatever the decision is.
    """
    decision = load_gate(rules).decide(tool, _read(arguments))
    document = {"decision": decision.tier.value, "rule": decision.rule, "why": decision.why}
    if as_json:
        click.echo(json.dumps(document, ensure_ascii=False))
    else:
        click.echo(f"{decision.tier.value}  {decision.rule or 'no rule'}: {decision.why}")
    return ExitCode.DONE


def _read(file: BinaryIO) -> dict[str, JsonValue]:
    try:
        return TypeAdapter(dict[str, JsonValue]).validate_json(file.read())
    except ValidationError as error:
        raise click.UsageError(
            'the arguments of a call are one JSON object, such as {"path": "src/app.py"}'
        ) from error
