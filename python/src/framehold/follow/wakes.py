"""When a frame may have changed."""

from __future__ import annotations

import threading

from ..errors import FrameholdError
from ..events import Event, EventStream
from ..wire.transport import Transport

POLL_SECONDS = 2.0
"""Frames of other tenants have no events here. A request of a few hundred bytes this often is no load."""


class Wakes:
    """However many events come between two questions, they are one reason to look again, so nothing is kept of them. A
    thread reads the stream all the time: the server never waits for a slow consumer."""

    def __init__(self, transport: Transport, name: str) -> None:
        self._name = name
        self._condition = threading.Condition()
        self._is_awake = False
        self._is_closed = False
        self._failure: BaseException | None = None
        self._events = None if ":" in name else EventStream(transport, None)
        if self._events is not None:
            threading.Thread(target=self._read, args=(self._events,), name="framehold-follow", daemon=True).start()

    def wait(self, seconds: float | None) -> bool:
        """True if the frame may have changed since the last time; False if the time is over before, or it was closed."""
        is_polled = self._events is None and (seconds is None or seconds > POLL_SECONDS)
        with self._condition:
            self._condition.wait_for(self._is_reason, POLL_SECONDS if is_polled else seconds)
            if self._is_closed:
                return False
            if self._failure is not None:
                raise self._failure
            is_awake, self._is_awake = self._is_awake or is_polled, False
            return is_awake

    def sleep(self, seconds: float) -> None:
        """Until then, or until it is closed."""
        with self._condition:
            self._condition.wait_for(lambda: self._is_closed, seconds)

    def close(self) -> None:
        with self._condition:
            self._is_closed = True
            self._condition.notify_all()
        if self._events is not None:
            self._events.close()

    def _is_reason(self) -> bool:
        return self._is_awake or self._is_closed or self._failure is not None

    def _read(self, events: EventStream) -> None:
        try:
            for event in events:
                if is_reason(event, self._name):
                    with self._condition:
                        self._is_awake = True
                        self._condition.notify_all()
        except FrameholdError as error:
            with self._condition:
                self._failure = error
                self._condition.notify_all()


def is_reason(event: Event, name: str) -> bool:
    if event.kind in ("hello", "reset"):
        # What happened before the one or was left out before the other has no event.
        return True
    if event.name != name or event.kind == "frame.settled":
        return False
    return event.kind != "frame.changed" or event.data.get("change") == "version"
