"""Attack 11: what is not signed with SHA-256 over the raw bytes is nobody's."""

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from github_app.intake.signature import is_genuine

SECRET = "It's a Secret to Everybody"
BODY = b"Hello, World!"
SIGNATURE = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"


def test_the_example_of_githubs_documentation_is_genuine() -> None:
    assert is_genuine(SECRET, BODY, SIGNATURE)


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "sha256=",
        "sha256=" + "0" * 64,
        SIGNATURE.removeprefix("sha256="),
        SIGNATURE.upper(),
        "sha1=" + hmac.new(SECRET.encode(), BODY, hashlib.sha1).hexdigest(),
        "sha1=" + SIGNATURE.removeprefix("sha256="),
        "sha256=\N{FULLWIDTH DIGIT SEVEN}" + "0" * 63,
        "sha256=\udcff",
    ],
)
def test_attack_11_a_missing_wrong_or_sha1_signature_is_refused(header: str | None) -> None:
    assert not is_genuine(SECRET, BODY, header)


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_a_signature_is_good_for_exactly_the_bytes_it_was_made_for(one: bytes, other: bytes) -> None:
    signature = "sha256=" + hmac.new(SECRET.encode(), one, hashlib.sha256).hexdigest()
    assert is_genuine(SECRET, other, signature) == (one == other)
