"""Failures, as exceptions that say what is wrong and what to do."""

from __future__ import annotations


class FrameholdError(Exception):
    """Any failure. `code` is stable: one of the server's codes, or `connection_failed`, `incomplete_answer`,
    `unreadable_answer` or `bad_argument`, which come from this package and have the status 0."""

    def __init__(
        self,
        detail: str,
        *,
        code: str,
        status: int = 0,
        hint: str | None = None,
        request_id: str | None = None,
        query_id: str | None = None,
        retry_after: float | None = None,
        position: int | None = None,
    ) -> None:
        super().__init__(detail if hint is None else f"{detail} {hint}")
        self.detail = detail
        self.code = code
        self.status = status
        self.hint = hint
        self.request_id = request_id
        self.query_id = query_id
        """Id of the statement that failed."""
        self.retry_after = retry_after
        """Seconds that the server asks to wait."""
        self.position = position
        """Where a statement is wrong, counted from 0."""

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions with keyword arguments cannot be pickled otherwise, which process pools do.
        return (_rebuild, (type(self), self.detail, dict(self.__dict__)))


def _rebuild(kind: type[FrameholdError], detail: str, state: dict[str, object]) -> FrameholdError:
    error = kind(detail, code=str(state["code"]))
    error.__dict__.update(state)
    hint = state["hint"]
    error.args = (detail if hint is None else f"{detail} {hint}",)
    return error


class ConnectionFailed(FrameholdError):
    """The server cannot be reached, or what answers is not a Framehold server."""


class IncompleteAnswer(FrameholdError):
    """The connection was closed before the last row."""


class InvalidRequest(FrameholdError):
    """The request cannot be fulfilled as it is: a name, a body, a parameter, an object."""


class InvalidStatement(InvalidRequest):
    """The SQL statement is wrong, not allowed, or failed while running."""


class Unauthorized(FrameholdError):
    """No token was given, or it is unknown, expired or revoked."""


class Forbidden(FrameholdError):
    """The token does not allow this."""


class NotFound(FrameholdError, LookupError):
    """There is no such frame, version, link or query; or it is gone."""


class Conflict(FrameholdError):
    """The frame is not in the state that the request expects."""


class NotAppendOnly(Conflict):
    """Since a version, rows of the frame were not only appended: they were replaced, or an earlier version was restored."""


class PositionUnknown(NotFound):
    """The server does not know any more where a version ended. Read all rows again."""


class Unavailable(FrameholdError):
    """The server is busy, stopping, or out of disk space. Retrying later may help."""


class ServerFailed(FrameholdError):
    """A fault of the server."""


def bad_argument(detail: str, hint: str) -> InvalidRequest:
    return InvalidRequest(detail, code="bad_argument", hint=hint)


_BY_CODE: dict[str, type[FrameholdError]] = {
    "sql_invalid": InvalidStatement,
    "sql_refused": InvalidStatement,
    "sql_failed": InvalidStatement,
    "sql_memory": InvalidStatement,
    "sql_timeout": InvalidStatement,
    "column_not_readable": InvalidStatement,
    "tsdb_not_configured": InvalidRequest,
    "link_revoked": Unauthorized,
    "cancelled": ServerFailed,
    "not_append_only": NotAppendOnly,
    "position_unknown": PositionUnknown,
}

_BY_STATUS: dict[int, type[FrameholdError]] = {
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    410: NotFound,
    412: Conflict,
    429: Unavailable,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
    507: Unavailable,
}


def kind_of(code: str, status: int) -> type[FrameholdError]:
    """The exception for a code of the server."""
    known = _BY_CODE.get(code) or _BY_STATUS.get(status)
    if known is not None:
        return known
    return ServerFailed if status >= 500 else InvalidRequest
