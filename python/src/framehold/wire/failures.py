"""What a failed connection or an error answer means."""

from __future__ import annotations

import http.client
import socket
import ssl

from ..errors import ConnectionFailed, FrameholdError, IncompleteAnswer, kind_of
from .address import Address
from .json_values import JsonObject, optional_number, optional_text, parse_object


def connection_failed(address: Address, cause: Exception) -> ConnectionFailed:
    detail, hint = _reason(address, cause)
    return ConnectionFailed(detail, code="connection_failed", hint=hint)


def _reason(address: Address, cause: Exception) -> tuple[str, str]:
    origin = address.origin
    if isinstance(cause, ConnectionRefusedError):
        return (
            f"Nothing listens at {origin}.",
            "Check that the server runs, and the port: its HTTP port is 9000 by default.",
        )
    if isinstance(cause, ssl.SSLCertVerificationError):
        return (
            f"The certificate of {origin} is not trusted: {cause.verify_message}.",
            "Connect by a name that the certificate has, and pass ca_file=… if its authority is your own.",
        )
    if isinstance(cause, ssl.SSLError):
        return (
            f"The server at {origin} does not speak TLS, or no version of it that this Python accepts.",
            f"If the server has no certificate, use http://{address.host}:{address.port}.",
        )
    if isinstance(cause, socket.gaierror):
        return f'The host "{address.host}" is not known.', "Check the spelling of the address."
    if isinstance(cause, TimeoutError):
        return (
            f"The server at {origin} did not answer in time.",
            "Check that the server can be reached from here; timeout=… allows more seconds.",
        )
    if isinstance(cause, http.client.BadStatusLine) and "gRPC" in str(cause):
        return (
            "This is the server's port for Arrow Flight.",
            "Use its HTTP port, which is 9000 by default.",
        )
    if isinstance(cause, http.client.RemoteDisconnected | ConnectionError):
        return (
            f"The server at {origin} closed the connection without an answer.",
            "Check that this is a Framehold server, and whether it needs https://; its log says more.",
        )
    if isinstance(cause, http.client.HTTPException):
        return f"What listens at {origin} does not speak HTTP.", "Check the port: the HTTP port is 9000 by default."
    return f"The server at {origin} cannot be reached: {cause}.", "Check the address and the network."


def incomplete_answer(query_id: str | None) -> IncompleteAnswer:
    return IncompleteAnswer(
        "The answer ended before its last row.",
        code="incomplete_answer",
        hint="Repeat the request. If it fails again, the log of the server says why.",
        query_id=query_id,
    )


def error_of_answer(status: int, headers: http.client.HTTPMessage, body: bytes) -> FrameholdError:
    """The exception for an error answer (RFC 9457)."""
    try:
        problem: JsonObject = parse_object(body)
    except FrameholdError:
        return _foreign_answer(status, body)
    code = optional_text(problem.get("code"))
    if code is None:
        return _foreign_answer(status, body)
    return kind_of(code, status)(
        optional_text(problem.get("detail")) or code,
        code=code,
        status=status,
        hint=optional_text(problem.get("hint")),
        request_id=optional_text(problem.get("requestId")) or headers.get("X-Request-Id"),
        query_id=headers.get("Framehold-Query-Id"),
        retry_after=_seconds(headers.get("Retry-After")),
        position=optional_number(problem.get("position")),
    )


def _foreign_answer(status: int, body: bytes) -> FrameholdError:
    if b"gRPC" in body[:1000]:
        detail, hint = "This is the server's port for Arrow Flight.", "Use its HTTP port, which is 9000 by default."
    else:
        detail = f"The answer has the status {status} and is not one of a Framehold server."
        hint = "Check the address; a proxy may have answered instead of the server."
    return ConnectionFailed(detail, code="unreadable_answer", status=status, hint=hint)


def _seconds(text: str | None) -> float | None:
    return float(text) if text is not None and text.isdigit() else None
