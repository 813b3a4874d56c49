"""What the sandbox understands of a workflow file: its triggers, its dispatch inputs and its run-name."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from sandbox.world.refusals import Invalid

MAX_INPUTS = 25
MAX_INPUT_CHARACTERS = 65_535

_ALL_TYPES = {
    "issues": ("opened", "edited", "labeled", "unlabeled", "closed", "reopened"),
    "issue_comment": ("created", "edited", "deleted"),
    "pull_request_review": ("submitted", "edited", "dismissed"),
}
"""The events that start a workflow here, with the actions that count where the file names none."""


@dataclass(frozen=True)
class WorkflowFile:
    """The parts of a workflow file that decide whether and under which name a run starts.

    `types` are the actions of each event that triggers it; `inputs` is None if it cannot be dispatched. `in_turn` says
    that a job has a `concurrency` group: then runs of one issue go one after another.
    """

    name: str
    run_name: str | None
    types: Mapping[str, tuple[str, ...]]
    inputs: Mapping[str, Mapping[str, Any]] | None
    in_turn: bool = False


def parse_workflow(path: str, text: str) -> WorkflowFile:
    """Read a workflow file. One that GitHub could not read triggers nothing."""
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError:
        document = None
    if not isinstance(document, dict):
        return WorkflowFile(path, None, {}, None)
    # YAML 1.1 reads the key `on` as true.
    triggers = document.get("on", document.get(True))
    if isinstance(triggers, str):
        triggers = {triggers: None}
    elif isinstance(triggers, list):
        triggers = dict.fromkeys(triggers)
    triggers = triggers if isinstance(triggers, dict) else {}
    jobs = document.get("jobs")
    jobs = jobs if isinstance(jobs, dict) else {}
    inputs = (
        (triggers["workflow_dispatch"] or {}).get("inputs") or {} if "workflow_dispatch" in triggers else None
    )
    return WorkflowFile(
        str(document.get("name", path)),
        document.get("run-name"),
        {
            event: tuple((triggers[event] or {}).get("types", types))
            for event, types in _ALL_TYPES.items()
            if event in triggers
        },
        inputs,
        any("concurrency" in job for job in jobs.values() if isinstance(job, dict)),
    )


def check_inputs(workflow: WorkflowFile, inputs: Mapping[str, Any]) -> dict[str, str]:
    """The inputs of a dispatch as the run gets them: all are text.

    Raises:
        Invalid: not dispatchable, unknown or missing inputs, or more than GitHub takes.
    """
    if workflow.inputs is None:
        raise Invalid("Workflow does not have 'workflow_dispatch' trigger")
    if len(inputs) > MAX_INPUTS:
        raise Invalid(f"you may only define up to {MAX_INPUTS} `inputs` for a `workflow_dispatch` event")
    surplus_names = sorted(set(inputs) - set(workflow.inputs))
    if surplus_names:
        raise Invalid(f"Unexpected inputs provided: {surplus_names}")
    values: dict[str, str] = {}
    for name, declaration in workflow.inputs.items():
        value = inputs.get(name, (declaration or {}).get("default"))
        if value is None and (declaration or {}).get("required"):
            raise Invalid(f"Required input '{name}' not provided")
        values[name] = "" if value is None else str(value)
    if sum(len(name) + len(value) for name, value in values.items()) > MAX_INPUT_CHARACTERS:
        raise Invalid("inputs are too large.")
    return values


def render_run_name(workflow: WorkflowFile, contexts: Mapping[str, Any]) -> str:
    """The name of a run: `run-name` with its `${{ a.b || c.d }}` filled in, else the workflow's name."""
    if workflow.run_name is None:
        return workflow.name
    return re.sub(r"\$\{\{(.*?)\}\}", lambda match: _evaluate(match[1], contexts), workflow.run_name).strip()


def _evaluate(expression: str, contexts: Mapping[str, Any]) -> str:
    for alternative in expression.split("||"):
        value: Any = contexts
        for part in alternative.strip().split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        if value not in (None, "", False, 0):
            return str(value)
    return ""
