"""Takes secrets out of everything that a run writes, also where they were turned round, encoded or cut.

Two nets. Values of the environment whose names look secret are known, so they are found in any of these forms: plain,
reversed, hexadecimal, percent-encoded (in part or wholly), escaped as in JSON, and base64 in both alphabets at all three
alignments, also turned round before or after. Of a known value every connected piece of `_PIECE` characters is found
too, which covers a value with its first seven characters cut (the trick that passed secret scanning elsewhere) and
base64 that a tool wrapped into lines. Unknown values are found by the shape of the token.

Not covered, and stated so that no user relies on it: values that are shorter than eight characters, pieces that are
shorter than `_PIECE` (apart from "all but the first seven"), encryption, and encodings of encodings.
"""

import base64
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import chain
from typing import Self, TypeVar
from urllib.parse import quote, quote_plus, unquote

from pydantic import BaseModel, JsonValue

_Model = TypeVar("_Model", bound=BaseModel)

REDACTION_MARK = "[redacted]"

_SHORTEST_SECRET = 8
_CUT = 7
_GRAM = 8
_PIECE = 2 * _GRAM - 1
"""Any piece of this length holds one whole `_GRAM` that begins at a multiple of `_GRAM`, wherever the piece stands."""

_SECRET_NAME = re.compile(
    r"TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|COOKIE|CONNECTION_STRING|WEBHOOK|(API|ACCESS|PRIVATE)_?KEY|"
    r"(_KEY|_PAT|_DSN|_PASS|_PWD|_AUTH)$",
    re.IGNORECASE,
)
_NAME_OF_A_PLACE = re.compile(r"(_FILE|_PATH|_DIR|_SOCK|_URL|_URI|APPLICATION_CREDENTIALS)$", re.IGNORECASE)
"""Such a variable says where a secret is. Its value stands at the head of many harmless paths."""

_PEM_LINE = re.compile(r"-----(BEGIN|END) [A-Z ]{0,40}PRIVATE KEY-----")
"""Stands around every key of its kind, and is no secret."""

_PASSWORD = re.compile(r"://[^\s/:@]{0,256}+:([^\s/@]{1,256}+)@")
"""The password in https://user:password@host"""

_WORDS_AFTER_PREFIXES = {
    "[A-Za-z0-9_.=-]{20,}": "sk-ant- sk-proj- sk-svcacct- sk-admin- sk-or-v1- AIza GOCSPX- ya29. glpat- gldt- glrt- "
    "glcbt- glptt- glft- glimt- glagent- glsoat- gloas- xoxa- xoxb- xoxc- xoxd- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- xapp-1- ATATT3 "
    "ATCTT3 ATBB dckr_pat_ dckr_oat_ pypi-AgE hvs. hvb. hvr. glsa_ glc_eyJ sntrys_ sntryu_ dp.pt. dp.st. dp.ct. PMAK- figd_ "
    "sb_secret_ github_pat_",
    "[A-Za-z0-9]{20,}": "sk_live_ sk_test_ rk_live_ rk_test_ whsec_ lin_api_ lin_oauth_ lin_wh_ NRAK- AGE-SECRET-KEY-1",
    "[A-Za-z0-9]{30,}": "npm_ hf_ gsk_ r8_ ntn_ xai- pplx- ghp_ gho_ ghu_ ghr_",
    "[A-Fa-f0-9]{32,}": "dapi shpat_ shpca_ shppa_ shpss_ dop_v1_ doo_v1_ dor_v1_ rubygems_ sbp_",
    "[A-Za-z0-9/_-]{20,}": "hooks.slack.com/services/ hooks.slack.com/workflows/ discord.com/api/webhooks/",
}
"""Beginnings of tokens by what follows them, as their services document them: models, clouds, forges, registries, chats."""


class Redactor:
    """Replaces secrets by `[redacted]`. Immutable, and safe to use from several threads."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        needles = {form for secret in secrets if len(secret) >= _SHORTEST_SECRET for form in _forms(secret)}
        self._short = sorted(needle for needle in needles if len(needle) < _PIECE)
        self._long = sorted(needle for needle in needles if len(needle) >= _PIECE)
        self._grams: dict[str, list[tuple[str, int]]] = {}
        for needle in self._long:
            for at in range(len(needle) - _GRAM + 1):
                self._grams.setdefault(needle[at : at + _GRAM], []).append((needle, at))

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """A redactor for every value whose name looks secret, such as `ANTHROPIC_API_KEY` or `GITHUB_TOKEN`.

        Of a JSON object, as `GOOGLE_CREDENTIALS` holds one, only the members count whose names look secret, if any do: the
        rest of a service account's key, such as Google's addresses, stands in many harmless files.
        """
        return cls(chain.from_iterable(_secrets_in(name, value) for name, value in environment.items()))

    def redact(self, text: str) -> str:
        """The text with every secret replaced. The same text if it holds none."""
        spans = self._spans(text)
        if not spans:
            return text
        pieces, position = [], 0
        for start, end in _merge_spans(spans):
            pieces += [text[position:start], REDACTION_MARK]
            position = end
        return "".join([*pieces, text[position:]])

    def redact_json(self, value: JsonValue) -> JsonValue:
        """The value with every string in it redacted, keys included. The same object if it holds no secret."""
        match value:
            case str():
                return self.redact(value)
            case list():
                items = [self.redact_json(item) for item in value]
                is_changed = any(new is not old for new, old in zip(items, value, strict=True))
                return items if is_changed else value
            case dict():
                return self.redact_object(value)
            case _:
                return value

    def redact_object(self, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        """The JSON object with every string in it redacted, keys included. The same object if it holds no secret."""
        pairs = {self.redact(key): self.redact_json(item) for key, item in value.items()}
        is_unchanged = all(pairs.get(key) is item for key, item in value.items())
        return value if is_unchanged else pairs

    def redact_model(self, model: _Model) -> _Model:
        """The model with every string in it redacted. The same object if it holds no secret."""
        data: JsonValue = model.model_dump(mode="json")
        clean = self.redact_json(data)
        return model if clean is data else model.model_validate_json(json.dumps(clean))

    def knows(self, text: str) -> bool:
        """Whether the text holds a secret of this environment, in any form. Tokens by their shape do not count.

        For code: an example of a token is no secret, and taking it out would break the file.
        """
        spans = (
            ()
            if len(text) < _SHORTEST_SECRET
            else (*self._short_ones(text), *self._pieces_of_long_ones(text))
        )
        return bool(spans)

    def would_alter(self, text: str) -> bool:
        """Whether the text, which may be serialised JSON, holds a secret."""
        return bool(self._spans(text))

    def _spans(self, text: str) -> list[tuple[int, int]]:
        if len(text) < _SHORTEST_SECRET:
            return []
        return [*self._short_ones(text), *self._pieces_of_long_ones(text), *_tokens(text)]

    def _short_ones(self, text: str) -> Iterator[tuple[int, int]]:
        for needle in self._short:
            at = text.find(needle)
            while at >= 0:
                yield at, at + len(needle)
                at = text.find(needle, at + 1)

    def _pieces_of_long_ones(self, text: str) -> Iterator[tuple[int, int]]:
        if not self._grams:
            return
        grams = self._grams
        for at in range(0, len(text) - _GRAM + 1, _GRAM):
            for needle, offset in grams.get(text[at : at + _GRAM], ()):
                start, end = _common_stretch(text, at, needle, offset)
                if end - start >= _PIECE:
                    yield start, end


def _secrets_in(name: str, value: str) -> Iterator[str]:
    """The secrets in a variable: its value, if the name says so, and the password of an address, whatever the name is."""
    for match in _PASSWORD.finditer(value):
        yield from {word for word in (match[1], unquote(match[1])) if not _is_no_secret(word)}
    is_place = _NAME_OF_A_PLACE.search(name) and not re.search("SECRET|WEBHOOK", name, re.IGNORECASE)
    if not _SECRET_NAME.search(name) or is_place or _is_no_secret(value):
        return
    members = _members(value)
    member_secrets = [
        secret for member, member_value in members.items() for secret in _secrets_in(member, member_value)
    ]
    yield from member_secrets or [_PEM_LINE.sub("", value).strip()]


def _is_no_secret(value: str) -> bool:
    """Whether a value stands in many harmless texts: a path of this machine, or a word such as `postgres`.

    A change that says `import postgresql` must not end the run because a test database's password is its name.
    """
    is_word = value.isascii() and value.isalpha() and value.islower() and len(value) < _PIECE
    return is_word or (value.startswith("/") and os.path.lexists(value))


def _members(value: str) -> dict[str, str]:
    """The texts in a JSON object, by their names; none where the value is something else."""
    if not value.lstrip().startswith("{"):
        return {}
    try:
        read = json.loads(value)
    except (ValueError, RecursionError):
        return {}
    return {name: text for name, text in read.items() if isinstance(text, str)}


def _common_stretch(text: str, at: int, needle: str, offset: int) -> tuple[int, int]:
    """The longest stretch of the text around `at` that runs along the needle around `offset`."""
    before = 0
    while before < min(at, offset) and text[at - before - 1] == needle[offset - before - 1]:
        before += 1
    after, limit = _GRAM, min(len(text) - at, len(needle) - offset)
    while after < limit and text[at + after] == needle[offset + after]:
        after += 1
    return at - before, at + after


def _merge_spans(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    current: tuple[int, int] | None = None
    for start, end in sorted(spans):
        if current is not None and start <= current[1]:
            current = (current[0], max(current[1], end))
            continue
        if current is not None:
            yield current
        current = (start, end)
    if current is not None:
        yield current


def _forms(secret: str) -> Iterator[str]:
    yield from _encodings(secret)
    rest = secret[_CUT:]
    # A longer rest is found as a piece of the whole.
    if _SHORTEST_SECRET <= len(rest) < _PIECE:
        yield from _encodings(rest)


def _encodings(text: str) -> Iterator[str]:
    raw = text.encode("utf-8", "surrogateescape")
    yield text
    yield text[::-1]
    for digits in (raw.hex(), raw.hex().upper()):
        yield digits
        yield re.sub("(..)", r"%\1", digits)
    for quoted_text in (quote(raw, safe=""), quote(raw), quote_plus(raw)):
        yield quoted_text
        yield re.sub(r"%[0-9A-F]{2}", lambda match: match[0].lower(), quoted_text)
    yield json.dumps(text)[1:-1]
    yield json.dumps(text, ensure_ascii=False)[1:-1]
    for bytes_ in (raw, raw[::-1]):
        for before in range(3):
            core = _base64_core(bytes_, before)
            for alphabet in (core, core.translate(str.maketrans("+/", "-_"))):
                yield alphabet
                yield alphabet[::-1]


def _base64_core(raw: bytes, before: int) -> str:
    """The characters of a base64 text that depend on `raw` alone, if it stands `before` bytes (modulo 3) into the data."""
    base64_text = base64.b64encode(b"\0" * before + raw).decode()
    return base64_text[(before * 8 + 5) // 6 : (before + len(raw)) * 8 // 6]


@cache
def _token_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """A literal that a token must hold, which is quick to look for, and the shape of the whole.

    Repetitions that could begin anywhere are bounded: a hostile text must not cost quadratic time.
    """
    shapes = (
        # Installation tokens have about 520 characters with dots since April 2026, and a length of 40 before.
        ("ghs_", r"ghs_[A-Za-z0-9._-]{36,}"),
        ("AKIA", r"AKIA[0-9A-Z]{16}"),
        ("ASIA", r"ASIA[0-9A-Z]{16}"),
        (
            "PRIVATE KEY",
            r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)",
        ),
        ("eyJ", r"eyJ[A-Za-z0-9_-]{8,4096}+\.eyJ[A-Za-z0-9_-]{8,4096}+\.[A-Za-z0-9_-]+"),
        # Session tokens of AWS, keys of OpenAI without a kind, of Azure's storage, SendGrid, Telegram's bots and Terraform.
        ("IQoJb3JpZ2lu", r"IQoJb3JpZ2lu[A-Za-z0-9/+=]{60,}"),
        ("T3BlbkFJ", r"sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}"),
        ("AccountKey=", r"AccountKey=[A-Za-z0-9+/=]{40,}"),
        ("SG.", r"SG\.[A-Za-z0-9_-]{16,64}+\.[A-Za-z0-9_-]{16,}"),
        (":AA", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}"),
        (".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,}"),
        # A password in an address.
        ("://", r"(?<=://)[^\s/:@]{0,256}+:[^\s/@]{1,256}+(?=@)"),
    )
    of_prefixes = (
        (prefix, re.escape(prefix) + word)
        for word, prefixes in _WORDS_AFTER_PREFIXES.items()
        for prefix in prefixes.split()
    )
    return tuple((literal, re.compile(shape)) for literal, shape in (*shapes, *of_prefixes))


def _tokens(text: str) -> Iterator[tuple[int, int]]:
    for literal, shape in _token_patterns():
        if literal in text:
            yield from (match.span() for match in shape.finditer(text))
