"""The second host: holds the zips of artifacts behind addresses that are good for a minute and want no credentials."""

import secrets
import threading
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from github_app.sandbox.world.clock import Clock
from github_app.sandbox.world.state import Artifact

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_LIFE = timedelta(minutes=1)


class ArtifactHost:
    """A WSGI application. Like the storage behind GitHub it refuses a request that carries GitHub's credentials."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._offers: dict[str, tuple[Artifact, datetime]] = {}
        self.refused_credentials = 0

    def offer(self, artifact: Artifact) -> str:
        """A path under which the artifact can be fetched for a minute."""
        key = secrets.token_urlsafe(24)
        with self._lock:
            self._offers[key] = (artifact, self._clock.now() + _LIFE)
        return f"/artifacts/{artifact.id}.zip?sig={key}"

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
            artifact, until = self._offers.get(key, (None, self._clock.now()))
        if artifact is None or artifact.deleted:
            return "404 Not Found", "application/xml", _error("BlobNotFound")
        if until <= self._clock.now():
            return "403 Forbidden", "application/xml", _error("AuthenticationFailed")
        return "200 OK", "application/zip", artifact.content


def _error(code: str) -> bytes:
    return f'<?xml version="1.0" encoding="utf-8"?><Error><Code>{code}</Code></Error>'.encode()
