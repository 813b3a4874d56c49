"""Which record a job believes behind a marker: each condition is the only one that fails."""

import dataclasses
import hashlib
import io
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from github_app.conversation.marker import Pointer, StoredRecord, sign
from github_app.conversation.record import Conversation, State
from github_app.conversation.transcript import Comment, Person
from github_app.job.environment import JobEnvironment
from github_app.job.markers import OUR_LOGIN, WORKFLOW_PATH, JobMarkers
from github_app.ports.github import GitHubUnavailable, Repository, WorkflowRun

REPOSITORY = Repository(0, 7, "acme/orders", "main")
RECORD = Conversation(
    repository_id=7, issue=418, state=State.READY, labelled_at=datetime(2026, 4, 1, tzinfo=UTC)
)
OUR_RUN = WorkflowRun(
    id=5, attempt=1, path=WORKFLOW_PATH, event="issue_comment", display_title="", status="completed",
    conclusion="success", head_branch="main", head_sha="c" * 40, head_repository_id=7,
)  # fmt: skip


class StoredRuns:
    """The runs of a repository, and the archives that they uploaded."""

    def __init__(self, run: WorkflowRun | None, archive: bytes | None) -> None:
        self._run, self._archive = run, archive

    def run(self, _repository: Repository, run_id: int) -> WorkflowRun | None:
        return self._run if self._run is not None and run_id == self._run.id else None

    def archive(self, _repository: Repository, _run_id: int, _name: str) -> tuple[bytes, str] | None:
        return None if self._archive is None else (self._archive, "")


def markers(
    tmp_path: Path, run: WorkflowRun | None = OUR_RUN, archive: bytes | None = None, *, key: bytes = b""
) -> JobMarkers:
    job = JobEnvironment(
        name="event", event="issue_comment", payload={}, repository=REPOSITORY, run_id=6, attempt=1, token="t",
        marker_key=key, temporary=tmp_path, output=tmp_path / "output",
    )  # fmt: skip
    stored = StoredRuns(run, archive)
    return JobMarkers(job, stored, stored)  # type: ignore[arg-type]


def packed(text: bytes, name: str) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as zip_file:
        zip_file.writestr(name, text)
    return archive.getvalue()


def stored(record: Conversation = RECORD) -> tuple[Pointer, bytes]:
    """A pointer to a record, and the archive that holds it."""
    text = record.model_dump_json(exclude_defaults=True).encode()
    sha256 = hashlib.sha256(text).hexdigest()
    where = StoredRecord(run_id=5, artifact="conversation-event-5-1", sha256=sha256)
    return Pointer(key="k", repository_id=7, issue=418, stored=where), packed(text, f"{sha256}.json")


def test_a_record_that_a_run_of_ours_left_is_believed(tmp_path: Path) -> None:
    pointer, archive = stored()
    assert markers(tmp_path, archive=archive).record(pointer) == RECORD


@pytest.mark.parametrize(
    "other",
    [
        {"path": ".github/workflows/other.yml"}, {"event": "workflow_dispatch"}, {"head_repository_id": 8},
        {"head_repository_id": None}, {"head_branch": "evil"}, {"event": "push"},
    ],
)  # fmt: skip
def test_a_run_that_is_none_of_ours_is_not_believed(tmp_path: Path, other: dict[str, object]) -> None:
    pointer, archive = stored()
    assert markers(tmp_path, dataclasses.replace(OUR_RUN, **other), archive).record(pointer) is None  # type: ignore[arg-type]


def test_the_run_of_a_review_is_of_the_branch_of_its_pull_request(tmp_path: Path) -> None:
    pointer, archive = stored()
    run = dataclasses.replace(OUR_RUN, event="pull_request_review", head_branch="askfirst/418")
    assert markers(tmp_path, run, archive).record(pointer) == RECORD


def test_a_run_that_is_gone_left_nothing(tmp_path: Path) -> None:
    pointer, archive = stored()
    assert markers(tmp_path, None, archive).record(pointer) is None


def test_a_file_of_another_hash_than_the_marker_says_is_not_believed(tmp_path: Path) -> None:
    pointer, _ = stored()
    assert pointer.stored is not None
    forged = RECORD.model_copy(update={"rounds": 9}).model_dump_json().encode()
    archive = packed(forged, f"{pointer.stored.sha256}.json")
    assert markers(tmp_path, archive=archive).record(pointer) is None


@pytest.mark.parametrize("other", [{"issue": 419}, {"repository_id": 8}])
def test_the_record_of_another_issue_or_repository_is_not_believed(
    tmp_path: Path, other: dict[str, int]
) -> None:
    pointer, archive = stored(RECORD.model_copy(update=other))
    assert markers(tmp_path, archive=archive).record(pointer) is None


@pytest.mark.parametrize(
    "artifact", ["clarification-5-1", "conversation-event-6-1", "evil", "conversation-event-5-1/x"]
)
def test_an_artifact_that_no_job_leaves_records_in_is_not_asked_for(tmp_path: Path, artifact: str) -> None:
    pointer, archive = stored()
    assert pointer.stored is not None
    elsewhere = pointer.model_copy(
        update={"stored": pointer.stored.model_copy(update={"artifact": artifact})}
    )
    assert markers(tmp_path, archive=archive).record(elsewhere) is None


def test_a_record_that_is_not_uploaded_yet_is_waited_for_and_one_that_never_was_is_not(
    tmp_path: Path,
) -> None:
    pointer, _ = stored()
    with pytest.raises(GitHubUnavailable):
        markers(tmp_path, dataclasses.replace(OUR_RUN, status="in_progress")).record(pointer)
    assert markers(tmp_path).record(pointer) is None


def test_a_record_inside_a_marker_counts_only_where_it_is_signed(tmp_path: Path) -> None:
    inside = Pointer(key="k", repository_id=7, issue=418, record=RECORD)
    assert markers(tmp_path).record(inside) is None
    assert markers(tmp_path, key=b"secret").record(inside) == RECORD


@pytest.mark.parametrize("is_believed", [True, False])
def test_a_signed_marker_counts_with_the_key_of_the_repository_and_no_other(
    tmp_path: Path, is_believed: bool
) -> None:
    line = sign(Pointer(key="k", repository_id=7, issue=418), b"secret" if is_believed else b"other")
    ours = markers(tmp_path, key=b"secret").ours([comment(line)], repository_id=7, issue=418)
    assert bool(list(ours)) is is_believed


@pytest.mark.parametrize(
    ("author", "is_believed"),
    [
        (Person(id=1, login=OUR_LOGIN, is_bot=True), True),
        (Person(id=1, login=OUR_LOGIN, is_bot=False), False),
        (Person(id=1, login="evil[bot]", is_bot=True), False),
    ],
)
def test_only_the_bot_of_workflows_posts_for_a_job(tmp_path: Path, author: Person, is_believed: bool) -> None:
    line = sign(Pointer(key="k", repository_id=7, issue=418), b"")
    ours = markers(tmp_path).ours([comment(line, author)], repository_id=7, issue=418)
    assert bool(list(ours)) is is_believed


@pytest.mark.parametrize("about", [{"repository_id": 8}, {"issue": 419}])
def test_a_marker_about_another_issue_is_none(tmp_path: Path, about: dict[str, int]) -> None:
    line = sign(Pointer(key="k", repository_id=7, issue=418), b"")
    assert not list(markers(tmp_path).ours([comment(line)], **{"repository_id": 7, "issue": 418, **about}))


def comment(line: str, author: Person | None = None) -> Comment:
    at = datetime(2026, 4, 1, tzinfo=UTC)
    return Comment(1, author or Person(id=1, login=OUR_LOGIN, is_bot=True), f"Hello\n\n{line}", at, at)
