"""How a job knows the comments of earlier jobs again, with a secret of the repository or without one.

With `ASKFIRST_MARKER_KEY` the record of the conversation travels in the marker, signed, if it fits. Without it anybody who may edit
the bot's comments could write any marker, so the record lies in an artifact of the run that wrote the comment, and the
marker only points there. The pointer is believed if all of this holds:

- the run is one of our workflow on the default branch, or on a branch of this repository for a review;
- the artifact has the name under which such a run leaves records, and GitHub has a digest for it;
- the file in it has the hash that stands in the marker, and is about this issue.

So a forged marker finds nothing that a run of ours did not write, and a forged artifact is found by no marker.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator

from pydantic import ValidationError

from github_app.conversation.marker import Pointer, StoredRecord, is_readable, read, sign, slim
from github_app.conversation.record import Conversation
from github_app.conversation.transcript import Comment
from github_app.gateway.run_artifact import GitHubArtifacts, read_member
from github_app.job.environment import JobEnvironment
from github_app.ports.github import ArtifactRefused, GitHubRefused, GitHubUnavailable, WorkflowRun, Workflows
from pipeline.contract.artifact import artifact_name

OUR_LOGIN = "github-actions[bot]"
"""Whose comments those of a `GITHUB_TOKEN` are. No person and no other App can have this login, nor that of an App."""

OUR_EVENTS = frozenset({"issues", "issue_comment", "pull_request_review"})
"""The triggers of the workflow without the App."""

WORKFLOW_PATH = ".github/workflows/askfirst.yml"
_STILL_WRITING_SECONDS = 3.0


class JobMarkers:
    """`github_app.ports.conversations.Markers` of a job."""

    def __init__(
        self,
        job: JobEnvironment,
        workflows: Workflows,
        artifacts: GitHubArtifacts,
        app_login: str = OUR_LOGIN,
    ) -> None:
        self._job = job
        self._logins = frozenset({OUR_LOGIN, app_login})
        self._workflows = workflows
        self._artifacts = artifacts
        self._records: dict[StoredRecord, Conversation | None] = {}

    def line(self, key: str, conversation: Conversation, *, with_record: bool) -> str:
        """The last line of a comment. Without a secret, or where it is too long for the line, the record is left in the job's
        folder for the upload.
        """
        secret = self._job.marker_key
        pointer = Pointer(key=key, repository_id=conversation.repository_id, issue=conversation.issue)
        if not with_record:
            return sign(pointer, secret)
        record = slim(conversation)
        line = sign(pointer.model_copy(update={"record": record}), secret) if secret else ""
        if is_readable(line):
            return line
        return sign(pointer.model_copy(update={"stored": self._keep(record)}), secret)

    def ours(
        self, comments: Iterable[Comment], *, repository_id: int, issue: int
    ) -> Iterator[tuple[Comment, Pointer]]:
        """The comments that jobs of this repository posted, with a marker about this very issue."""
        for comment in comments:
            if not comment.author.is_bot or comment.author.login not in self._logins:
                continue
            pointer = read(comment.body, self._job.marker_key, repository_id=repository_id, issue=issue)
            if pointer is not None:
                yield comment, pointer

    def record(self, pointer: Pointer) -> Conversation | None:
        """The record behind a pointer, if it is believed.

        Raises:
            GitHubUnavailable: the run that wrote the comment has not uploaded its record yet.
        """
        if self._job.marker_key and pointer.record is not None:
            return pointer.record
        if pointer.stored is None:  # anybody can write an unsigned record into a marker
            return None
        if pointer.stored not in self._records:
            self._records[pointer.stored] = self._fetch_record(pointer, pointer.stored)
        return self._records[pointer.stored]

    def _keep(self, record: Conversation) -> StoredRecord:
        text = record.model_dump_json(exclude_defaults=True).encode()
        sha256 = hashlib.sha256(text).hexdigest()
        self._job.records.mkdir(parents=True, exist_ok=True)
        (self._job.records / f"{sha256}.json").write_bytes(text)
        stored_record = StoredRecord(
            run_id=self._job.run_id,
            artifact=records_artifact(self._job.name, self._job.run_id, self._job.attempt),
            sha256=sha256,
        )
        self._records[stored_record] = record
        return stored_record

    def _fetch_record(self, pointer: Pointer, stored_record: StoredRecord) -> Conversation | None:
        repository = self._job.repository
        run = self._workflows.run(repository, stored_record.run_id)
        if run is None or not _is_ours(run, repository.id, repository.default_branch):
            return None
        if not re.fullmatch(rf"conversation-(?:event|publish)-{run.id}-[0-9]+", stored_record.artifact):
            return None
        try:
            download = self._artifacts.archive(repository, stored_record.run_id, stored_record.artifact)
            if download is None:
                if run.status != "completed":
                    raise GitHubUnavailable(
                        f"run {run.id} has not uploaded its record yet", retry_after=_STILL_WRITING_SECONDS
                    )
                return None
            text = read_member(download[0], f"{stored_record.sha256}.json")
            if hashlib.sha256(text).hexdigest() != stored_record.sha256:
                return None
            record = Conversation.model_validate_json(text)
        except (ArtifactRefused, GitHubRefused, ValidationError):
            return None
        is_about_this = (record.repository_id, record.issue) == (pointer.repository_id, pointer.issue)
        return record if is_about_this else None


def records_artifact(job: str, run_id: int, attempt: int) -> str:
    """Name of the artifact in which a job leaves its records; the workflow uploads it under this name."""
    return artifact_name(f"conversation-{job}", str(run_id), attempt)


def _is_ours(run: WorkflowRun, repository_id: int, default_branch: str) -> bool:
    """Whether a run is one of our workflow. A review's run is of the pull request's branch, the others of the default
    branch; a writer can start an altered copy from a branch only by a dispatch, which is none of our events.
    """
    return (
        run.path == WORKFLOW_PATH
        and run.event in OUR_EVENTS
        and run.head_repository_id == repository_id
        and (run.head_branch == default_branch or run.event == "pull_request_review")
    )
