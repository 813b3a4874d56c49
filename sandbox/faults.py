"""Switches that make the sandbox fail the way GitHub does: errors, limits, slowness, lost and doubled deliveries."""

import fnmatch
import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum


class Moment(Enum):
    """When a fault strikes: before the request has had its effect, or after, when only the answer is replaced."""

    BEFORE = "before"
    AFTER = "after"


@dataclass
class RequestFault:
    """What happens to requests that fit `on`, such as `POST /repos/*/issues/*/comments`.

    `status` None lets the real answer through (after a pause or a call).
    """

    on: str
    moment: Moment = Moment.BEFORE
    status: int | None = None
    message: str = "Server Error"
    retry_after: int | None = None
    seconds: float = 0.0
    call: Callable[[], None] | None = None
    times: int = 1


@dataclass
class DeliveryFault:
    """What happens to deliveries of an event (`*` for all)."""

    event: str
    lose: bool = False
    copies: int = 1
    delay: float = 0.0
    times: int = 1


class Faults:
    """The switches that are on. Each one counts down and is then gone."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: list[RequestFault] = []
        self._deliveries: list[DeliveryFault] = []

    def fail(self, on: str, *, status: int = 502, times: int = 1, after_effect: bool = False) -> None:
        """Answer with a server error; with `after_effect` GitHub has done what was asked and lies about it."""
        self.add(RequestFault(on, Moment.AFTER if after_effect else Moment.BEFORE, status, times=times))

    def rate_limit(self, on: str, *, retry_after: int = 1, times: int = 1) -> None:
        """Answer 403 with the words of the secondary rate limit."""
        message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
        self.add(RequestFault(on, status=403, message=message, retry_after=retry_after, times=times))

    def slow(self, on: str, *, seconds: float, times: int = 1) -> None:
        """Let the request wait before anything happens."""
        self.add(RequestFault(on, seconds=seconds, times=times))

    def interrupt(
        self, on: str, call: Callable[[], None], *, after_effect: bool = False, times: int = 1
    ) -> None:
        """Call something when the request arrives, or when it has had its effect. Either way it has it."""
        self.add(RequestFault(on, Moment.AFTER if after_effect else Moment.BEFORE, call=call, times=times))

    def lose_delivery(self, event: str = "*", *, times: int = 1) -> None:
        """Never send the next deliveries of an event; they stand in the list of deliveries as timed out."""
        self.add(DeliveryFault(event, lose=True, times=times))

    def repeat_delivery(self, event: str = "*", *, copies: int = 2, times: int = 1) -> None:
        """Send the next deliveries of an event several times, with the same GUID."""
        self.add(DeliveryFault(event, copies=copies, times=times))

    def delay_delivery(self, event: str = "*", *, seconds: float, times: int = 1) -> None:
        """Send the next deliveries of an event late, so that younger ones overtake them."""
        self.add(DeliveryFault(event, delay=seconds, times=times))

    def add(self, fault: RequestFault | DeliveryFault) -> None:
        """Turn a switch on."""
        with self._lock:
            if isinstance(fault, RequestFault):
                self._requests.append(fault)
            else:
                self._deliveries.append(fault)

    def clear(self) -> None:
        """Turn all switches off."""
        with self._lock:
            self._requests.clear()
            self._deliveries.clear()

    def of_request(self, method: str, path: str) -> list[RequestFault]:
        """The faults that strike this request; each is counted as used."""
        with self._lock:
            hit = [fault for fault in self._requests if _fits(fault.on, method, path)]
            for fault in hit:
                fault.times -= 1
            self._requests = [fault for fault in self._requests if fault.times > 0]
            return hit

    def of_delivery(self, event: str) -> DeliveryFault | None:
        """The first fault that strikes a delivery of this event."""
        with self._lock:
            for fault in self._deliveries:
                if fault.event in ("*", event):
                    fault.times -= 1
                    if fault.times <= 0:
                        self._deliveries.remove(fault)
                    return fault
            return None


def _fits(pattern: str, method: str, path: str) -> bool:
    wanted_method, _, wanted_path = pattern.partition(" ")
    return wanted_method in ("*", method) and fnmatch.fnmatchcase(path, wanted_path)
