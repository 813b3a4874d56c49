"""Segments: the postings of a set of files, made once and never changed.

A posting is a number of 64 bits: the upper half is the file's number in its segment, the lower half says how often the term
stands in each of four fields, eight bits each. Terms lie in buckets by a checksum, so that a query opens a few small rows and
writing makes few of them.
"""

import sys
from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Literal, NamedTuple
from zlib import crc32

import msgspec

from pipeline.code_registry.store import Segment
from pipeline.code_registry.text.documents import Style, read_document
from pipeline.code_registry.text.exclusions import content_reason
from pipeline.domain.terms import TermTable

BUCKETS = 2048
_HALF = 32
COUNTS = 0xFFFF_FFFF
"""The lower half of a posting."""


# Example of a posting: file 5 has the term twice in names and three times in its text. The fields are names, strings, comments
# and body, each eight bits, names lowest: 5 << 32 | 3 << 24 | 2.


class SegmentFile(NamedTuple):
    """A file to put into a segment: the id of its content and how it writes comments and literals."""

    blob: str
    style: Style


class SegmentHead(msgspec.Struct, frozen=True):
    """What a segment knows of its files besides their postings.

    Attributes:
        lengths: words of each field, four numbers for each file.
        imports: what each file imports, as it writes it.
        reasons: why a file was left out, by its number.
    """

    lengths: bytes
    imports: list[list[str]]
    reasons: dict[int, str]


def split_posting(posting: int) -> tuple[int, int]:
    """The number of the file and the counts of its fields."""
    return posting >> _HALF, posting & COUNTS


def bucket_of(term: str) -> int:
    """The bucket in which the postings of a term lie."""
    return crc32(term.encode()) % BUCKETS


def build_segment(files: Sequence[SegmentFile], contents: Iterable[tuple[str, bytes]]) -> Segment:
    """Read files into a segment. `contents` may leave files out; the numbers are those of `files`."""
    table = TermTable()
    postings: defaultdict[str, array[int]] = defaultdict(partial(array, "Q"))
    lengths = array("I", bytes(16 * len(files)))
    imports: list[list[str]] = [[] for _ in files]
    reasons: dict[int, str] = {}
    numbers: dict[str, list[int]] = {}
    for number, file in enumerate(files):
        numbers.setdefault(file.blob, []).append(number)
    missing = set(range(len(files)))
    for blob, data in contents:
        number = numbers[blob].pop(0)
        missing.discard(number)
        style = files[number].style
        reason = content_reason(data, is_prose=style is Style.PROSE)
        if reason is not None:
            reasons[number] = reason
            continue
        document = read_document(data, style, table)
        lengths[4 * number : 4 * number + 4] = array("I", document.lengths)
        imports[number] = list(document.imports)
        place = number << _HALF
        for term, count in document.counts.items():
            postings[term].append(place + count)
    reasons.update(dict.fromkeys(missing, "not in this clone"))
    head = SegmentHead(_store_numbers(lengths), imports, reasons)
    return Segment(msgspec.msgpack.encode(head), _bucket_bytes(postings))


def decode_head(data: bytes) -> SegmentHead:
    """The head of a segment as it was stored."""
    return msgspec.msgpack.decode(data, type=SegmentHead)


def decode_bucket(data: bytes) -> dict[str, bytes]:
    """The stored postings of the terms of a bucket."""
    return msgspec.msgpack.decode(data, type=dict[str, bytes])


def decode_postings(data: bytes) -> Sequence[int]:
    """Stored postings of a term: the number of a file in the upper half of each, its counts in the lower."""
    return _load_numbers("Q", data)


def decode_lengths(data: bytes) -> Sequence[int]:
    """Stored lengths of fields."""
    return _load_numbers("I", data)


def _load_numbers(code: Literal["I", "Q"], data: bytes) -> "array[int]":
    """Numbers as they were stored, whatever the machine."""
    numbers = array(code)
    numbers.frombytes(data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _store_numbers(numbers: "array[int]") -> bytes:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def _bucket_bytes(postings: dict[str, "array[int]"]) -> dict[int, bytes]:
    buckets: dict[int, dict[str, bytes]] = {}
    for term, numbers in postings.items():
        buckets.setdefault(bucket_of(term), {})[term] = _store_numbers(numbers)
    return {number: msgspec.msgpack.encode(bucket) for number, bucket in buckets.items()}
