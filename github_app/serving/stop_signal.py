"""SIGTERM and SIGINT as an event that a program waits for, and its end."""

import _thread
import logging
import os
import signal
import sys
import threading
from typing import NoReturn


def stop_event() -> threading.Event:
    """An event that SIGTERM and SIGINT set. To be called in the main thread."""
    event = threading.Event()

    # The handler runs in the main thread, between any two of its steps: also while that thread holds the lock of the very
    # event that it waits for. So another thread sets it. `threading.Thread` would take a lock of its own to start one.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: _thread.start_new_thread(event.set, ()))
    return event


def end_without_threads() -> NoReturn:
    """End this process with 0. Python itself would wait for threads of pools: a request that hangs holds one for seconds."""
    logging.shutdown()
    sys.stdout.flush()
    os._exit(0)
