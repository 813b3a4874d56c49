"""Imports `askfirst`, and forks for each start that it is asked for: `python -m tests.journeys.fork_server DESCRIPTOR`.

Only the standard library is imported at the top: processes that `askfirst` itself spawns import this module again.
"""

import gc
import importlib
import json
import os
import signal
import socket
import sys

STREAMS = 3
LONGEST_REQUEST = 1 << 17
"""Bytes."""


def serve(requests: socket.socket) -> str | None:
    """Answer requests. Returns in each process that was asked for, with its module, and in the server when nobody asks.

    A request is JSON and four descriptors: the process's three streams, and a pipe into which its id and its exit code are
    written, each in a line. A keeper between server and process writes them, because only a parent learns of an end.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no keeper is waited for
    while True:
        message, descriptors, _, _ = socket.recv_fds(requests, LONGEST_REQUEST, STREAMS + 1)
        if not message:
            return None
        keeper = os.fork()
        if not keeper:
            requests.close()
            return _become(json.loads(message), descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _become(request: dict[str, object], descriptors: list[int]) -> str:
    """The keeper, which ends here, and its only child, which returns."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *streams, report = descriptors
    process = os.fork()
    if process:
        os.write(report, f"{process}\n".encode())
        _, status = os.waitpid(process, 0)
        os.write(report, f"{os.waitstatus_to_exitcode(status)}\n".encode())
        os._exit(0)
    os.close(report)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(request["environment"])  # type: ignore[call-overload]
    sys.argv = request["arguments"]  # type: ignore[assignment]
    return str(request["module"])


if __name__ == "__main__":
    for name in ("pipeline.commands.run", "anthropic"):
        importlib.import_module(name)
    gc.freeze()  # or a collection would copy what the processes share
    module = serve(socket.socket(fileno=int(sys.argv[1])))
    if module is not None:
        importlib.import_module(module).main()
