"""What a connection was made with, also in another process.

A pickle has the address and the options, and no socket. It has the token only if the caller asks for that: pickles end up in
files, caches and queues, which are seldom protected as a token should be.
"""

from __future__ import annotations

import os
import ssl
from dataclasses import dataclass, field, replace

from .errors import FrameholdError, bad_argument
from .profiles import read_profile
from .wire.token import token_of

NO_TOKEN_HINT = (
    "Pass token=… to connect(), or set FRAMEHOLD_TOKEN. The operator makes one with: framehold token create."
)
NOT_IN_PICKLE_HINT = (
    "The token is not part of a pickle: set FRAMEHOLD_TOKEN where it is loaded, or connect with pickle_token=True."
)


@dataclass(frozen=True)
class Settings:
    url: str
    token: str | None = field(default=None, repr=False)
    timeout: float = 300.0
    ca_file: str | None = None
    ssl_context: ssl.SSLContext | None = None
    retry_seconds: float | None = None
    profile: str | None = None
    pickle_token: bool = False
    no_token_hint: str = NO_TOKEN_HINT

    def tls(self) -> ssl.SSLContext | None:
        if self.ssl_context is not None or self.ca_file is None:
            return self.ssl_context
        try:
            return ssl.create_default_context(cafile=self.ca_file)
        except (OSError, TypeError, ValueError) as error:
            # Also what is not a certificate, as ssl.SSLError is an OSError, and what is not a path.
            raise bad_argument(
                f'The certificates of "{self.ca_file}" cannot be read: {error}.', "Give the path of a PEM file."
            ) from error

    def __reduce__(self) -> tuple[object, ...]:
        if self.ssl_context is not None:
            raise bad_argument(
                "A connection with an ssl_context cannot be pickled.",
                "Use ca_file=… instead, or connect in the other process.",
            )
        # As plain text: `Token` would be a class that other versions of this package may not have.
        token = "".join(self.token) if self.token is not None and self.pickle_token else None
        options = {
            name: getattr(self, name) for name in ("timeout", "ca_file", "retry_seconds", "profile", "pickle_token")
        }
        return (_loaded, (self.url, self.token is not None, token, options))


def _loaded(url: str, has_token: bool, token: str | None, options: dict[str, object]) -> Settings:
    settings = Settings(url, token, **options)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    if not has_token or token is not None:
        return settings
    return replace(settings, token=_token_here(url, settings.profile), no_token_hint=NOT_IN_PICKLE_HINT)


def _token_here(url: str, profile: str | None) -> str | None:
    """The token as `connect` finds it: of the environment, or of a profile for the same server."""
    given = token_of(os.environ.get("FRAMEHOLD_TOKEN"))
    if given is not None:
        return given
    try:
        known = read_profile(profile or os.environ.get("FRAMEHOLD_PROFILE"))
    except FrameholdError:
        # Another machine may have no such profile. The first request says that the token is missing.
        return None
    return known.token if known.url == url else None
