"""Connections that are kept open between requests."""

from __future__ import annotations

import http.client
import os
import ssl
import threading
import time
from collections import deque

from ..errors import FrameholdError
from .address import Address
from .readable import is_readable

IDLE_MAX = 8
"""Enough for a thread pool of usual size; more would only occupy the server's sockets."""
OPEN_MAX = 64
"""A program with more unfinished streams than this has most likely forgotten to close them."""
IDLE_SECONDS_MAX = 50.0
"""The server closes idle connections after 75 seconds."""


class Connections:
    """A bounded pool. A connection belongs to one request until its answer has been read to the end."""

    def __init__(self, address: Address, timeout: float, ssl_context: ssl.SSLContext | None) -> None:
        self._address = address
        self._timeout = timeout
        self._ssl_context = ssl_context
        self._is_closed = False
        self._begin()

    def _begin(self) -> None:
        self._idle: deque[tuple[http.client.HTTPConnection, float]] = deque()
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(OPEN_MAX)
        self._process = os.getpid()

    def take(self) -> http.client.HTTPConnection:
        """One that is open, or a new one that connects with its first request."""
        if self._is_closed:
            raise FrameholdError("The database is closed.", code="bad_argument", hint="Connect again.")
        if self._process != os.getpid():
            # After a fork, the open connections and the state of the locks are those of the other process.
            self._begin()
        if not self._places.acquire(timeout=self._timeout):
            raise FrameholdError(
                f"{OPEN_MAX} answers are being read at once.",
                code="bad_argument",
                hint="Read streams to their end or close them before you open more.",
            )
        while True:
            with self._lock:
                entry = self._idle.pop() if self._idle else None
            if entry is None:
                return self._new()
            connection, since = entry
            if time.monotonic() - since < IDLE_SECONDS_MAX and not _has_ended(connection):
                return connection
            connection.close()

    def give_back(self, connection: http.client.HTTPConnection, *, reusable: bool) -> None:
        if self._process != os.getpid():
            connection.close()
            return
        with self._lock:
            keep = reusable and not self._is_closed and connection.sock is not None and len(self._idle) < IDLE_MAX
            if keep:
                self._idle.append((connection, time.monotonic()))
        if not keep:
            connection.close()
        self._places.release()

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            idle = list(self._idle)
            self._idle.clear()
        for connection, _ in idle:
            connection.close()

    def _new(self) -> http.client.HTTPConnection:
        host, port = self._address.host, self._address.port
        if not self._address.is_tls:
            return http.client.HTTPConnection(host, port, timeout=self._timeout)
        context = self._ssl_context or ssl.create_default_context()
        return http.client.HTTPSConnection(host, port, timeout=self._timeout, context=context)


def _has_ended(connection: http.client.HTTPConnection) -> bool:
    """Nothing is expected on an idle connection, so readable means that the server has closed it."""
    try:
        return connection.sock is None or is_readable(connection.sock, 0)
    except (OSError, ValueError):
        return True
