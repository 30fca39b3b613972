"""Whether a socket has something to read."""

from __future__ import annotations

import selectors
import socket
import ssl


def is_readable(sock: socket.socket, seconds: float) -> bool:
    """Waits so long for bytes, or for the end of the connection."""
    # What TLS has decrypted is no longer in the system's buffer.
    if isinstance(sock, ssl.SSLSocket) and sock.pending() > 0:
        return True
    # Unlike select(), this works with more than 1,024 open files.
    with selectors.DefaultSelector() as selector:
        selector.register(sock, selectors.EVENT_READ)
        return bool(selector.select(seconds))
