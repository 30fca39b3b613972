"""Events of the server, over as many connections as necessary."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .errors import FrameholdError
from .wire.answer import Answer
from .wire.json_values import object_of, unreadable
from .wire.repetition import is_passing
from .wire.transport import Request, Transport

FIRST_WAIT_SECONDS = 0.5
WAIT_SECONDS_MAX = 30.0
FAILURES_MAX = 20
"""About eight minutes without a server: then the caller should know."""
EVENT_BYTES_MAX = 1024 * 1024
"""An event has a few kilobytes; more than this is something else."""


@dataclass(frozen=True)
class Event:
    kind: str
    """`frame.created`, `frame.appended`, …, `statement.ended`; `hello` at the beginning; `reset` if events were missed
    that are no longer kept."""
    id: str | None
    """Pass the last one to `watch(after=…)` to continue. Events of statements have none."""
    data: Mapping[str, object]

    @property
    def name(self) -> str | None:
        """The frame that changed."""
        name = self.data.get("name")
        return name if isinstance(name, str) else None


class EventStream(Iterator[Event]):
    """Connects again when the connection is lost, and continues after the last event. Any thread may `close` it."""

    def __init__(self, transport: Transport, after: str | None) -> None:
        self._transport = transport
        self._last_id = after
        self._answer: Answer | None = None
        self._closed = threading.Event()
        self._events = self._read()

    @property
    def last_id(self) -> str | None:
        """Where another stream can continue."""
        return self._last_id

    def __next__(self) -> Event:
        return next(self._events)

    def __enter__(self) -> EventStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def abort(self) -> None:
        self.close()

    def close(self) -> None:
        self._closed.set()
        if self._answer is not None:
            self._answer.abort()

    def _read(self) -> Iterator[Event]:
        failures = 0
        while not self._closed.is_set():
            try:
                for event in self._read_connection():
                    failures = 0
                    self._last_id = event.id or self._last_id
                    yield event
            except FrameholdError as error:
                failures += 1
                if self._closed.is_set():
                    return
                if failures > FAILURES_MAX or not is_passing(error, has_answered=True):
                    raise
            self._closed.wait(min(FIRST_WAIT_SECONDS * 2**failures, WAIT_SECONDS_MAX))

    def _read_connection(self) -> Iterator[Event]:
        headers = {"Accept": "text/event-stream"}
        if self._last_id is not None:
            headers["Last-Event-ID"] = self._last_id
        answer = self._answer = self._transport.send_once(Request("v1/events", headers=headers))
        try:
            if self._closed.is_set():
                # It was closed while the connection was made.
                return
            parser = EventLines()
            while piece := answer.read_some(64 * 1024):
                yield from parser.push(piece)
        finally:
            answer.close()


class EventLines:
    """Puts server-sent events together from pieces of any size."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._fields: dict[str, list[str]] = {}
        self._size = 0

    def push(self, piece: bytes) -> Iterator[Event]:
        self._rest += piece
        *lines, last = self._rest.split(b"\n")
        self._rest = last
        for line in lines:
            self._size += len(line)
            try:
                event = self._line(line.rstrip(b"\r").decode())
            except ValueError as error:
                raise unreadable("An event is not JSON.") from error
            if event is not None:
                yield event
        if self._size + len(self._rest) > EVENT_BYTES_MAX:
            raise unreadable(f"An event has more than {EVENT_BYTES_MAX} bytes.")

    def _line(self, line: str) -> Event | None:
        if line != "":
            field, _, value = line.partition(":")
            self._fields.setdefault(field, []).append(value.removeprefix(" "))
            return None
        fields, self._fields, self._size = self._fields, {}, 0
        if "data" not in fields:
            # A comment: the server sends one every 15 seconds.
            return None
        data = object_of(json.loads("\n".join(fields["data"])))
        return Event(kind=fields.get("event", ["message"])[-1], id=fields.get("id", [None])[-1], data=data)
