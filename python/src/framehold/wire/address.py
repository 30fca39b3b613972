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


def parse_address(text: object) -> Address:
    example = f'Give it as in "{DEFAULT_URL}".'
    if not isinstance(text, str):
        raise bad_argument(f"The address is a {type(text).__qualname__}, not a text.", example)
    # Never printed with what may be a secret.
    shown = "The address" if "@" in text or "?" in text else f'"{text}"'
    try:
        parts = urlsplit(text)
        port = parts.port
        (parts.hostname or "").encode("idna")
    except ValueError as error:
        what = "port" if "ort" in str(error) else "host"
        hint = "not a number from 0 to 65535" if what == "port" else "not one that can exist"
        raise bad_argument(f"The {what} of {shown} is {hint}.", example) from None
    if parts.username or parts.password or parts.query or parts.fragment:
        raise bad_argument("The address has more than a host, a port and a path.", "Give the token as token=…")
    if parts.scheme.startswith("grpc") or parts.scheme == "flightsql":
        raise bad_argument(
            f"{shown} is an address of Arrow Flight.",
            "This package uses HTTP: give the server's HTTP address, whose port is 9000 by default.",
        )
    if parts.scheme not in ("http", "https"):
        raise bad_argument(f"{shown} does not begin with http:// or https://.", example)
    if not parts.hostname:
        raise bad_argument(f"{shown} has no host.", example)
    if not parts.path.isascii() or not text.isprintable() or " " in text:
        raise bad_argument(f"{shown} has a character that an address cannot have.", example)
    is_tls = parts.scheme == "https"
    return Address(
        is_tls=is_tls,
        host=parts.hostname,
        port=port if port is not None else 443 if is_tls else 80,
        path=parts.path if parts.path.endswith("/") else f"{parts.path}/",
    )


def path_part(text: object) -> str:
    """A handle, name or id as one part of a path."""
    if not isinstance(text, str):
        raise bad_argument(f"A name is a text, not a {type(text).__qualname__}.", 'Write it as in "trades".')
    # These lead to another path, even if they are percent-encoded.
    if text in ("", ".", ".."):
        raise bad_argument(f'"{text}" cannot be a name.', "Give a name with another character in it.")
    try:
        return quote(text, safe="@:")
    except UnicodeEncodeError:
        raise bad_argument("The name has half of a character.", "Give a name of A-Z a-z 0-9 _ . -") from None
