"""`go` takes the default, and what is recorded says that it was one."""

from inline_snapshot import snapshot

from tests.github_app.journeys.dialogue import READY, Dialogue


def test_go_leads_to_the_ticket_of_the_first_choice(asked: Dialogue) -> None:
    reply = asked.says("go")
    assert asked.hears().splitlines()[0] == snapshot(
        "~~Which route should get `dry_run`?~~ **Answered by `octocat`:** 1, `POST /actions` (the default) ([reply](https://github.com/acme/orders/issues/ISSUE#issuecomment-COMMENT)). Taken up by run [RUN](https://github.com/acme/orders/actions/runs/RUN)."
    )
    assert "Target: `POST /actions` · " in asked.hears()
    assert asked.receipts(reply) == ["eyes", "rocket"]
    assert asked.endings == [("issues", 2), ("workflow_dispatch", 0)]
    assert asked.labels == {READY}
