"""A worker that writes down what it does and does what a payload tells it: `python recording_worker.py URL LOG`."""

import json
import sys
import time
from pathlib import Path

from github_app.serving.stop_signal import stop_event
from github_app.storage.deliveries import Delivery, RetryLater
from github_app.storage.engine import work
from github_app.storage.waiting import Wait

DATABASE_URL, LOG = sys.argv[1], Path(sys.argv[2])


def write(delivery: Delivery, what: str) -> None:
    line = {
        "id": delivery.id,
        "event": delivery.event,
        "what": what,
        "at": time.time(),
    }
    with LOG.open("a", encoding="utf-8") as log:
        log.write(json.dumps(line) + "\n")


def times_begun(delivery: Delivery) -> int:
    lines = [json.loads(line) for line in LOG.read_text(encoding="utf-8").splitlines()]
    return sum(line["id"] == delivery.id and line["what"] == "begun" for line in lines)


def do(delivery: Delivery) -> None:
    write(delivery, "begun")
    told = delivery.payload.get("told", "")
    if told == "fail":
        raise ValueError("a mistake in the program")
    if told == "later" and times_begun(delivery) == 1:
        raise RetryLater("a rate limit", 0.5)
    if told == "withheld" and times_begun(delivery) == 1:
        raise RetryLater("Grant issues: write to the App", 600.0, Wait.WITHHELD)
    time.sleep(float(delivery.payload.get("seconds", 0)))
    write(delivery, "done")


if __name__ == "__main__":
    work(DATABASE_URL, do, stop_event(), polling_seconds=0.05)
