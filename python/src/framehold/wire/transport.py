"""Requests to one server, repeated where that is safe."""

from __future__ import annotations

import http.client
import platform
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from urllib.parse import urlencode

from ..errors import ConnectionFailed, FrameholdError, Unauthorized
from .address import parse_address
from .answer import Answer
from .connections import Connections
from .early_answer import read_early_answer
from .failures import connection_failed, error_of_answer
from .json_values import JsonObject, parse_object
from .request_body import BodySink, Progress, RequestBody

TRIES_MAX = 4
WAIT_SECONDS_MAX = 10.0
"""If the server asks for a longer wait, the caller should decide."""
TOTAL_SECONDS_MAX = 30.0
FIRST_WAIT_SECONDS = 0.1
NO_TOKEN_HINT = (
    "Pass token=… to connect(), or set FRAMEHOLD_TOKEN. The operator makes one with: framehold token create."
)

_BUSY_CODES = frozenset({"rate_limited", "overloaded", "unavailable", "draining", "issuer_unreachable"})
"""429 and 503: nothing was changed."""

Parameters = Mapping[str, "str | int | bool | None"]


@dataclass(frozen=True)
class Request:
    path: str
    method: str = "GET"
    parameters: Parameters = field(default_factory=dict[str, "str | int | bool | None"])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes | RequestBody | None = None
    on_bytes: Progress | None = None

    def can_repeat_after(self, error: FrameholdError) -> bool:
        """Whether a repetition has the same effect: of a read, of a change with a key that the server remembers, and of
        anything that was refused because the server is busy."""
        if isinstance(self.body, RequestBody) and not self.body.can_repeat:
            return False
        return self.method in ("GET", "HEAD") or "Idempotency-Key" in self.headers or error.code in _BUSY_CODES


class Transport:
    def __init__(self, url: str, token: str | None, timeout: float, ssl_context: ssl.SSLContext | None) -> None:
        self.address = parse_address(url)
        self._token = token
        self._connections = Connections(self.address, timeout, ssl_context)

    def send(self, request: Request) -> Answer:
        """The answer, if it is not an error."""
        deadline = time.monotonic() + TOTAL_SECONDS_MAX
        tries = 1
        while True:
            try:
                return self._send_once(request)
            except FrameholdError as error:
                wait = _wait_seconds(error, tries)
                is_last = tries == TRIES_MAX or not request.can_repeat_after(error)
                if wait is None or is_last or time.monotonic() + wait > deadline:
                    raise
            tries += 1
            time.sleep(wait)

    def json(self, request: Request) -> JsonObject:
        return parse_object(self.send(request).read_all())

    def done(self, request: Request) -> None:
        self.send(request).read_all()

    def close(self) -> None:
        self._connections.close()

    def _send_once(self, request: Request) -> Answer:
        connection = self._connections.take()
        try:
            response = self._exchange(connection, request)
        except BaseException as error:
            self._connections.give_back(connection, reusable=False)
            if isinstance(error, OSError | http.client.HTTPException) and not isinstance(error, FileNotFoundError):
                raise connection_failed(self.address, error) from error
            raise
        answer = Answer(response, connection, self._connections)
        if answer.status < 400:
            return answer
        error = error_of_answer(answer.status, answer.headers, answer.read_all())
        if answer.status == 401 and self._token is None:
            raise Unauthorized(
                error.detail, code=error.code, status=401, hint=NO_TOKEN_HINT, request_id=error.request_id
            )
        raise error

    def _exchange(self, connection: http.client.HTTPConnection, request: Request) -> http.client.HTTPResponse:
        body = request.body
        target = self.address.path + request.path + _query(request.parameters)
        headers = {"User-Agent": _USER_AGENT, **request.headers}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        if not isinstance(body, RequestBody):
            connection.request(request.method, target, body, headers)
            return connection.getresponse()
        headers |= _body_headers(body)
        connection.putrequest(request.method, target, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        early = read_early_answer(connection, request.method)
        if early is not None:
            return early
        sink = BodySink(connection, chunked=body.length is None, on_bytes=request.on_bytes)
        try:
            body.send(sink)
            sink.end()
        except (BrokenPipeError, ConnectionResetError):
            # The server has refused the body before its end, and its answer says why.
            return connection.getresponse()
        return connection.getresponse()


def _body_headers(body: RequestBody) -> dict[str, str]:
    headers = {"Content-Type": body.content_type, "Expect": "100-continue"}
    if body.content_encoding is not None:
        headers["Content-Encoding"] = body.content_encoding
    if body.length is None:
        headers["Transfer-Encoding"] = "chunked"
    else:
        headers["Content-Length"] = str(body.length)
    return headers


def _query(parameters: Parameters) -> str:
    given = {name: _text(value) for name, value in parameters.items() if value is not None}
    return f"?{urlencode(given)}" if given else ""


def _text(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _wait_seconds(error: FrameholdError, tries: int) -> float | None:
    """None if repeating cannot help, or not soon."""
    if isinstance(error, ConnectionFailed) and error.status == 0:
        # These do not pass by themselves.
        if isinstance(error.__cause__, ssl.SSLError | socket.gaierror | http.client.HTTPException):
            return FIRST_WAIT_SECONDS if isinstance(error.__cause__, http.client.RemoteDisconnected) else None
        return FIRST_WAIT_SECONDS * 2 ** (tries - 1)
    if error.code == "outcome_unknown":
        # A repetition with the same key finds out.
        return FIRST_WAIT_SECONDS * 2 ** (tries - 1)
    if error.code in _BUSY_CODES and error.retry_after is not None and error.retry_after <= WAIT_SECONDS_MAX:
        return max(error.retry_after, FIRST_WAIT_SECONDS)
    return None


def _user_agent() -> str:
    try:
        own = version("framehold")
    except PackageNotFoundError:
        own = "0"
    return f"framehold-python/{own} python/{platform.python_version()}"


_USER_AGENT = _user_agent()
