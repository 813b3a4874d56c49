"""Entries and facts as bytes and back: every value is the list of its parts."""

from typing import Any, TypeVar

import msgspec

_T = TypeVar("_T")


class RowsInvalid(ValueError):
    """The bytes do not hold what this version writes."""


def to_bytes(value: object) -> bytes:
    """Bytes that `from_bytes` turns back into an equal value."""
    return msgspec.msgpack.encode(value)


def from_bytes(data: bytes, kind: type[_T]) -> _T:
    """The value that was written; raises `RowsInvalid` for anything else."""
    try:
        decoder = _DECODERS.get(kind)
        if decoder is None:
            decoder = _DECODERS[kind] = msgspec.msgpack.Decoder(kind)
        value: _T = decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, TypeError, RecursionError) as error:
        raise RowsInvalid(str(error)) from error
    return value


_DECODERS: "dict[type[object], msgspec.msgpack.Decoder[Any]]" = {}
"""By what they read: to make one costs more than to use it."""
