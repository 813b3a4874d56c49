"""Read `decisions.yml`: the answers that hold for every ticket of a repository."""

from pathlib import Path

from pydantic import ValidationError

from pipeline.contract.decision_text import parse_decisions
from pipeline.contract.decisions import DECISIONS_PATH, Decision, DecisionFile
from pipeline.contract.yaml_source import MAX_BYTES, Mistake, read_yaml
from pipeline.domain.errors import PipelineError
from pipeline.domain.model_mistakes import model_mistakes
from pipeline.domain.plain_file import read_plain_file

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
        content = read_plain_file(path, MAX_BYTES + 1)
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise _invalid([Mistake(1, error.strerror or str(error))]) from error
    document = read_yaml(content)
    mistakes = list(document.mistakes)
    if not mistakes:
        try:
            return parse_decisions(document)
        except ValidationError as error:
            mistakes.extend(model_mistakes(error, DecisionFile, document))
    raise _invalid(mistakes)


def _invalid(mistakes: list[Mistake]) -> DecisionsInvalid:
    return DecisionsInvalid(
        f"{DECISIONS_PATH} has mistakes.",
        why="\n".join(f"{DECISIONS_PATH}:{mistake.line}: {mistake.text}" for mistake in sorted(mistakes)),
        what_to_do=_LIKE_THIS,
    )
