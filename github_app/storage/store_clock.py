"""The clock by which the store orders what comes in: of the machine on SQLite, of the server where several machines write."""

import threading
import time

from github_app.storage.database import is_postgres, server_time, single_connections

_MEASURED_EVERY = 60.0


class StoreClock:
    """Seconds of the epoch. May be used by several threads.

    The server is not asked each time: what lies between its clock and a monotonic one of ours is measured once a minute.
    Example: at our 100.0 the server says 5000.25 in an answer that took 20 ms, so its clock is 4900.24 ahead of ours.
    """

    def __init__(self, database_url: str) -> None:
        self._server = single_connections(database_url) if is_postgres(database_url) else None
        self._lock = threading.Lock()
        self._ahead = 0.0
        self._valid_until = 0.0

    def now(self) -> float:
        """Now.

        Raises:
            SQLAlchemyError: the server does not answer.
        """
        if self._server is None:
            return time.time()
        with self._lock:
            if time.monotonic() >= self._valid_until:
                with self._server.connect() as connection:
                    start = time.monotonic()
                    server = server_time(connection)
                    end = time.monotonic()
                self._ahead = server - (start + end) / 2
                self._valid_until = end + _MEASURED_EVERY
            return time.monotonic() + self._ahead
