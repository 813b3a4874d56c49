"""Past commits replayed as tickets: a small repository whose past is written here."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from pipeline.cli import PAGE
from pipeline.code_registry.store import IndexStore
from pipeline.domain.errors import RepositoryUnreadable
from pipeline.options import LazyCommands
from pipeline.replay import replay
from tests.pipeline.small_repository import SmallRepository

NOUNS = "invoice warehouse carrier coupon ledger refund".split()


@pytest.fixture
def repository(tmp_path: Path) -> SmallRepository:
    made = SmallRepository(tmp_path / "checkout")
    made.commit("Begin", {f"app/{noun}.py": f"def load_{noun}():\n    return 0\n" for noun in NOUNS})
    for number in range(3):
        for noun in NOUNS:
            lines = "".join(f"    {noun}_{step} = {number}\n" for step in range(6))
            text = f"def load_{noun}():\n{lines}    return {number}\n"
            made.commit(f"Return the right {noun} when loading it again", {f"app/{noun}.py": text})
    return made


def test_the_file_that_each_commit_changed_is_found_again(repository: SmallRepository) -> None:
    summary, tickets = replay(repository.root, 6, IndexStore(None))
    assert (summary.tickets, summary.files) == (6, 6)
    assert [ticket.rank for ticket in tickets] == [1] * 6
    assert summary.hits[1].share == summary.bm25_hits[1].share == 1
    assert summary.commits == 13
    assert summary.base == repository.git("rev-parse", "HEAD~6").strip()


def test_the_same_past_gives_the_same_figures(repository: SmallRepository) -> None:
    first, second = (replay(repository.root, 6, IndexStore(None))[1] for _ in range(2))
    assert [one.model_copy(update={"seconds": 0}) for one in first] == [
        one.model_copy(update={"seconds": 0}) for one in second
    ]


def test_a_repository_without_commits_that_fit_says_which_fit(tmp_path: Path) -> None:
    repository = SmallRepository(tmp_path / "young")
    repository.commit("Begin", {"a.py": "x = 1\n"})
    with pytest.raises(RepositoryUnreadable, match="can be replayed") as failure:
        replay(repository.root, 5, IndexStore(None))
    assert "four" in failure.value.why


def test_the_command_prints_figures_and_no_text_of_a_commit(
    repository: SmallRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    asked = ["evaluate", "--history", "6", "--repository", str(repository.root)]
    table = CliRunner().invoke(LazyCommands(PAGE), asked)
    document = json.loads(CliRunner().invoke(LazyCommands(PAGE), [*asked, "--json"]).stdout)
    assert table.output.startswith("6 past commits as tickets. Indexed before them, at ")
    assert set(document) == {"summary", "tickets"}
    assert {"commit", "confidence", "ranks", "seconds"} <= set(document["tickets"][0])
    assert "right invoice" not in json.dumps(document) + table.output
