"""Read the input `revise`, and fetch the words that only their id and digest came with."""

from pydantic import ValidationError

from pipeline.contract.commands import revision_text, text_sha256
from pipeline.contract.own_words import own_words
from pipeline.contract.revision import ChangesAsked, FailedChecks, Revision
from pipeline.contract.wire import review_sha256
from pipeline.domain.errors import RevisionRefused
from pipeline.domain.model_mistakes import mistakes_by_key
from pipeline.domain.wanted_changes import FailedCheck, Remark, WantedChanges
from pipeline.github_read.reader import GitHubReader
from pipeline.reading.hidden_text import remove_hidden, without_invisible
from pipeline.run_inputs.job_log import failing_part

_MAX_REMARKS = 50
_LONGEST_NAME = 80
_LONGEST_DESCRIPTION = 8_000
_FAILURES = frozenset({"failure", "timed_out"})


def read_wanted_changes(revise: str, reader: GitHubReader) -> WantedChanges:
    """What is wanted, its words fetched and compared with the digest that the App accepted.

    Raises:
        RevisionRefused: the input has another shape, or the words were changed or taken back since.
        GitHubUnreadable: they cannot be fetched.
    """
    try:
        revision = Revision.model_validate_json(revise)
    except ValidationError as error:
        raise RevisionRefused(
            "The input `revise` does not say what to change.",
            why=mistakes_by_key(error, "the input")[0],
            what_to_do="Leave it to the App: request changes in a review, or comment /revise and a sentence.",
        ) from error
    number, base_commit = revision.pull_request, revision.base_commit
    description = remove_hidden(reader.ticket(number).body)[:_LONGEST_DESCRIPTION]
    changes = WantedChanges(pull_request=number, base_commit=base_commit, description=description)
    if revision.failed is not None:
        changes = changes.model_copy(update={"failed_checks": _failed_checks(revision.failed, reader)})
    return changes if revision.asked is None else _asked_for(changes, revision.asked, reader)


def _asked_for(changes: WantedChanges, request: ChangesAsked, reader: GitHubReader) -> WantedChanges:
    """With the words that the person wrote, and none that the person quotes; in a review, with its fenced code."""
    if request.review_id is not None:
        review = reader.review(changes.pull_request, request.review_id)
        remark_parts = ((remark.id, remark.path, remark.body) for remark in review.remarks)
        _refuse_if_changed(
            review_sha256(review.body, remark_parts), request.text_sha256, f"Review {request.review_id}"
        )
        if review.is_dismissed:
            raise RevisionRefused(
                f"Review {request.review_id} was dismissed after it was accepted.",
                why="Whoever dismissed it has taken back what it asks for.",
                what_to_do="To have the change made all the same, comment /revise and a sentence.",
            )
        text: str = own_words(review.body, keeps_code=True)
        remarks = tuple(
            Remark(path=remark.path, line=remark.line, text=own_words(remark.body, keeps_code=True))
            for remark in review.remarks
        )
    else:
        text = revision_text(own_words(reader.comment(request.comment_id or 0).body)) or ""
        _refuse_if_changed(text_sha256(text), request.text_sha256, f"Comment {request.comment_id}")
        remarks = ()
    update = {"asked_by": request.asked_by, "text": text, "remarks": remarks[:_MAX_REMARKS]}
    return changes.model_copy(update=update)


def _failed_checks(failure: FailedChecks, reader: GitHubReader) -> tuple[FailedCheck, ...]:
    """The checks with the parts of their logs that tell why they failed."""
    checks = []
    for job_id in failure.jobs:
        job = reader.job(job_id)
        if job.commit != failure.commit or job.conclusion not in _FAILURES:
            raise RevisionRefused(
                f"Job {job_id} is not a failed check of the pull request's head.",
                why=f"It ran on {job.commit[:7]} and ended as {job.conclusion}; a failure on {failure.commit[:7]} is expected.",
                what_to_do="Leave it to the App: it starts a revision when a check of its branch fails.",
            )
        name = " ".join(without_invisible(job.name).split())[:_LONGEST_NAME] or str(job_id)
        checks.append(FailedCheck(name=name, log=failing_part(job.log)))
    return tuple(checks)


def _refuse_if_changed(now: str, accepted_digest: str, source_name: str) -> None:
    if now != accepted_digest:
        raise RevisionRefused(
            f"{source_name} was changed after it was accepted.",
            why="Its SHA-256 differs from the one in the run's inputs.",
            what_to_do="Ask again: request changes in a new review, or comment /revise and a sentence.",
        )
