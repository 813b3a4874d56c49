"""A ticket that says enough: nobody is asked anything."""

from inline_snapshot import snapshot

from tests.github_app.journeys.conftest import Issues
from tests.github_app.journeys.dialogue import READY


def test_a_clear_ticket_is_answered_with_the_ticket(opens_issue: Issues) -> None:
    issue = opens_issue(
        "Add a dry_run flag to POST /actions/stream", "Please add a `dry_run` flag: nothing is written."
    )
    issue.label()
    assert issue.hears() == snapshot("""\
**The ticket is ready: Add a `dry_run` flag to POST `/actions/stream`**.

What: `add`. The issue names “`POST /actions/stream`”, and one handler answers that.

Target: `POST /actions/stream` · `app/api/stream.py` lines 15–18

https://github.com/acme/orders/blob/COMMIT/app/api/stream.py#L15-L18

Next: a coding agent, or a person, can start from here. The issue is labelled `askfirst:ready`.

▸ Chain, tests, assumptions\
""")
    assert issue.receipts() == ["eyes"]
    assert issue.endings == [("issues", 0)]
    assert issue.labels == {READY}
