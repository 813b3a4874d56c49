"""What a run that we start is told: the inputs of `workflow_dispatch`, made from the record of the conversation."""

import json

from github_app.conversation.record import Conversation
from github_app.ports.github import GitHubRefused
from pipeline.contract.answers import Answers
from pipeline.contract.revision import Revision

MAX_INPUTS = 65_000
"""GitHub takes 65,535 characters of `workflow_dispatch` inputs in all."""


def inputs_of(record: Conversation, nonce: str) -> dict[str, str]:
    """The inputs of the workflow: ids, hashes and a nonce; free text stays on GitHub, to be fetched by the run.

    Raises:
        GitHubRefused: they are more than GitHub takes.
    """
    answers = Answers(answers=record.every_answer)
    inputs = {
        "issue": str(record.issue),
        "nonce": nonce,
        "ticket_sha256": record.ticket_sha256 or "",
        "commit": record.commit or "",
        "answers": json.dumps(answers.model_dump(mode="json", exclude_none=True), separators=(",", ":")),
        "memo_run_id": str(record.memo.run_id) if record.memo else "",
        "memo_sha256": record.memo.sha256 if record.memo else "",
        "revise": _revision(record),
    }
    if sum(len(key) + len(value) for key, value in inputs.items()) > MAX_INPUTS:
        raise GitHubRefused(422, "the answers of this conversation are too long for one run")
    return inputs


def _revision(record: Conversation) -> str:
    """The input `revise`: empty unless a pull request is to be changed again."""
    if record.revision is None or record.pull_request is None:
        return ""
    pull_request = record.pull_request
    return Revision(
        pull_request=pull_request.number,
        base_commit=pull_request.base_commit,
        asked=record.revision.asked,
        failed=record.revision.failed,
    ).model_dump_json(exclude_none=True)
