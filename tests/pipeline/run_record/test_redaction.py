"""No form of a secret gets through, and what is no secret is left as it is."""

import base64
import json
import os
import string
import time
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from pipeline.run_record.redaction import REDACTION_MARK, Redactor

PRINTABLE = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=40)
VISIBLE = st.characters(min_codepoint=33, max_codepoint=126)
SECRETS = st.text(
    string.ascii_letters + string.digits + "+/=-_.~%\"'\\ é\n", min_size=8, max_size=120
).filter(
    lambda secret: (
        len(secret.strip()) >= 8
        and len(set(secret)) > 4
        and secret not in f"{REDACTION_MARK}{REDACTION_MARK}"
    )
)


def every_form(secret: str, before: bytes, after: bytes) -> list[str]:
    """The secret as it may turn up in a text, each made without knowledge of the product's code."""
    forms = []
    for plain in [secret, *([secret[7:]] if len(secret) >= 15 else [])]:
        raw = plain.encode()
        around = before + raw + after
        forms += [
            plain,
            plain[::-1],
            raw.hex(),
            raw.hex().upper(),
            quote(plain),
            quote(plain, safe=""),
            "".join(f"%{byte:02X}" for byte in raw),
            "".join(f"%{byte:02x}" for byte in raw),
            base64.b64encode(around)[::-1].decode(),
            base64.b64encode(around[::-1]).decode(),
            json.dumps(plain)[1:-1],
            json.dumps(plain, ensure_ascii=False)[1:-1],
            base64.b64encode(around).decode(),
            base64.urlsafe_b64encode(around).decode(),
        ]
    return forms


@given(
    secret=SECRETS, head=PRINTABLE, tail=PRINTABLE, before=st.binary(max_size=5), after=st.binary(max_size=5)
)
def test_no_form_of_a_secret_survives(secret: str, head: str, tail: str, before: bytes, after: bytes) -> None:
    secret = secret.strip()
    redactor = Redactor([secret])
    for form in every_form(secret, before, after):
        text = head + form + tail
        clean = redactor.redact(text)
        assert REDACTION_MARK in clean
        assert form not in clean
        assert redactor.would_alter(text)
        assert redactor.redact(clean) == clean


def decodings(part: str) -> list[bytes]:
    """What a piece of base64 may say: it can begin at any of the four places of a group."""
    groups = [part[shift:].rstrip("=") for shift in range(4)]
    return [base64.b64decode(group[: len(group) // 4 * 4]) for group in groups]


@given(secret=SECRETS, before=st.binary(max_size=5), after=st.binary(max_size=5))
def test_what_is_left_of_base64_around_a_secret_says_nothing_of_it(
    secret: str, before: bytes, after: bytes
) -> None:
    raw = secret.strip().encode()
    clean = Redactor([secret.strip()]).redact(base64.b64encode(before + raw + after).decode())
    windows = {raw[at : at + 4] for at in range(len(raw) - 3)}
    windows -= {(before + after)[at : at + 4] for at in range(7)}
    texts = [decoded for part in clean.split(REDACTION_MARK) for decoded in decodings(part)]
    assert not any(window in decoded for window in windows for decoded in texts)


@given(secret=st.text(VISIBLE, min_size=30, max_size=60), data=st.data())
def test_every_long_piece_of_a_secret_is_found_wherever_it_stands(secret: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(secret) - 15))
    piece = secret[start : data.draw(st.integers(start + 15, len(secret)))]
    head = data.draw(PRINTABLE)
    assert piece not in Redactor([secret]).redact(head + piece)


def test_a_secret_of_other_letters_is_found_as_json_writes_it() -> None:
    secret = "\u00e9\u00e8\u00e0-\u00f9\u00f6\u00fc-\u00df\u00f1"
    assert Redactor([secret]).redact(json.dumps(secret)) == f'"{REDACTION_MARK}"'


def test_base64_that_a_tool_wrapped_into_lines_is_found() -> None:
    secret = "sk-test-" + "".join(f"{n:02d}Kq" for n in range(30))
    wrapped = base64.encodebytes(secret.encode()).decode()
    assert len(wrapped.splitlines()) > 1
    assert all(
        len(part) < 16
        for part in Redactor([secret]).redact(wrapped).replace(REDACTION_MARK, "\n").splitlines()
    )


@given(st.text(max_size=300))
def test_a_text_without_secrets_is_left_as_it_is(text: str) -> None:
    assert Redactor(["correct-horse-battery-staple"]).redact(text) is text


def test_secrets_are_the_values_of_variables_whose_names_look_like_it() -> None:
    redactor = Redactor.from_environment(
        {
            "ANTHROPIC_API_KEY": "value-of-anthropic-key",
            "GITHUB_TOKEN": "value-of-github-token\n",
            "ASKFIRST_MARKER_KEY": "value-of-marker-key",
            "DB_PASSWORD": "value-of-password",
            "npm_config_pat": "value-of-pat",
            "PATH": "/usr/local/bin:/usr/bin",
            "GOOGLE_APPLICATION_CREDENTIALS": "/home/octocat/work/credentials",
            "SHORT_TOKEN": "1234567",
        }
    )
    told = ["anthropic-key", "github-token", "marker-key", "password", "pat"]
    assert redactor.redact(" ".join(f"value-of-{name}" for name in told)) == " ".join([REDACTION_MARK] * 5)
    kept = "/usr/local/bin:/usr/bin /home/octocat/work/credentials 1234567"
    assert redactor.redact(kept) == kept


BODY = "MIIEvmadeUp0123456789abcdefghij\nKLMNOPQRSTUVWXYZ0123456789madeUp="
SERVICE_ACCOUNT = {
    "type": "service_account",
    "private_key": f"-----BEGIN PRIVATE KEY-----\n{BODY}\n-----END PRIVATE KEY-----\n",
    "token_uri": "https://oauth2.googleapis.com/token",
    "auth_uri": "https://accounts.google.com/o/oauth2/auth",
}


def test_words_and_places_are_no_secrets_though_a_variable_is_called_so() -> None:
    """A test database's password is `postgres` everywhere, and a change that names it must not end the run."""
    harmless = {
        "POSTGRES_PASSWORD": "postgres",
        "CLOUDSDK_AUTH_CREDENTIAL_OVERRIDE": str(Path(os.__file__).parent),
    }
    redactor = Redactor.from_environment(harmless)
    for value in harmless.values():
        assert redactor.redact(f"import {value}ql") == f"import {value}ql"
    told = {"SMTP_PASS": "hunter2-hunter", "SLACK_WEBHOOK_URL": "https://hooks.example/T0/B0/x9Yz"}
    for value in told.values():
        assert value not in Redactor.from_environment(told).redact(f"send to {value}")


def test_of_a_key_in_json_the_key_is_secret_and_the_addresses_are_not() -> None:
    redactor = Redactor.from_environment({"GOOGLE_CREDENTIALS": json.dumps(SERVICE_ACCOUNT)})
    for written in (BODY, json.dumps(BODY), BODY.splitlines()[1], base64.b64encode(BODY.encode()).decode()):
        assert redactor.knows(f"x = {written}")
    for harmless in ("https://oauth2.googleapis.com/token", "https://accounts.google.com/o/oauth2/auth"):
        assert not redactor.knows(f'TOKEN = "{harmless}"  # "type": "service_account"')
    assert not redactor.knows("-----BEGIN PRIVATE KEY-----")


def test_json_that_names_nothing_secret_is_secret_as_a_whole() -> None:
    for value in ('{"value": "value-of-token"}', '["value-of-token"]', '{"broken": value-of-token'):
        assert "value-of-token" not in Redactor.from_environment({"MY_TOKEN": value}).redact(f"<{value}>")


TOKENS = [
    "ya29." + "a0-B_" * 20,
    "IQoJb3JpZ2luX2Vj" + "a1B2+/" * 60 + "==",
    "ghs_" + "a1B2" * 9,
    "ghs_123456_eyJhbGciOiJSUzI1NiJ9." + "eyJpc3MiOiIxMjM0NTYifQ" * 12 + "." + "s-g_" * 60,
    "ghp_" + "a1B2" * 9,
    "gho_" + "a1B2" * 9,
    "github_pat_11ABCDEFG0" + "a1B2" * 15,
    "sk-ant-api03-" + "a-1_" * 20,
    "AKIA" + "ABCD2345" * 2,
    *(
        f"{kind}-" + "a1-B2" * 9
        for kind in ("xoxb", "xoxp", "xoxe", "xapp-1", "sk-proj", "sk-svcacct", "glpat", "glrt")
    ),
    *(
        kind + "a1B2" * 10
        for kind in (
            "lin_api_",
            "lin_oauth_",
            "npm_",
            "hf_",
            "gsk_",
            "xai-",
            "sk_live_",
            "rk_test_",
            "whsec_",
        )
    ),
    *(kind + "a1b2" * 8 for kind in ("dapi", "shpat_", "dop_v1_", "rubygems_")),
    *(
        kind + "a1_B2-" * 12
        for kind in ("ATATT3", "pypi-AgEIcHlwaS5vcmc", "AIza", "dckr_pat_", "hvs.", "glsa_")
    ),
    "sk-" + "a1B2c" * 4 + "T3BlbkFJ" + "a1B2c" * 4,
    "SG." + "a1_B2-" * 4 + "." + "a1_B2-" * 7,
    "123456789:AA" + "a1_B2-c" * 5,
    "AccountKey=" + "a1/B2+" * 14 + "==",
    "a1B2c3D4e5F6g7.atlasv1." + "a1_B2-" * 11,
    "https://hooks.slack.com/services/T0A1B2C3/B0A1B2C3/a1B2c3D4e5F6g7H8".removeprefix("https://"),
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nAAAA\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nMIIE, cut off",
]
"""Made up, one of each kind."""


@pytest.mark.parametrize("token", TOKENS)
def test_tokens_that_nobody_told_us_are_known_by_their_shape(token: str) -> None:
    assert (
        Redactor()
        .redact(f"remote: {token}\n".replace("cut off\n", "cut off"))
        .startswith(f"remote: {REDACTION_MARK}")
    )
    assert token not in Redactor().redact(f"x{token}")


def test_a_password_in_an_address_is_taken_out_and_the_address_stays() -> None:
    clean = Redactor().redact(
        "https://x-access-token:hunter2@github.com/acme/orders and https://example.org:8080/a"
    )
    assert clean == f"https://{REDACTION_MARK}@github.com/acme/orders and https://example.org:8080/a"


@pytest.mark.parametrize("name", ["DATABASE_URL", "BROKER", "AMQP_URI"])
def test_a_password_in_an_address_of_the_environment_is_found_in_every_form(name: str) -> None:
    redactor = Redactor.from_environment({name: "postgres://orders:s3cr%2Bt-w0rd@db.example/orders"})
    for password in ("s3cr%2Bt-w0rd", "s3cr+t-w0rd"):
        for form in (
            password,
            quote(password, safe=""),
            base64.b64encode(password.encode()).decode(),
            password[::-1],
        ):
            assert redactor.knows(f"x {form} x"), form
    assert not redactor.knows("db.example/orders")
    assert not Redactor.from_environment({name: "postgres://a:postgres@db"}).knows("import postgresql")


def test_json_is_redacted_in_keys_and_values_at_any_depth() -> None:
    secret = "correct-horse-battery"
    value: JsonValue = {"a": [1, None, {secret: f"x {secret}"}], "b": True}
    assert Redactor([secret]).redact_json(value) == {
        "a": [1, None, {REDACTION_MARK: f"x {REDACTION_MARK}"}],
        "b": True,
    }


def test_json_without_secrets_is_the_same_object() -> None:
    value: JsonValue = {"a": [1, 2.5, {"b": "c"}], "d": None}
    assert Redactor(["correct-horse-battery"]).redact_json(value) is value


def test_secrets_that_overlap_are_taken_out_together() -> None:
    redactor = Redactor(["correct-horse-battery-staple", "staple-correct-horse", "stapleXY"])
    assert redactor.redact("<correct-horse-battery-staple-correct-horse>") == f"<{REDACTION_MARK}>"


@pytest.mark.parametrize(
    "hostile",
    [
        "eyJ",
        "eyJaaaaaaaa.",
        "://a:",
        "://",
        "xoxb-",
        "SG.a",
        "npm_",
        "1234567890:AA",
        "-----BEGIN PRIVATE KEY",
        "ghs_",
        "gh",
        "a",
    ],
)
def test_a_hostile_text_costs_no_more_than_a_long_one(hostile: str) -> None:
    redactor = Redactor([os.urandom(30).hex()])
    started = time.process_time()
    redactor.redact(hostile * (200_000 // len(hostile)))
    assert time.process_time() - started < 5
