"""`check_suite.completed`: checks of a commit on a branch of ours have ended.

The delivery only says where to look. What is decided upon is what GitHub shows now, of the commit at which the pull
request stands now: so it does not matter how late a delivery comes, how often, or in which order.
"""

from collections.abc import Sequence

from github_app.conversation.checks import has_red, judge
from github_app.conversation.events import ChecksSeen, Event
from github_app.conversation.record import Conversation
from github_app.intake.delivery import CheckSuiteDelivery
from github_app.perform import App
from github_app.ports.github import Place


def check_suite_completed(
    app: App, place: Place, record: Conversation, delivery: CheckSuiteDelivery
) -> Sequence[Event]:
    """The checks of the pull request's head as they stand now, compared with those of the base where one is red."""
    pull_request = record.pull_request
    if pull_request is None or pull_request.branch != delivery.check_suite.head_branch:
        return ()
    now = app.pull_requests.now(place.repository, pull_request.number)
    if now is None or not now.is_open or now.head_repository_id != place.repository.id:
        return ()
    if now.head != pull_request.head:
        # Somebody has pushed, or GitHub shows an earlier commit of ours: neither is ours to mend.
        return (ChecksSeen(now.head, ()),)
    checks = app.checks.of(place.repository, now.head)
    on_base = app.checks.of(place.repository, pull_request.base_commit) if has_red(checks) else ()
    return (ChecksSeen(now.head, judge(checks, on_base)),)
