"""A ticket that two routes fit: asked once, and resumed by a number."""

import pytest
from inline_snapshot import snapshot

from tests.github_app.journeys.dialogue import READY, Dialogue


@pytest.mark.smoke
def test_the_question_is_asked_once_and_2_leads_to_the_ticket(ambiguous: Dialogue) -> None:
    ambiguous.label()
    assert ambiguous.is_asked() == snapshot("""\
**@octocat, which route should get `dry_run`?** The ticket says “bulk action”. Two routes fit, and no word in the ticket picks one.

| Reply | What | Where |
|---|---|---|
| **`1`** default | `POST /actions` → `bulk_action` | `app/api/actions.py` lines 14–17 |
| **`2`** | `POST /actions/stream` → `stream_bulk_action` | `app/api/stream.py` lines 15–18 |

`POST /actions`:

https://github.com/acme/orders/blob/COMMIT/app/api/actions.py#L14-L17

`POST /actions/stream`:

https://github.com/acme/orders/blob/COMMIT/app/api/stream.py#L15-L18

Reply **`1`** or **`2`**, or **`go`** to take 1; **`both`** takes them together. For anything else: `/answer` and one sentence. To stop: `/cancel`. The author, assignees and anyone with write access can answer by DAY.

▸ What I looked at, and why 1 is the default\
""")
    assert ambiguous.receipts() == ["eyes"]

    reply = ambiguous.says("2")
    assert ambiguous.hears() == snapshot("""\
~~Which route should get `dry_run`?~~ **Answered by `octocat`:** 2, `POST /actions/stream` ([reply](https://github.com/acme/orders/issues/ISSUE#issuecomment-COMMENT)). Taken up by run [RUN](https://github.com/acme/orders/actions/runs/RUN).

Wrong? Reply `/answer 1` while the run is going, and I stop it and start again.

▸ The question as it was\
""")
    assert ambiguous.hears() == snapshot("""\
**The ticket is ready: Add a `dry_run` flag to the bulk action**.

What: `add`. octocat chose POST `/actions/stream`.

Target: `POST /actions/stream` · `app/api/stream.py` lines 15–18

https://github.com/acme/orders/blob/COMMIT/app/api/stream.py#L15-L18

Next: a coding agent, or a person, can start from here. The issue is labelled `askfirst:ready`.

▸ Chain, tests, assumptions\
""")
    assert ambiguous.receipts(reply) == ["eyes", "rocket"]

    assert ambiguous.endings == [("issues", 2), ("workflow_dispatch", 0)]
    assert ambiguous.labels == {READY}
