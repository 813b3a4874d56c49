"""What the log says of a delivery that fails by a mistake in the program: what happened, once, and what to do."""

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.github_app.storage.conftest import Bench


def test_a_delivery_that_is_given_up_is_one_line_and_one_traceback(file_bench: "Bench") -> None:
    worker = file_bench.worker()
    file_bench.accept("bad", conversation="1#7", told="fail")
    deadline = time.monotonic() + 180
    while not file_bench.deliveries.stuck_deliveries() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    file_bench.processes.remove(worker)
    worker.terminate()
    log = worker.communicate()[1].decode()
    assert (
        "gave up on 1#7: delivery bad (issues) is stuck: ValueError: a mistake in the program."
        " See askfirst-app stuck; to do it again: askfirst-app replay bad\n" in log
    )
    assert "a delivery failed and is tried again: issues of bad: ValueError: a mistake in the program" in log
    assert log.count("Traceback") == 1
    assert "background workflow" not in log
