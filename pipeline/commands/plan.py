"""`askfirst plan`: check a pipeline definition and draw it, without running anything."""

import json
from pathlib import Path

import click
from pydantic import JsonValue

from pipeline.contract.exit_codes import ExitCode
from pipeline.definition.definition import Declaration, Definition
from pipeline.definition.draw import as_mermaid, as_text
from pipeline.definition.loader import SHIPPED_DEFINITIONS, load
from pipeline.definition.repository_check import check_repository, refuse_what_does_not_fit
from pipeline.engine.graph import Repeat
from pipeline.options import checkout_or_folder, known_definition, repository_option


@click.command("plan", epilog="Example: askfirst plan --definition triage --mermaid")
@click.option(
    "--definition",
    "name_or_path",
    default="gate",
    show_default=True,
    callback=known_definition,
    metavar="|".join([*SHIPPED_DEFINITIONS, "FILE.yml"]),
    help="A shipped definition or a file of your own.",
)
@repository_option("The checkout whose .github/askfirst/ is checked, too.", checkout_or_folder)
@click.option("--mermaid", is_flag=True, help="Draw a Mermaid flowchart instead of text.")
@click.option("--json", "as_json", is_flag=True, help="Print the checked definition as one JSON document.")
def command(name_or_path: str, repository: Path, mermaid: bool, as_json: bool) -> ExitCode:
    """Check a pipeline definition, types of conditions included, and draw it. Nothing runs.

    Checks the repository's own files in .github/askfirst/, too, and exits with 1 if one has mistakes.
    """
    if mermaid and as_json:
        raise click.UsageError("choose one of --mermaid and --json")
    checked_files = [
        file
        for file in check_repository(repository)
        if (repository / file.path).resolve() != Path(name_or_path).resolve()
    ]
    for file in checked_files:
        click.echo(file.mistakes or f"{file.path}: fine", err=True)
    definition = load(name_or_path)
    has_mistakes = any(file.mistakes for file in checked_files)
    if not has_mistakes:
        refuse_what_does_not_fit(repository, definition)
    if as_json:
        click.echo(json.dumps(_document(definition), indent=2, ensure_ascii=False))
    else:
        click.echo(as_mermaid(definition) if mermaid else as_text(definition), nl=False)
    if has_mistakes:
        click.echo(
            "\nThere are mistakes: see above the drawing. Correct them, then run this again.", err=True
        )
    return ExitCode.PIPELINE_ERROR if has_mistakes else ExitCode.DONE


def _document(definition: Definition) -> dict[str, JsonValue]:
    """The definition with its defaults filled in; `steps` are the ids that may run at the same time."""
    return {
        "name": definition.name,
        "description": definition.description,
        "sha256": definition.sha256,
        "steps": [[stage.id for stage in level] for level in definition.levels()],
        "stages": [_stage(stage) for stage in definition.stages],
    }


def _stage(stage: Declaration) -> dict[str, JsonValue]:
    """A stage or a repeat, with the keys of a definition file."""
    head: dict[str, JsonValue] = {
        "id": stage.id,
        "needs": [{"id": need, "optional": True} if need in stage.optional else need for need in stage.needs],
        "when": stage.when.text if stage.when else None,
    }
    if isinstance(stage, Repeat):
        body: dict[str, JsonValue] = {
            "stages": [_stage(inner) | {"previous": list(inner.previous)} for inner in stage.stages],
            "until": stage.until.text,
            "max": stage.max,
        }
        return head | {"repeat": body}
    return head | {
        "uses": stage.uses,
        "with": stage.options.model_dump(mode="json"),
        "retries": stage.retries,
        "timeout_seconds": stage.timeout,
    }
