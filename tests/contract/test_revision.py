"""What travels into a run that changes a pull request again."""

import pytest
from pydantic import ValidationError

from pipeline.contract.revision import ChangesAsked, FailedChecks, Revision
from pipeline.contract.wire import review_sha256


def test_what_was_asked_stands_in_exactly_one_place():
    ChangesAsked(review_id=1, text_sha256="0" * 64, asked_by="octocat")
    for places in ({}, {"review_id": 1, "comment_id": 2}):
        with pytest.raises(ValidationError, match="exactly one"):
            ChangesAsked(**places, text_sha256="0" * 64, asked_by="octocat")


def test_a_revision_has_a_reason_or_both():
    changes = ChangesAsked(review_id=1, text_sha256="0" * 64, asked_by="octocat")
    checks = FailedChecks(commit="d" * 40, jobs=(71,))
    for reasons in ({"asked": changes}, {"failed": checks}, {"asked": changes, "failed": checks}):
        revision = Revision(pull_request=2, base_commit="c" * 40, **reasons)
        assert Revision.model_validate_json(revision.model_dump_json()) == revision
    with pytest.raises(ValidationError, match="`asked`, `failed` or both"):
        Revision(pull_request=2, base_commit="c" * 40)


@pytest.mark.parametrize("jobs", [(), (1, 2, 3, 4)])
def test_a_revision_reads_the_logs_of_one_to_three_jobs(jobs):
    with pytest.raises(ValidationError):
        FailedChecks(commit="d" * 40, jobs=jobs)


def test_the_hash_of_a_review_is_of_its_text_and_all_its_remarks_in_any_order():
    remarks = [(1, "a.py", "name it"), (2, "b.py", "drop it")]
    assert review_sha256("Please", remarks) == review_sha256("Please", reversed(remarks))
    assert review_sha256(None, []) == review_sha256("", [])
    others = [
        review_sha256("Please!", remarks),
        review_sha256("Please", remarks[:1]),
        review_sha256("Please", [(1, "a.py", "name it"), (2, "c.py", "drop it")]),
        review_sha256("Please", [(1, "a.py", "name it"), (3, "b.py", "drop it")]),
    ]
    assert review_sha256("Please", remarks) not in others
