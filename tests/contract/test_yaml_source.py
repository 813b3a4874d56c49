"""Untrusted YAML is read within bounds, and every value knows its line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.contract.yaml_source import MAX_BYTES, read_yaml

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{after}: &{after} [*{before}, *{before}, *{before}, *{before}, *{before}, *{before}, *{before}]\n"
    for before, after in zip("abcdefg", "bcdefgh", strict=True)
)


def test_values_know_their_lines() -> None:
    document = read_yaml(b"a: 1\nb:\n  - x\n  - {c: yes}\n", first_line=10)
    assert document.data == {"a": 1, "b": ["x", {"c": True}]}
    assert document.line(("b", 1, "c")) == 13
    assert document.line(("b", 7, "z")) == 11
    assert document.line(("z",)) == 10


def test_an_alias_repeats_its_value() -> None:
    assert read_yaml(b"a: &t [1]\nb: *t\n").data == {"a": [1], "b": [1]}


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (b"a: 1\nb: 2\na: 3\n", 3, "twice; the first is on line 1"),
        (BOMB.encode(), 1, "more than 5000 values"),
        (b"a: &a [*a]\n", 1, "more than 5000 values"),
        (b"- " * 30_000 + b"x", 1, "nested more than 30 deep"),
        (b"x: " + b"[" * 60_000, 1, "nested more than 30 deep"),
        (b"#" * (MAX_BYTES + 1), 1, "larger than 65536 bytes"),
        (b"a: 1\nb: \xff\n", 2, "not UTF-8"),
        (b"a: \x01\n", 1, "not YAML"),
        (b"a: b: c\n", 1, "not YAML: mapping values are not allowed"),
        (b"a: 1\n---\nb: 2\n", 2, "not YAML: expected a single document"),
        (b"", 1, "empty"),
        (b"a: !!python/object/apply:os.system [id]\n", 1, "tag"),
        (b"a: !!python/name:os.system\n", 1, "the tag"),
        (b"? [1, 2]\n: x\n", 1, "a key is a plain word"),
        (b"a: " + b"9" * 5000 + b"\n", 1, "is no value of that type"),
        (b"a: " + b":".join([b"1"] * 400) + b".5\n", 1, "is no value of that type"),
        (b"a: " + b":".join([b"1"] * 400) + b"\n", 1, "is too large a number"),
        (b"a: !!int x\n", 1, "is no value of that type"),
        (b'a: !!int ""\n', 1, "is no value of that type"),
        (b'a: !!float ""\n', 1, "is no value of that type"),
    ],
    ids=lambda value: value[:20].decode("latin-1") if isinstance(value, bytes) else None,
)
def test_what_is_not_plain_yaml_is_refused_with_its_line(content: bytes, line: int, words: str) -> None:
    document = read_yaml(content)
    assert [(mistake.line, words in mistake.text) for mistake in document.mistakes] == [(line, True)]


@given(st.binary(max_size=200) | st.text(alphabet="-[]{}:,&*!? \nab|>'\"#%@`<0", max_size=80).map(str.encode))
def test_no_bytes_make_it_raise(content: bytes) -> None:
    document = read_yaml(content)
    assert document.mistakes or document.data is not None or content
