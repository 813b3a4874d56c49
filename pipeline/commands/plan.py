"""`askfirst plan`: check a pipeline definition and draw it, without running anything."""

import re
from dataclasses import replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from pipeline.contract.exit_codes import ExitCode
from pipeline.contract.run import StageRecord
from pipeline.definition.definition import Declaration, Definition
from pipeline.definition.draw import as_mermaid, as_text
from pipeline.definition.loader import SHIPPED_DEFINITIONS, load
from pipeline.definition.repository_check import check_repository, refuse_what_does_not_fit
from pipeline.domain.model_mistakes import mistakes_by_key
from pipeline.domain.models import FrozenModel
from pipeline.engine.executor import execute
from pipeline.engine.graph import Graph, Repeat, StageBody
from pipeline.options import EXISTING_FILE, checkout_or_folder, known_definition, repository_option
from pipeline.run_record.journal import Journal
from pipeline.run_record.redaction import Redactor
from pipeline.stages.stage import input_field


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
@click.option(
    "--given",
    type=EXISTING_FILE,
    help="A JSON object, output by stage: say which stages would run after these outputs.",
)
def command(name_or_path: str, repository: Path, mermaid: bool, given: Path | None) -> ExitCode:
    """Check a pipeline definition, types of conditions included, and draw it. Nothing runs.

    Checks the repository's own files in .github/askfirst/, too, and exits with 1 if one has mistakes.
    """
    if mermaid and given is not None:
        raise click.UsageError("choose one of --mermaid and --given")
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
    if given is not None:
        for record in _stages_after(definition, given):
            click.echo(f"{record.id:<20} {record.reason or 'runs'}")
    else:
        click.echo(as_mermaid(definition) if mermaid else as_text(definition), nl=False)
    if has_mistakes:
        click.echo(
            "\nThere are mistakes: see above the drawing. Correct them, then run this again.", err=True
        )
    return ExitCode.PIPELINE_ERROR if has_mistakes else ExitCode.DONE


def _read_outputs(path: Path, definition: Definition) -> dict[str, BaseModel]:
    """The outputs of a file, each of the type of its stage."""
    kinds = {stage.id: stage.kind for stage in definition.every_stage}
    fields: dict[str, Any] = {id_: (kind.output, None) for id_, kind in kinds.items()}
    shape = create_model("Outputs", __config__=ConfigDict(extra="forbid"), **fields)
    try:
        outputs = shape.model_validate_json(path.read_bytes())
    except ValidationError as error:
        mistakes = "\n".join(mistakes_by_key(error, "the document"))
        raise click.UsageError(f"{path}: {mistakes}") from error
    return {id_: getattr(outputs, id_) for id_ in outputs.model_fields_set}


def _stages_after(definition: Definition, path: Path) -> tuple[StageRecord, ...]:
    """How the engine schedules the definition where each stage returns at once what the file has for it."""
    outputs = _read_outputs(path, definition)

    def scheduled(stage: Declaration) -> Declaration:
        if isinstance(stage, Repeat):
            return stage
        return replace(stage, optional=stage.optional | set(filter(stage.kind.can_do_without, stage.needs)))

    def body(id_: str) -> StageBody:
        return StageBody(lambda _: outputs.get(id_, FrozenModel()), BaseModel, key=None)

    ids = [stage.id for stage in definition.every_stage]
    graph = Graph(tuple(map(scheduled, definition.stages)), {id_: body(id_) for id_ in ids})
    conditions = [step.when for step in graph.steps]
    conditions += [step.until for step in graph.steps if isinstance(step, Repeat)]
    for text, id_ in product((condition.text for condition in conditions if condition is not None), ids):
        if id_ not in outputs and re.search(rf"\b{re.escape(input_field(id_))}\.", text):
            raise click.UsageError(f"{path} has no output of `{id_}`, which the condition `{text}` reads.")
    with (
        TemporaryDirectory() as folder,
        Journal(Path(folder) / "journal", Redactor.from_environment({})) as journal,
    ):
        result = execute(graph, journal)
    if result.error is not None:
        raise result.error
    return result.records
