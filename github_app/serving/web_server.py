"""gunicorn in this process: what its workers need is imported once, before they are forked, and their memory is shared.

No setting of gunicorn is read from the environment or from a file of the working directory.
"""

import errno
import gc
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

from gunicorn.app.base import BaseApplication
from gunicorn.glogging import Logger

from github_app.serving.web_worker import BufferingWorker

if TYPE_CHECKING:
    from flask import Flask
    from gunicorn.config import Config


class ServerLog(Logger):
    """gunicorn's own lines go where all lines of the App go, as text or as JSON."""

    def setup(self, cfg: "Config") -> None:
        """Called by gunicorn."""
        super().setup(cfg)
        self.error_log.handlers.clear()
        self.error_log.propagate = True


_THREADS = 8
_GRACE_SECONDS = 15


def port_is_free(host: str, port: int) -> bool:
    """Whether a server can listen there. gunicorn itself tries for five seconds, and then ends as if it were set up wrongly."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as refusal:
            if refusal.errno == errno.EADDRINUSE:
                return False
            raise
    return True


class WebServer(BaseApplication):
    """`make_application` is called in each of the processes, after the fork: no connection is shared."""

    def __init__(self, host: str, port: int, processes: int, make_application: "Callable[[], Flask]") -> None:
        self._settings = {
            "bind": f"{host}:{port}",
            "workers": processes,
            "threads": _THREADS,
            "worker_class": BufferingWorker,
            "graceful_timeout": _GRACE_SECONDS,
            "logger_class": ServerLog,
            "control_socket_disable": True,
        }
        self._make_application = make_application
        super().__init__()

    def load_config(self) -> None:
        """Called by gunicorn."""
        for name, value in self._settings.items():
            self.cfg.set(name, value)

    def load(self) -> "Flask":
        """Called by gunicorn, in each worker."""
        return self._make_application()

    def serve(self) -> None:
        """Answer requests until SIGTERM; then exit."""
        gc.collect()
        gc.freeze()  # a later collection would write to the pages that the workers share
        self.run()
