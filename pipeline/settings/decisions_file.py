"""Read `decisions.yml`: the answers that hold for every ticket of a repository."""

from pathlib import Path

from pipeline.contract.decisions import DECISIONS_PATH, Decision, DecisionFile
from pipeline.domain.errors import PipelineError
from pipeline.domain.yaml_file import YamlFileInvalid, read_yaml_file

_LIKE_THIS = """\
Correct it, or remove the entry: then the question is asked again. It looks like this:
version: 1
decisions:
  - slot: entry_route
    candidates: ["route:POST /actions", "route:POST /actions/stream"]
    choice: "route:POST /actions"
    decided_by: octocat
    decided_in: 418
    decided_at: 2026-11-22
    wish: add"""


class DecisionsInvalid(PipelineError):
    """The repository's `decisions.yml` has mistakes; all of them are listed."""


def read_decisions(path: Path) -> tuple[Decision, ...]:
    """The decisions of a file in their order; none where there is no file.

    Raises:
        DecisionsInvalid: the file cannot be read or has mistakes.
    """
    try:
        return read_yaml_file(path, DecisionFile)[0].decisions
    except FileNotFoundError:
        return ()
    except YamlFileInvalid as error:
        raise DecisionsInvalid(
            f"{DECISIONS_PATH} has mistakes.", why=error.listed(DECISIONS_PATH), what_to_do=_LIKE_THIS
        ) from error
