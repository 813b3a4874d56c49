"""Names in code and words in prose meet in the same form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.domain.words import name_parts, name_stems, prose_stems, same_name


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("process_item", ("process", "item")),
        ("bulkApplyDiff", ("bulk", "apply", "diff")),
        ("HTTPServerError", ("http", "server", "error")),
        ("/actions/stream", ("actions", "stream")),
        ("oauth2-login", ("oauth", "2", "login")),
        ("", ()),
    ],
)
def test_a_name_falls_into_its_words_in_any_case_style(name: str, parts: tuple[str, ...]) -> None:
    assert name_parts(name) == parts


def test_one_name_in_three_case_styles_is_one_name() -> None:
    assert same_name("dryRun", "dry_run")
    assert same_name("dry-run", "dry_run")
    assert not same_name("dry_run", "dry_runs")


def test_the_word_in_the_prose_and_the_word_in_the_name_have_one_stem() -> None:
    assert prose_stems("please use the streaming endpoint") & name_stems("stream_actions")


def test_words_of_wishing_say_nothing_about_the_code() -> None:
    assert prose_stems("We would like you to please add support for it") == frozenset()


@given(st.text())
def test_any_text_has_words_or_none_and_never_an_error(text: str) -> None:
    assert all(stem and stem == stem.lower() for stem in prose_stems(text) | name_stems(text))
