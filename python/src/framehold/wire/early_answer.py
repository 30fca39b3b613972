"""`Expect: 100-continue`: the server checks headers before the body is sent."""

from __future__ import annotations

import http.client
import io
import select
import socket
import ssl
from typing import cast

WAIT_SECONDS = 2.0
"""A proxy may ignore the header; then the body is sent without an invitation, as RFC 9110 says."""
HEAD_BYTES_MAX = 64 * 1024


def read_early_answer(connection: http.client.HTTPConnection, method: str) -> http.client.HTTPResponse | None:
    """None if the body should be sent; otherwise the answer, which is an error."""
    sock = cast(socket.socket, connection.sock)
    has_pending = isinstance(sock, ssl.SSLSocket) and sock.pending() > 0
    if not has_pending and not select.select([sock], [], [], WAIT_SECONDS)[0]:
        return None
    # Without a buffer: what follows the head belongs to the next reader.
    with sock.makefile("rb", buffering=0) as lines:
        head = lines.readline(HEAD_BYTES_MAX)
        if head == b"":
            raise http.client.RemoteDisconnected("closed before the answer")
        if b" 100 " not in head[:16]:
            return _response_with(head, sock, method)
        while lines.readline(HEAD_BYTES_MAX) not in (b"\r\n", b"\n", b""):
            pass
    return None


def _response_with(head: bytes, sock: socket.socket, method: str) -> http.client.HTTPResponse:
    response = http.client.HTTPResponse(cast(socket.socket, _Resumed(head, sock)), method=method)
    response.begin()
    # The connection has a body to come that will not be sent.
    response.will_close = True
    return response


class _Resumed:
    """A socket whose first line has been read."""

    def __init__(self, head: bytes, sock: socket.socket) -> None:
        self._head = head
        self._sock = sock

    def makefile(self, mode: str) -> io.BufferedReader:
        raw = cast(io.RawIOBase, self._sock.makefile("rb", buffering=0))
        return io.BufferedReader(_Joined(self._head, raw))


class _Joined(io.RawIOBase):
    def __init__(self, head: bytes, rest: io.RawIOBase) -> None:
        self._head = head
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int | None:  # type: ignore[override]
        if not self._head:
            return self._rest.readinto(buffer)
        count = min(len(buffer), len(self._head))
        buffer[:count] = self._head[:count]
        self._head = self._head[count:]
        return count

    def close(self) -> None:
        self._rest.close()
        super().close()
