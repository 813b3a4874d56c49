"""A door before the App's web server: lets deliveries through, and kills the server at a given moment of each."""

import http.client
import socket
import threading
from collections.abc import Callable
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self


class Moment(Enum):
    """When the web server dies, seen from a delivery. After GitHub has heard its 202 a delivery is the worker's."""

    HALFWAY = "when half of it has arrived"
    STORED = "when it is stored, before GitHub hears that"


class Door:
    """Listens on 127.0.0.1 and strikes each delivery that `strikes` names, by its GUID, once, at one moment or the other in turn.

    The server is started again when a delivery has been refused because there is none. Deliveries come in one at a time:
    two at once would both find the server that one of them is about to kill.
    """

    def __init__(
        self,
        port: int,
        *,
        strikes: Callable[[str], bool],
        kill: Callable[[], None],
        start: Callable[[], None],
    ) -> None:
        self.struck: list[str] = []
        self.refused = 0
        door = self
        one_at_a_time, moments = threading.Lock(), list(Moment)

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                """Bring one delivery, or let the server die over it; then GitHub hears nothing."""
                self.close_connection = True
                guid = self.headers["X-GitHub-Delivery"]
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with one_at_a_time:
                    self._let_in(guid, body)

            def _let_in(self, guid: str, body: bytes) -> None:
                is_struck = guid not in door.struck and strikes(guid)
                moment = moments[len(door.struck) % len(moments)]
                try:
                    if is_struck and moment is Moment.HALFWAY:
                        self._bring_half(body)
                    else:
                        status, answer = self._bring(body)
                except OSError:
                    door.refused += 1
                    start()
                    return
                if is_struck:
                    door.struck.append(guid)
                    kill()
                    return
                self.send_response(status)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def _bring(self, body: bytes) -> tuple[int, bytes]:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                try:
                    connection.request("POST", self.path, body=body, headers=dict(self.headers))
                    answer = connection.getresponse()
                    return answer.status, answer.read()
                finally:
                    connection.close()

            def _bring_half(self, body: bytes) -> None:
                head = "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())
                with socket.create_connection(("127.0.0.1", port), timeout=60) as half:
                    half.sendall(f"POST {self.path} HTTP/1.1\r\n{head}\r\n".encode() + body[: len(body) // 2])

            def log_message(self, *_arguments: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def address(self) -> str:
        """Where to send deliveries."""
        return f"http://127.0.0.1:{self._server.server_port}/webhook"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
