"""SIGTERM and SIGINT as an event that a program waits for."""

import _thread
import signal
import threading


def stop_event() -> threading.Event:
    """An event that SIGTERM and SIGINT set. To be called in the main thread."""
    event = threading.Event()

    # The handler runs in the main thread, between any two of its steps: also while that thread holds the lock of the very
    # event that it waits for. So another thread sets it. `threading.Thread` would take a lock of its own to start one.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: _thread.start_new_thread(event.set, ()))
    return event
