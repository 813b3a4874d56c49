"""A repository's decisions as they are read: every mistake with its line, and nothing hostile gets further."""

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from pipeline.contract.decisions import DECISIONS_PATH, Decision
from pipeline.settings.repository_settings import DecisionsInvalid, RepositorySettings

ENTRY = (
    "  - {slot: entry_route, candidates: ['route:GET /a', 'route:GET /b'], choice: 'route:GET /a', "
    "decided_by: octocat, decided_in: 7, decided_at: 2026-11-22}\n"
)


def repository(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / DECISIONS_PATH
    path.parent.mkdir(parents=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return tmp_path


def decisions_of(checkout: Path) -> tuple[Decision, ...]:
    return RepositorySettings(checkout).decisions


def test_a_repository_without_the_file_has_no_decisions(tmp_path: Path) -> None:
    assert decisions_of(tmp_path) == ()


def test_a_decision_is_read_with_who_where_and_when(tmp_path: Path) -> None:
    (decision,) = decisions_of(repository(tmp_path, f"version: 1\ndecisions:\n{ENTRY}"))
    assert decision.citation == "decided in #7 by octocat on 2026-11-22"
    assert decision.choice == "route:GET /a"


def test_all_mistakes_are_listed_with_their_lines(tmp_path: Path) -> None:
    text = """\
version: 1
decisions:
  - slot: entry_route
    candidates: ["route:GET /a", "route:GET /b"]
    choice: "route:GET /c"
    decided_by: octocat
    decided_at: 2026-11-22
  - slot: budget
    candidates: [more, less]
    choice: more
    decided_by: octocat
    decided_at: 2026-11-22
  - slot: caller
    candidates: [x]
    chosen: x
    decided_by: "octo cat"
    decided_at: yesterday
"""
    with pytest.raises(DecisionsInvalid) as caught:
        decisions_of(repository(tmp_path, text))
    assert caught.value.why == snapshot("""\
.github/askfirst/decisions.yml:3: `decisions`: `choice` is one of `candidates`; found {'slot': 'entry_route', 'candidates': ['route:GET /a', 'rou….
.github/askfirst/decisions.yml:8: `decisions`: `slot` is one of caller, cli, config, definition, entry_route, model, and `candidates` are two or more different ids that do not end in a number such as #2 and hold no invisible characters; found {'slot': 'budget', 'candidates': ['more', 'less'], 'choice'….
.github/askfirst/decisions.yml:13: `choice` is missing.
.github/askfirst/decisions.yml:14: `candidates`: Tuple should have at least 2 items after validation, not 1; found ['x'].
.github/askfirst/decisions.yml:15: Unknown key `chosen`. Did you mean `choice`? Allowed: slot, candidates, choice, decided_by, decided_in, decided_at, wish.
.github/askfirst/decisions.yml:16: `decided_by`: String should match pattern '^[A-Za-z0-9_.-]{1,100}(\\[bot\\])?$'; found 'octo cat'.
.github/askfirst/decisions.yml:17: `decided_at` must be a valid date or datetime, input is too short; found 'yesterday'.\
""")


@pytest.mark.parametrize(
    "hostile",
    [
        b"\xff\xfe",
        b"",
        b"[" * 60_000,
        b"x" * 70_000,
        b"version: 1\ndecisions: !!python/object/apply:os.system ['true']\n",
        b"a: &a [x, x]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b]\nversion: 1\ndecisions: [*c]\n",
        b"version: 1\ndecisions: {slot: caller}\n",
        ("version: 1\ndecisions:\n" + ENTRY.replace("route:GET /a", "route:GET /\u202ea")).encode(),
        ("version: 1\ndecisions:\n" + ENTRY.replace("route:GET /a", "x" * 1001)).encode(),
        ("version: 1\ndecisions:\n" + ENTRY.replace("octocat", "octocat <img src=x>")).encode(),
        ("version: 1\ndecisions:\n" + ENTRY * 201).encode(),
    ],
)
def test_a_hostile_file_ends_the_run_with_advice(tmp_path: Path, hostile: bytes) -> None:
    with pytest.raises(DecisionsInvalid) as caught:
        decisions_of(repository(tmp_path, hostile))
    assert caught.value.why.startswith(f"{DECISIONS_PATH}:")
    assert len(caught.value.why) < 2_000


def test_a_folder_in_its_place_is_said(tmp_path: Path) -> None:
    (tmp_path / DECISIONS_PATH).mkdir(parents=True)
    with pytest.raises(DecisionsInvalid, match=r"decisions.yml:1: Is a directory"):
        decisions_of(tmp_path)
