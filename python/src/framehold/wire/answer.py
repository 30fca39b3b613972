"""An answer whose body is read as it arrives."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Callable
from contextlib import suppress

import pyarrow as pa

from .connections import Connections
from .failures import incomplete_answer

JSON_BYTES_MAX = 64 * 1024 * 1024
"""Answers that are not rows are far smaller, also a manifest with 100,000 columns."""


class Answer:
    """Also a file object for pyarrow: `read` fills buffers of Arrow's own, so that nothing is copied afterwards."""

    def __init__(
        self, response: http.client.HTTPResponse, connection: http.client.HTTPConnection, connections: Connections
    ) -> None:
        self._response = response
        self._connection: http.client.HTTPConnection | None = connection
        self._connections = connections
        self.status = response.status
        self.headers = response.headers
        self.on_bytes: Callable[[int], None] | None = None
        """Called with the size of each piece that was received."""

    @property
    def closed(self) -> bool:
        return self._connection is None

    def read(self, size: int = -1) -> pa.Buffer | bytes:
        """Exactly `size` bytes, or fewer at the end of the body."""
        if self._connection is None:
            return b""
        if size < 0:
            return self.read_all()
        buffer = pa.allocate_buffer(size)
        target = memoryview(buffer)
        filled = 0
        try:
            while filled < size:
                count = self._response.readinto(target[filled:])
                if count == 0:
                    break
                filled += count
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise incomplete_answer(self.query_id) from error
        if self.on_bytes is not None:
            self.on_bytes(filled)
        if filled < size:
            self._end()
            return buffer.slice(0, filled)
        return buffer

    def read_all(self, limit: int = JSON_BYTES_MAX) -> bytes:
        """The rest of a body that is known to be small."""
        try:
            body = self._response.read(limit)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise incomplete_answer(self.query_id) from error
        self.finish()
        return body

    def read_some(self, size: int) -> bytes:
        """What has arrived, at least one byte; nothing at the end of the body."""
        try:
            piece = self._response.read1(size)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise incomplete_answer(self.query_id) from error
        if not piece:
            self._end()
        return piece

    def finish(self) -> None:
        """Frees the connection for other requests if the body has been read to its end."""
        if self._connection is not None:
            self.read(1)
            self.close()

    def close(self) -> None:
        """Ends the answer. If rows are missing, the connection is closed, and the server stops its work."""
        if self._connection is not None:
            connection, self._connection = self._connection, None
            reusable = self._response.isclosed() and not self._response.will_close
            self._response.close()
            self._connections.give_back(connection, reusable=reusable)

    def abort(self) -> None:
        """Ends a read that another thread waits in."""
        sock = None if self._connection is None else self._connection.sock
        if sock is not None:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def __del__(self) -> None:
        self.close()

    @property
    def query_id(self) -> str | None:
        return self.headers.get("Framehold-Query-Id")

    def _end(self) -> None:
        # With a Content-Length, http.client takes the end of the connection for the end of the body.
        is_short = bool(self._response.length)
        self.close()
        if is_short:
            raise incomplete_answer(self.query_id)
