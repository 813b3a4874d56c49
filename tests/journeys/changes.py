"""Tickets that end with a change, and the files of that change."""

from pipeline.contract.change import Change
from tests.journeys.conftest import Ended

AMBIGUOUS = """# Add a dry_run flag to the bulk action

The depot wants to see what a bulk action would do before it does it. Please add a `dry_run` flag: nothing is moved.
"""


CLEAR = AMBIGUOUS.replace("the bulk action\n", "POST /actions/stream\n", 1)


def files_of(ended: Ended) -> dict[str, str | None]:
    change = Change.model_validate(ended.document("change.json"))
    return {file.path: None if file.content is None else file.content.decode() for file in change.files}
