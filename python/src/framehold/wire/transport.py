"""Requests to one server, repeated where that is safe."""

from __future__ import annotations

import http.client
import platform
import ssl
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import TypeVar
from urllib.parse import urlencode

from ..errors import FrameholdError, Unauthorized, bad_argument
from ..settings import Settings
from .address import parse_address
from .answer import Answer
from .connections import Connections
from .early_answer import read_early_answer
from .failures import connection_failed, error_of_answer
from .json_values import JsonObject, parse_object
from .repetition import FIRST_CONTACT_SECONDS, RETRY_SECONDS, Repetition, is_passing, was_not_delivered
from .request_body import BodyFailed, BodySink, Progress, RequestBody
from .token import check_header, token_of

T = TypeVar("T")

Parameters = Mapping[str, "str | int | bool | None"]


@dataclass(frozen=True)
class Request:
    path: str
    method: str = "GET"
    parameters: Parameters = field(default_factory=dict[str, "str | int | bool | None"])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes | RequestBody | None = None
    on_bytes: Progress | None = None
    is_read: bool = False
    """Changes nothing, although its method is not GET."""

    def can_repeat_after(self, error: FrameholdError) -> bool:
        """Whether a repetition has the same effect: of a read, of a change with a key that the server remembers, and of
        anything that did not reach the server, or that it refused because it is busy."""
        if isinstance(self.body, RequestBody) and not self.body.can_repeat:
            return False
        is_read = self.is_read or self.method in ("GET", "HEAD")
        return is_read or "Idempotency-Key" in self.headers or was_not_delivered(error)


class Transport:
    def __init__(self, settings: Settings) -> None:
        self.address = parse_address(settings.url)
        self._settings = settings
        self._token = token_of(settings.token)
        self._connections = Connections(self.address, settings.timeout, settings.tls())
        self._retry_seconds = settings.retry_seconds
        self._has_answered = False
        self._closed = threading.Event()

    def send(self, request: Request) -> Answer:
        """The answer, if it is not an error."""
        return self._repeated(request, lambda answer: answer)

    def send_once(self, request: Request) -> Answer:
        """For callers that repeat by themselves."""
        answer = self._send_once(request)
        self._has_answered = True
        return answer

    def json(self, request: Request) -> JsonObject:
        # Repeated if it breaks off, too: what was stored must not look like a failure.
        return parse_object(self._repeated(request, lambda answer: answer.read_all()))

    def done(self, request: Request) -> None:
        self._repeated(request, lambda answer: answer.read_all())

    def close(self) -> None:
        self._closed.set()
        self._connections.close()

    def __reduce__(self) -> tuple[object, ...]:
        return (Transport, (self._settings,))

    def __copy__(self) -> Transport:
        return self

    def __deepcopy__(self, _memo: object) -> Transport:
        # A copy in the same process shares connections, and keeps the token.
        return self

    def _repeated(self, request: Request, read: Callable[[Answer], T]) -> T:
        repetition: Repetition | None = None
        while True:
            try:
                return read(self.send_once(request))
            except FrameholdError as error:
                self._has_answered = self._has_answered or error.status != 0
                if not is_passing(error, has_answered=self._has_answered) or not request.can_repeat_after(error):
                    raise
                repetition = repetition or Repetition(self._seconds())
                wait = repetition.wait_after(error)
                # Closing the database ends the wait.
                if wait is None or self._closed.wait(wait):
                    raise

    def _seconds(self) -> float:
        if self._retry_seconds is not None:
            return self._retry_seconds
        return RETRY_SECONDS if self._has_answered else FIRST_CONTACT_SECONDS

    def _send_once(self, request: Request) -> Answer:
        connection = self._connections.take()
        try:
            response = self._exchange(connection, request)
        except BaseException as error:
            self._connections.give_back(connection, reusable=False)
            if isinstance(error, BodyFailed):
                raise error.error from error.error.__cause__
            if isinstance(error, OSError | http.client.HTTPException):
                # Without its frames, whose variables have the headers.
                raise connection_failed(self.address, error) from error.with_traceback(None)
            raise
        answer = Answer(response, connection, self._connections)
        if answer.status < 400:
            return answer
        error = error_of_answer(answer.status, answer.headers, answer.read_all())
        if answer.status == 401 and self._token is None:
            raise Unauthorized(
                error.detail, code=error.code, status=401, hint=self._settings.no_token_hint, request_id=error.request_id
            )
        raise error

    def _exchange(self, connection: http.client.HTTPConnection, request: Request) -> http.client.HTTPResponse:
        body = request.body
        target = self.address.path + request.path + _query(request.parameters)
        headers = {"User-Agent": _USER_AGENT, **{name: check_header(name, each) for name, each in request.headers.items()}}
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
        except BaseException as error:
            if sink.failure is None:
                raise BodyFailed(error) from None
            if not isinstance(sink.failure, BrokenPipeError | ConnectionResetError | ssl.SSLEOFError):
                raise sink.failure from None
        # Also if the server has closed the connection before the end of the body: its answer says why.
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
    try:
        return f"?{urlencode(given)}" if given else ""
    except UnicodeEncodeError:
        raise bad_argument("A parameter has half of a character.", "Give a complete text.") from None


def _text(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _user_agent() -> str:
    try:
        own = version("framehold")
    except PackageNotFoundError:
        own = "0"
    return f"framehold-python/{own} python/{platform.python_version()}"


_USER_AGENT = _user_agent()
