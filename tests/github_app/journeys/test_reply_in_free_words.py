"""`/answer` and a sentence: it counts as words of the ticket, whether they select something or not."""

from inline_snapshot import snapshot

from tests.github_app.journeys.dialogue import READY, Dialogue


def test_words_that_fit_one_choice_select_it(asked: Dialogue) -> None:
    asked.says("/answer support watches each line arrive, so the streaming one")
    assert asked.hears().splitlines()[0] == snapshot(
        "~~Which route should get `dry_run`?~~ **Answered by `octocat`:** “support watches each line arrive, so the streaming one” ([reply](https://github.com/acme/orders/issues/ISSUE#issuecomment-COMMENT)). Taken up by run [RUN](https://github.com/acme/orders/actions/runs/RUN)."
    )
    ready = asked.hears()
    assert ready.startswith("**The ticket is ready:")
    assert "Target: `POST /actions/stream` · " in ready
    assert asked.endings == [("issues", 2), ("workflow_dispatch", 0)]
    assert asked.labels == {READY}


def test_words_that_select_nothing_are_quoted_and_the_ticket_is_not_ready(asked: Dialogue) -> None:
    asked.says("/answer whichever is less work for you")
    assert "“whichever is less work for you”" in asked.hears()
    assert asked.hears() == snapshot("""\
**The issue does not say which code it means. It is probably here:**

| File | Probability | Why |
|---|---|---|
| [`app/api/actions.py`](https://github.com/acme/orders/blob/COMMIT/app/api/actions.py) | 47% | shares “bulk action”, “bulk” with names defined here |
| [`app/services/bulk.py`](https://github.com/acme/orders/blob/COMMIT/app/services/bulk.py) | 30% | shares “`dry_run`”, “action” with names defined here |
| [`app/services/__init__.py`](https://github.com/acme/orders/blob/COMMIT/app/services/__init__.py) | 15% | shares “`dry_run`”, “action” with literals of this file |

The answer “whichever is less work for you” names nothing in the code.

Next: name the file, function or route in the issue and set the label again; or configure a model. Nearest: `app/api/actions.py`, `app/services/bulk.py`, `app/services/__init__.py`.

▸ Chain, tests, assumptions\
""")
    assert asked.endings == [("issues", 2), ("workflow_dispatch", 0)]
    assert asked.labels == set()
