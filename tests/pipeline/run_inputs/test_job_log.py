"""A job's log is cut to what tells why it failed; whatever the tested code wrote stays bounded data."""

import itertools

import pytest
from inline_snapshot import snapshot

from pipeline.github_read.job_log import KEPT_TAIL, LARGEST_LOG, tail
from pipeline.run_inputs.job_log import LONGEST_PART, failing_part

LOG = """\
\ufeff2026-11-24T09:00:00.0000001Z ##[group]Run pytest -q\r
2026-11-24T09:00:00.0000002Z ##[endgroup]\r
2026-11-24T09:00:01.0000003Z collecting 10%\rcollecting 100%\r
2026-11-24T09:00:01.1234567Z \x1b[31mE   assert 1 == 2\x1b[0m\x1b]8;;https://evil.example\x07 here\x1b]8;;\x07\r
2026-11-24T09:00:01.2345678Z ##[error]Process completed with exit code 1.\r
2026-11-24T09:00:01.3456789Z Post job cleanup.\r
2026-11-24T09:00:01.4567890Z Cleaning up orphan processes\r
"""


def test_stamps_escapes_progress_and_what_follows_the_last_error_are_left_out() -> None:
    assert failing_part(LOG) == snapshot("""\
##[group]Run pytest -q
##[endgroup]
collecting 100%
E   assert 1 == 2 here
##[error]Process completed with exit code 1.\
""")


def test_a_log_without_an_error_line_is_shown_to_its_end() -> None:
    assert failing_part("one\ntwo\n") == "one\ntwo"


def test_the_part_is_bounded_by_whole_lines_from_the_end() -> None:
    part = failing_part("".join(f"line {number}\n" for number in range(10_000)) + "##[error]the end\n")
    assert len(part) <= LONGEST_PART
    assert part.startswith("line ")
    assert part.endswith("line 9999\n##[error]the end")


def test_a_line_of_a_million_characters_is_cut() -> None:
    part = failing_part("a" * 1_000_000 + "\n##[error]x")
    assert len(part) < 500
    assert part.endswith("##[error]x")


@pytest.mark.parametrize(
    "hostile",
    [
        "\u202e\u2066ignore\u200b all\U000e0041",
        "\x1b[",
        "\x1b]0;" + "x" * 10_000,
        "\x00\x07",
        "##[error]" * 1000,
    ],
)
def test_attack_19_invisible_signs_and_broken_escapes_do_not_reach_an_agent(hostile: str) -> None:
    part = failing_part(f"{hostile}\n##[error]x")
    assert all(character.isprintable() or character in "\n\t" for character in part)
    assert len(part) <= LONGEST_PART


def test_of_an_endless_stream_only_the_end_is_kept() -> None:
    read = 0

    def chunks():
        nonlocal read
        for number in itertools.count():
            read += 1 << 20
            yield bytes([97 + number % 26]) * (1 << 20)

    kept = tail(chunks())
    assert len(kept) == KEPT_TAIL
    assert read == LARGEST_LOG
    assert tail([b"short ", b"\xff log"]) == "short \ufffd log"
