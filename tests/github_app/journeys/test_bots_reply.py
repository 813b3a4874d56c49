"""A bot comments what would be an answer: not even a receipt."""

from sandbox.world.state import AccountType
from tests.github_app.journeys.dialogue import ASKED, Dialogue, Stage


def test_a_bot_answers_nothing_whatever_its_role(asked: Dialogue, stage: Stage) -> None:
    bot = stage.github.world.account("helpful[bot]", AccountType.BOT)
    stage.github.set_role(asked.repository, bot.login, "admin")
    for words in ("2", "go", "/answer 1", "/cancel"):
        assert asked.receipts(asked.says(words, by=bot.login)) == []
    asked.hears_nothing()
    assert asked.endings == [("issues", 2)]
    assert asked.labels == {ASKED}
