"""A WSGI application that listens on a free port of 127.0.0.1, in a thread of this process."""

import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING

from werkzeug.serving import WSGIRequestHandler, make_server

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


_STOPS_WITHIN = 0.05
"""Seconds between two looks at whether to stop."""


class _Quiet(WSGIRequestHandler):
    """Requests are in the sandbox's own log."""

    protocol_version = "HTTP/1.1"

    def log_request(self, *_arguments: object) -> None:
        """Say nothing."""


class Listener:
    """One server. It has its port from the moment it is made, and answers once started with an application."""

    def __init__(self, port: int = 0) -> None:
        self._server = make_server("127.0.0.1", port, _not_ready, threaded=True, request_handler=_Quiet)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(_STOPS_WITHIN,), name="sandbox-http", daemon=True
        )

    @property
    def address(self) -> str:
        """`http://127.0.0.1:<port>`."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def start(self, application: "WSGIApplication") -> None:
        """Begin to answer."""
        self._server.app = application
        self._thread.start()

    def stop(self) -> None:
        """Answer nothing more and give the port back."""
        self._server.shutdown()
        self._thread.join(timeout=10)
        self._server.server_close()


def _not_ready(_environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
    start_response("503 Service Unavailable", [])
    return []
