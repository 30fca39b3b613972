"""Bodies that are sent as they are produced."""

from __future__ import annotations

import http.client
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

PIECE_BYTES = 256 * 1024
"""Smaller writes are collected: each would otherwise be a packet of its own."""

Progress = Callable[[int], None]


class RequestBody(ABC):
    """What a put sends."""

    content_type: str
    content_encoding: str | None = None
    length: int | None = None
    """If it is known; otherwise the body is sent in chunks."""

    @property
    @abstractmethod
    def can_repeat(self) -> bool:
        """Whether `send` can be called again after a failure."""

    @abstractmethod
    def send(self, sink: BodySink) -> None: ...


class BodyFailed(Exception):
    """What is sent could not be produced: neither the connection nor the server is the reason."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


class BodySink:
    """Writes to a connection. Also a file object for pyarrow."""

    def __init__(self, connection: http.client.HTTPConnection, *, chunked: bool, on_bytes: Progress | None) -> None:
        self._connection = connection
        self._is_chunked = chunked
        self._pending = bytearray()
        self._on_bytes = on_bytes
        self.closed = False
        self.failure: OSError | None = None
        """Of the connection. Everything else that `RequestBody.send` raises is a failure of what is sent."""

    def write(self, data: bytes | memoryview | pa.Buffer) -> int:
        view = memoryview(data)
        if len(self._pending) + view.nbytes < PIECE_BYTES:
            self._pending += view
            return view.nbytes
        self._send_pending()
        # In pieces, so that a progress bar moves while a large batch is sent.
        for start in range(0, view.nbytes, 16 * PIECE_BYTES):
            self._send(view[start : start + 16 * PIECE_BYTES])
        return view.nbytes

    def end(self) -> None:
        self._send_pending()
        if self._is_chunked:
            self._give(b"0\r\n\r\n")

    def flush(self) -> None: ...

    def close(self) -> None: ...

    def _send_pending(self) -> None:
        if self._pending:
            pending, self._pending = self._pending, bytearray()
            self._send(memoryview(pending))

    def _send(self, piece: memoryview) -> None:
        if self._is_chunked:
            self._give(b"%x\r\n" % piece.nbytes)
        self._give(piece)
        if self._is_chunked:
            self._give(b"\r\n")
        if self._on_bytes is not None:
            self._on_bytes(piece.nbytes)

    def _give(self, data: bytes | memoryview) -> None:
        if self.failure is not None:
            # pyarrow writes the end of a stream also after a failure.
            raise self.failure
        try:
            self._connection.send(data)
        except OSError as error:
            self.failure = error
            raise
