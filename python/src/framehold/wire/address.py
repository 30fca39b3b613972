"""Where the server is."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from ..errors import bad_argument

DEFAULT_URL = "http://127.0.0.1:9000"


@dataclass(frozen=True)
class Address:
    is_tls: bool
    host: str
    port: int
    path: str
    """Ends with a slash."""

    @property
    def origin(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.is_tls else 'http'}://{host}:{self.port}"


def parse_address(text: str) -> Address:
    example = f'Give it as in "{DEFAULT_URL}".'
    parts = urlsplit(text)
    if parts.scheme.startswith("grpc") or parts.scheme == "flightsql":
        raise bad_argument(
            f'"{text}" is an address of Arrow Flight.',
            "This package uses HTTP: give the server's HTTP address, whose port is 9000 by default.",
        )
    if parts.scheme not in ("http", "https"):
        raise bad_argument(f'"{text}" does not begin with http:// or https://.', example)
    if parts.username or parts.password or parts.query or parts.fragment:
        raise bad_argument("The address has more than a host, a port and a path.", "Give the token as token=…")
    try:
        port = parts.port
    except ValueError:
        raise bad_argument(f'The port of "{text}" is not a number from 0 to 65535.', example) from None
    if not parts.hostname:
        raise bad_argument(f'"{text}" has no host.', example)
    is_tls = parts.scheme == "https"
    return Address(
        is_tls=is_tls,
        host=parts.hostname,
        port=port if port is not None else 443 if is_tls else 80,
        path=parts.path if parts.path.endswith("/") else f"{parts.path}/",
    )


def path_part(text: str) -> str:
    """A handle, name or id as one part of a path."""
    # These lead to another path, even if they are percent-encoded.
    if text in ("", ".", ".."):
        raise bad_argument(f'"{text}" cannot be a name.', "Give a name with another character in it.")
    return quote(text, safe="@:")
