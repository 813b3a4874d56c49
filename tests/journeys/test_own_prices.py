"""What a repository's base branch says of prices is what a budget in dollars is counted with."""

import json
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from tests.journeys.conftest import CHECK, Ended, Run, make_repository
from tests.journeys.messages_server import KEY, MessagesServer, messages_api
from tests.journeys.scripts import ADDS_DRY_RUN, approves, completes, planned

TICKET = "# Add a dry_run flag to POST /actions/stream\n\nPlease add a `dry_run` flag.\n"
PRICE = "{input: 1000, output: 0, cache_write: 0, cache_read: 0, source: contract, as_of: 2026-01-31}"


def built(folder: Path, build: Run, prices: str | None) -> tuple[Ended, MessagesServer]:
    files = {"check.py": CHECK, ".github/askfirst/config.yml": "model: house-model\n"}
    if prices is not None:
        files[".github/askfirst/prices.yml"] = prices
    repository = make_repository("parcels_flask", folder / "quick", more=files)
    turns = {"coder": [[completes()]], "reviewer": [[approves()]]}
    with messages_api(turns, {"reading": [ADDS_DRY_RUN], "plans": [planned(None)]}) as server:
        ended = build(repository, TICKET, ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=server.url)
    return ended, server


def test_a_model_without_a_price_works_within_its_tokens_and_the_run_says_where_to_tell_one(
    tmp_path: Path, build: Run
) -> None:
    ended, server = built(tmp_path, build, None)
    assert "coder turn 0" in server.asked, ended.stderr
    lines = (ended.directory / "journal.jsonl").read_text().splitlines()
    told = [event["text"] for event in map(json.loads, lines) if "The price" in event.get("text", "")]
    assert told == snapshot(
        [
            """\
The price of `house-model` is unknown, so no dollars are counted, and only tokens limit what agents use. Tell its price on the base branch, in dollars per million tokens, in .github/askfirst/prices.yml:
models:
  house-model: {input: 2, output: 10, cache_write: 2.5, cache_read: 0.1, source: my contract, as_of: 2026-01-31}\
"""
        ]
    )


def test_with_a_price_of_its_own_the_work_is_paid_for_by_it(tmp_path: Path, build: Run) -> None:
    ended, server = built(tmp_path, build, f"models:\n  house-model: {PRICE}\n")
    assert "coder turn 0" in server.asked, ended.stderr
    lines = (ended.directory / "journal.jsonl").read_text().splitlines()
    dollars = {event["stage"]: event["dollars"] for event in map(json.loads, lines) if event.get("dollars")}
    assert dollars["coder"] == pytest.approx(100 * 1000 / 1e6)  # 100 tokens a reply


def test_a_price_list_with_mistakes_ends_the_run_with_the_line(tmp_path: Path, build: Run) -> None:
    ended, server = built(tmp_path, build, "models:\n  house-model:\n    input: free\n")
    told = ended.document("failure.json")
    assert told["kind"] == "PricesInvalid"
    assert "prices.yml:3: `input` must be a number; found 'free'." in told["why"]
    assert server.asked == []
