"""`github_app.surfaces.announcing.Post` over HTTP: one try, no redirects, little patience."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from github_app.ports.github import NotYet
from github_app.ports.surfaces import SurfaceUnavailable
from github_app.surfaces.outgoing import Outgoing, SurfaceAnswer

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse

AT_ONCE = 2
"""Requests to one host in hand at a time: a host that does not answer must not hold all that the worker has."""

_SECONDS = 10.0
_LONGEST = 64 * 1024
_PART = 4096
_LONGEST_WAIT = 600.0


class HttpPost:
    """Keeps its connections open between messages. May be used by several threads."""

    def __init__(self) -> None:
        import urllib3

        self._pool = urllib3.PoolManager(retries=False, timeout=urllib3.Timeout(_SECONDS))
        self._lock = threading.Lock()
        self._in_hand: Counter[str] = Counter()
        self._put_off: Counter[str] = Counter()

    def __call__(self, request: Outgoing) -> SurfaceAnswer:
        """Send one request. Of the answer little is read.

        Raises:
            SurfaceUnavailable: the host did not answer.
            NotYet: others are waiting for the same host.
        """
        from urllib3.exceptions import HTTPError

        with self._lane(urlsplit(request.url).netloc):
            try:
                response = self._pool.request(
                    request.method, request.url, body=request.body.encode() or None, headers=dict(request.headers),
                    preload_content=False, decode_content=False,
                )  # fmt: skip
                body = _read_within(response, _SECONDS)
            except HTTPError as error:
                raise SurfaceUnavailable(f"no answer: {type(error).__name__}") from error
        retry_after = response.headers.get("retry-after", "")
        return SurfaceAnswer(
            response.status,
            body,
            float(retry_after) if retry_after.isascii() and retry_after.isdigit() else None,
        )

    @contextmanager
    def _lane(self, host: str) -> Iterator[None]:
        with self._lock:
            if self._in_hand[host] >= AT_ONCE:
                self._put_off[host] += 1
                wait = _SECONDS * max(1, self._put_off[host] // AT_ONCE)
                raise NotYet(
                    "other messages to this surface are in hand", retry_after=min(wait, _LONGEST_WAIT)
                )
            self._in_hand[host] += 1
            self._put_off[host] = 0
        try:
            yield
        finally:
            with self._lock:
                self._in_hand[host] -= 1


def _read_within(response: "BaseHTTPResponse", seconds: float) -> bytes:
    """The beginning of a body. A server that sends a byte now and then is given up after so many seconds.

    Raises:
        SurfaceUnavailable: it is too slow.
    """
    deadline, body = time.monotonic() + seconds, b""
    try:
        while len(body) < _LONGEST and (part := response.read1(_PART)):
            body += part
            if time.monotonic() > deadline:
                raise SurfaceUnavailable(f"its answer took longer than {seconds:.0f} s")
    finally:
        response.close()
    return body[:_LONGEST]
