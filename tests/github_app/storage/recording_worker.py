"""A worker that writes down what it does and does what a payload tells it: `python recording_worker.py URL LOG`."""

import fcntl
import json
import logging
import os
import sys
import time
from pathlib import Path

from github_app.serving.stop_signal import end_without_threads, stop_event
from github_app.storage.delivery import Delivery, RetryLater, Wait
from github_app.storage.engine import work

DATABASE_URL, LOG = sys.argv[1], Path(sys.argv[2])


def write(delivery: Delivery, what: str) -> None:
    line = {
        "id": delivery.id,
        "event": delivery.event,
        "conversation": delivery.conversation,
        "what": what,
        "at": time.time(),
        "pid": os.getpid(),
    }
    with LOG.open("a", encoding="utf-8") as log:
        log.write(json.dumps(line) + "\n")


def times(delivery: Delivery, what: str) -> int:
    lines = [json.loads(line) for line in LOG.read_text(encoding="utf-8").splitlines()]
    return sum(line["id"] == delivery.id and line["what"] == what for line in lines)


def do(delivery: Delivery) -> None:
    with LOG.with_name(f"in hand {delivery.conversation}").open("a") as hand:
        try:
            fcntl.flock(hand, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            write(delivery, "overlap")
        do_alone(delivery)


def do_alone(delivery: Delivery) -> None:
    write(delivery, "begun")
    told = delivery.payload.get("told", "")
    if told == "fail":
        raise ValueError("a mistake in the program")
    if told == "later" and times(delivery, "begun") == 1:
        time.sleep(float(delivery.payload.get("seconds", 0)))
        raise RetryLater("a rate limit", 0.5)
    if told == "withheld" and times(delivery, "begun") == 1:
        raise RetryLater("Grant issues: write to the App", 600.0, Wait.WITHHELD)
    if told == "once" and times(delivery, "done"):
        return  # as the App looks for what it has done before it does it
    time.sleep(float(delivery.payload.get("seconds", 0)))
    write(delivery, "done")


if __name__ == "__main__":
    logging.basicConfig()
    work(DATABASE_URL, do, stop_event(), polling_seconds=0.05, grace_seconds=8)
    end_without_threads()
