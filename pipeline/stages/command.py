"""Stage `command`: a program of the repository's own, with JSON in and JSON out. It asks no model.

    - id: sections
      uses: command
      needs: [completeness]
      with:
        command: [python3, .github/askfirst/checks/sections.py]
        output:
          type: object
          required: [missing]
          properties: {missing: {type: array, items: {type: string}}}

Standard input holds `{"ticket": {…}, "outputs": {"completeness": {…}}}`; an optional stage that was skipped is null. Standard
output must hold one JSON object that fits `output`. The program runs in a tree of its own, confined as the commands of
agents are: without network, without this run's secrets, with an end to its time and memory.
"""

import json
from functools import partial
from typing import Annotated

from pydantic import BaseModel, Field, JsonValue, ValidationError

from pipeline.domain.errors import StageFailed
from pipeline.domain.model_mistakes import mistakes_by_key
from pipeline.domain.models import ClosedModel
from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.stage import GivenOutputs, StageKind, StageValue

_MOST_CHARACTERS = 600
"""Characters of what a broken program wrote that its error quotes."""


class CommandOptions(ClosedModel):
    """`with:` of a command stage: the program with its arguments, and the JSON Schema of what it prints."""

    command: Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=1, max_length=50)]
    output: dict[str, JsonValue]


class CommandOutput(StageValue):
    """What a command prints; each stage replaces this with the schema under `output`."""


def _run(inputs: GivenOutputs, context: StageContext) -> BaseModel:
    """Have the program look at the ticket and at the outputs of the needed stages.

    Raises:
        StageFailed: it cannot be started, ends with another exit code than 0, goes over a limit, or prints something
            that does not fit its schema.
    """
    from pipeline.workbench.programs import OwnCommands

    command = context.options(CommandOptions).command
    program_input = {
        "ticket": context.ticket.model_dump(mode="json"),
        "outputs": inputs.model_dump(mode="json"),
    }
    standard_input = json.dumps(program_input, ensure_ascii=False).encode()
    result = context.tool(RunInput.PROGRAMS, OwnCommands).run(
        command, standard_input, seconds=context.seconds
    )
    failure = partial(_command_failure, context.stage, " ".join(command))
    if result.too_much is not None:
        raise failure(f"It {result.too_much} and was ended.")
    if result.exit_code != 0:
        errors = result.errors[-_MOST_CHARACTERS:]
        raise failure(f"It ended with exit code {result.exit_code}.\n{errors}".rstrip())
    if result.left_out:
        raise failure("It printed more than a stage may hand on.")
    try:
        return context.output.model_validate_json(result.output)
    except ValidationError as error:
        problems = "\n".join(mistakes_by_key(error, "the output")[:5])
        output_text = result.output[:_MOST_CHARACTERS] or "(nothing)"
        raise failure(
            f"Its output does not fit the schema under `output`.\n{problems}\n{output_text}"
        ) from error


KIND: StageKind[GivenOutputs, BaseModel] = StageKind(
    name="command",
    input=GivenOutputs,
    output=CommandOutput,
    run=_run,
    options=CommandOptions,
    # The program lies in the tree, so its results change with the commit.
    reads=frozenset({RunInput.TICKET, RunInput.TREE, RunInput.PROGRAMS}),
    is_ending=True,
)


def _command_failure(stage: str, words: str, why: str) -> StageFailed:
    return StageFailed(
        f"the command of stage '{stage}' failed: {words}",
        why=why,
        what_to_do="Run it by hand on the same input: standard input is one JSON object with `ticket` and `outputs`, "
        "standard output one that fits the schema.",
    )
