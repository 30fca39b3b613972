"""How long a request is repeated, and after which failures."""

from __future__ import annotations

import http.client
import random
import socket
import ssl
import time

from ..errors import ConnectionFailed, FrameholdError, IncompleteAnswer

RETRY_SECONDS = 30.0
"""A server that is restarted answers again within seconds; a node that fails is replaced within this."""
FIRST_CONTACT_SECONDS = 2.0
"""For a server that has never answered: its address may be wrong, which the caller should learn soon."""
FIRST_WAIT_SECONDS = 0.1
WAIT_SECONDS_MAX = 2.0
"""Once in two seconds is no load for a server, and it is not noticed that the server was back earlier."""
JITTER = 0.5
"""Share of a wait that is random: clients of a server that restarts should not all come back at once."""

BUSY_CODES = frozenset({"rate_limited", "overloaded", "unavailable", "draining", "issuer_unreachable"})
"""429 and 503: nothing was changed."""
_PROXY_STATUSES = frozenset({502, 503, 504})


class Repetition:
    """The failures of one request. The time counts from the first of them: an upload may have taken longer before."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._deadline: float | None = None
        self._tries = 0

    def wait_after(self, error: FrameholdError) -> float | None:
        """Seconds until the next try; None if it would be too late."""
        now = time.monotonic()
        if self._deadline is None:
            self._deadline = now + self._seconds
        backoff = min(FIRST_WAIT_SECONDS * 2.0**self._tries, WAIT_SECONDS_MAX) * random.uniform(1 - JITTER, 1)
        wait = max(backoff, error.retry_after or 0.0)
        self._tries += 1
        return None if now + wait > self._deadline else wait


def is_passing(error: FrameholdError, *, has_answered: bool) -> bool:
    """Whether the same request may succeed a moment later."""
    if error.code in BUSY_CODES or error.code == "outcome_unknown" or isinstance(error, IncompleteAnswer):
        # A repetition with the same key finds out an unknown outcome.
        return True
    if not isinstance(error, ConnectionFailed):
        return False
    if error.status != 0:
        # A proxy has answered for a server that restarts.
        return error.status in _PROXY_STATUSES
    cause = error.__cause__
    if isinstance(cause, TimeoutError):
        # The caller has said how long to wait.
        return False
    if isinstance(cause, socket.gaierror):
        # The name of a container that restarts is not known for a moment.
        return has_answered
    if isinstance(cause, ssl.SSLError):
        return isinstance(cause, ssl.SSLEOFError | ssl.SSLZeroReturnError)
    if isinstance(cause, http.client.HTTPException):
        return isinstance(cause, http.client.RemoteDisconnected)
    return True


def was_not_delivered(error: FrameholdError) -> bool:
    """Whether the server has certainly done nothing: it was busy, or was not reached at all."""
    cause = error.__cause__
    return error.code in BUSY_CODES or isinstance(cause, ConnectionRefusedError | socket.gaierror)
