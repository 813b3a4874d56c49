"""The second host: holds zips of artifacts and logs behind addresses that are good for a minute and want no credentials."""

import secrets
import threading
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from sandbox.world.clock import SandboxClock
from sandbox.world.state import Artifact, CheckRun

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_LIFE = timedelta(minutes=1)


class ArtifactHost:
    """A WSGI application. Like the storage behind GitHub it refuses a request that carries GitHub's credentials."""

    def __init__(self, clock: SandboxClock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._offers: dict[str, tuple[str, Callable[[], bytes | None], datetime]] = {}
        self.refused_credentials = 0

    def offer(self, artifact: Artifact) -> str:
        """A path under which the artifact can be fetched for a minute."""
        key = self._offer("application/zip", lambda: None if artifact.is_deleted else artifact.content)
        return f"/artifacts/{artifact.id}.zip?sig={key}"

    def offer_log(self, run: CheckRun) -> str:
        """A path under which the log of a job can be fetched for a minute."""
        return f"/logs/{run.id}.txt?sig={self._offer('text/plain', run.log.encode)}"

    def _offer(self, kind: str, content: Callable[[], bytes | None]) -> str:
        key = secrets.token_urlsafe(24)
        with self._lock:
            self._offers[key] = (kind, content, self._clock.now() + _LIFE)
        return key

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer one request."""
        status, kind, body = self._answer(environ)
        start_response(status, [("Content-Type", kind), ("Content-Length", str(len(body)))])
        return [body]

    def _answer(self, environ: "WSGIEnvironment") -> tuple[str, str, bytes]:
        if "HTTP_AUTHORIZATION" in environ:
            self.refused_credentials += 1
            return "400 Bad Request", "application/xml", _error("InvalidAuthenticationInfo")
        key = environ.get("QUERY_STRING", "").removeprefix("sig=")
        with self._lock:
            kind, content, until = self._offers.get(key, ("", lambda: None, self._clock.now()))
        body = content()
        if body is None:
            return "404 Not Found", "application/xml", _error("BlobNotFound")
        if until <= self._clock.now():
            return "403 Forbidden", "application/xml", _error("AuthenticationFailed")
        return "200 OK", kind, body


def _error(code: str) -> bytes:
    return f'<?xml version="1.0" encoding="utf-8"?><Error><Code>{code}</Code></Error>'.encode()
